"""The second look, where there is hardly anything to look at."""

import numpy as np
import pytest

from vision.face_reader import read_faces
from vision.finder import Detection


@pytest.mark.parametrize("shape", [(900, 1, 3), (1, 900, 3), (1, 1, 3)])
def test_a_picture_of_one_line_has_no_sure_die(shape):
    detection = Detection(shape[1] / 2, shape[0] / 2, 200.0, 0.0, 0.9)
    (seen,) = read_faces(np.full(shape, 200, np.uint8), [detection], None)

    assert seen.face.none > max(seen.face.faces)
