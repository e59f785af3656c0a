"""What may be sent as a picture: told by its first bytes, before anything of it is decoded."""

from struct import unpack

from game.message import Message
from web.problem import HttpProblem

MOST_BYTES = 24 * 1024 * 1024
"""A phone's largest usual JPEG has 15 MB."""

MOST_MEGAPIXELS = 32
"""Above the 12 to 24 of phones as they come; decoded, some 100 MB for a moment."""

MOST_SCANS = 64
"""A progressive JPEG has ten or so; each further one costs as much time as the whole picture."""

JPEG, PNG = b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"
HEIF = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SCAN = b"\xff\xda"

NO_PICTURE = Message("That is no picture: take a photo of the dice, as JPEG or PNG.")
IS_HEIC = Message(
    "That is a HEIC picture, which cannot be read here. "
    "On an iPhone: Settings, Camera, Formats, Most Compatible; then take it again."
)
DAMAGED = Message("That picture is cut short or damaged: take it again.")
TOO_MANY_BYTES = Message(
    "That picture has more than %(n)s MB: choose a smaller size in the camera app.",
    n=MOST_BYTES // 1024**2,
)


def refuse_other_kinds(begin: bytes) -> None:
    """Raise where what begins so is nothing that is read here.

    Raises:
        HttpProblem: says what it is, and what to do.
    """
    if begin[4:8] == b"ftyp" and begin[8:12] in HEIF:
        raise HttpProblem(400, IS_HEIC)
    if not begin.startswith((JPEG, PNG)):
        raise HttpProblem(400, NO_PICTURE)


def refuse_bombs(picture: bytes) -> None:
    """Raise where decoding it would take too much memory or time.

    Raises:
        HttpProblem: says what to do.
    """
    refuse_other_kinds(picture)
    width, height = _jpeg_size(picture) if picture.startswith(JPEG) else _png_size(picture)
    if not width * height or (picture.startswith(JPEG) and picture.count(_SCAN) > MOST_SCANS):
        raise HttpProblem(400, DAMAGED)
    if width * height > MOST_MEGAPIXELS * 1_000_000:
        found = Message(
            "That picture has %(n)s megapixels, %(most)s are taken: "
            "choose a smaller size in the camera app.",
            n=round(width * height / 1e6),
            most=MOST_MEGAPIXELS,
        )
        raise HttpProblem(400, found)


def _png_size(data: bytes) -> tuple[int, int]:
    """Its first chunk says it; 0 by 0 where it does not."""
    if data[12:16] != b"IHDR" or len(data) < 24:  # noqa: PLR2004 - where the height ends
        return 0, 0
    width, height = unpack(">II", data[16:24])
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """The first frame header says it; 0 by 0 where there is none before the picture itself."""
    at = 2
    while data[at : at + 1] == b"\xff" and at + 9 <= len(data):
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width = unpack(">HH", data[at + 5 : at + 9])
            return width, height
        is_fill = marker == 0xFF  # noqa: PLR2004 - before a marker there may be several
        at += 1 if is_fill else 2 + int.from_bytes(data[at + 2 : at + 4])
    return 0, 0
