"""The finder's inputs: how large they are, and how many a tray needs."""

import numpy as np
import pytest

from vision.finder import FinderResult, find_dice_in_tray
from vision.images import ImagePyramid

FRAME = np.zeros((540, 960, 3), np.uint8)


@pytest.mark.parametrize(
    ("edge_range", "inputs_px"),
    [
        (None, [576, 154]),
        ((60, 70), [384]),
        ((10, 12), [576]),
        ((60, 130), [384, 154]),
        ((150, 160), [320, 154]),
    ],
)
def test_a_tray_with_known_dice_needs_a_smaller_input(monkeypatch, edge_range, inputs_px):
    used = []

    def find(_picture, input_px, _empty):
        used.append(input_px)
        return FinderResult([], np.zeros((1, 1), bool))

    monkeypatch.setattr("vision.finder.find_dice", find)
    find_dice_in_tray(ImagePyramid(FRAME), None, edge_range)

    assert used == inputs_px
