"""What the camera thread is asked, and what it tells."""

from dataclasses import dataclass

from device.cameras.base import Image
from device.session.tray_reader import TrayReading
from game.message import Message
from vision import Quad, Reading


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request to read.

    `needs_motion`: only once something has moved after `since_s`, and without a time limit. `is_unprompted`
    where nobody asked.
    """

    number: int
    needs_motion: bool
    since_s: float
    wait_s: float
    is_unprompted: bool = False


@dataclass(frozen=True, slots=True)
class CapturedReading:
    """The answer to a look: what was read, the picture it was read from, and where to look in it.

    The first of the `zones` is the tray. `earlier` is what lay in a tray that is empty now. The
    `image` may be a part of what was read, which begins at `corner`: where dice lie is compared in
    the pixels of the whole.
    """

    request: int
    tray_reading: TrayReading
    image: Image
    zones: tuple[Quad, ...] = ()
    earlier: "CapturedReading | None" = None
    offset_px: tuple[int, int] = (0, 0)

    @property
    def reading(self) -> Reading:
        """In the pixels of the whole."""
        return self.tray_reading.reading

    @property
    def reading_in_image(self) -> Reading:
        """In the pixels of the image."""
        return self.reading.relative_to(*self.offset_px)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The tray did not come to rest in time."""

    request: int


@dataclass(frozen=True, slots=True)
class DiceSettled:
    """Dice were seen rolling, and lie still by now with no hand about; nobody has asked."""


@dataclass(frozen=True, slots=True)
class CameraLost:
    """There is no camera; `reason` says why and what to do."""

    reason: Message


@dataclass(frozen=True, slots=True)
class CameraFound:
    """The camera works, for the first time or again."""

    name: str


Report = CapturedReading | TimedOut | DiceSettled | CameraLost | CameraFound
