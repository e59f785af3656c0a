"""Safe reading and writing of files: reads are bounded, and writes happen completely or not at all."""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from game.errors import FileError
from game.message import Message

UNFINISHED_SUFFIX = ".unfinished"
"""Suffix of a file that is still being written."""

SHELL_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Prefixes of the paths of pipes that a shell fills, as for `<(command)`. Reading any other pipe
could block forever."""

MAX_CHARS = 20_000_000
"""Longest text that is read, in characters. The text of a match that lasts a whole evening has a
few thousand."""


def open_readable(path: Path) -> BinaryIO:
    """Open a file, a character device or a shell's pipe for reading.

    The caller has to limit how much it reads, because a device may never end.

    Raises:
        OSError: If the path cannot be read, or is a folder or a named pipe.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(number).st_mode
        if not stat.S_ISCHR(mode) and not str(path).startswith(SHELL_PIPES):
            refuse_special_file(path, mode)
        os.set_blocking(number, True)
    except OSError:
        os.close(number)
        raise
    return os.fdopen(number, "rb")


@contextmanager
def open_regular_file(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading, and refuse folders, devices and pipes.

    Raises:
        OSError: If the path cannot be read or is not a regular file.
    """
    with open_readable(path) as file:
        refuse_special_file(path, os.fstat(file.fileno()).st_mode)
        yield file


def read_bounded(path: Path, most: int) -> bytes:
    """Read a whole regular file of limited size.

    Args:
        path: The file.
        most: Largest size that is accepted, in bytes.

    Raises:
        OSError: If the path cannot be read, is not a regular file, or is too large.
    """
    with open_regular_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 1024} kB", str(path))
    return data


def refuse_special_file(path: Path, mode: int) -> None:
    """Raise an error unless a file is a regular file.

    Args:
        path: Name of the file, for the error.
        mode: Mode of the file, as `os.stat` returns it.

    Raises:
        OSError: If the file is a folder, a device or a pipe.
    """
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", str(path))


@contextmanager
def atomic_file(path: Path, *, synced: bool = True) -> Iterator[BinaryIO]:
    """Open a private temporary file that replaces `path` when the block ends without an error.

    Args:
        path: The file to create or replace.
        synced: Whether to wait at the end of the block until the new content is on the disk. If it
            is False, a power cut may bring back the old content, but never a mixture of old and
            new.

    Raises:
        OSError: If the file cannot be written, or `path` is a special file. The old content stays.
    """
    if path.exists():
        refuse_special_file(path, path.stat().st_mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED_SUFFIX)
    try:
        with os.fdopen(number, "wb") as fresh:
            yield fresh
            fresh.flush()
            if synced:
                os.fsync(number)
        Path(name).replace(path)
        if synced:
            sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_atomically(path: Path, data: bytes | str, *, synced: bool = True) -> None:
    """Create or replace a file so that readers see the old or the new content, never a mixture.

    Args:
        path: The file.
        data: The new content. Text is written as UTF-8.
        synced: Whether to wait until the new content is on the disk. If it is False, a power cut
            may bring back the old content.

    Raises:
        OSError: If the file cannot be written. The old content stays.
    """
    with atomic_file(path, synced=synced) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def sync_folder(folder: Path) -> None:
    """Force the file names in a folder to the disk, so that a new file survives a power cut."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def read_text(path: Path) -> str:
    """Read a UTF-8 text file of at most `MAX_CHARS` characters.

    Raises:
        FileError: If the file does not exist, cannot be read, is too long, or is not text.
    """
    return _read(lambda: open_readable(path), str(path))


def read_stdin() -> str:
    """Read UTF-8 text from standard input, with the same limits as `read_text`."""
    return _read(lambda: sys.stdin.buffer, "stdin")


def _read(open_source: Callable[[], BinaryIO], name: str) -> str:
    try:
        with TextIOWrapper(open_source(), encoding="utf-8-sig") as file:
            text = file.read(MAX_CHARS + 1)
    except (OSError, ValueError) as error:
        raise FileError("%(file)s: %(why)s", file=name, why=_why(error)) from None
    if len(text) > MAX_CHARS:
        why = Message("the file is longer than %(most)s characters", most=MAX_CHARS)
        raise FileError("%(file)s: %(why)s", file=name, why=why)
    return text


def _why(error: OSError | ValueError) -> Message:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return Message("the file does not exist")
        case IsADirectoryError():
            return Message("this is a folder: give the name of a file")
        case PermissionError():
            return Message("you do not have permission to read this file")
        case UnicodeDecodeError():
            return Message("this is not a text file: save it as UTF-8")
        case OSError():
            return Message("the file cannot be read: %(why)s", why=str(error.strerror))
        case _:
            return Message("this is not a valid file name")
