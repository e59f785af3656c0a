"""What the networks of one die are given."""

import numpy as np
import pytest

from training.learning.samples.die_input import (
    CHANNELS,
    DIE_PX,
    PATCH_PX,
    SIDES,
    TOP,
    die_input,
    silhouette,
)
from vision.pose import CameraPose

GREY = np.full((200, 260, 3), 128, np.uint8)
ASLANT = CameraPose(400.0, (130.0, 100.0), (0.3, 0.0, -0.95))


@pytest.mark.parametrize("kind", DIE_PX)
def test_without_a_pose_nothing_is_told_of_the_lean(kind):
    given = die_input(GREY, (130, 100), 40, 0.2, None, kind)

    assert given.shape == (CHANNELS, PATCH_PX, PATCH_PX)
    assert given[:3] == pytest.approx(128 / 255, abs=0.01)
    assert not given[3:].any()


@pytest.mark.parametrize("kind", DIE_PX)
def test_the_lean_is_told_in_the_axes_of_the_die(kind):
    given = die_input(GREY, (130, 100), 40, np.pi / 2, ASLANT, kind)

    assert given[3:6, 0, 0] == pytest.approx([0, -0.3, 1], abs=1e-6)
    assert given[6].max() == TOP


@pytest.mark.parametrize("die_px", DIE_PX.values())
def test_straight_above_a_flat_die_covers_its_top(die_px):
    seen = silhouette(np.array([0.0, 0.0]), die_px)

    assert (seen == TOP).sum() == pytest.approx(die_px**2, rel=0.1)


def test_aslant_it_shows_the_side_towards_its_foot():
    die_px = DIE_PX["wide"]
    middle = silhouette(np.array([0.5, 0.0]), die_px)[PATCH_PX // 2]

    assert middle[PATCH_PX // 2 - int(0.8 * die_px)] == SIDES
    assert middle[PATCH_PX // 2 + int(0.8 * die_px)] == 0
