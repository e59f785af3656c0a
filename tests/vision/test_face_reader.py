"""The face reader on frames that show almost nothing."""

import numpy as np
import pytest

from vision.face_reader import read_faces
from vision.finder import Detection


@pytest.mark.parametrize("shape", [(900, 1, 3), (1, 900, 3), (1, 1, 3)])
def test_a_single_line_of_pixels_shows_no_die(shape):
    detection = Detection(shape[1] / 2, shape[0] / 2, 200.0, 0.0, 0.9)
    (seen,) = read_faces(np.full(shape, 200, np.uint8), [detection], None)

    assert seen.face.no_die > max(seen.face.faces)
