"""Turns one camera frame into a `Reading` of its dice, with NumPy and OpenCV only."""

from typing import TYPE_CHECKING, Any

from vision.reading import Die, Problem, Quad, Reading, Zone

if TYPE_CHECKING:
    from vision.reader import read

__all__ = ["Die", "Problem", "Quad", "Reading", "Zone", "read"]


def __getattr__(name: str) -> Any:
    """Import `read` on first use, so that code that needs only the types does not load OpenCV."""
    if name == "read":
        from vision.reader import read  # noqa: PLC0415 - see above

        return read
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
