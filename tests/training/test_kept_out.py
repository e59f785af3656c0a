"""What is kept out is never taught, and always there to be judged by."""

import numpy as np
import pytest

from training.scenes.kept_out import KEPT_OUT, Chooser, Purpose, keeps_out_colours, sector

GREY, RED, GREEN = (0.3, 0.3, 0.3), (0.6, 0.02, 0.02), (0.02, 0.5, 0.03)


def families():
    from training.scenes.dice.die_style import BODIES, FINISHES
    from training.scenes.dice.pips import MARKS
    from training.scenes.grounds.covers import GROUNDS
    from training.scenes.grounds.flakes import FLAKES
    from training.scenes.hard_light import HARD_LAMPS
    from training.scenes.lighting import LAMPS
    from training.scenes.things.clutter import KINDS
    from training.scenes.throws.rest_library import OUTLINES

    return {
        "body": BODIES, "finish": FINISHES, "mark": MARKS, "ground": GROUNDS, "lamps": LAMPS,
        "clutter": KINDS, "tray": OUTLINES, "hard_lamps": HARD_LAMPS, "flakes": FLAKES,
    }  # fmt: skip


def test_each_family_keeps_out_about_an_eighth_of_its_kinds():
    assert set(families()) == set(KEPT_OUT)
    for family, kinds in families().items():
        kept = KEPT_OUT[family]

        assert kept <= set(kinds), family
        assert 1 / 10 <= len(kept) / len(kinds) <= 1 / 4, family


@pytest.mark.parametrize("purpose", [Purpose.TEACH, Purpose.ORDINARY])
def test_kinds_kept_out_are_never_drawn_to_teach(purpose):
    chooser = Chooser(np.random.default_rng(1), purpose)
    for family, kinds in families().items():
        drawn = {chooser.kind(family, kinds) for _ in range(2000)}

        assert not drawn & KEPT_OUT[family]


def test_whoever_asks_for_a_kind_kept_out_alone_gets_none_to_teach():
    chooser = Chooser(np.random.default_rng(1), Purpose.TEACH)

    with pytest.raises(ValueError, match="a"):
        chooser.kind("mark", dict.fromkeys(KEPT_OUT["mark"], 1.0))


def test_strange_pictures_have_some_of_what_is_kept_out():
    chooser = Chooser(np.random.default_rng(1), Purpose.STRANGE)
    for family, kinds in families().items():
        drawn = [chooser.kind(family, kinds) in KEPT_OUT[family] for _ in range(300)]

        assert 0.2 < np.mean(drawn) < 0.6


def test_hues_are_told_apart_and_grey_is_none():
    assert sector(GREY) == sector((0.9, 0.88, 0.9))
    assert len({sector(c) for c in (GREY, RED, GREEN)}) == 3


def test_most_pairs_of_colours_are_taught():
    rng = np.random.default_rng(2)
    kept = [keeps_out_colours(tuple(rng.random(3)), tuple(rng.random(3))) for _ in range(3000)]

    assert 0.02 < np.mean(kept) < 0.25


def test_no_die_kept_out_is_taught_and_each_strange_one_is():
    from training.scenes.dice.choosing import die_style
    from training.scenes.dice.die_style import is_kept_out

    for purpose in Purpose:
        chooser = Chooser(np.random.default_rng(3), purpose)
        kept = [is_kept_out(die_style(chooser)) for _ in range(60)]

        assert all(kept) if purpose is Purpose.STRANGE else not any(kept)


def test_no_world_to_teach_shows_what_is_kept_out(rests):
    from training.scenes.dice.die_style import is_kept_out
    from training.scenes.staging import Wish, world

    for seed in range(12):
        one = world(seed, Purpose.TEACH, rests, Wish(("table", "clutter")[seed % 2], side=32))

        assert not any(is_kept_out(style) for style in one.styles)
        assert not {cover.kind for cover in one.covers} & KEPT_OUT["ground"]
        assert one.light.kind not in KEPT_OUT["lamps"]
        assert one.tray is None or len(one.tray.outline) != 5
