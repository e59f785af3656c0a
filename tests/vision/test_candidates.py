"""The evidence about each place where a die may lie."""

from dataclasses import replace

import numpy as np
import pytest

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision import candidates, read
from vision.candidates import find_candidates
from vision.known_tray import UNKNOWN_TRAY

GREEN = LOOKS["green"]


@pytest.fixture(scope="module")
def shot():
    return photograph([Put(v, 38 * v - 133, 0, 13 * v) for v in range(1, 7)], GREEN)


def test_the_networks_see_where_a_die_stands_without_knowing_the_camera_pose(shot):
    with_pose, without_pose = (leans(shot.image, tray) for tray in (shot.tray, None))

    assert np.ptp(with_pose[:, 0]) > 0.4
    assert np.abs(with_pose - without_pose).max() < 0.15


def test_the_outline_of_a_die_includes_the_sides_that_are_visible(shot):
    for tray in (shot.tray, None):
        left = min(dice(shot.image, tray), key=lambda one: one.detection.x)
        reach = left.outline[:, 0].max() - left.detection.x
        back = left.detection.x - left.outline[:, 0].min()

        assert reach - back > 0.2 * left.detection.edge  # the camera sees its right side


@pytest.mark.parametrize("number", range(6))
def test_a_die_whose_size_and_rotation_the_finder_gets_wrong_is_read(monkeypatch, shot, number):
    detect = candidates._detect

    def mistaken(*inputs):
        found = detect(*inputs)
        likely = sorted(found.detections, key=lambda one: one.probability)[-6:]
        wrong = sorted(likely, key=lambda one: one.x)[number]
        turned = replace(wrong, edge=0.6 * wrong.edge, turn=wrong.turn + 0.7)
        others = [one for one in found.detections if one is not wrong]
        return replace(found, detections=[*others, turned])

    monkeypatch.setattr(candidates, "_detect", mistaken)
    reading = read(shot.image, shot.tray)

    assert reading.values == (1, 2, 3, 4, 5, 6)
    assert reading.is_sure


def dice(image, tray):
    """Return the six places that are most clearly dice."""
    found = find_candidates(image, tray, None, UNKNOWN_TRAY).candidates
    return sorted(found, key=lambda one: one.face.no_die)[:6]


def leans(image, tray):
    """Return how far the top of each of six dice is displaced from its foot, in die edges, from left to right."""
    return np.array(
        [
            np.subtract((one.detection.x, one.detection.y), one.foot) / one.detection.edge
            for one in sorted(dice(image, tray), key=lambda one: one.detection.x)
        ]
    )
