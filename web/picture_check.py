"""Checks the header of a picture that a phone sends, before anything is decoded.

docs/decisions/pictures-from-phones.md explains how a picture is sent, and why no library checks it.
"""

from collections.abc import Iterator
from struct import unpack

from game.message import Message
from web.response import HttpProblem

MAX_PICTURE_BYTES = 24 * 1024 * 1024
"""Largest picture that is accepted, in bytes. The largest JPEG that phones usually make is 15 MB long."""

MAX_MEGAPIXELS = 32
"""Largest picture that is accepted, in megapixels. Phones take 12 to 24. Decoding takes about 100 MB for a moment."""

MAX_SCANS = 64
"""Most scans in a progressive JPEG, which usually has ten. Each takes as long to decode as a plain
JPEG."""

JPEG, PNG = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"
HEIF = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SCAN, _END = 0xDA, b"\xff\xd9"

NO_PICTURE = Message("That is not a photo: take a photo of the dice as JPEG or PNG.")
IS_HEIC = Message(
    "That is a HEIC photo, which Traykeeper cannot read. On an iPhone, choose Settings, "
    "Camera, Formats, Most Compatible, and take it again."
)
DAMAGED = Message("That photo is incomplete or damaged: take it again.")
TOO_MANY_BYTES = Message(
    "That photo is larger than %(n)s MB: choose a smaller size in the camera app.",
    n=MAX_PICTURE_BYTES // 1024**2,
)


def check_type(begin: bytes) -> None:
    """Check from its first bytes that a file is a JPEG or a PNG.

    Raises:
        HttpProblem: If it is anything else. The message says what to do.
    """
    if begin[4:8] == b"ftyp" and begin[8:12] in HEIF:
        raise HttpProblem(400, IS_HEIC)
    if not begin.startswith((JPEG, PNG)):
        raise HttpProblem(400, NO_PICTURE)


def check_picture(picture: bytes) -> None:
    """Check that a picture can be decoded within reasonable memory and time.

    Raises:
        HttpProblem: If it cannot. The message says what to do.
    """
    check_type(picture)
    width, height = jpeg_size(picture) if picture.startswith(JPEG) else _png_size(picture)
    if not width * height or (picture.startswith(JPEG) and _count_scans(picture) > MAX_SCANS):
        raise HttpProblem(400, DAMAGED)
    if width * height > MAX_MEGAPIXELS * 1_000_000:
        too_large = Message(
            "That photo has %(n)s megapixels, but at most %(most)s are allowed: choose a "
            "smaller size in the camera app.",
            n=round(width * height / 1e6),
            most=MAX_MEGAPIXELS,
        )
        raise HttpProblem(400, too_large)


def _png_size(data: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG, or (0, 0) if its first chunk does not contain them."""
    if data[12:16] != b"IHDR" or len(data) < 24:  # noqa: PLR2004 - the end of the height
        return 0, 0
    width, height = unpack(">II", data[16:24])
    return width, height


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Return the width and height of a JPEG, or (0, 0) if it has no frame header."""
    for marker, at in _jpeg_segments(data):
        if marker in _FRAMES and at + 9 <= len(data):
            height, width = unpack(">HH", data[at + 5 : at + 9])
            return width, height
    return 0, 0


def _count_scans(data: bytes) -> int:
    """Return the number of scans in a JPEG, without those of a thumbnail or of what a phone has appended, such as a video."""
    first = next((at for marker, at in _jpeg_segments(data) if marker == _SCAN), len(data))
    return data.count(bytes((0xFF, _SCAN)), first, data.find(_END, first))


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the marker and the position of each segment of a JPEG, up to its first scan."""
    at, marker = 2, 0
    while marker != _SCAN and data[at : at + 1] == b"\xff" and at + 1 < len(data):
        marker = data[at + 1]
        is_fill = marker == 0xFF  # noqa: PLR2004 - any number of these may precede a marker
        if not is_fill:
            yield marker, at
        at += 1 if is_fill else 2 + int.from_bytes(data[at + 2 : at + 4])
