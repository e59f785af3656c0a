"""Samples for the networks that read one die: the size of the dice and the positions of their parts."""

from dataclasses import replace

import numpy as np
import pytest

from training.scenes.kept_out import Purpose


@pytest.fixture(scope="module")
def view(rests):
    """Return a function that renders the view of a seed."""
    from training.learning.samples.tray_views import cast_view
    from training.scenes.staging import SceneRequest

    def of(seed, near):
        return cast_view(
            seed,
            Purpose.TEACH,
            rests,
            SceneRequest("table", zoom_chance=near, hand_chance=0.0),
            empty=False,
        )

    return of


def test_zoomed_views_show_dice_as_large_as_in_a_full_size_frame(view):
    from training.learning.samples.tray_views import mean_edges
    from training.scenes.viewing import ZOOM_DIE_PX

    far = [mean_edges(view(seed, 0.0).dice.quads).max() for seed in range(6)]
    near = [mean_edges(view(seed, 1.0).dice.quads).max() for seed in range(6)]

    assert np.median(near) > 1.5 * np.median(far)
    assert all(ZOOM_DIE_PX[0] / 2 < edge < ZOOM_DIE_PX[1] * 2 for edge in near)


def test_a_die_is_in_the_centre_of_its_patch_and_contains_its_top(view):
    from training.learning.samples.die_samples import NUMBER_NAMES, make_die_samples

    rng = np.random.default_rng(4)
    made = make_die_samples(view(3, 1.0), rng, 30, "wide")
    dice = [sample for sample in made if sample.numbers[NUMBER_NAMES.index("die")]]

    assert dice
    for sample in dice:
        body, top, _ = sample.parts.astype(float)
        assert body[6:10, 6:10].mean() > 100
        assert (top <= body + 1).all()
        assert sample.parts.shape == (3, 16, 16)


def test_samples_are_made_even_if_a_die_is_larger_than_the_view(view):
    from training.learning.samples.die_samples import make_die_samples

    far = view(3, 0.0)
    near = replace(far, dice=replace(far.dice, quads=far.dice.quads * 1000))

    assert make_die_samples(near, np.random.default_rng(6), 30, "near")


def test_the_masks_of_a_patch_without_a_die_are_empty(view):
    from training.learning.samples.die_samples import NUMBER_NAMES, make_die_samples

    made = make_die_samples(view(3, 1.0), np.random.default_rng(5), 30, "near")
    none = [sample for sample in made if not sample.numbers[NUMBER_NAMES.index("die")]]

    assert none
    assert not any(sample.parts[:2].any() for sample in none)
