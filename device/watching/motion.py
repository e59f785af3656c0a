"""Detects rest, hands and tumbling dice in the previews of the tray.

Thresholds are relative to the image and to its noise, which is measured in each pair of previews. This module
uses no threads and no camera: the owner of the camera passes in the previews.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from threading import Lock

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras.base import Frame, Image
from vision.reading import Quad

Grey = npt.NDArray[np.float32]

WIDTH_PX = 320  # a die of 16 mm is 13 px wide, its pips 2 px: enough to see a die turn
MIN_CHANGE = 5.0  # grey levels: JPEG blocks and flickering lamps change a preview by less
NOISE_PERCENTILE = 35  # at least this share of a preview is always free of hands
NOISE_QUANTILE = 0.4538  # the 35th percentile of |x| for a standard normal distribution
MIN_NOISE_RATIO = 6.0  # by chance, none of 57,600 pixels differs by this many standard deviations
MIN_BLOB_PX = 3  # smaller blobs are hot pixels
# Area of a die as a share of the watched region: from 8 mm in a wide view to 16 mm with motion blur.
MIN_DIE_SHARE, MAX_DIE_SHARE = 0.0004, 0.03
MAX_DICE = 14  # more blobs than this mean that the table was shaken
ARM_PX = 28  # an arm is thicker than this everywhere; a flying die with its shadow is not
REGION_MARGIN = 0.06  # added around the tray, as a share of its size: walls lean outwards in view
MIN_GAIN_CHANGE = 0.05  # a hand changes the brightness by at least this much
# Number of cells across and down: a new exposure changes all of them, except one that is too bright or dark.
GRID = 3
MIN_CELL_SHARE = (
    0.8  # share of the gain: tone curves bend, but not so much that a cell stays the same
)
SHAKEN_SHARE = 0.5  # share of the difference that a single shift of the whole image must explain

_TOUCHING = np.ones((3, 3), np.uint8)
_HOLES = np.ones((7, 7), np.uint8)
_ARM = np.ones((ARM_PX, ARM_PX), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The watched part of a preview.

    Attributes:
        mask: (height, width) uint8: 255 inside the region, 0 outside.
        ring: (height, width) bool: True at the border of the region.
        pixels: Number of pixels in the region.
    """

    mask: Image
    ring: npt.NDArray[np.bool_]
    pixels: int

    @classmethod
    def of(
        cls, shape: tuple[int, ...], tray: Quad | None, picture_px: tuple[int, int] | None
    ) -> "Region":
        """Return the region of the tray with a margin, or the whole preview if the tray is not known.

        Args:
            shape: Shape of the preview: height and width.
            tray: Corners of the tray's floor in pixels of a full frame; None if they are not known.
            picture_px: Width and height of a full frame in pixels; None if they are not known.
        """
        mask: Image = np.zeros(shape, np.uint8)
        if tray is None or picture_px is None:
            mask[:] = 255
        else:
            cv2.fillConvexPoly(mask, _with_margin(tray, shape, picture_px), 255)
        border = cv2.BORDER_CONSTANT
        inner = cv2.erode(mask, np.ones((5, 5), np.uint8), borderType=border, borderValue=0)
        return cls(mask, (mask > 0) & (inner == 0), int(np.count_nonzero(mask)))


def _with_margin(
    tray: Quad, shape: tuple[int, ...], picture_px: tuple[int, int]
) -> npt.NDArray[np.int32]:
    """Return the corners of the tray in pixels of the preview, (4, 2), moved outwards by the margin.

    Args:
        tray: Corners of the tray's floor in pixels of a full frame.
        shape: Shape of the preview: height and width.
        picture_px: Width and height of a full frame in pixels.
    """
    corners = np.array(tray.corners) * (shape[1] / picture_px[0], shape[0] / picture_px[1])
    centre = corners.mean(axis=0)
    outwards = centre + (corners - centre) * (1 + 2 * REGION_MARGIN)
    return np.asarray(np.rint(outwards), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class FrameDiff:
    """The pixels that have changed between two previews, and their connected blobs.

    Attributes:
        mask: (height, width) uint8: 255 where something has changed, otherwise 0.
        shares: Area of each blob, as a share of the watched region.
        at_border: For each blob, whether it touches the border of the region.
        has_arm: Whether one of the blobs at the border is as thick as an arm.
    """

    mask: Image
    shares: tuple[float, ...]
    at_border: tuple[bool, ...]
    has_arm: bool

    @property
    def has_changes(self) -> bool:
        """Whether anything has changed."""
        return bool(self.shares)

    @property
    def looks_like_dice(self) -> bool:
        """Whether at least one blob could be a die inside the tray, and there are not too many blobs."""
        large = [
            (share, at_border)
            for share, at_border in zip(self.shares, self.at_border, strict=True)
            if share > MIN_DIE_SHARE
        ]
        has_die = any(share < MAX_DIE_SHARE and not at_border for share, at_border in large)
        return has_die and len(large) <= MAX_DICE


def to_grey(image: Image) -> Grey:
    """Return the smoothed brightness of a BGR image, scaled to a width of `WIDTH_PX`, (height, width)."""
    levels = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    height, width = levels.shape
    if width != WIDTH_PX:
        size = (WIDTH_PX, round(height * WIDTH_PX / width))
        levels = cv2.resize(levels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(levels.astype(np.float32), (3, 3)), np.float32)


def find_motion(before: Grey, now: Grey, region: Region) -> FrameDiff:
    """Return the differences between two previews that neither noise nor a changed exposure explains.

    Args:
        before: The earlier preview, as returned by `to_grey`.
        now: The later preview, of the same shape.
        region: The part of the preview that is watched.
    """
    mask: Image = _changed(before, now) & region.mask
    if np.count_nonzero(mask) < MIN_BLOB_PX:  # most previews: the tray is at rest
        return FrameDiff(mask, shares=(), at_border=(), has_arm=False)
    count, components = cv2.connectedComponents(cv2.dilate(mask, _TOUCHING))
    labels = np.asarray(components, np.int32)
    areas = np.bincount(labels[mask > 0], minlength=count)
    border = set(np.unique(labels[region.ring]).tolist()) - {0}
    blobs = [i for i in range(1, count) if areas[i] >= MIN_BLOB_PX]
    return FrameDiff(
        mask=mask,
        shares=tuple(float(areas[i]) / region.pixels for i in blobs),
        at_border=tuple(i in border for i in blobs),
        has_arm=not border.isdisjoint(_thick_blobs(mask, labels)),
    )


def _changed(before: Grey, now: Grey) -> Image:
    gain = _exposure_gain(before, now)
    difference = np.asarray(cv2.addWeighted(now, 1.0, before, -gain, 0.0))
    np.abs(difference, out=difference)
    noise = float(np.percentile(difference[::4, ::4], NOISE_PERCENTILE)) / NOISE_QUANTILE
    # Tone curves bend, so a correction of the exposure may be wrong by as much as it corrects.
    unexplained = cv2.scaleAdd(before, -abs(gain - 1), difference)
    threshold = np.float32(max(MIN_CHANGE, MIN_NOISE_RATIO * noise))
    return np.asarray((unexplained > threshold).view(np.uint8) * 255, np.uint8)


def _exposure_gain(before: Grey, now: Grey) -> float:
    """Return the factor by which the brightness of the whole image has changed; 1 if only a part has changed.

    The factor is the median over the brighter half of the pixels.
    """
    old = before[::6, ::6]
    ratio = np.asarray(now[::6, ::6] / np.maximum(old, 1), np.float32)
    bright = old >= max(1.0, float(np.median(old)))
    gain = float(np.median(ratio[bright])) if bright.any() else 1.0
    return gain if _is_global(gain, ratio) else 1.0


def _is_global(gain: float, ratio: Grey) -> bool:
    """Return whether the whole image changed by this gain; a hand over half of it changes only that half.

    Args:
        gain: Ratio of the brightness now to the brightness before.
        ratio: This ratio, pixel by pixel.
    """
    if abs(gain - 1) < MIN_GAIN_CHANGE:
        return True
    rows = np.array_split(ratio, GRID)
    cells = [float(np.median(cell)) for row in rows for cell in np.array_split(row, GRID, axis=1)]
    alike = sum(abs(cell - gain) < MIN_CELL_SHARE * abs(gain - 1) for cell in cells)
    return alike >= len(cells) - 1


def _thick_blobs(mask: Image, labels: npt.NDArray[np.int32]) -> list[int]:
    """Return the labels of the blobs that are as thick as an arm at some point.

    Args:
        mask: (height, width) uint8: 255 where something has changed, otherwise 0.
        labels: (height, width): number of the blob that each pixel belongs to.
    """
    if np.count_nonzero(mask) < ARM_PX**2:
        return []
    solid = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _HOLES)
    return [int(label) for label in np.unique(labels[cv2.erode(solid, _ARM) > 0])]


def is_shaken(before: Grey, now: Grey) -> bool:
    """Return whether the whole image has shifted because somebody bumped the table or the camera arm.

    This is one step of the Lucas-Kanade method, applied to all pixels together.

    Args:
        before: The earlier preview, as returned by `to_grey`.
        now: The later preview, of the same shape.
    """
    half = (WIDTH_PX // 2, now.shape[0] // 2)
    old = np.asarray(cv2.resize(before, half, interpolation=cv2.INTER_AREA))
    new = np.asarray(cv2.resize(now, half, interpolation=cv2.INTER_AREA))
    across = cv2.Sobel(old + new, cv2.CV_32F, 1, 0, scale=1 / 16).ravel()
    down = cv2.Sobel(old + new, cv2.CV_32F, 0, 1, scale=1 / 16).ravel()
    slopes = np.stack([across, down])
    difference = (old - new).ravel()
    shift = np.linalg.lstsq(slopes @ slopes.T, slopes @ difference, rcond=None)[0]
    unexplained = difference - shift @ slopes
    before_shift, after = float(difference @ difference), float(unexplained @ unexplained)
    return after < (1 - SHAKEN_SHARE) * before_shift


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
        self._activity = Activity(Motion.MOVING, 0.0, has_hand=False, is_settled=False)
        self._fed_s = float("-inf")
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
        """Process the next preview, and return what moves. Previews must be passed in order of time.

        A slow camera repeats its latest preview, from which nothing can be learnt about motion: the previous result stays.
        """
        if frame.time_s > self._fed_s:
            self._activity, self._fed_s = self._feed(frame), frame.time_s
        return self._activity

    def _feed(self, frame: Frame) -> Activity:
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
        self._marked_s = float("-inf")
        self._gap_s = self._seen_s = self._moved_s = 0.0

    def begin(self, motion: MotionWatch) -> None:
        """Start watching with a new motion detector; the time until now counts as not watched."""
        with self._lock:
            self._motion = motion
            self._gap_s = self._seen_s = self._moved_s = self._clock()

    def end(self) -> None:
        """Stop watching, because the camera is gone."""
        with self._lock:
            self._motion = None

    def feed(self, frame: Frame) -> Activity:
        """Process the next preview, and return what moves. Previews must be passed in order of time."""
        assert self._motion is not None  # noqa: S101 - `begin` has been called
        activity = self._motion.feed(frame)
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
        """When the last reading was accepted, in seconds; before all frames if none has been accepted since the start."""
        with self._lock:
            return self._marked_s

    @property
    def has_tumbled(self) -> bool | None:
        """Whether dice have tumbled since the mark; None if none were seen, but the tray was not watched throughout."""
        with self._lock:
            if self._motion is None:
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
