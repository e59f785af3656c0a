"""The evidence about each place where a die may lie."""

import numpy as np

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.candidates import find_candidates
from vision.known_tray import UNKNOWN_TRAY

GREEN = LOOKS["green"]


def test_the_networks_see_where_a_die_stands_without_knowing_the_camera_pose():
    shot = photograph([Put(v, 38 * v - 133, 0, 13 * v) for v in range(1, 7)], GREEN)

    with_pose, without_pose = (leans(shot.image, tray) for tray in (shot.tray, None))

    assert np.ptp(with_pose[:, 0]) > 0.4
    assert np.abs(with_pose - without_pose).max() < 0.15


def leans(image, tray):
    """Return how far the top of each of six dice is displaced from its foot, in die edges, from left to right."""
    found = find_candidates(image, tray, None, UNKNOWN_TRAY).candidates
    dice = sorted(found, key=lambda one: one.face.no_die)[:6]
    return np.array(
        [
            np.subtract((one.detection.x, one.detection.y), one.foot) / one.detection.edge
            for one in sorted(dice, key=lambda one: one.detection.x)
        ]
    )
