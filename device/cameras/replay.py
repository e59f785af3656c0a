"""A camera that replays photos or a video from disk."""

import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from device.cameras.base import CameraError, Frame, Image, read_only
from game.message import Message

PHOTO_SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
USUAL_FPS = 25.0  # for videos that do not state their frame rate
CATCH_UP_S = 0.5
"""Longest time for which a video that is late is decoded before a frame is shown, in seconds."""


class ReplayCamera:
    """A camera that replays a folder of photos in the order of their names, or a video.

    Afterwards it keeps showing the last image.

    Args:
        path: A folder, a photo, or a video that OpenCV can play.
        dwell_s: How long each photo is shown, in seconds.
        clock: Monotonic clock in seconds.

    Raises:
        CameraError: If there is nothing to show.
    """

    tray = None
    aside = None

    def __init__(
        self,
        path: str | Path,
        *,
        dwell_s: float = 4.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"replay of {Path(path).name}"
        self._clock = clock
        self._began_s = clock()
        self._source = _open_source(Path(path), dwell_s)

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return the current image, scaled down."""
        return self.capture().preview()

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return the current image."""
        now_s = self._clock()
        return Frame(self._source.at(now_s - self._began_s), now_s)

    def close(self) -> None:
        """Implement `Camera.close`: close the video, or forget the photo that is shown."""
        self._source.close()


def _open_source(path: Path, dwell_s: float) -> "_Photos | _Film":
    if not path.exists():
        raise CameraError(
            Message(
                "there is nothing to replay at %(path)s: give a folder of photos or a video",
                path=str(path),
            )
        )
    if path.is_dir():
        files = sorted(f for f in path.iterdir() if f.suffix.lower() in PHOTO_SUFFIXES)
        if not files:
            raise CameraError(
                Message(
                    "there are no photos in %(path)s: put .jpg or .png files there", path=str(path)
                )
            )
        return _Photos(files, dwell_s)
    if not path.is_file():
        raise CameraError(
            Message(
                "%(path)s is a device or a pipe: give a folder of photos or a video", path=str(path)
            )
        )
    if path.suffix.lower() in PHOTO_SUFFIXES:
        return _Photos([path], dwell_s)
    return _Film(path)


class _Photos:
    def __init__(self, files: list[Path], dwell_s: float) -> None:
        self._files = files
        self._dwell_s = dwell_s
        self._shown: tuple[Path, Image] | None = None

    def at(self, elapsed_s: float) -> Image:
        file = self._files[min(int(elapsed_s / self._dwell_s), len(self._files) - 1)]
        if self._shown is None or self._shown[0] != file:
            self._shown = file, _load_photo(file)
        return self._shown[1]

    def close(self) -> None:
        self._shown = None


def _load_photo(file: Path) -> Image:
    try:
        image = cv2.imdecode(np.fromfile(file, np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error):
        image = None
    if image is None:
        raise CameraError(
            Message("cannot read %(path)s: replace it with a complete JPEG or PNG", path=str(file))
        )
    return read_only(np.asarray(image, np.uint8))


class _Film:
    """A video that plays in real time, or slower if this machine cannot decode it in time.

    Frames that nobody asks for are skipped.
    """

    def __init__(self, path: Path) -> None:
        self._film = cv2.VideoCapture(str(path))
        self._fps = self._film.get(cv2.CAP_PROP_FPS) or USUAL_FPS
        self._number, self._late_s = -1, 0.0
        first = self._next() if self._film.isOpened() else None
        if first is None:
            raise CameraError(
                Message(
                    "cannot play %(path)s: give a folder of photos or a video (.mp4, .avi)",
                    path=str(path),
                )
            )
        self._shown = first

    def at(self, elapsed_s: float) -> Image:
        end_s = time.monotonic() + CATCH_UP_S
        due = int((elapsed_s - self._late_s) * self._fps)
        while self._number < due and (image := self._next()) is not None:
            self._shown = image
            if time.monotonic() > end_s:
                self._late_s += (due - self._number) / self._fps
                break
        return self._shown

    def close(self) -> None:
        self._film.release()

    def _next(self) -> Image | None:
        has_frame, image = self._film.read()
        if not has_frame:
            return None
        self._number += 1
        return read_only(np.asarray(image, np.uint8))
