"""A short clip of how dice came to rest: small JPEG frames, one after another (Motion JPEG).

docs/decisions/roll-clips.md compares formats.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from device.cameras.base import Frame
from device.cameras.tray_picture import encode_jpeg, tray_cut
from vision.reading import Quad

ROLL_S = 2.0
"""How much of a roll a clip shows, in seconds. The last die lies still after one to two seconds."""

AFTERWARDS_S = 1.0
"""How long a clip shows a hand that moved the dice after the roll, in seconds."""

PAUSE_S = 0.5
"""Longest pause in the motion that is recorded, in seconds: a die that turns very slowly seems to stand still."""

MAX_BYTES = 300_000
"""Largest size of a clip; 31 frames at preview size take 110 to 250 kB."""

MIN_MOVEMENT_S = 0.12
"""Shortest movement that makes a clip, in seconds. It is a time and not a number of frames, because a busy computer sees
few frames of a roll."""

COMMENT_BYTES = 12
"""Largest size of the comment in a frame."""

START_OF_IMAGE, COMMENT = b"\xff\xd8", b"\xff\xfe"
"""JPEG markers (ITU-T T.81, table B.1)."""


@dataclass(frozen=True, slots=True)
class ClipFrame:
    """A frame of a clip.

    Attributes:
        jpeg: The frame as JPEG, cropped to the tray.
        time_s: When its exposure began, in seconds on the camera's clock.
    """

    jpeg: bytes
    time_s: float


@dataclass(frozen=True, slots=True)
class RollClip:
    """A clip that shows how dice came to rest.

    Attributes:
        frames: The frames in order. The last one shows the dice at rest.
    """

    frames: tuple[ClipFrame, ...]

    @property
    def motion_jpeg(self) -> bytes:
        """The clip as Motion JPEG: its JPEG frames, one after another.

        The comment in each JPEG is the time of the frame in milliseconds, relative to the frame in
        which the last movement was seen: 0 for that frame, negative before it.
        """
        rest_s = self.frames[-2].time_s
        return b"".join(_with_time(frame, rest_s) for frame in self.frames)


def with_comment(jpeg: bytes, text: bytes) -> bytes:
    """Return a JPEG with a comment at its beginning."""
    comment = COMMENT + (len(text) + 2).to_bytes(2, "big") + text
    return START_OF_IMAGE + comment + jpeg.removeprefix(START_OF_IMAGE)


def _with_time(frame: ClipFrame, rest_s: float) -> bytes:
    return with_comment(frame.jpeg, str(round(1000 * (frame.time_s - rest_s))).encode())


class ClipRecorder:
    """A recorder of the newest frames in which something moves. It never keeps more frames than two clips need.

    Only the thread that owns the camera may use it.

    Args:
        tray: Corners of the tray's floor in pixels of a full frame. If they are not known (None),
            nothing is recorded, because the frames would show the room.
        frame_px: Width and height of a full frame in pixels.

    Attributes:
        rested_s: When the tray was last seen at rest before the recorded frames, in seconds on the
            camera's clock.
    """

    def __init__(self, tray: Quad | None, frame_px: tuple[int, int]) -> None:
        self.rested_s = float("-inf")
        self._tray, self._width_px = tray, frame_px[0]
        self._frames: deque[ClipFrame] = deque()
        self._roll: tuple[ClipFrame, ...] = ()
        self._settled_s = self._moved_s = float("-inf")

    def __repr__(self) -> str:
        return f"<ClipRecorder, {len(self._frames)} frames, {_size(self._frames)} bytes>"

    def feed(self, preview: Frame, *, still_s: float, is_settled: bool) -> None:
        """Process the next preview.

        Args:
            preview: The preview, which must be newer than the previous one.
            still_s: How long nothing has moved, in seconds; 0 if something moves in this preview.
            is_settled: Whether the tray is at rest.
        """
        if self._tray is None:
            return
        if is_settled:
            self._settled_s = preview.time_s
        if is_settled or still_s > PAUSE_S:
            return
        if not still_s:
            self._moved_s = preview.time_s
            if self._settled_s > self.rested_s:
                self.rested_s = self._settled_s
                self._frames.clear()
        self._frames.append(self._encode(self._tray, preview))
        while self._frames and self._frames[0].time_s < self._moved_s - ROLL_S:
            self._frames.popleft()
        _shorten(self._frames)

    def finish(self, still: Frame, *, has_rolled: bool, accepted_s: float) -> RollClip | None:
        """Return a clip of how the dice have just come to rest, or None if too little moved.

        If a hand has moved dice since the roll, the clip shows both the roll and the hand.

        Args:
            still: The first preview with the dice at rest.
            has_rolled: Whether dice have rolled since `rested_s`.
            accepted_s: When a throw was last accepted, in seconds on the camera's clock. Rolls before
                that are not shown.
        """
        if self._tray is None or not self._frames:
            return None
        moved = [frame for frame in self._frames if frame.time_s <= self._moved_s]
        if has_rolled:
            frames = deque(moved)
        else:
            is_accepted = not self._roll or self._roll[-1].time_s <= accepted_s
            frames = deque(() if is_accepted else self._roll)
            frames.extend(each for each in moved if each.time_s >= self._moved_s - AFTERWARDS_S)
        frames.append(self._encode(self._tray, still))
        _shorten(frames)
        if has_rolled:
            self._roll = tuple(frames)
        is_movement = self._moved_s - frames[0].time_s >= MIN_MOVEMENT_S
        return RollClip(tuple(frames)) if is_movement else None

    def _encode(self, tray: Quad, preview: Frame) -> ClipFrame:
        height, width = preview.image.shape[:2]
        cut = tray_cut(width, height, [tray.scaled(width / self._width_px)])
        return ClipFrame(encode_jpeg(cut.of(preview.image)), preview.time_s)


def _shorten(frames: deque[ClipFrame]) -> None:
    """Drop the oldest frames, in place, until the rest fit into a clip."""
    while _size(frames) > MAX_BYTES:
        frames.popleft()


def _size(frames: Iterable[ClipFrame]) -> int:
    """Return the size of frames in a clip, in bytes."""
    return sum(len(frame.jpeg) + COMMENT_BYTES for frame in frames)
