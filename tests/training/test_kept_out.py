"""Kinds of dice, trays and light that are kept out of training, for tests of unfamiliar kinds."""

import numpy as np
import pytest

from training.scenes.kept_out import KEPT_OUT, Chooser, Purpose, hue_sector, is_kept_out_pair

GREY, RED, GREEN = (0.3, 0.3, 0.3), (0.6, 0.02, 0.02), (0.02, 0.5, 0.03)


def families():
    from training.scenes.dice.die_style import BODY_WEIGHTS, FINISH_WEIGHTS
    from training.scenes.dice.pips import MARK_WEIGHTS
    from training.scenes.grounds.covers import GROUND_WEIGHTS
    from training.scenes.grounds.flakes import FLAKE_WEIGHTS
    from training.scenes.hard_light import HARD_LAMP_WEIGHTS
    from training.scenes.lighting import LAMP_WEIGHTS
    from training.scenes.objects.clutter import OBJECT_WEIGHTS
    from training.scenes.throws.rest_library import OUTLINE_WEIGHTS

    return {
        "body": BODY_WEIGHTS, "finish": FINISH_WEIGHTS, "mark": MARK_WEIGHTS, "ground": GROUND_WEIGHTS, "lamps": LAMP_WEIGHTS,
        "clutter": OBJECT_WEIGHTS, "tray": OUTLINE_WEIGHTS, "hard_lamps": HARD_LAMP_WEIGHTS, "flakes": FLAKE_WEIGHTS,
    }  # fmt: skip


def test_each_family_keeps_about_an_eighth_of_its_kinds_out_of_training():
    assert set(families()) == set(KEPT_OUT)
    for family, kinds in families().items():
        kept = KEPT_OUT[family]

        assert kept <= set(kinds), family
        assert 1 / 10 <= len(kept) / len(kinds) <= 1 / 4, family


@pytest.mark.parametrize("purpose", [Purpose.TEACH, Purpose.ORDINARY])
def test_kinds_kept_out_of_training_are_never_drawn_for_training_or_ordinary_tests(purpose):
    chooser = Chooser(np.random.default_rng(1), purpose)
    for family, kinds in families().items():
        drawn = {chooser.draw_kind(family, kinds) for _ in range(2000)}

        assert not drawn & KEPT_OUT[family]


def test_drawing_for_training_from_only_kept_out_kinds_is_an_error():
    chooser = Chooser(np.random.default_rng(1), Purpose.TEACH)

    with pytest.raises(ValueError, match="a"):
        chooser.draw_kind("mark", dict.fromkeys(KEPT_OUT["mark"], 1.0))


def test_some_kinds_drawn_for_testing_unfamiliar_kinds_are_kept_out_of_training():
    chooser = Chooser(np.random.default_rng(1), Purpose.KEPT_OUT)
    for family, kinds in families().items():
        drawn = [chooser.draw_kind(family, kinds) in KEPT_OUT[family] for _ in range(300)]

        assert 0.2 < np.mean(drawn) < 0.6


def test_different_hues_and_grey_are_in_different_sectors():
    assert hue_sector(GREY) == hue_sector((0.9, 0.88, 0.9))
    assert len({hue_sector(c) for c in (GREY, RED, GREEN)}) == 3


def test_most_pairs_of_colours_are_used_for_training():
    rng = np.random.default_rng(2)
    kept = [is_kept_out_pair(tuple(rng.random(3)), tuple(rng.random(3))) for _ in range(3000)]

    assert 0.02 < np.mean(kept) < 0.25


def test_only_tests_of_unfamiliar_kinds_show_dice_that_are_kept_out_of_training():
    from training.scenes.dice.choosing import choose_die_style
    from training.scenes.dice.die_style import is_kept_out

    for purpose in Purpose:
        chooser = Chooser(np.random.default_rng(3), purpose)
        kept = [is_kept_out(choose_die_style(chooser)) for _ in range(60)]

        assert all(kept) if purpose is Purpose.KEPT_OUT else not any(kept)


def test_no_scene_for_training_shows_a_kind_that_is_kept_out_of_training(rests):
    from training.scenes.dice.die_style import is_kept_out
    from training.scenes.staging import SceneRequest, stage_world

    for seed in range(12):
        one = stage_world(
            seed, Purpose.TEACH, rests, SceneRequest(("table", "clutter")[seed % 2], tile_px=32)
        )

        assert not any(is_kept_out(style) for style in one.styles)
        assert not {cover.kind for cover in one.covers} & KEPT_OUT["ground"]
        assert one.light.kind not in KEPT_OUT["lamps"]
        assert one.tray is None or len(one.tray.outline) != 5
