"""A die is isolated if it has nothing to lean against."""

import pytest

from vision.reading import Quad
from vision.tilt import GroundPosition, is_isolated

TRAY = Quad(((0.0, 0.0), (800.0, 0.0), (800.0, 600.0), (0.0, 600.0)))
DIE = GroundPosition(400.0, 300.0, 40.0)


def test_a_single_die_in_the_middle_is_isolated():
    assert is_isolated(DIE, [], TRAY)


@pytest.mark.parametrize(("x", "free"), [(60.0, True), (30.0, False), (-20.0, False)])
def test_a_die_near_or_beyond_a_wall_is_not_isolated(x, free):
    assert is_isolated(GroundPosition(x, 300.0, 40.0), [], TRAY) is free


@pytest.mark.parametrize(("away", "free"), [(75.0, True), (60.0, False)])
def test_a_die_near_another_die_is_not_isolated(away, free):
    assert is_isolated(DIE, [GroundPosition(400.0 + away, 300.0, 40.0)], TRAY) is free


def test_a_large_object_reaches_further():
    assert not is_isolated(DIE, [GroundPosition(500.0, 300.0, 90.0)], TRAY)
