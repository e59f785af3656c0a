"""Where files are, and how they are written: whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

import platformdirs

SERVICE = "traykeeper.service"
UNIT = Path("etc/systemd/system") / SERVICE
SERVICE_STATE = Path("var/lib/traykeeper")
USER = "traykeeper"
"""Whom the service runs as."""


ROOT = Path("/")


def state_folder(named: str | None = None, root: Path | None = None) -> Path:
    """Where this machine's companion keeps its matches and its profile.

    Args:
        named: by the settings or on the command line; empty or None is the usual one, which is the
            service's where that is installed.
        root: another system than this one, for the doctor and for tests.
    """
    if named:
        return Path(named)
    if is_service(root):
        return (root or ROOT) / SERVICE_STATE
    return platformdirs.user_state_path("traykeeper")


def is_service(root: Path | None = None) -> bool:
    """Whether it was set up to start with the machine."""
    return ((root or ROOT) / UNIT).exists()


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file beside it, for our eyes alone, that takes its place at the end.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "wb") as fresh:
            yield fresh
            fresh.flush()
            os.fsync(number)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes | str) -> None:
    """The file with this in it; text as UTF-8.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with whole_file(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def replace_whole(path: Path, data: bytes) -> None:
    """The same, with the rights of the one that was there; that is put beside it as `.bak`.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with whole_file(path) as file:
        file.write(data)
        if path.exists():
            os.fchmod(file.fileno(), path.stat().st_mode)
            shutil.copy2(path, path.with_name(f"{path.name}.bak"))


def hand_over(folder: Path) -> None:
    """What root wrote belongs to whom the folder belongs."""
    if os.geteuid() != 0:
        return
    owner = folder.stat()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
