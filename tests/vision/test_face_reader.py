"""The face reader on frames that show almost nothing, and which networks examine a die."""

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.face_reader import query_second_network, read_faces, resolve_doubts
from vision.finder import Detection
from vision.networks import run_named
from vision.pose import estimate_pose


@pytest.mark.parametrize("shape", [(900, 1, 3), (1, 900, 3), (1, 1, 3)])
def test_a_single_line_of_pixels_shows_no_die(shape):
    detection = Detection(shape[1] / 2, shape[0] / 2, 200.0, 0.0, 0.9)
    (seen,) = read_faces(np.full(shape, 200, np.uint8), [detection], None)

    assert seen.face.no_die > max(seen.face.faces)


@pytest.fixture
def asked(monkeypatch):
    """How many patches each network has examined."""
    counts = Counter()

    def count_inputs(name, inputs):
        counts[name] += len(inputs)
        return run_named(name, inputs)

    monkeypatch.setattr("vision.face_reader.run_named", count_inputs)
    return counts


@pytest.fixture(scope="module")
def five():
    """A frame with a five, and where the five lies."""
    shot = photograph([Put(5, -20, 10, 17)], LOOKS["green"])
    (die,) = shot.read().dice
    return shot, Detection(die.x, die.y, die.size, np.radians(die.angle), 0.9)


def pose_of(shot):
    height, width = shot.image.shape[:2]
    return estimate_pose(shot.tray, width, height)


def face_of(seen):
    return 1 + int(np.argmax(seen.face.faces))


@pytest.mark.parametrize(("shift", "looks"), [(0.0, 1), (0.3, 2)])
def test_only_a_die_that_was_badly_placed_is_looked_at_again(five, asked, shift, looks):
    shot, die = five
    shifted = replace(die, x=die.x + shift * die.edge)
    (seen,) = read_faces(shot.image, [shifted], pose_of(shot))

    assert asked == {"near": looks}
    assert face_of(seen) == 5
    assert np.hypot(seen.detection.x - die.x, seen.detection.y - die.y) < 0.1 * die.edge
    assert resolve_doubts([seen], pose_of(shot)) == [seen]


def test_a_die_that_is_not_certain_is_examined_by_both_networks(five, asked):
    shot, die = five
    blurred = cv2.GaussianBlur(shot.image, (0, 0), die.edge / 6)
    (first,) = read_faces(blurred, [die], pose_of(shot))
    (seen,) = query_second_network(blurred, [first], pose_of(shot))

    assert not first.is_certain
    assert asked["wide"] == 1
    assert set(seen.estimates) == {"near", "wide"}


def test_a_doubtful_die_is_seen_in_four_orientations_by_both_networks(five, asked):
    shot, die = five
    blurred = cv2.GaussianBlur(shot.image, (0, 0), die.edge / 6)
    seen = query_second_network(blurred, read_faces(blurred, [die], pose_of(shot)), pose_of(shot))
    asked.clear()
    (seen,) = resolve_doubts(seen, pose_of(shot))

    assert asked == {"near": 3, "wide": 3}
    assert len(seen.views) == 4


@pytest.mark.parametrize(("shift", "looks"), [(0.0, 1), (0.3, 2)])
def test_without_a_camera_pose_the_network_from_photographs_also_examines_every_die(
    five, asked, shift, looks
):
    shot, die = five
    shifted = replace(die, x=die.x + shift * die.edge)
    (seen,) = query_second_network(shot.image, read_faces(shot.image, [shifted], None), None)

    assert asked == {"near": looks, "deep": 1}
    assert face_of(seen) == 5


def test_the_network_from_photographs_counts_twice_as_much_as_the_first(five):
    shot, die = five
    (seen,) = query_second_network(shot.image, read_faces(shot.image, [die], None), None)
    near, deep = (seen.estimates[name][0].face_logits for name in ("near", "deep"))

    assert seen.views[0].face_logits == pytest.approx((near + 2 * deep) / 3)


def test_a_die_that_is_no_longer_certain_gets_the_second_network(five):
    shot, die = five
    (certain,) = read_faces(shot.image, [die], pose_of(shot))
    (estimate,) = certain.estimates["near"]
    unknown_face = replace(estimate, face_logits=np.zeros(7, np.float32))
    doubtful = replace(certain, estimates={"near": (unknown_face,)})
    seen = query_second_network(shot.image, [certain, doubtful], pose_of(shot))

    assert doubtful.is_doubtful
    assert seen[0] is certain
    assert set(seen[1].estimates) == {"near", "wide"}
