"""Text that people wrote into files: matches, and rules of their own."""

import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from game.errors import FileError
from game.file_io import open_bounded_source
from game.message import Message

MAX_CHARS = 20_000_000
"""An evening's match is a few thousand; /dev/zero has no end."""


def read_text(path: Path) -> str:
    """What stands in this file, line by line.

    Raises:
        FileError: there is none, or it is not text; in plain words.
    """
    return _read(lambda: open_bounded_source(path), str(path))


def read_stdin() -> str:
    """The same of what comes in."""
    return _read(lambda: sys.stdin.buffer, "stdin")


def _read(begin: Callable[[], BinaryIO], name: str) -> str:
    try:
        with TextIOWrapper(begin(), encoding="utf-8-sig") as file:
            text = file.read(MAX_CHARS + 1)
    except (OSError, ValueError) as error:
        raise FileError(Message("%(file)s: %(why)s", file=name, why=_why(error))) from None
    if len(text) > MAX_CHARS:
        why = Message("this is longer than %(most)s characters", most=MAX_CHARS)
        raise FileError(Message("%(file)s: %(why)s", file=name, why=why))
    return text


def _why(error: OSError | ValueError) -> Message:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return Message("there is no such file")
        case IsADirectoryError():
            return Message("this is a folder: name a file")
        case PermissionError():
            return Message("this file may not be read by you")
        case UnicodeDecodeError():
            return Message("this is no text: save it as UTF-8")
        case OSError():
            return Message("cannot be read: %(why)s", why=str(error.strerror))
        case _:
            return Message("this is no name of a file")
