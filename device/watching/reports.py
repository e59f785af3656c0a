"""The reports of the tray watch."""

from dataclasses import dataclass

from device.cameras.base import Image
from device.cameras.roll_clip import RollClip
from device.session.tray_reader import TrayReading
from game.message import Message
from vision import Quad, Reading


@dataclass(frozen=True, slots=True)
class CapturedReading:
    """A report: a reading in answer to a request, with the image from which it was read.

    Attributes:
        number: Number of the request.
        tray_reading: The reading, with positions in pixels of the whole frame.
        image: The frame or, if a phone took the picture, the part of the photo around the dice.
        zones: Corners of the tray and of any set-aside area in pixels of the whole frame, the tray
            first.
        earlier: If the tray is empty now, a reading of the dice that lay in it before; otherwise
            None.
        offset_px: Position of the top left corner of `image` in the whole frame, as x and y.
        clip: A clip of how the dice came to rest; None if it was not recorded.
    """

    number: int
    tray_reading: TrayReading
    image: Image
    zones: tuple[Quad, ...] = ()
    earlier: "CapturedReading | None" = None
    offset_px: tuple[int, int] = (0, 0)
    clip: RollClip | None = None

    @property
    def reading(self) -> Reading:
        """The reading, with positions in pixels of the whole frame."""
        return self.tray_reading.reading

    @property
    def reading_in_image(self) -> Reading:
        """The reading, with positions in pixels of `image`."""
        return self.reading.relative_to(*self.offset_px)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """A report: the tray did not come to rest in time for the request with this number."""

    number: int


@dataclass(frozen=True, slots=True)
class DiceSettled:
    """A report: dice rolled and have come to rest, although no reading was requested."""


@dataclass(frozen=True, slots=True)
class CameraLost:
    """A report: the camera has failed. `reason` says why, and what to do."""

    reason: Message


@dataclass(frozen=True, slots=True)
class CameraFound:
    """A report: the camera with this name was opened, for the first time or after a failure."""

    name: str


Report = CapturedReading | TimedOut | DiceSettled | CameraLost | CameraFound
