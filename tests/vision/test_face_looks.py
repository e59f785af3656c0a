"""Faces are compared with their looks in earlier throws."""

import cv2
import numpy as np
import pytest

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.looks.face_looks import (
    LOOK_PX,
    MAX_LOOKS_PER_FACE,
    MIN_SAME_FACE,
    FaceLook,
    add_look,
    ask_looks,
    cut_look,
    similarity,
)

GREEN = LOOKS["green"]


def looks_of(turn_deg, seed):
    """Return the look of each face from 1 to 6 in a painted throw."""
    shot = photograph(
        [Put(v, 38 * v - 133, 8 * (v % 3), turn_deg + 11 * v) for v in range(1, 7)],
        GREEN,
        seed=seed,
    )
    return {
        die.value: cut_look(shot.image, (die.x, die.y), die.size, np.radians(die.angle))
        for die in shot.read().dice
    }


@pytest.fixture(scope="module")
def earlier():
    return looks_of(0, seed=1)


@pytest.fixture(scope="module")
def now():
    return looks_of(50, seed=2)


def plain():
    """Return a look with one pip in the middle."""
    look = np.zeros((LOOK_PX, LOOK_PX), np.float32)
    cv2.circle(look, (LOOK_PX // 2, LOOK_PX // 2), 4, 1.0, -1)
    return look


@pytest.mark.parametrize("value", range(1, 7))
def test_a_face_is_most_like_its_earlier_look_however_it_is_turned(earlier, now, value):
    looks = [FaceLook(face, pixels) for face, pixels in earlier.items()]

    opinion = ask_looks(now[value], looks)

    assert opinion.value == value
    assert opinion.similarity > MIN_SAME_FACE
    assert opinion.lead > 0.02


def test_without_looks_there_is_no_opinion(now):
    assert ask_looks(now[3], []) is None


def test_looks_without_anything_in_common_are_not_alike():
    rng = np.random.default_rng(1)
    noise = [rng.random((LOOK_PX, LOOK_PX), np.float32) for _ in range(2)]

    assert similarity(*noise) < 0.5


def test_a_uniform_look_is_like_no_face(now):
    uniform = np.zeros((LOOK_PX, LOOK_PX), np.float32)

    assert similarity(uniform, now[5]) < 0.5
    assert similarity(now[5], uniform) < 0.5


def test_the_oldest_look_that_nobody_confirmed_is_dropped_first():
    looks = (FaceLook(3, plain(), is_confirmed=True),)
    for _ in range(MAX_LOOKS_PER_FACE + 2):
        looks = add_look(looks, FaceLook(3, plain()))

    assert len(looks) == MAX_LOOKS_PER_FACE
    assert [look.is_confirmed for look in looks].count(True) == 1


def test_a_look_that_nobody_confirmed_displaces_none_that_was_confirmed():
    looks = ()
    for _ in range(MAX_LOOKS_PER_FACE):
        looks = add_look(looks, FaceLook(3, plain(), is_confirmed=True))

    assert add_look(looks, FaceLook(3, plain())) == looks


def test_a_correction_removes_the_same_look_under_another_face(now):
    wrong, right = FaceLook(6, now[5]), FaceLook(5, now[5], is_confirmed=True)
    other = FaceLook(2, now[2])

    assert add_look((wrong, other), right) == (other, right)


def test_an_uncorrected_reading_removes_nothing(now):
    one, other = FaceLook(6, now[5]), FaceLook(5, now[5])

    assert add_look((one,), other) == (one, other)
