"""What a flat die covers."""

import numpy as np
import pytest

from vision.tilt import DIE_PX, PATCH_PX, SIDES, TOP, silhouette


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
