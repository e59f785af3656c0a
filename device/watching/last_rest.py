"""How the tray lay before it was scooped empty: the last rest without a hand, in memory only."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from device.cameras.base import Frame, Image
from device.watching.frame_diff import Grey, Region, changes, grey
from vision.reading import Quad


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A full picture of a rest that lasted from `from_s` to `until_s`."""

    image: Image
    from_s: float
    until_s: float
    preview: Grey


class LastRest:
    """The rest that is or was last, and the one before it.

    Args:
        tray, picture_px: see `MotionWatch`; what changes outside the tray makes no new rest.
    """

    def __init__(self, tray: Quad | None, picture_px: tuple[int, int]) -> None:
        self._tray, self._picture_px = tray, picture_px
        self._last: Still | None = None
        self._before: Still | None = None
        self._lasting = False

    def see(self, preview: Frame, *, settled: bool, capture: Callable[[], Frame]) -> Still | None:
        """Take the next preview; a full picture is captured once in every rest, and given then."""
        begun = None
        if settled and self._lasting and self._last:
            self._last = replace(self._last, until_s=preview.time_s)
        elif settled:
            begun = self._begin(preview, capture)
        self._lasting = settled
        return begun

    def before(self, since_s: float) -> Still | None:
        """How it lay before it lay as it does now; told once, and only if it began after that."""
        still, self._before = self._before, None
        return still if still and still.from_s > since_s else None

    def _begin(self, preview: Frame, capture: Callable[[], Frame]) -> Still | None:
        now = grey(preview.image)
        if self._last and self._alike(self._last.preview, now):
            return None
        self._before = self._last
        self._last = Still(capture().image, preview.time_s, preview.time_s, now)
        return self._last

    def _alike(self, old: Grey, new: Grey) -> bool:
        if old.shape != new.shape:
            return False
        region = Region.of(new.shape, self._tray, self._picture_px)
        return not changes(old, new, region).any
