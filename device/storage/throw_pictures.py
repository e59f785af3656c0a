"""The camera's picture of each throw, kept beside the journal for a while.

It is never the cause of anything: a thread of its own writes them, drops what comes too fast, and
stops while the disk has little room. Which are let go is told by their numbers, not by the clock.
"""

import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from time import time

from device.cameras.base import Image
from device.cameras.tray_picture import encode_jpeg
from device.files import write_atomically
from game.journal.entry import EARLIEST_S

log = logging.getLogger(__name__)

FOLDER = "frames"
WIDTH_PX = 1280
"""A die of 16 mm is some 50 pixels wide then: enough to see who was right."""

SPARE_BYTES = 300 * 1024 * 1024
"""The disk's last room is for the journal."""

WAITING = 4
"""More than this many pictures behind, the next one is dropped."""

DAY_S = 24 * 3600.0


class ThrowPictures:
    """Keeps pictures by the position of their throw in the journal.

    Args:
        folder: where; it is made with the first picture.
        max_bytes: of all together; 0 keeps none.
        max_age_s: older ones go.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int = 200 * 1024 * 1024,
        max_age_s: float = 90 * DAY_S,
        clock: Callable[[], float] = time,
    ) -> None:
        self._folder, self._clock = folder, clock
        self._max_bytes, self._max_age_s = max_bytes, max_age_s
        self._queue: Queue[tuple[int, Image] | None] = Queue(WAITING)
        self._thread = Thread(target=self._run, name="frames", daemon=True)
        self._thread.start()

    def keep(self, position: int, image: Image) -> None:
        """Write it when there is time. Returns at once."""
        if self._max_bytes:
            with suppress(Full):
                self._queue.put_nowait((position, image))

    def get(self, position: int) -> bytes | None:
        """The picture of this throw as JPEG, if it is still kept."""
        try:
            return self._path(position).read_bytes()
        except OSError:
            return None

    def close(self) -> None:
        """After what is waiting."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            try:
                self._write(*item)
                self._prune()
            except OSError as error:
                log.warning("a throw's picture cannot be kept: %s", error)

    def _write(self, position: int, image: Image) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if shutil.disk_usage(self._folder).free < SPARE_BYTES:
            return
        write_atomically(self._path(position), encode_jpeg(image, WIDTH_PX))

    def _prune(self) -> None:
        """The newest stay, until they are too many bytes or too old."""
        left = self._max_bytes
        for path in sorted(_kept(self._folder), reverse=True):
            found = path.stat()
            left -= found.st_size
            if left < 0 or self._too_old(found.st_mtime):
                _remove(path)

    def _too_old(self, written_s: float) -> bool:
        """One written while the clock was not set has no age."""
        return written_s >= EARLIEST_S and self._clock() - written_s > self._max_age_s

    def _path(self, position: int) -> Path:
        return self._folder / f"{position:09}.jpg"


def forget(folder: Path, after: int) -> None:
    """Pictures of later positions go: the journal is another one from there on.

    One that cannot be taken away stops nobody: what came before this is done, and stays so.
    """
    for path in _kept(folder):
        if int(path.stem) > after:
            _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("a throw's picture cannot be taken away: %s", error)


def _kept(folder: Path) -> list[Path]:
    """Ours: whatever else lies there is somebody else's."""
    try:
        found = list(folder.glob("*.jpg"))
    except OSError as error:
        log.warning("the pictures of throws cannot be listed: %s", error)
        return []
    return [path for path in found if path.stem.isascii() and path.stem.isdigit()]
