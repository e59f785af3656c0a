"""The camera's picture of each throw and a clip of its roll, kept next to the journal for a while.

A separate thread writes the pictures. It skips pictures that arrive too fast, and writes none while the
disk is nearly full. It deletes old pictures at the start, after each throw and once a day. A failure never affects the
match.
"""

import logging
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, groupby
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Thread
from time import monotonic, time

from device.cameras.base import Image
from device.cameras.roll_clip import COMMENT, START_OF_IMAGE, RollClip, with_comment
from device.cameras.tray_picture import encode_jpeg
from device.files import write_atomically
from game.journal.entry import EARLIEST_S
from web.picture_check import JPEG, check_picture
from web.response import HttpProblem

log = logging.getLogger(__name__)

FRAMES_FOLDER = "frames"
PICTURE, CLIP = ".jpg", ".mjpeg"
WIDTH_PX = 1280
"""Width of a stored picture in pixels. A die of 16 mm is then about 50 pixels wide, enough to settle an argument."""

SPARE_BYTES = 300 * 1024 * 1024
"""Free disk space that is reserved for the journal."""

MAX_WAITING = 4
"""If this many pictures are waiting to be written, further pictures are skipped."""

DAY_S = 24 * 3600.0

LONGEST_PAUSE_S = 30 * DAY_S
"""The clock advances by at most this much from one check of the ages to the next, in seconds, so that a clock that is a
year ahead for a day or two does not delete any pictures. After a longer pause, some checks more are needed."""

CHECKED = "checked"
"""An empty file in the folder, whose time of modification is the time of the last check."""


Cut = tuple[int, int, int]
"""The part of a frame that a picture shows: its left edge, its top edge and its width, in pixels of the frame."""

Item = tuple[int, Image | bytes | None, RollClip | bytes | None, Cut | None]
"""An item that is waiting to be written: the position of a throw, its picture, its clip and the picture's part of the
frame. Bytes are already encoded."""

CUT = re.compile(rb"cut (\d{1,4}) (\d{1,4}) ([1-9]\d{0,3})")
"""The comment of a picture, from which the places of the dice in it follow after a restart."""

MAX_CLIP_BYTES = 400_000
"""Largest clip that is accepted from another tray, in bytes: the limit of a clip, with room for later versions."""


class ThrowPictures:
    """The pictures and clips of throws, by the position of the throw in the journal.

    Args:
        folder: The folder; it is created with the first picture.
        max_bytes: Largest total size of all pictures and clips, in bytes; 0 keeps and returns none.
        max_age_s: Age in seconds at which pictures and clips are deleted.
        clock: Wall clock, in seconds since 1970.
        check_s: Time after which the age of the pictures is checked even if nobody throws, in seconds.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int = 200 * 1024 * 1024,
        max_age_s: float = 90 * DAY_S,
        clock: Callable[[], float] = time,
        check_s: float = DAY_S,
    ) -> None:
        self._folder, self._clock, self._check_s = folder, clock, check_s
        self._max_bytes, self._max_age_s = max_bytes, max_age_s
        self._time_s = 0.0
        self._queue: Queue[Item | None] = Queue(MAX_WAITING)
        self._thread = Thread(target=self._run, name="frames", daemon=True)
        self._thread.start()

    def keep(
        self,
        position: int,
        image: Image,
        clip: RollClip | bytes | None = None,
        cut: Cut | None = None,
    ) -> None:
        """Write a picture and its clip in the background, without waiting until they are written.

        Args:
            position: Position of the throw in the journal.
            image: The picture.
            clip: The recording of the roll, or its Motion JPEG; None if it was not recorded.
            cut: The part of the frame that the picture shows; None if it is not known.
        """
        self._queue_up((position, image, clip, cut))

    def add(self, position: int, data: bytes) -> bool:
        """Write a picture that another tray took, in the background.

        Args:
            position: Position of the throw in the journal.
            data: The JPEG.

        Returns:
            False if it is not a valid JPEG, or too many pictures are waiting to be written.
        """
        try:
            check_picture(data)
        except HttpProblem:
            return False
        return data.startswith(JPEG) and self._queue_up((position, data, None, None))

    def add_clip(self, position: int, data: bytes) -> bool:
        """Write a clip that another tray recorded, in the background.

        Args:
            position: Position of the throw in the journal.
            data: The clip as Motion JPEG.

        Returns:
            False if it is not a valid clip, or too many pictures are waiting to be written.
        """
        is_clip = data.startswith(START_OF_IMAGE + COMMENT) and len(data) <= MAX_CLIP_BYTES
        return is_clip and self._queue_up((position, None, data, None))

    def _queue_up(self, item: Item) -> bool:
        """Hand a picture to the writer, if pictures are kept; return False if too many are waiting already."""
        try:
            if self._max_bytes:
                self._queue.put_nowait(item)
        except Full:
            return False
        return True

    def get(self, position: int) -> bytes | None:
        """Return the picture of the throw at this position in the journal as JPEG, or None if it is not kept."""
        return self._read(position, PICTURE)

    def clip(self, position: int) -> bytes | None:
        """Return the clip of the throw at this position in the journal as Motion JPEG, or None if there is none."""
        return self._read(position, CLIP)

    def clip_positions(self) -> frozenset[int]:
        """Return the journal positions of all throws that have a clip."""
        files = _files(self._folder) if self._max_bytes else ()
        return frozenset(int(path.stem) for path in files if path.suffix == CLIP)

    def close(self) -> None:
        """Write the waiting pictures, then end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        due_s = monotonic()
        while True:
            if monotonic() >= due_s:
                self._time_s, due_s = self._believed_time(), monotonic() + self._check_s
            self._prune()
            try:
                item = self._queue.get(timeout=max(0.0, due_s - monotonic()))
            except Empty:
                continue
            if item is None:
                return
            try:
                self._write(*item)
            except OSError as error:
                log.warning("cannot keep the picture of a throw: %s", error)

    def _believed_time(self) -> float:
        """Return the time, which is at most `LONGEST_PAUSE_S` after that of the last check."""
        now_s, last_check = self._clock(), self._folder / CHECKED
        with suppress(OSError):  # there was none yet
            now_s = min(now_s, last_check.stat().st_mtime + LONGEST_PAUSE_S)
        if self._folder.is_dir():
            with suppress(OSError):  # a full or read-only disk
                last_check.touch()
                os.utime(last_check, (now_s, now_s))
        return now_s

    def _write(
        self,
        position: int,
        image: Image | bytes | None,
        clip: RollClip | bytes | None,
        cut: Cut | None,
    ) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if shutil.disk_usage(self._folder).free < SPARE_BYTES:
            return
        if image is not None:
            data = image if isinstance(image, bytes) else encode_jpeg(image, WIDTH_PX)
            if cut:
                data = with_comment(data, b"cut %d %d %d" % cut)
            write_atomically(self._path(position, PICTURE), data)
        if clip:
            data = clip if isinstance(clip, bytes) else clip.motion_jpeg
            write_atomically(self._path(position, CLIP), data)

    def _prune(self) -> None:
        """Delete the pictures and clips of the oldest throws until neither limit is exceeded."""
        files = groupby(sorted(_files(self._folder)), lambda path: path.stem)
        throws = [list(paths) for _, paths in files]
        try:
            count = max(self._count_too_old(throws), self._count_too_many(throws))
        except OSError as error:  # a file was deleted in the meantime
            log.warning("cannot check the pictures of throws: %s", error)
            return
        for path in chain.from_iterable(throws[:count]):
            _remove(path)

    def _count_too_old(self, throws: list[list[Path]]) -> int:
        """Return how many of the throws, from the oldest on, are older than the limit.

        The dates may be wrong, but the order of the throws is known. So a throw is not older than the throws before it,
        and one whose date is in the future, or before the clock was set, is kept as long as the next one.
        """
        count = 0
        for number, paths in enumerate(throws, 1):
            written_s = paths[0].stat().st_mtime
            if EARLIEST_S <= written_s <= self._time_s:
                if self._time_s - written_s <= self._max_age_s:
                    break
                count = number
        return count

    def _count_too_many(self, throws: list[list[Path]]) -> int:
        """Return how many of the throws, from the oldest on, do not fit into the limit of the size."""
        left = self._max_bytes
        for number in range(len(throws), 0, -1):
            left -= sum(path.stat().st_size for path in throws[number - 1])
            if left < 0:
                return number
        return 0

    def _read(self, position: int, suffix: str) -> bytes | None:
        if not self._max_bytes:
            return None
        try:
            return self._path(position, suffix).read_bytes()
        except OSError:
            return None

    def _path(self, position: int, suffix: str) -> Path:
        return self._folder / f"{position:09}{suffix}"


def cut_of(jpeg: bytes) -> Cut | None:
    """Return the part of the frame that a stored picture shows, or None if it does not say."""
    start = len(START_OF_IMAGE + COMMENT) + 2
    found = CUT.match(jpeg, start) if jpeg.startswith(START_OF_IMAGE + COMMENT) else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def delete_after(folder: Path, position: int) -> None:
    """Delete the pictures and clips of all throws after a position, because the journal has changed after it.

    Args:
        folder: The folder that contains the pictures.
        position: The last position whose picture and clip are kept.
    """
    for path in _files(folder):
        if int(path.stem) > position:
            _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("cannot delete the picture of a throw: %s", error)


def _files(folder: Path) -> list[Path]:
    """Return the pictures and clips of throws; other files in the folder are left alone."""
    try:
        found = [path for path in folder.iterdir() if path.suffix in (PICTURE, CLIP)]
    except FileNotFoundError:
        return []
    except OSError as error:
        log.warning("cannot list the pictures of throws: %s", error)
        return []
    return [path for path in found if path.stem.isascii() and path.stem.isdigit()]
