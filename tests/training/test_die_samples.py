"""What the networks of one die learn from: how large dice are, and where their parts lie."""

from dataclasses import replace

import numpy as np
import pytest

from training.scenes.kept_out import Purpose


@pytest.fixture(scope="module")
def view(rests):
    from training.learning.samples.tray_views import cast_now
    from training.scenes.staging import Wish

    def of(seed, near):
        return cast_now(seed, Purpose.TEACH, rests, Wish("table", near=near, hand=0.0), empty=False)

    return of


def test_through_a_longer_lens_dice_are_as_large_as_a_camera_of_full_size_sees_them(view):
    from training.learning.samples.tray_views import edges
    from training.scenes.viewing import NEAR_PX

    far = [edges(view(seed, 0.0).dice.quads).max() for seed in range(6)]
    near = [edges(view(seed, 1.0).dice.quads).max() for seed in range(6)]

    assert np.median(near) > 1.5 * np.median(far)
    assert all(NEAR_PX[0] / 2 < edge < NEAR_PX[1] * 2 for edge in near)


def test_the_parts_of_a_die_are_in_the_middle_of_its_patch_and_its_top_is_within_it(view):
    from training.learning.samples.die_samples import NUMBERS, die_samples

    rng = np.random.default_rng(4)
    made = die_samples(view(3, 1.0), rng, 30, "wide")
    dice = [sample for sample in made if sample.numbers[NUMBERS.index("die")]]

    assert dice
    for sample in dice:
        body, top, _ = sample.parts.astype(float)
        assert body[6:10, 6:10].mean() > 100
        assert (top <= body + 1).all()
        assert sample.parts.shape == (3, 16, 16)


def test_places_are_no_larger_than_the_view_when_a_die_is_at_the_lens(view):
    from training.learning.samples.die_samples import die_samples

    far = view(3, 0.0)
    near = replace(far, dice=replace(far.dice, quads=far.dice.quads * 1000))

    assert die_samples(near, np.random.default_rng(6), 30, "near")


def test_where_no_die_is_there_is_no_part_of_one(view):
    from training.learning.samples.die_samples import NUMBERS, die_samples

    made = die_samples(view(3, 1.0), np.random.default_rng(5), 30, "near")
    none = [sample for sample in made if not sample.numbers[NUMBERS.index("die")]]

    assert none
    assert not any(sample.parts[:2].any() for sample in none)
