"""Training of networks that read one die: samples are turned with their labels, and networks are saved."""

import numpy as np
import pytest

from vision.crops import VIEWS

PATCH_PX, COUNT = 64, 16
POINT = (9, -5)
"""Offset (right, down) of a marked pixel from the centre of a patch."""


@pytest.fixture
def marked():
    """Return samples in which one pixel is marked, with its offset as a label."""
    import torch

    from training.learning.samples.die_samples import NUMBER_NAMES

    numbers = torch.zeros(COUNT, len(NUMBER_NAMES))
    for name, value in zip(("off_x", "off_y"), POINT, strict=True):
        numbers[:, NUMBER_NAMES.index(name)] = value
    pixels = torch.zeros(COUNT, 3, PATCH_PX, PATCH_PX, dtype=torch.uint8)
    pixels[..., PATCH_PX // 2 + POINT[1], PATCH_PX // 2 + POINT[0]] = 255
    return {
        "pixels": pixels, "flat": pixels[:, 0], "parts": torch.zeros(COUNT, 3, 16, 16, dtype=torch.uint8),
        "numbers": numbers,
    }  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_the_directions_in_the_labels_turn_with_the_patch(marked, view):
    from training.learning.samples.die_samples import NUMBER_NAMES
    from training.learning.variation import turn_samples

    turned = turn_samples(marked, view)

    row, column = np.argwhere(turned["flat"][0].numpy())[0]
    right, down = (
        float(turned["numbers"][0, NUMBER_NAMES.index(name)]) for name in ("off_x", "off_y")
    )
    assert (column - PATCH_PX / 2, row - PATCH_PX / 2) == pytest.approx((right, down), abs=1.01)


def test_half_of_the_samples_are_mirrored_with_their_labels_and_stay_upright(marked):
    from training.learning.samples.die_samples import NUMBER_NAMES
    from training.learning.variation import mirror_half

    right, upright = (NUMBER_NAMES.index(name) for name in ("off_x", "upright"))
    marked["numbers"][:, upright] = 1
    varied = mirror_half(marked)

    columns = [int(np.argwhere(flat.numpy())[0][1]) for flat in varied["flat"]]
    half = COUNT // 2
    assert columns == [PATCH_PX // 2 - POINT[0] - 1] * half + [PATCH_PX // 2 + POINT[0]] * half
    assert varied["numbers"][:, right].tolist() == [-POINT[0]] * half + [POINT[0]] * half
    assert varied["numbers"][:, upright].tolist() == [1] * COUNT


def test_a_batch_has_every_orientation_of_the_samples(marked):
    import torch

    from training.learning.networks import DieNet
    from training.learning.teach_pair import CHUNK_ROWS, SampleStore

    store = SampleStore(DieNet("near"), torch.device("cpu"), COUNT)
    arrays = {name: rows.numpy() for name, rows in marked.items()}
    for _ in range(CHUNK_ROWS // COUNT):
        store.add(arrays)
    batch = store.batch(2 * len(VIEWS))

    assert store.count == COUNT  # there is no room for more
    assert len({tuple(np.argwhere(flat.numpy())[0]) for flat in batch["flat"]}) == len(VIEWS)


def test_a_trained_network_is_saved_as_a_checkpoint_that_can_be_exported(marked, tmp_path):
    import torch

    from training.learning.networks import DieNet
    from training.learning.teach_pair import VARIANTS, VariantTrainer, mean_answers
    from training.learning.variation import vary_colours

    torch.manual_seed(1)
    start = DieNet("near")
    trainer = VariantTrainer(VARIANTS[0], "near", start, torch.device("cpu"))
    trainer.step(vary_colours(marked | {"soft": mean_answers(start, marked)}), 0.5)
    trainer.save(tmp_path)

    checkpoint = torch.load(tmp_path / "near.pt", weights_only=True)
    assert checkpoint["step"] == 1
    DieNet("near").load_state_dict(checkpoint["mean"])
    assert "anchor" in trainer.progress()


def test_the_learning_rate_rises_and_then_falls():
    from training.learning.teach_pair import learning_rate_factor

    factors = [learning_rate_factor(share) for share in np.linspace(0, 1, 50)]

    peak = int(np.argmax(factors))
    assert 5 < peak < 15
    assert factors[:peak] == sorted(factors[:peak])
    assert factors[peak:] == sorted(factors[peak:], reverse=True)
    assert factors[-1] < 0.02
