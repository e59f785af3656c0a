"""The finder's inputs: how large they are, and how many a tray needs."""

from pathlib import Path

import numpy as np
import pytest

from device.bench import StagedThrow
from vision import networks
from vision.finder import FRAME_PX, FinderResult, find_dice_anywhere, find_dice_in_tray
from vision.images import ImagePyramid, load

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

    def find(_picture, input_px, _empty, **_options):
        used.append(input_px)
        return FinderResult([], np.zeros((1, 1), bool))

    monkeypatch.setattr("vision.finder.find_dice", find)
    find_dice_in_tray(ImagePyramid(FRAME), None, edge_range)

    assert used == inputs_px


@pytest.fixture
def runs(monkeypatch):
    """A list to which each run of a network adds its name and the width of its input, in pixels."""
    runs, run_named = [], networks.run_named

    def record(name, inputs):
        runs.append((name, inputs.shape[-1]))
        return run_named(name, inputs)

    monkeypatch.setattr("vision.finder.run_named", record)
    return runs


@pytest.mark.parametrize("find", [find_dice_anywhere, find_dice_in_tray])
def test_the_network_for_hands_is_run_after_a_hint_if_the_empty_tray_is_not_known(runs, find):
    find(ImagePyramid(FRAME + 90))
    assert "finder" in dict(runs)
    assert "hand" not in dict(runs)

    image = load(Path(__file__).with_name("rendered_hand.jpg"))
    find(ImagePyramid(image), ImagePyramid(np.full_like(image, 90)))
    assert "hand" not in dict(runs)

    find(ImagePyramid(image))
    assert [name for name, _ in runs].count("hand") == 1


def test_a_second_look_at_small_dice_in_a_frame_needs_one_network(runs):
    find_dice_anywhere(ImagePyramid(StagedThrow.of().image))

    closer_px = max(px for _, px in runs)
    assert closer_px > FRAME_PX
    assert ("finder", closer_px) in runs
    assert ("finder_alone", closer_px) not in runs
    assert ("finder_alone", FRAME_PX) in runs
