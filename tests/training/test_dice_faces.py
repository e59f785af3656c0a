"""A die of value v shows v, whatever its style."""

import cv2
import numpy as np
import pytest

from training.scenes.kept_out import Chooser, Purpose


@pytest.fixture(scope="module")
def styles():
    from training.scenes.dice.choosing import die_style

    chooser = Chooser(np.random.default_rng(8), Purpose.TEACH)
    return [die_style(chooser) for _ in range(25)]


def test_a_face_has_as_many_marks_as_its_value(styles):
    from training.scenes.dice.bodies import INK
    from training.scenes.dice.die_sheet import die_sheet

    for style in styles:
        sheet = die_sheet(style, 96)
        for value in range(1, 7):
            marks = (sheet.faces[value - 1, ..., INK] > 0.5).astype(np.uint8)

            assert cv2.connectedComponents(marks)[0] - 1 == value


def test_opposite_faces_sum_to_seven():
    from training.scenes.world import NORMALS

    for value, normal in NORMALS.items():
        assert np.allclose(np.negative(normal), NORMALS[7 - value])


def test_no_face_is_chosen_that_cannot_be_read(styles):
    from training.scenes.dice.choosing import FAINT_DENT, contrasts

    assert all(contrasts(style).min() > FAINT_DENT for style in styles)


def test_marks_stay_on_their_face(styles):
    from training.scenes.dice.pips import pip_places

    for style in styles:
        for value in range(1, 7):
            assert np.abs(pip_places(style.pips, value)).max() + style.pips.radius < 1.0
