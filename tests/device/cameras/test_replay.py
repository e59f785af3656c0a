import cv2
import numpy as np
import pytest

from device.cameras import ReplayCamera
from device.cameras.base import CameraError


def grey(level):
    return np.full((90, 160, 3), level, np.uint8)


@pytest.fixture
def folder(tmp_path):
    for name, level in (("b.png", 100), ("a.png", 50), ("c.PNG", 150)):
        cv2.imwrite(str(tmp_path / name), grey(level))
    (tmp_path / "notes.txt").write_text("not a photo")
    return tmp_path


@pytest.fixture
def film(tmp_path):
    """Ten frames at ten a second, each 20 levels brighter."""
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 90))
    for i in range(10):
        writer.write(grey(20 * i))
    writer.release()
    return path


def level(camera):
    return round(camera.capture().image.mean())


def test_each_photo_is_shown_in_the_order_of_names_and_the_last_one_stays(folder, clock):
    camera = ReplayCamera(folder, dwell_s=2, clock=clock)
    seen = []
    for _ in range(5):
        seen.append(level(camera))
        clock.now_s += 2

    assert seen == [50, 100, 150, 150, 150]


def test_a_single_photo_is_shown_all_the_time(folder, clock):
    camera = ReplayCamera(folder / "b.png", clock=clock)
    clock.now_s += 100

    assert level(camera) == 100
    assert camera.name == "replay of b.png"


def test_frames_are_read_only_and_stamped_with_the_clock(folder, clock):
    camera = ReplayCamera(folder, clock=clock)
    for frame in (camera.capture(), camera.preview()):
        assert not frame.image.flags.writeable
        assert frame.time_s == clock.now_s
    assert camera.preview().image.shape == (180, 320, 3)


def test_a_video_plays_in_real_time_and_its_last_frame_stays(film, clock):
    camera = ReplayCamera(film, clock=clock)
    seen = []
    for _ in range(4):
        seen.append(level(camera))
        clock.now_s += 0.36
    clock.now_s += 10

    assert np.allclose(seen, [0, 60, 140, 180], atol=4)
    assert level(camera) == pytest.approx(180, abs=4)
    camera.close()
    camera.close()


@pytest.mark.parametrize("kind", ["missing", "empty", "broken photo", "broken film"])
def test_a_path_that_cannot_be_replayed_is_named_with_the_remedy(kind, tmp_path):
    path = {
        "missing": tmp_path / "nowhere",
        "empty": tmp_path,
        "broken photo": tmp_path / "x.jpg",
        "broken film": tmp_path / "x.mp4",
    }[kind]
    if kind.startswith("broken"):
        path.write_bytes(b"these are not pixels")
    with pytest.raises(CameraError, match=r": (give|put|replace) ") as caught:
        ReplayCamera(path).capture()

    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
