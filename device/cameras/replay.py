"""A camera that shows photos or a film from disk."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from device.cameras.base import CameraError, Frame, Image, read_only, to_preview
from game.message import Message

PHOTO_ENDINGS = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
USUAL_FPS = 25.0  # for films that do not tell


class _Reel(Protocol):
    """Something that has a picture for each moment."""

    def at(self, elapsed_s: float) -> Image: ...

    def close(self) -> None: ...


class ReplayCamera:
    """A folder of photos, in the order of their names, or a film.

    >>> camera = ReplayCamera("evening/", dwell_s=None)
    >>> camera.advance()

    Args:
        path: a folder, one photo, or a film that OpenCV can play.
        dwell_s: how long each photo is shown; None shows the next only after `advance`.
        loop: begin again at the end; else the last picture stays.
        clock: seconds that never run backwards.
    """

    tray = None
    aside = None

    def __init__(
        self,
        path: str | Path,
        *,
        dwell_s: float | None = 4.0,
        loop: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"replay of {Path(path).name}"
        self._clock = clock
        self._began_s = clock()
        self._reel = _opened(Path(path), dwell_s, loop=loop)

    def advance(self) -> None:
        """Show the next photo. A film goes on by itself."""
        if isinstance(self._reel, _Photos):
            self._reel.skipped += 1

    def preview(self) -> Frame:
        frame = self.capture()
        return Frame(read_only(to_preview(frame.image)), frame.time_s)

    def capture(self) -> Frame:
        """The picture of this moment, as if it were exposed now."""
        now_s = self._clock()
        return Frame(self._reel.at(now_s - self._began_s), now_s)

    def close(self) -> None:
        self._reel.close()


def _opened(path: Path, dwell_s: float | None, *, loop: bool) -> _Reel:
    if not path.exists():
        raise CameraError(
            Message(
                "nothing to replay at %(path)s: name a folder of photos or a film", path=str(path)
            )
        )
    if path.is_dir():
        files = sorted(f for f in path.iterdir() if f.suffix.lower() in PHOTO_ENDINGS)
        if not files:
            raise CameraError(
                Message("no photos in %(path)s: put .jpg or .png files there", path=str(path))
            )
        return _Photos(files, dwell_s, loop=loop)
    if not path.is_file():
        raise CameraError(
            Message(
                "%(path)s is a device or a pipe: name a folder of photos or a film", path=str(path)
            )
        )
    if path.suffix.lower() in PHOTO_ENDINGS:
        return _Photos([path], dwell_s, loop=loop)
    return _Film(path, loop=loop)


class _Photos:
    def __init__(self, files: list[Path], dwell_s: float | None, *, loop: bool) -> None:
        self.skipped = 0
        self._files = files
        self._dwell_s = dwell_s
        self._loop = loop
        self._shown: tuple[Path, Image] | None = None

    def at(self, elapsed_s: float) -> Image:
        number = self.skipped + (int(elapsed_s / self._dwell_s) if self._dwell_s else 0)
        last = len(self._files) - 1
        file = self._files[number % (last + 1) if self._loop else min(number, last)]
        if self._shown is None or self._shown[0] != file:
            self._shown = file, _photo(file)
        return self._shown[1]

    def close(self) -> None:
        self._shown = None


def _photo(file: Path) -> Image:
    try:
        image = cv2.imdecode(np.fromfile(file, np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        image = None
    if image is None:
        raise CameraError(
            Message("cannot read %(path)s: replace it by a whole JPEG or PNG", path=str(file))
        )
    return read_only(np.asarray(image, np.uint8))


class _Film:
    """Plays in real time: frames for which nobody asked are left out."""

    def __init__(self, path: Path, *, loop: bool) -> None:
        self._path = path
        self._loop = loop
        self._film = cv2.VideoCapture(str(path))
        self._fps = self._film.get(cv2.CAP_PROP_FPS) or USUAL_FPS
        self._number = -1
        self._lap_s = 0.0  # when this showing of the film began
        first = self._next() if self._film.isOpened() else None
        if first is None:
            raise CameraError(
                Message(
                    "cannot play %(path)s: name a folder of photos or a film (.mp4, .avi)",
                    path=str(path),
                )
            )
        self._shown = first

    def at(self, elapsed_s: float) -> Image:
        while self._number < int((elapsed_s - self._lap_s) * self._fps):
            image = self._next()
            if image is None and not self._loop:
                break
            self._shown = self._rewound(elapsed_s) if image is None else image
        return self._shown

    def close(self) -> None:
        self._film.release()

    def _next(self) -> Image | None:
        there, image = self._film.read()
        if not there:
            return None
        self._number += 1
        return read_only(np.asarray(image, np.uint8))

    def _rewound(self, elapsed_s: float) -> Image:
        self._film.release()
        self._film = cv2.VideoCapture(str(self._path))
        self._number, self._lap_s = -1, elapsed_s
        image = self._next()
        if image is None:
            raise CameraError(
                Message("%(path)s has become unreadable: replay another file", path=str(self._path))
            )
        return image
