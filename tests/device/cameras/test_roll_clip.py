"""The last seconds before dice came to rest, as a bounded number of small JPEGs."""

import re

import cv2
import numpy as np
import pytest

from device.cameras.base import Frame
from device.cameras.roll_clip import MAX_BYTES, ClipRecorder
from vision.reading import Quad

FRAME_PX = (640, 360)
TRAY = Quad(((100.0, 60.0), (540.0, 60.0), (540.0, 300.0), (100.0, 300.0)))
ROOM = 255


def preview(number, time_s, *, noise=0):
    """Return a preview that shows a grey tray of this brightness and white around the tray."""
    image = np.full((180, 320, 3), ROOM, np.uint8)
    image[20:160, 40:280] = number % 200
    if noise:
        image[20:160, 40:280] = np.random.default_rng(number).integers(0, noise, (140, 240, 3))
    return Frame(image, time_s)


class Film:
    """A recorder that receives fifteen previews a second, or fewer."""

    def __init__(self, tray=TRAY, fps=15):
        self.recorder, self.time_s, self.number = ClipRecorder(tray, FRAME_PX), 100.0, 0
        self.fps = fps

    def move(self, seconds, **options):
        for _ in range(round(self.fps * seconds)):
            self.number += 1
            self._feed(preview(self.number, self.time_s, **options))
        return self

    def pause(self, seconds):
        """Let nothing move for a while, and keep a hand in the frame."""
        for number in range(round(self.fps * seconds)):
            self._feed(preview(self.number, self.time_s), still_s=(number + 1) / self.fps)
        return self

    def rest(self, *, has_rolled, accepted_s=0.0):
        """Let the tray come to rest, and return the clip."""
        for number, is_settled in ((1, False), (2, False), (3, True)):
            still = preview(self.number, self.time_s)
            self._feed(still, still_s=number / self.fps, is_settled=is_settled)
        return self.recorder.finish(still, has_rolled=has_rolled, accepted_s=accepted_s)

    def _feed(self, frame, *, still_s=0.0, is_settled=False):
        self.recorder.feed(frame, still_s=still_s, is_settled=is_settled)
        self.time_s += 1 / self.fps


def pictures(clip):
    """Return the images of a clip, in order."""
    data = clip.motion_jpeg
    starts = [found.start() for found in re.finditer(b"\xff\xd8\xff", data)]
    parts = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)]
    return [cv2.imdecode(np.frombuffer(part, np.uint8), cv2.IMREAD_COLOR) for part in parts]


def greys(clip):
    return [round(float(image[70:80, 100:110].mean())) for image in pictures(clip)]


def times_ms(clip):
    found = re.findall(rb"\xff\xd8\xff\xfe..(-?\d+)\xff", clip.motion_jpeg, re.DOTALL)
    return [int(text) for text in found]


def test_clip_shows_the_last_two_seconds_and_then_the_dice_at_rest():
    clip = Film().move(3.0).rest(has_rolled=True)

    assert greys(clip) == [*range(15, 46), 45]
    assert times_ms(clip)[0] == -2000
    assert times_ms(clip)[-2:] == [0, 200]


def test_clip_shows_nothing_but_the_tray():
    images = pictures(Film().move(1.0).rest(has_rolled=True))
    height, width = images[0].shape[:2]

    assert (width, height) < (320, 180)
    assert all((image[height // 2] < ROOM - 20).mean() > 0.8 for image in images)


def test_nothing_is_recorded_while_no_tray_is_known():
    assert Film(tray=None).move(1.0).rest(has_rolled=True) is None


def test_a_momentary_movement_makes_no_clip():
    assert Film().move(2 / 15).rest(has_rolled=False) is None


def test_a_roll_of_which_a_busy_computer_saw_two_frames_has_a_clip():
    clip = Film(fps=2).move(1.0).rest(has_rolled=True)

    assert len(clip.frames) == 3


def test_a_die_that_seems_to_pause_is_shown_throughout():
    clip = Film().move(1.0).pause(0.3).move(0.2).rest(has_rolled=True)

    assert greys(clip) == [*range(1, 16), *[15] * 4, 16, 17, 18, 18]


def test_a_hand_that_rests_in_the_tray_does_not_push_the_roll_out():
    clip = Film().move(1.0).pause(10.0).rest(has_rolled=True)

    assert greys(clip) == [*range(1, 16), 15]


def test_clip_begins_after_the_previous_rest():
    film = Film()
    film.move(1.0).rest(has_rolled=True)
    clip = film.move(1.0).rest(has_rolled=True)

    assert greys(clip) == [*range(16, 31), 30]


def test_a_hand_that_moves_dice_after_the_roll_is_shown_after_it():
    film = Film()
    film.move(1.0).rest(has_rolled=True)
    clip = film.move(2.0).rest(has_rolled=False)

    assert greys(clip) == [*range(1, 16), 15, *range(30, 46), 45]


def test_dice_that_were_laid_down_never_show_the_roll_of_another_throw():
    film = Film()
    film.move(1.0).rest(has_rolled=True)
    clip = film.move(0.4).rest(has_rolled=False, accepted_s=film.time_s)

    assert greys(clip) == [*range(16, 22), 21]


@pytest.mark.parametrize("noise", [0, 256])
def test_clip_and_recorder_stay_small(noise):
    film = Film()
    film.move(20.0, noise=noise)
    held = int(re.search(r"(\d+) bytes", repr(film.recorder))[1])
    clip = film.rest(has_rolled=True)

    assert held <= MAX_BYTES
    assert len(clip.motion_jpeg) <= MAX_BYTES
    assert len(clip.frames) > 8
