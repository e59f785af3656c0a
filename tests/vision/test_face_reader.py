"""The face reader on frames that show almost nothing, and on dice that the finder placed well or badly."""

from collections import Counter

import numpy as np
import pytest

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.face_reader import read_faces
from vision.finder import Detection
from vision.networks import run_named
from vision.pose import estimate_pose


@pytest.mark.parametrize("shape", [(900, 1, 3), (1, 900, 3), (1, 1, 3)])
def test_a_single_line_of_pixels_shows_no_die(shape):
    detection = Detection(shape[1] / 2, shape[0] / 2, 200.0, 0.0, 0.9)
    (seen,) = read_faces(np.full(shape, 200, np.uint8), [detection], None)

    assert seen.face.no_die > max(seen.face.faces)


@pytest.mark.parametrize(("shift", "looks"), [(0.0, 1), (0.3, 2)])
def test_only_a_die_that_was_badly_placed_is_looked_at_again(monkeypatch, shift, looks):
    shot = photograph([Put(5, -20, 10, 17)], LOOKS["green"])
    (die,) = shot.read().dice
    at = Detection(die.x + shift * die.size, die.y, die.size, np.radians(die.angle), 0.9)
    height, width = shot.image.shape[:2]
    asked = Counter()

    def count_inputs(name, inputs):
        asked[name] += len(inputs)
        return run_named(name, inputs)

    monkeypatch.setattr("vision.face_reader.run_named", count_inputs)
    (seen,) = read_faces(shot.image, [at], estimate_pose(shot.tray, width, height))

    assert asked == {"near": looks, "wide": 1}
    assert 1 + int(np.argmax(seen.face.faces)) == 5
    assert np.hypot(seen.detection.x - die.x, seen.detection.y - die.y) < 0.1 * die.size
