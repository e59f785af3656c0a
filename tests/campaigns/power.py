"""What is on a disk after its power was cut, worked out from all that was written to it.

A write is safe once its file was synced; before that it may be there, not be there, or be there in
part: each sector of 512 bytes by itself. A name that was made, changed or taken away is safe once
its folder was synced. (A real disk is kinder: this is the worst that POSIX allows.)
"""

import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HEAD = struct.Struct("<cHHqI")
SECTOR = 512


@dataclass(frozen=True, slots=True)
class Deed:
    """One operation on a file; its first letter is that of create, write, truncate, sync, unlink or rename."""

    kind: str
    path: str
    name: str = ""
    offset: int = 0
    data: bytes = b""

    @property
    def size(self) -> int:
        """Return its size in the record, in bytes."""
        return HEAD.size + len(self.path.encode()) + len(self.name.encode()) + len(self.data)


def witness(folder: Path) -> Path:
    """Compile the library that records file operations into a folder, and return its path."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: apt install gcc")
    library = folder / "witness.so"
    source = Path(__file__).with_name("witness.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library


def deeds(log: Path) -> Iterator[Deed]:
    """Return all recorded operations, in order."""
    raw = log.read_bytes()
    at = 0
    while at < len(raw):
        kind, path_n, name_n, offset, data_n = HEAD.unpack_from(raw, at)
        at += HEAD.size
        path, at = raw[at : at + path_n].decode(), at + path_n
        name, at = raw[at : at + name_n].decode(), at + name_n
        data, at = raw[at : at + data_n], at + data_n
        yield Deed(kind.decode(), path, name, offset, data)


@dataclass(slots=True)
class File:
    """The synced and the unsynced contents of a file."""

    safe: bytearray = field(default_factory=bytearray)
    waiting: list[Deed] = field(default_factory=list)

    def sync(self) -> None:
        for deed in self.waiting:
            apply(self.safe, deed)
        self.waiting.clear()

    def after_a_cut(self, rng: random.Random, share: float) -> bytes:
        """Return the contents if this share of the unsynced sectors reached the disk."""
        data = bytearray(self.safe)
        for deed in self.waiting:
            if deed.kind == "t":
                if rng.random() < share:
                    apply(data, deed)
                continue
            for start in range(0, len(deed.data), SECTOR):
                if rng.random() < share:
                    apply(
                        data,
                        Deed("w", "", "", deed.offset + start, deed.data[start : start + SECTOR]),
                    )
        return bytes(data)


def apply(data: bytearray, deed: Deed) -> None:
    if deed.kind == "t":
        del data[deed.offset :]
        data.extend(bytes(deed.offset - len(data)))
    else:
        data.extend(bytes(max(0, deed.offset - len(data))))
        data[deed.offset : deed.offset + len(deed.data)] = deed.data


@dataclass(slots=True)
class Disk:
    """The files, their current names, and their synced names."""

    now: dict[str, File] = field(default_factory=dict)
    safe: dict[str, File] = field(default_factory=dict)
    names: list[Deed] = field(default_factory=list)

    def take(self, deed: Deed) -> None:
        match deed.kind:
            case "w" | "t":
                self.now.setdefault(deed.path, File()).waiting.append(deed)
            case "s" if deed.path in self.now:
                self.now[deed.path].sync()
            case "s":  # a folder: every name in it
                self.safe = dict(self.now)
                self.names.clear()
            case _:
                _rename(self.now, deed)
                self.names.append(deed)

    def cut(self, folder: Path, rng: random.Random) -> None:
        """Write to this folder what may remain after a power cut."""
        share = rng.choice((0.0, 1.0, rng.random(), rng.random()))
        names = dict(self.safe)
        for deed in self.names[: round(share * len(self.names))]:
            if deed.kind == "c" and deed.path in self.now:
                names[deed.path] = self.now[deed.path]
            elif deed.kind != "c":
                _rename(names, deed)
        for path, file in names.items():
            if not path.endswith("-shm"):  # memory, though it has a name
                (folder / Path(path).name).write_bytes(file.after_a_cut(rng, share))


def _rename(names: dict[str, File], deed: Deed) -> None:
    match deed.kind:
        case "c":
            names[deed.path] = File()
        case "u":
            names.pop(deed.path, None)
        case "r" if deed.path in names:
            names[deed.name] = names.pop(deed.path)
