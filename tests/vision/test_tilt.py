"""What a flat die covers; and what a die could lean on."""

import numpy as np
import pytest

from vision.reading import Quad
from vision.tilt import DIE_PX, PATCH_PX, SIDES, TOP, Footing, silhouette, stands_free

TRAY = Quad(((0.0, 0.0), (800.0, 0.0), (800.0, 600.0), (0.0, 600.0)))
DIE = Footing(400.0, 300.0, 40.0)


def test_straight_above_it_is_the_top():
    seen = silhouette(np.array([0.0, 0.0]))

    assert seen.shape == (PATCH_PX, PATCH_PX)
    assert (seen == TOP).sum() == pytest.approx(DIE_PX**2, rel=0.1)


def test_aslant_the_side_towards_the_foot_shows():
    seen = silhouette(np.array([0.5, 0.0]))
    middle = seen[PATCH_PX // 2]

    assert (seen > 0.25).sum() == pytest.approx(DIE_PX**2 * 1.5, rel=0.1)
    assert middle[PATCH_PX // 2 - int(0.7 * DIE_PX)] == SIDES
    assert middle[PATCH_PX // 2 + int(0.7 * DIE_PX)] == TOP


def test_alone_in_the_middle_there_is_nothing_to_lean_on():
    assert stands_free(DIE, [], TRAY)


@pytest.mark.parametrize(("x", "free"), [(60.0, True), (30.0, False), (-20.0, False)])
def test_a_wall_is_near_or_the_die_lies_beyond_it(x, free):
    assert stands_free(Footing(x, 300.0, 40.0), [], TRAY) is free


@pytest.mark.parametrize(("away", "free"), [(75.0, True), (60.0, False)])
def test_a_die_beside_it_is_near_or_not(away, free):
    assert stands_free(DIE, [Footing(400.0 + away, 300.0, 40.0)], TRAY) is free


def test_a_large_thing_reaches_further():
    assert not stands_free(DIE, [Footing(500.0, 300.0, 90.0)], TRAY)
