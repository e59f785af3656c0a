"""Detects rest, hands and tumbling dice in the previews of the tray.

This module uses no threads and no camera: the owner of the camera passes in the previews.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from threading import Lock

import cv2
import numpy as np

from device.cameras.base import Frame, Image
from device.watching.frame_diff import (
    MIN_DIE_SHARE,
    FrameDiff,
    Grey,
    Region,
    find_motion,
    is_shaken,
    to_grey,
)
from vision.reading import Quad

STILL_S = 0.4
HAND_S = 0.15  # a clump of dice crosses the border in less time
BEFORE_HAND_S = (
    0.3  # anything that moved this shortly before a hand was seen was moved by that hand
)
REST_S = 0.15  # a hand is recognised by comparison with a tray that has been still for this long
FORGET_HAND_S = 6.0  # a "hand" that does not move for this long is a tray that was moved
MIN_TUMBLE_FRAMES = 3  # laying a die down changes one frame; tumbling dice change many
MEMORY_S = 120.0
# In this time, a pushed die moves about 10 px (in a view 40 cm wide) and a thrown die 30 px. A single
# frame with such a fast motion may be a die that was picked up in one place and laid down in another.
PUSH_S = 0.12
MAX_PUSH_PX = 14
MIN_FAST_FRAMES = 2
MAX_GAP_S = 0.25
"""If two frames are further apart than this, in seconds, a short throw between them could go unseen."""

_PUSH_REACH = np.ones((2 * MAX_PUSH_PX + 1, 2 * MAX_PUSH_PX + 1), np.uint8)


class Motion(Enum):
    """The kind of motion that a frame shows."""

    STILL = "still"
    TUMBLING = "tumbling"
    HAND = "hand"
    MOVING = "moving"  # dice pushed or laid down, a shaken table, the first moment of a throw


@dataclass(frozen=True, slots=True)
class Activity:
    """The facts known about the motion over the tray after the latest frame.

    Attributes:
        motion: The kind of motion that the frame shows.
        still_s: How long nothing has changed, in seconds.
        has_hand: Whether there is a hand over the tray.
        is_settled: Whether the tray has been still long enough for a reading, with no hand in it.
    """

    motion: Motion
    still_s: float
    has_hand: bool
    is_settled: bool


class MotionWatch:
    """A detector of rest, hands and tumbling dice in the previews of a tray.

    >>> watch = MotionWatch()
    >>> watch.feed(camera.preview()).is_settled
    False

    Args:
        still_s: How long the tray must be still before a reading, in seconds.
        tray: Corners of the tray's floor in pixels of a full frame; motion outside it is ignored.
            None means the whole frame.
        picture_px: Width and height of a full frame in pixels; required with `tray`.
    """

    def __init__(
        self,
        *,
        still_s: float = STILL_S,
        tray: Quad | None = None,
        picture_px: tuple[int, int] | None = None,
    ) -> None:
        if tray is not None and picture_px is None:
            raise ValueError("picture_px must be the size of the frame in which tray is given")
        self._still_s = still_s
        self._tray = tray
        self._picture_px = picture_px
        self._stillness: _Stillness | None = None
        self._run = _Run()
        # The tuple is replaced, never modified, because another thread may call `tumbled_since`.
        self._tumbles_s: tuple[float, ...] = ()

    def tumbled_since(self, mark_s: float) -> bool | None:
        """Return whether dice were seen tumbling freely, not moved by a hand, after the time `mark_s` in seconds.

        None means that only one or two frames look like tumbling, which can be a very short throw or a
        die that was laid down.
        """
        frames = sum(time_s > mark_s for time_s in self._tumbles_s)
        return True if frames >= MIN_TUMBLE_FRAMES else None if frames else False

    def feed(self, frame: Frame) -> Activity:
        """Process the next preview, and return what moves. Previews must be passed in order of time."""
        now = to_grey(frame.image)
        stillness = self._stillness
        if stillness is None or stillness.last.shape != now.shape:
            region = Region.of(now.shape, self._tray, self._picture_px)
            self._stillness = _Stillness(region, now, frame.time_s)
            return Activity(Motion.MOVING, 0.0, has_hand=False, is_settled=False)
        before = stillness.last
        moved = stillness.feed(now, frame.time_s)
        if stillness.is_resting:
            self._run = _Run()
        if stillness.has_hand:
            self._forget_tumbles_since(frame.time_s - BEFORE_HAND_S)
        motion = self._classify(stillness, moved, frame.time_s, before)
        is_settled = stillness.still_s >= self._still_s and not stillness.has_hand
        return Activity(motion, stillness.still_s, stillness.has_hand, is_settled)

    def _classify(
        self, stillness: "_Stillness", moved: FrameDiff, time_s: float, before: Grey
    ) -> Motion:
        if stillness.has_hand:
            return Motion.HAND
        if stillness.still_s > 0:
            return Motion.STILL
        if is_shaken(before, stillness.last):
            return Motion.MOVING
        self._run.add(moved, time_s)
        if not (self._run.is_thrown and moved.looks_like_dice):
            return Motion.MOVING
        self._remember_tumbles(self._run.take_times())
        return Motion.TUMBLING

    def _remember_tumbles(self, times_s: list[float]) -> None:
        oldest_s = times_s[-1] - MEMORY_S
        kept = (time_s for time_s in self._tumbles_s if time_s > oldest_s)
        self._tumbles_s = (*kept, *times_s)

    def _forget_tumbles_since(self, mark_s: float) -> None:
        self._run = _Run()
        self._tumbles_s = tuple(time_s for time_s in self._tumbles_s if time_s <= mark_s)


class MarkedMotion:
    """Motion over the tray since a mark, a point in time that is set when a reading is accepted.

    The camera's thread passes in the frames; any thread may set the mark or ask about motion.

    Args:
        clock: Monotonic clock in seconds, the same as that of the frames.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = Lock()
        self._motion: MotionWatch | None = None
        self._marked_s: float | None = None
        self._gap_s = self._seen_s = self._moved_s = 0.0

    def begin(self, motion: MotionWatch) -> None:
        """Start watching with a new motion detector; the time until now counts as not watched."""
        with self._lock:
            self._motion = motion
            self._gap_s = self._seen_s = self._moved_s = self._clock()

    def end(self) -> None:
        """Stop watching and remove the mark, because the camera is gone."""
        with self._lock:
            self._motion = self._marked_s = None

    def feed(self, motion: MotionWatch, frame: Frame) -> Activity:
        """Process the next preview, and return what moves in it.

        Args:
            motion: The detector that was passed to `begin`.
            frame: The next preview, which must be newer than the previous one.
        """
        activity = motion.feed(frame)
        with self._lock:
            if activity.still_s == 0:
                self._moved_s = frame.time_s
                if frame.time_s - self._seen_s > MAX_GAP_S:
                    self._gap_s = frame.time_s
            self._seen_s = frame.time_s
        return activity

    def mark(self, time_s: float | None) -> None:
        """Set the mark to a time in seconds; None means now."""
        with self._lock:
            self._marked_s = self._clock() if time_s is None else time_s

    def distrust(self) -> None:
        """Treat the time until now as not watched, so that unseen throws are possible."""
        with self._lock:
            self._gap_s = self._clock()

    @property
    def marked_s(self) -> float:
        """When the last reading was accepted, in seconds; 0 if none has been accepted."""
        with self._lock:
            return self._marked_s or 0.0

    @property
    def has_tumbled(self) -> bool | None:
        """Whether dice have tumbled since the mark; None if the tray was not watched throughout."""
        with self._lock:
            if self._motion is None or self._marked_s is None:
                return None
            tumbled = self._motion.tumbled_since(self._marked_s)
            return None if tumbled is False and self._gap_s > self._marked_s else tumbled

    def surely_tumbled_since(self, time_s: float) -> bool:
        """Return whether dice were certainly seen tumbling after this time in seconds."""
        with self._lock:
            return self._motion is not None and self._motion.tumbled_since(time_s) is True

    def has_moved_since(self, time_s: float) -> bool:
        """Return whether anything moved after this time in seconds."""
        with self._lock:
            return self._moved_s > time_s


class _Stillness:
    """Measures how still the tray is by comparing each preview with earlier ones.

    Args:
        region: The part of a preview that is watched.
        now: The first preview, as returned by `to_grey`.
        time_s: When it was taken, in seconds.

    Attributes:
        last: The last preview.
        still_s: How long nothing has changed, in seconds.
        has_hand: Whether there is a hand over the tray.
    """

    def __init__(self, region: Region, now: Grey, time_s: float) -> None:
        self.last = now
        self.still_s = 0.0
        self.has_hand = False
        self._region = region
        self._anchor, self._anchor_s = now, time_s
        self._rest: Grey | None = None
        self._arm_s: float | None = None

    @property
    def is_resting(self) -> bool:
        """Whether the tray is still and without a hand, so that a hand can be recognised later by comparison."""
        return self.still_s >= REST_S and not self.has_hand

    def feed(self, now: Grey, time_s: float) -> FrameDiff:
        """Process the next preview, as returned by `to_grey`, and return what has moved since the last one."""
        # A die that turns slowly changes little between two previews, so an older one, the anchor, is compared
        # as well. If nothing has changed since the anchor, nothing has changed since the last preview.
        moved = turned = find_motion(self._anchor, now, self._region)
        if turned.has_changes:
            if self.last is not self._anchor:
                moved = find_motion(self.last, now, self._region)
            self._anchor, self._anchor_s = now, time_s
        self.still_s = time_s - self._anchor_s
        self.has_hand = self._confirm_hand(
            time_s, has_arm=moved.has_arm or self._has_arm_since_rest(now)
        )
        self.last = now
        if self.is_resting:
            self._rest = now
        return moved

    def _has_arm_since_rest(self, now: Grey) -> bool:
        if self._rest is None or self._rest is self.last:
            return False  # that comparison has already been made
        return find_motion(self._rest, now, self._region).has_arm

    def _confirm_hand(self, time_s: float, *, has_arm: bool) -> bool:
        if not has_arm or self.still_s > FORGET_HAND_S:
            self._arm_s = None
        elif self._arm_s is None:
            self._arm_s = time_s
        return self._arm_s is not None and time_s - self._arm_s >= HAND_S


class _Run:
    """The changes since the tray was last still. Their speed distinguishes a throw from a push by a hand."""

    def __init__(self) -> None:
        self._passed: deque[tuple[float, Image]] = deque()
        self._times_s: list[float] = []
        self._fast_frames = 0

    @property
    def is_thrown(self) -> bool:
        return self._fast_frames >= MIN_FAST_FRAMES

    def add(self, moved: FrameDiff, time_s: float) -> None:
        self._times_s.append(time_s)
        while len(self._passed) > 1 and self._passed[1][0] <= time_s - PUSH_S:
            self._passed.popleft()
        if self._passed and not self.is_thrown:
            reachable = np.asarray(cv2.dilate(self._passed[0][1], _PUSH_REACH), np.uint8)
            ahead = np.count_nonzero(moved.mask & ~reachable)
            self._fast_frames += int(ahead > MIN_DIE_SHARE * moved.mask.size)
        self._passed.append((time_s, moved.mask))

    def take_times(self) -> list[float]:
        """Return the times, in seconds, of the frames added since the last call."""
        times_s, self._times_s = self._times_s, []
        return times_s
