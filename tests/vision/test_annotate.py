"""Outlines, values and problems are drawn on the frame."""

import numpy as np
import pytest

from vision import Die, Problem, Reading, Zone
from vision.annotate import ORANGE, TEAL, annotate


def shows(picture, colour):
    return bool((picture == colour).all(axis=2).any())


def changed(before, after):
    return (before != after).any(axis=2)


@pytest.fixture
def picture():
    return np.full((360, 480, 3), (60, 110, 40), np.uint8)


def test_annotate_does_not_change_its_input(picture):
    before = picture.copy()

    annotate(picture, Reading((Die(5, 240, 180, 60, 60, 0, 1.0),)))

    assert np.array_equal(before, picture)


def test_a_certain_die_is_outlined_without_covering_its_pips(picture):
    drawn = annotate(picture, Reading((Die(5, 240, 180, 60, 60, 0, 1.0),)))

    assert shows(drawn, TEAL)
    assert not shows(drawn, ORANGE)
    assert not changed(picture, drawn)[160:200, 220:260].any()


def test_a_die_with_a_problem_gets_an_orange_ring(picture):
    die = Die(None, 240, 180, 60, 60, 0, 0.2, Zone.TRAY, Problem.COCKED)

    drawn = annotate(picture, Reading((die,)))

    assert shows(drawn, ORANGE)
    assert not shows(drawn, TEAL)


def test_a_die_outside_the_tray_is_neither_teal_nor_orange(picture):
    drawn = annotate(picture, Reading((Die(5, 240, 180, 60, 60, 0, 1.0, Zone.OUTSIDE),)))

    assert changed(picture, drawn).any()
    assert not shows(drawn, TEAL)
    assert not shows(drawn, ORANGE)


def test_a_problem_of_the_whole_frame_is_written_on_it(picture):
    drawn = annotate(picture, Reading((), (Problem.HAND,)))

    assert changed(picture, drawn)[:60].any()


@pytest.mark.parametrize("shape", [(1, 1, 3), (30, 20), (4000, 3000, 3)])
def test_frames_of_any_size_can_be_annotated(shape):
    dice = (Die(1, 0, 0, 40, 40, 0, 1.0), Die(None, 9, 9, 4, 4, 0, 0, problem=Problem.HIDDEN))

    drawn = annotate(np.zeros(shape, np.uint8), Reading(dice))

    assert shape[:2] == drawn.shape[:2]
