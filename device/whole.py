"""Small files that are written whole or not at all."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_whole(file: Path, text: str) -> None:
    """A new file beside it, for our eyes alone, takes its place.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=file.parent, prefix=f".{file.name}.", delete=False) as fresh:
        try:
            fresh.write(text)
            fresh.flush()
            os.fsync(fresh.fileno())
            Path(fresh.name).replace(file)
        except OSError:
            Path(fresh.name).unlink(missing_ok=True)
            raise
