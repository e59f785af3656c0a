"""Loads image files, and crops and reduces images.

A file is loaded completely, or refused with an error of one line that names the remedy.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad

Image = NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

TRAY_MARGIN = 0.06
"""Share of the tray's longer side that a crop keeps around it: a die at the wall leans over the wall."""

AREA_OVERSAMPLING = 4
"""A copy that is averaged from an image at least this many times as large hardly differs from one averaged from the original."""

MAX_MEGAPIXELS = 200
"""The resolution of the largest phone sensor. Once decoded, such an image takes 600 MB."""

MAX_BYTES = 300_000_000
_STDERR = 2
_SCAN, _FILL = 0xDA, 0xFF
"""Second bytes of two JPEG markers: the beginning of a scan, and padding before another marker."""
_stderr_lock = Lock()


class ImageError(ValueError):
    """An image that cannot be used. The message is one line and names the remedy."""


def as_bgr(image: NDArray[np.generic]) -> Image:
    """Convert an 8-bit grey, BGR or BGRA image to BGR.

    Raises:
        ValueError: If `image` has another type or shape.
    """
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or 0 in image.shape:
        raise ValueError("an image is a uint8 array of (height, width) or (height, width, 3)")
    pixels = np.ascontiguousarray(image, dtype=np.uint8)
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]  # noqa: PLR2004
    match channels:
        case 1:
            return cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR)  # type: ignore[return-value]
        case 3:
            return pixels
        case 4:
            return cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR)  # type: ignore[return-value]
    raise ValueError(f"an image has 1, 3 or 4 channels, not {channels}")


def full_frame(image: Image) -> Quad:
    """Return the corners of an image."""
    height, width = (float(side) for side in image.shape[:2])
    return Quad(((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)))


def bounding_box(image: Image, quads: Sequence[Quad]) -> Box:
    """Return the left, top, right and bottom of a crop that contains all quads and a margin around them.

    Args:
        image: (height, width, channels); the crop ends at its border.
        quads: Areas to include. Without any, the crop is the whole image.
    """
    height, width = image.shape[:2]
    if not quads:
        return 0, 0, width, height
    corners = np.concatenate([quad.corners for quad in quads])
    low, high = corners.min(0), corners.max(0)
    margin = TRAY_MARGIN * float((high - low).max())
    left, top = np.clip(low - margin, 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(high + margin, (left + 1, top + 1), (width, height)).astype(int)
    return int(left), int(top), int(right), int(bottom)


class ImagePyramid:
    """An image and its reduced copies, each of which is computed only once.

    Halving an image is ten times as fast as reducing it by another factor, and both copies that a
    reading needs can be made from the same halved image (docs/decisions/reading.md).

    Args:
        image: Image (height, width, 3) BGR.
        can_interpolate: Whether a copy may be interpolated from a halved image that is up to twice as large. It then differs
            slightly from one made by area averaging, mostly in fine texture. Otherwise it is averaged from a halved image that
            is at least AREA_OVERSAMPLING times as large, or from the image itself.
    """

    def __init__(self, image: Image, *, can_interpolate: bool = True) -> None:
        self._levels, self._can_interpolate = [image], can_interpolate
        self._scaled: dict[tuple[int, int], Image] = {}

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the image."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def scaled(self, width: int, height: int) -> Image:
        """Return the image at another size.

        It is reduced by halving, and then by interpolating or by area averaging.

        Args:
            width: Width of the result in pixels.
            height: Height of the result in pixels.
        """
        size = width, height
        if size not in self._scaled:
            level = self._level(self._halvings(size))
            # If no side shrinks below half, bilinear interpolation uses every pixel and is much faster.
            uses_all = 2 * width >= level.shape[1] and 2 * height >= level.shape[0]
            method = cv2.INTER_LINEAR if self._can_interpolate and uses_all else cv2.INTER_AREA
            scaled = cv2.resize(level, size, interpolation=method)
            self._scaled[size] = np.asarray(scaled, np.uint8)
        return self._scaled[size]

    def _halvings(self, size: tuple[int, int]) -> int:
        number, least = 0, 1 if self._can_interpolate else AREA_OVERSAMPLING
        while all(
            2 * least * side <= full >> number for side, full in zip(size, self.size, strict=True)
        ):
            number += 1
        return number

    def _level(self, number: int) -> Image:
        while len(self._levels) <= number:
            self._levels.append(halved(self._levels[-1]))
        return self._levels[number]


def halved(image: Image) -> Image:
    """Return an image at half its size.

    Each pixel is the mean of four. An odd last row or column is dropped.

    Args:
        image: (height, width, channels) uint8, at least two pixels high and wide.
    """
    height, width = (side // 2 for side in image.shape[:2])
    even = image[: 2 * height, : 2 * width]
    return np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def padded_input(image: NDArray[Any], grid: int) -> NDArray[np.float32]:
    """Return an image as a network input (1, 3, rows, columns) from 0 to 1, padded to multiples of `grid`.

    Args:
        image: (height, width, 3), with values from 0 to 255. Its last row and column are repeated.
        grid: The number of which rows and columns are made multiples.
    """
    height, width = image.shape[:2]
    padding = 0, -height % grid, 0, -width % grid
    padded = cv2.copyMakeBorder(image, *padding, cv2.BORDER_REPLICATE)
    return np.asarray(cv2.dnn.blobFromImage(padded, 1 / 255), np.float32)


def load(path: str | os.PathLike[str]) -> Image:
    """Read an image file as (height, width, 3) uint8 BGR.

    The EXIF orientation is applied, so the pixels are those that a viewer shows. A truncated file
    is refused: OpenCV would fill the missing part with grey.

    Raises:
        ImageError: If the file is missing, empty, truncated, not an image, or too large.
    """
    data = _read_bytes(Path(path))
    _check_is_complete(data, path)
    with _quiet_stderr():
        image = _decode(data, path)
    if image.shape[0] * image.shape[1] > MAX_MEGAPIXELS * 1_000_000:
        raise ImageError(f"{path}: more than {MAX_MEGAPIXELS} megapixels: save it smaller")
    return image


def decode(data: bytes, long_side_px: int) -> Image:
    """Decode an image in memory to (height, width, 3) uint8 BGR, with its EXIF orientation applied.

    Args:
        data: Contents of an image file.
        long_side_px: Largest length of the longer side; a larger image is scaled down to it.

    Raises:
        ImageError: If `data` is truncated or not an image.
    """
    name = "picture"
    _check_is_complete(data, name)
    image = _decode(data, name)
    height, width = image.shape[:2]
    scale = long_side_px / max(height, width)
    if scale < 1:
        size = round(width * scale) or 1, round(height * scale) or 1
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return image


def _read_bytes(path: Path) -> bytes:
    if "\0" in str(path):
        raise ImageError(f"{str(path)!r}: a file name cannot hold a NUL character: check the name")
    try:
        # Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ImageError(f"{path}: a device or a pipe, not a picture: check the name")
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ImageError(f"{path}: larger than {MAX_BYTES // 1_000_000} MB: save it smaller")
    except FileNotFoundError:
        raise ImageError(f"{path}: no such file: check the name") from None
    except OSError as error:
        raise ImageError(f"{path}: cannot be read ({error.strerror}): check the file") from None
    if not data:
        raise ImageError(f"{path}: the file is empty: take or copy the picture again")
    return data


def _check_is_complete(data: bytes, path: str | os.PathLike[str]) -> None:
    is_cut_jpeg = data.startswith(b"\xff\xd8") and data.find(b"\xff\xd9", _first_scan(data)) < 0
    is_cut_png = data.startswith(b"\x89PNG") and b"IEND" not in data
    if is_cut_jpeg or is_cut_png:
        raise ImageError(f"{path}: the picture is cut short: copy it again")


def _first_scan(data: bytes) -> int:
    """Return where the first scan of a JPEG begins, or the length of `data` if there is none.

    The first end marker after it ends the picture. Markers in a thumbnail, which comes before it, and in a video that a phone
    has appended do not count.
    """
    at = 2
    while data[at : at + 1] == b"\xff" and at + 1 < len(data):
        if data[at + 1] == _SCAN:
            return at
        is_fill = data[at + 1] == _FILL
        at += 1 if is_fill else 2 + int.from_bytes(data[at + 2 : at + 4])
    return len(data)


def _decode(data: bytes, path: str | os.PathLike[str]) -> Image:
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        if "IMAGE_PIXELS" in str(error):
            raise ImageError(
                f"{path}: more than {MAX_MEGAPIXELS} megapixels: save it smaller"
            ) from None
        image = None
    if image is None:
        raise ImageError(f"{path}: not a picture that can be read: save it as JPEG or PNG")
    return image  # type: ignore[return-value]


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Discard output to file descriptor 2, where the C decoders print warnings that Python cannot intercept."""
    with _stderr_lock:
        saved, null = os.dup(_STDERR), os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, _STDERR)
        try:
            yield
        finally:
            os.dup2(saved, _STDERR)
            os.close(saved)
            os.close(null)
