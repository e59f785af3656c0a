"""Frames from the last two times the tray was at rest, for dice that are picked up before they are read."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from device.cameras.base import Frame, Image
from device.cameras.roll_clip import RollClip
from device.watching.frame_diff import Grey, Region, find_motion, to_grey
from vision.reading import Quad


@dataclass(frozen=True, slots=True, eq=False)
class TrayRest:
    """A period in which nothing moved in the tray.

    Attributes:
        image: A full frame, captured at the beginning of the period.
        from_s: When the period began, in seconds.
        until_s: When the tray was last seen unchanged, in seconds.
        preview: The preview at the beginning of the period, by which an unchanged tray is recognised
            once a hand has left.
        clip: A clip of how the dice came to rest; None if it was not recorded.
    """

    image: Image
    from_s: float
    until_s: float
    preview: Grey
    clip: RollClip | None = None


class RestHistory:
    """The last two periods in which nothing moved in the tray, kept in memory only.

    Args:
        tray: Corners of the tray's floor in pixels of a full frame; changes outside it are ignored.
            None means the whole frame.
        picture_px: Width and height of a full frame in pixels.

    Attributes:
        last: The current period or, while something moves, the last one; None before the first.
    """

    def __init__(self, tray: Quad | None, picture_px: tuple[int, int]) -> None:
        self._tray, self._picture_px = tray, picture_px
        self.last: TrayRest | None = None
        self._previous: TrayRest | None = None
        self._is_resting = False

    def feed(
        self,
        preview: Frame,
        *,
        is_settled: bool,
        capture: Callable[[], Frame],
        finish_clip: Callable[[Frame], RollClip | None] = lambda _still: None,
    ) -> TrayRest | None:
        """Process the next preview, and capture a full frame whenever the tray has newly come to rest.

        Args:
            preview: The next preview.
            is_settled: Whether the tray is at rest in that preview.
            capture: Captures a full frame.
            finish_clip: Returns the clip of the roll that ends with the given preview; None if none was
                recorded.

        Returns:
            The period of rest that begins with this preview; None if none does.
        """
        new = None
        if is_settled and self._is_resting and self.last:
            self.last = replace(self.last, until_s=preview.time_s)
        elif is_settled:
            new = self._begin(preview, capture, finish_clip)
        self._is_resting = is_settled
        return new

    def take_previous(self, since_s: float) -> TrayRest | None:
        """Forget the previous period of rest, and return it if it began after `since_s` in seconds."""
        rest, self._previous = self._previous, None
        return rest if rest and rest.from_s > since_s else None

    def _begin(
        self,
        preview: Frame,
        capture: Callable[[], Frame],
        finish_clip: Callable[[Frame], RollClip | None],
    ) -> TrayRest | None:
        now = to_grey(preview.image)
        if self._looks_like_last(now):
            return None
        self._previous = self.last
        image, time_s = capture().image, preview.time_s
        self.last = TrayRest(image, time_s, time_s, now, finish_clip(preview))
        return self.last

    def _looks_like_last(self, now: Grey) -> bool:
        if self.last is None or self.last.preview.shape != now.shape:
            return False
        region = Region.of(now.shape, self._tray, self._picture_px)
        return not find_motion(self.last.preview, now, region).has_changes
