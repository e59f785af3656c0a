"""From a frame to a Reading: numpy and OpenCV, no camera, no game."""

from typing import TYPE_CHECKING, Any

from vision.reading import Die, Problem, Quad, Reading, Zone

if TYPE_CHECKING:
    from vision.reader import read

__all__ = ["Die", "Problem", "Quad", "Reading", "Zone", "read"]


def __getattr__(name: str) -> Any:
    """OpenCV is loaded by who reads, not by who speaks of readings."""
    if name == "read":
        from vision.reader import read  # noqa: PLC0415 - see above

        return read
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
