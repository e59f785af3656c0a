"""Image files are loaded completely, or refused with a remedy."""

import cv2
import numpy as np
import pytest

from vision.images import ImageError, ImagePyramid, load

NOISE = np.random.default_rng(7).integers(0, 256, (360, 480, 3), np.uint8)


@pytest.fixture
def jpeg(tmp_path):
    path = tmp_path / "throw.jpg"
    cv2.imwrite(str(path), NOISE)
    return path


def test_an_image_is_loaded_as_bgr(jpeg):
    assert load(jpeg).shape == (360, 480, 3)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_jpeg_is_refused_instead_of_filled_with_grey(jpeg, part):
    data = jpeg.read_bytes()
    jpeg.write_bytes(data[: int(part * len(data))])

    with pytest.raises(ImageError, match="copy it again"):
        load(jpeg)


def test_a_jpeg_with_a_video_behind_it_is_read(jpeg):
    data = jpeg.read_bytes()
    jpeg.write_bytes(data + 40 * b"a video \xff\xda with markers \xff\xd8 ")

    assert load(jpeg).shape == (360, 480, 3)


def test_a_truncated_jpeg_with_a_whole_thumbnail_is_refused(jpeg):
    data, thumbnail = jpeg.read_bytes(), cv2.imencode(".jpg", NOISE[:40, :60])[1].tobytes()
    segment = b"\xff\xe2" + (len(thumbnail) + 2).to_bytes(2) + thumbnail
    jpeg.write_bytes(data[:2] + segment + data[2:-200])

    with pytest.raises(ImageError, match="cut short"):
        load(jpeg)


def test_a_truncated_png_is_refused(tmp_path):
    path = tmp_path / "throw.png"
    cv2.imwrite(str(path), NOISE)
    path.write_bytes(path.read_bytes()[:-200])

    with pytest.raises(ImageError, match="cut short"):
        load(path)


@pytest.mark.parametrize(
    ("content", "remedy"), [(b"", "again"), (b"just words", "JPEG or PNG"), (b"\xff\xd8", "again")]
)
def test_a_file_that_is_not_an_image_is_refused_with_a_remedy(tmp_path, content, remedy):
    path = tmp_path / "file.jpg"
    path.write_bytes(content)

    with pytest.raises(ImageError, match=remedy) as raised:
        load(path)

    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.jpg", tmp_path):
        with pytest.raises(ImageError, match="check the"):
            load(path)


def test_warnings_of_a_decoder_do_not_reach_stderr(tmp_path, capfd):
    path = tmp_path / "broken.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200) + b"IEND")

    with pytest.raises(ImageError):
        load(path)

    assert tuple(capfd.readouterr()) == ("", "")


def test_an_image_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("vision.images.MAX_MEGAPIXELS", 0)
    path = tmp_path / "large.png"
    cv2.imwrite(str(path), np.zeros((20, 20), np.uint8))

    with pytest.raises(ImageError, match="smaller"):
        load(path)


def test_the_exif_orientation_is_applied(jpeg):
    orientation_6 = bytes.fromhex(
        "ffe100224578696600004d4d002a00000008000101120003000000010006000000000000"
    )
    data = jpeg.read_bytes()
    jpeg.write_bytes(data[:2] + orientation_6 + data[2:])

    assert load(jpeg).shape == (480, 360, 3)


@pytest.mark.parametrize(
    "size", [(240, 180), (160, 120), (97, 61), (40, 30), (480, 360), (600, 450)]
)
def test_a_pyramid_scales_like_a_direct_reduction(size):
    smooth = cv2.GaussianBlur(NOISE, (0, 0), 2)
    direct = cv2.resize(smooth, size, interpolation=cv2.INTER_AREA)

    averaged = ImagePyramid(smooth, can_interpolate=False).scaled(*size)
    assert np.abs(averaged.astype(int) - direct).max() <= 1
    assert np.abs(ImagePyramid(smooth).scaled(*size).astype(int) - direct).mean() < 2


def test_a_pyramid_makes_each_size_once():
    pyramid = ImagePyramid(NOISE)

    assert pyramid.scaled(100, 75) is pyramid.scaled(100, 75)


def test_a_pyramid_can_reduce_a_single_line_of_pixels():
    assert ImagePyramid(NOISE[:1]).scaled(32, 1).shape == (1, 32, 3)
