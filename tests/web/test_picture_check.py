"""Pictures are checked before they are decoded."""

from contextlib import suppress
from struct import pack
from zlib import compress, crc32

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.picture_check import MAX_MEGAPIXELS, check_picture
from web.response import HttpProblem


def encoded(ending, width=64, height=48, *options):
    image = np.full((height, width, 3), 127, np.uint8)
    return cv2.imencode(ending, image, list(options))[1].tobytes()


def png_bomb(width, height):
    """Return a small file that would take gigabytes when decoded."""
    head = pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = compress(bytes(1000))
    parts = ((b"IHDR", head), (b"IDAT", body), (b"IEND", b""))
    chunks = (pack(">I", len(p)) + kind + p + pack(">I", crc32(kind + p)) for kind, p in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def refusal(data):
    with pytest.raises(HttpProblem) as refused:
        check_picture(data)
    return str(refused.value)


@pytest.mark.parametrize(
    "picture",
    [
        (".jpg",),
        (".png",),
        (".jpg", 4032, 3024),
        (".jpg", 640, 480, cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    ],
)
def test_pictures_of_phones_are_accepted(picture):
    check_picture(encoded(*picture))


def test_a_photo_with_a_video_behind_it_is_accepted():
    check_picture(encoded(".jpg") + 1000 * b"a video \xff\xda with markers ")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a photo"),
        (b"Dear Anna, how are you?", "not a photo"),
        (encoded(".webp"), "not a photo"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "HEIC"),
        (png_bomb(50_000, 50_000), "2,500 megapixels"),
        (encoded(".jpg")[:40], "incomplete or damaged"),
        (encoded(".png")[:20], "incomplete or damaged"),
        (encoded(".jpg")[:-2] + b"\xff\xda\x00\x08" * 1000, "incomplete or damaged"),
        (png_bomb(0, 10), "incomplete or damaged"),
    ],
)
def test_anything_else_is_refused_in_one_line(data, words):
    message = refusal(data)

    assert words in message
    assert "\n" not in message


def test_limit_is_named():
    message = refusal(encoded(".jpg", 8000, 5000))

    assert "40 megapixels" in message
    assert str(MAX_MEGAPIXELS) in message
    assert "\n" not in message


@given(st.binary(max_size=200), st.sampled_from([b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b""]))
def test_no_bytes_crash_the_check(data, begin):
    with suppress(HttpProblem):
        check_picture(begin + data)
