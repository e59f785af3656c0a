"""Tells from small pictures whether the tray is still, and what moved in it.

No threads and no camera here: whoever owns the camera feeds its previews.
"""

from collections import deque
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from device.cameras.base import Frame, Image
from device.watching.frame_diff import DIE_SHARE, FrameDiff, Grey, Region, changes, grey, shaken
from vision.reading import Quad

STILL_S = 0.4
HAND_S = 0.15  # a clump of dice passes the border in less
HAND_NEAR_S = 0.3  # what moved so shortly before a hand was seen was the hand's
REST_S = 0.15  # a table that was still so long is what a hand is compared with
RETHINK_S = 6.0  # a "hand" that does not stir for so long is a tray that was moved
TUMBLE_FRAMES = 3  # a hand that lays a die down changes one frame, a tumble many
REMEMBERED_S = 120.0
# A pushed die gets some 10 px further in this time (a 40 cm view), a thrown one 30. One such
# frame may be a die that was taken from here and laid down there.
RUN_S = 0.12
PUSHED_PX = 14
FAST_FRAMES = 2
_PUSHED = np.ones((2 * PUSHED_PX + 1, 2 * PUSHED_PX + 1), np.uint8)


class Motion(Enum):
    """What a frame shows."""

    STILL = "still"
    TUMBLING = "tumbling"
    HAND = "hand"
    MOVING = "moving"  # dice pushed or laid down, a shaken table, the first moment of a throw


@dataclass(frozen=True, slots=True)
class Activity:
    """What is known after a frame.

    `still_s` tells for how long nothing changed; `settled` is true when that is long enough for
    a reading and no hand is in the way.
    """

    motion: Motion
    still_s: float
    hand: bool
    settled: bool


class MotionWatch:
    """Watches previews of a tray.

    >>> watch = MotionWatch()
    >>> watch.feed(camera.preview()).settled
    False

    Args:
        still_s: how long nothing may change before a reading.
        tray: the floor of the tray; what moves outside does not count. None: the whole picture.
        picture_px: width and height of the pictures in which `tray` is given.
    """

    def __init__(
        self,
        *,
        still_s: float = STILL_S,
        tray: Quad | None = None,
        picture_px: tuple[int, int] | None = None,
    ) -> None:
        if tray is not None and picture_px is None:
            raise ValueError("picture_px must tell the size of the pictures in which tray is given")
        self._needed_s = still_s
        self._tray = tray
        self._picture_px = picture_px
        self._table: _Table | None = None
        self._run = _Run()
        # Replaced, never changed: another thread may ask `tumbled_since`.
        self._tumbles_s: tuple[float, ...] = ()

    def tumbled_since(self, mark_s: float) -> bool | None:
        """Whether dice were seen tumbling, without a hand, in frames after `mark_s`.

        None where a frame or two looked like it: a very short throw, or a die laid down.
        """
        frames = sum(time_s > mark_s for time_s in self._tumbles_s)
        return True if frames >= TUMBLE_FRAMES else None if frames else False

    def feed(self, frame: Frame) -> Activity:
        """Take the next preview, in order of time."""
        now = grey(frame.image)
        table = self._table
        if table is None or table.last.shape != now.shape:
            region = Region.of(now.shape, self._tray, self._picture_px)
            self._table = _Table(region, now, frame.time_s)
            return Activity(Motion.MOVING, 0.0, hand=False, settled=False)
        before = table.last
        moved = table.see(now, frame.time_s)
        if table.rested:
            self._run = _Run()
        if table.hand:
            self._forget_since(frame.time_s - HAND_NEAR_S)
        motion = self._judged(table, moved, frame.time_s, shifted=before)
        settled = table.still_s >= self._needed_s and not table.hand
        return Activity(motion, table.still_s, table.hand, settled)

    def _judged(self, table: "_Table", moved: FrameDiff, time_s: float, *, shifted: Grey) -> Motion:
        if table.hand:
            return Motion.HAND
        if table.still_s > 0:
            return Motion.STILL
        if shaken(shifted, table.last):
            return Motion.MOVING
        self._run.add(moved, time_s)
        if not (self._run.thrown and moved.like_dice):
            return Motion.MOVING
        self._remember(self._run.taken())
        return Motion.TUMBLING

    def _remember(self, times_s: list[float]) -> None:
        oldest_s = times_s[-1] - REMEMBERED_S
        kept = (time_s for time_s in self._tumbles_s if time_s > oldest_s)
        self._tumbles_s = (*kept, *times_s)

    def _forget_since(self, mark_s: float) -> None:
        """What moved just before a hand was seen was the hand."""
        self._run = _Run()
        self._tumbles_s = tuple(time_s for time_s in self._tumbles_s if time_s <= mark_s)


class _Table:
    """Three pictures of the table: the last one, the one since which it is still, the last rest."""

    def __init__(self, region: Region, now: Grey, time_s: float) -> None:
        self.last = now
        self.still_s = 0.0
        self.hand = False
        self._region = region
        self._anchor, self._anchor_s = now, time_s
        self._rest: Grey | None = None
        self._arm_s: float | None = None

    @property
    def rested(self) -> bool:
        """Whether it lies still long enough, without a hand, to know a hand by."""
        return self.still_s >= REST_S and not self.hand

    def see(self, now: Grey, time_s: float) -> FrameDiff:
        """Take the next picture; what moved since the last."""
        # The anchor tells a slow turn, which changes little from one picture to the next. Where
        # nothing changed since the anchor, nothing did since the last picture.
        moved = turned = changes(self._anchor, now, self._region)
        if turned.any:
            if self.last is not self._anchor:
                moved = changes(self.last, now, self._region)
            self._anchor, self._anchor_s = now, time_s
        self.still_s = time_s - self._anchor_s
        self.hand = self._holds_a_hand(moved.like_arm or self._has_an_arm(now), time_s)
        self.last = now
        if self.rested:
            self._rest = now
        return moved

    def _has_an_arm(self, now: Grey) -> bool:
        if self._rest is None or self._rest is self.last:
            return False  # what moved was compared already
        return changes(self._rest, now, self._region).like_arm

    def _holds_a_hand(self, arm: bool, time_s: float) -> bool:  # noqa: FBT001 - private, one caller
        if not arm or self.still_s > RETHINK_S:
            self._arm_s = None
        elif self._arm_s is None:
            self._arm_s = time_s
        return self._arm_s is not None and time_s - self._arm_s >= HAND_S


class _Run:
    """The changes since the table was last still: thrown dice outrun a hand that pushes them."""

    def __init__(self) -> None:
        self._passed: deque[tuple[float, Image]] = deque()
        self._times_s: list[float] = []
        self._fast = 0

    @property
    def thrown(self) -> bool:
        return self._fast >= FAST_FRAMES

    def add(self, moved: FrameDiff, time_s: float) -> None:
        self._times_s.append(time_s)
        while len(self._passed) > 1 and self._passed[1][0] <= time_s - RUN_S:
            self._passed.popleft()
        if self._passed and not self.thrown:
            reached = np.asarray(cv2.dilate(self._passed[0][1], _PUSHED), np.uint8)
            ahead = np.count_nonzero(moved.mask & ~reached)
            self._fast += int(ahead > DIE_SHARE[0] * moved.mask.size)
        self._passed.append((time_s, moved.mask))

    def taken(self) -> list[float]:
        """The times of the frames added since the last call."""
        times_s, self._times_s = self._times_s, []
        return times_s
