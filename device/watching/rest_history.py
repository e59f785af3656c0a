"""The last two rests of the tray, so that dice can be read that were picked up too early."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from device.cameras.base import Frame, Image
from device.watching.frame_diff import Grey, Region, find_motion, to_grey
from vision.reading import Quad


@dataclass(frozen=True, slots=True, eq=False)
class TrayRest:
    """A period in which nothing moved in the tray.

    Attributes:
        image: A full frame, captured when the rest began.
        from_s: When the rest began.
        until_s: When the tray was last seen at rest.
        preview: The preview of that moment, to recognise the same rest after a hand has gone.
    """

    image: Image
    from_s: float
    until_s: float
    preview: Grey


class RestHistory:
    """The current or last rest and the one before it, in memory only.

    Args:
        tray: The floor of the tray in a full frame; changes outside it start no new rest. None
            means the whole frame.
        picture_px: Width and height of a full frame.
    """

    def __init__(self, tray: Quad | None, picture_px: tuple[int, int]) -> None:
        self._tray, self._picture_px = tray, picture_px
        self._last: TrayRest | None = None
        self._previous: TrayRest | None = None
        self._is_resting = False

    def feed(
        self, preview: Frame, *, is_settled: bool, capture: Callable[[], Frame]
    ) -> TrayRest | None:
        """Take the next preview and capture one full frame at the start of each rest.

        Args:
            preview: The next preview.
            is_settled: Whether the tray is at rest in it.
            capture: Captures a full frame.

        Returns:
            The rest that begins with this preview; None if none does.
        """
        new = None
        if is_settled and self._is_resting and self._last:
            self._last = replace(self._last, until_s=preview.time_s)
        elif is_settled:
            new = self._begin(preview, capture)
        self._is_resting = is_settled
        return new

    def take_previous(self, since_s: float) -> TrayRest | None:
        """Return the rest before the current one if it began after `since_s`, and forget it."""
        rest, self._previous = self._previous, None
        return rest if rest and rest.from_s > since_s else None

    def _begin(self, preview: Frame, capture: Callable[[], Frame]) -> TrayRest | None:
        now = to_grey(preview.image)
        if self._looks_like_last(now):
            return None
        self._previous = self._last
        self._last = TrayRest(capture().image, preview.time_s, preview.time_s, now)
        return self._last

    def _looks_like_last(self, now: Grey) -> bool:
        if self._last is None or self._last.preview.shape != now.shape:
            return False
        region = Region.of(now.shape, self._tray, self._picture_px)
        return not find_motion(self._last.preview, now, region).has_changes
