"""Text that people wrote into files: matches, and rules of their own."""

from pathlib import Path

from game.errors import FileError

MAX_CHARS = 20_000_000
"""An evening's match is a few thousand; /dev/zero has no end."""


def read_text(path: Path) -> str:
    """What stands in this file, line by line.

    Raises:
        FileError: there is none, or it is not text; in plain words.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(MAX_CHARS + 1)
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {_why(error)}") from None
    if len(text) > MAX_CHARS:
        raise FileError(f"{path}: this is longer than {MAX_CHARS:,} characters")
    return text


def _why(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return "there is no such file"
        case IsADirectoryError():
            return "this is a folder: name a file"
        case PermissionError():
            return "this file may not be read by you"
        case UnicodeDecodeError():
            return "this is no text: save it as UTF-8"
        case OSError():
            return f"cannot be read: {error.strerror}"
        case _:
            return "this is no name of a file"
