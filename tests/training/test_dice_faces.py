"""Faces of dice: whatever the style, each face shows its value."""

import cv2
import numpy as np
import pytest

from training.scenes.kept_out import Chooser, Purpose


@pytest.fixture(scope="module")
def styles():
    """Return 25 styles of dice as they are used for training."""
    from training.scenes.dice.choosing import choose_die_style

    chooser = Chooser(np.random.default_rng(8), Purpose.TEACH)
    return [choose_die_style(chooser) for _ in range(25)]


def test_a_face_has_as_many_pips_as_its_value(styles):
    from training.scenes.dice.bodies import INK
    from training.scenes.dice.die_sheet import draw_die_sheet

    for style in styles:
        sheet = draw_die_sheet(style, 96)
        for value in range(1, 7):
            marks = (sheet.faces[value - 1, ..., INK] > 0.5).astype(np.uint8)

            assert cv2.connectedComponents(marks)[0] - 1 == value


def test_opposite_faces_sum_to_seven():
    from training.scenes.world import FACE_NORMALS

    for value, normal in FACE_NORMALS.items():
        assert np.allclose(np.negative(normal), FACE_NORMALS[7 - value])


def test_every_chosen_face_can_be_read(styles):
    from training.scenes.dice.choosing import MIN_DENT_CONTRAST, face_contrasts

    assert all(face_contrasts(style).min() > MIN_DENT_CONTRAST for style in styles)


def test_pips_stay_on_their_face(styles):
    from training.scenes.dice.pips import pip_centres

    for style in styles:
        for value in range(1, 7):
            assert np.abs(pip_centres(style.pips, value)).max() + style.pips.radius < 1.0


def test_the_two_has_its_pips_along_an_edge_in_many_sets_and_along_a_diagonal_in_most():
    from training.scenes.dice.pips import draw_pip_marks, pip_centres

    chooser = Chooser(np.random.default_rng(3), Purpose.TEACH)
    twos = [pip_centres(draw_pip_marks(chooser), 2) for _ in range(400)]
    along_edge = np.mean([not two[:, 1].any() for two in twos])

    assert 0.15 < along_edge < 0.35
