"""What the watch over the tray reports."""

from dataclasses import dataclass

from device.cameras.base import Image
from device.cameras.roll_clip import RollClip
from device.session.tray_reader import TrayReading
from game.message import Message
from vision import Quad, Reading


@dataclass(frozen=True, slots=True)
class CapturedReading:
    """A reading with the image it was read from, in answer to a request.

    Attributes:
        request: Number of the request.
        tray_reading: The reading, with positions in pixels of the whole frame.
        image: The frame or, from a phone, the part of it around the dice.
        zones: Tray and set-aside area in pixels of the whole frame, the tray first.
        earlier: If the tray is empty now, the dice that lay in it before.
        offset_px: Where `image` begins in the whole frame, as x, y.
        clip: How the dice came to rest; None if it was not recorded.
    """

    request: int
    tray_reading: TrayReading
    image: Image
    zones: tuple[Quad, ...] = ()
    earlier: "CapturedReading | None" = None
    offset_px: tuple[int, int] = (0, 0)
    clip: RollClip | None = None

    @property
    def reading(self) -> Reading:
        """The reading, in pixels of the whole frame."""
        return self.tray_reading.reading

    @property
    def reading_in_image(self) -> Reading:
        """The reading, in pixels of `image`."""
        return self.reading.relative_to(*self.offset_px)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The tray did not come to rest in time for this request."""

    request: int


@dataclass(frozen=True, slots=True)
class DiceSettled:
    """Dice rolled and have come to rest without a reading being requested."""


@dataclass(frozen=True, slots=True)
class CameraLost:
    """The camera failed; `reason` says why and what to do."""

    reason: Message


@dataclass(frozen=True, slots=True)
class CameraFound:
    """A camera was opened, for the first time or after a failure."""

    name: str


Report = CapturedReading | TimedOut | DiceSettled | CameraLost | CameraFound
