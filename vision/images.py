"""Picture files: read whole or refused, with the remedy in one line."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad

Image = NDArray[np.uint8]
MARGIN = 0.06
"""Of the tray: a die at the wall leans over it in the picture."""


def as_bgr(image: NDArray[np.generic]) -> Image:
    """Any 8-bit grey, BGR or BGRA picture as BGR.

    Raises:
        ValueError: for anything else.
    """
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or 0 in image.shape:
        raise ValueError("a picture is a uint8 array of (height, width) or (height, width, 3)")
    flat = np.ascontiguousarray(image, dtype=np.uint8)
    channels = 1 if flat.ndim == 2 else flat.shape[2]  # noqa: PLR2004
    match channels:
        case 1:
            return cv2.cvtColor(flat, cv2.COLOR_GRAY2BGR)  # type: ignore[return-value]
        case 3:
            return flat
        case 4:
            return cv2.cvtColor(flat, cv2.COLOR_BGRA2BGR)  # type: ignore[return-value]
    raise ValueError(f"a picture has 1, 3 or 4 channels, not {channels}")


def full_frame(image: Image) -> Quad:
    """The corners of a picture."""
    height, width = image.shape[:2]
    return Quad(
        ((0.0, 0.0), (float(width), 0.0), (float(width), float(height)), (0.0, float(height)))
    )


def bounding_box(image: Image, quads: list[Quad]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what holds the quads and a little around; without any, all."""
    height, width = image.shape[:2]
    if not quads:
        return 0, 0, width, height
    corners = np.concatenate([quad.corners for quad in quads])
    low, high = corners.min(0), corners.max(0)
    margin = MARGIN * float((high - low).max())
    left, top = np.clip(low - margin, 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(high + margin, (left + 1, top + 1), (width, height)).astype(int)
    return int(left), int(top), int(right), int(bottom)


MAX_MEGAPIXELS = 200  # a phone's largest sensor; decoded, that is 600 MB
MAX_BYTES = 300_000_000
_STDERR = 2
_one_at_a_time = Lock()


class ImageError(ValueError):
    """A file that is not a whole picture; the message is one line and names the remedy."""


def load(path: str | os.PathLike[str]) -> Image:
    """Read a picture file as (height, width, 3) uint8 BGR.

    A turn noted in the file (EXIF orientation) is applied: the picture stands as a viewer shows it,
    and pixels are counted in that. A picture cut short is refused, never filled up with grey.

    Raises:
        ImageError: the file is missing, empty, cut short, no picture, or too large.
    """
    data = _bytes(Path(path))
    _whole(data, path)
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_MEGAPIXELS * 1_000_000))
    image = _decoded(data, path)
    if image.shape[0] * image.shape[1] > MAX_MEGAPIXELS * 1_000_000:
        raise ImageError(f"{path}: more than {MAX_MEGAPIXELS} megapixels: save it smaller")
    return image


def decode(data: bytes, long_side_px: int) -> Image:
    """A picture in memory as (height, width, 3) uint8 BGR, turned as it says, its longer side at most so long.

    Raises:
        ImageError: it is cut short, or no picture.
    """
    name = "picture"
    _whole(data, name)
    image = _decoded(data, name)
    height, width = image.shape[:2]
    share = long_side_px / max(height, width)
    if share < 1:
        size = round(width * share) or 1, round(height * share) or 1
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return image


def _bytes(path: Path) -> bytes:
    if "\0" in str(path):
        raise ImageError(f"{str(path)!r}: no file is called so: check the name")
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe waits for whoever fills it
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
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


def _whole(data: bytes, path: str | os.PathLike[str]) -> None:
    """Refuse what a decoder would quietly fill up: OpenCV returns a half JPEG as if it were whole."""
    jpeg = data.startswith(b"\xff\xd8") and b"\xff\xd9" not in data[_last_scan(data) :]
    png = data.startswith(b"\x89PNG") and b"IEND" not in data[-64:]
    if jpeg or png:
        raise ImageError(f"{path}: the picture is cut short: copy it again")


def _last_scan(data: bytes) -> int:
    """Where the last scan of a JPEG begins: an end mark before it belongs to a thumbnail."""
    return max(0, data.rfind(b"\xff\xda"))


def _decoded(data: bytes, path: str | os.PathLike[str]) -> Image:
    try:
        with _silence():
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
def _silence() -> Iterator[None]:
    """Keep the decoders' own lines off stderr: they are written by C, past Python."""
    with _one_at_a_time:
        kept, nothing = os.dup(_STDERR), os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, _STDERR)
        try:
            yield
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            os.close(nothing)
