"""A dice set is learnt from simulated throws and filters later readings."""

from dataclasses import replace

import pytest

from calibration.dice_set import DieAppearance, describe_dice, filter_reading, learn_dice_set
from calibration.outline import tray_width_px
from tests.handled_tray import HandledTray
from vision.reading import Die, Problem, Reading, Zone

TRAY_MM = (250 + 170) / 2


def truth_of(tray) -> Reading:
    """Return the reading of a perfect reader."""
    edge = tray._all_dice.edge_mm * tray_width_px(tray.tray) / TRAY_MM
    return Reading(
        tuple(
            Die(lying.value, lying.x_px, lying.y_px, edge, edge, 0.0, 1.0, lying.zone)
            for lying in tray.visible_dice
        )
    )


def learnt(look="green", throws=((1, 2, 3, 4, 5, 6), (6, 5, 4, 2, 2, 3))):
    seen = []
    for number, values in enumerate(throws):
        tray = HandledTray(seed=number, look=look, roll_s=0.0)
        tray.throw_all(values)
        seen += describe_dice(tray.capture().image, truth_of(tray), tray.tray)
    return learn_dice_set(seen)


@pytest.fixture(scope="module")
def dice():
    return learnt()


@pytest.mark.parametrize(
    ("look", "lighter"), [("green", "body"), ("red", "pip"), ("blue", "body"), ("ruby", "pip")]
)
def test_size_and_colours_are_learnt(look, lighter):
    dice = learnt(look)

    assert dice.dice == 12
    (alike,) = dice.looks
    assert alike.edge == pytest.approx(16 / TRAY_MM)
    assert (alike.body[0] > alike.pip[0]) == (lighter == "body")


def test_dice_of_two_colours_and_sizes_are_learnt_as_two_groups():
    white = DieAppearance(0.08, (90.0, 0.0, 0.0), (10.0, 0.0, 0.0))
    red = DieAppearance(0.06, (45.0, 60.0, 40.0), (90.0, 0.0, 0.0))

    more, fewer = learn_dice_set([white, red, white, red, white]).looks

    assert (more.body, more.edge, more.dice) == (white.body, white.edge, 3)
    assert (fewer.body, fewer.edge, fewer.dice) == (red.body, red.edge, 2)


def test_nothing_is_learnt_from_too_few_dice():
    look = DieAppearance(0.08, (90.0, 0.0, 0.0), None)

    assert learn_dice_set([look] * 4) is None
    assert learn_dice_set([look] * 5).looks[0].spread == 0


def test_one_unusual_die_does_not_change_the_look_of_the_others(dice):
    odd = DieAppearance(0.2, (10.0, 40.0, 40.0), (90.0, 0.0, 0.0))
    (look,) = dice.looks
    usual = [DieAppearance(look.edge, look.body, look.pip)] * 11

    assert learn_dice_set([*usual, odd]).looks[0] == learn_dice_set(usual).looks[0]


def test_dice_of_the_set_stay_unchanged(dice):
    for seed in range(8):
        tray = HandledTray(seed=seed + 50, roll_s=0.0)
        tray.throw_all()
        reading = truth_of(tray)

        assert filter_reading(reading, tray.tray, dice) == reading


def test_a_crumb_is_dropped_and_a_giant_face_is_asked_about(dice, tray):
    edge = dice.looks[0].edge * tray_width_px(tray.tray)
    crumb = Die(None, 700, 400, edge / 4, edge / 4, 0.0, 0.1, Zone.TRAY, Problem.UNREADABLE)
    giant = Die(5, 700, 400, edge * 4, edge * 4, 0.0, 0.9)
    reading = truth_of(tray)
    more = replace(reading, dice=(*reading.dice, crumb, giant))

    asked = replace(giant, problem=Problem.UNREADABLE)
    assert filter_reading(more, tray.tray, dice).dice == (*reading.dice, asked)


@pytest.mark.parametrize("edges", [0.2, 6])
def test_a_foreign_object_stays_because_it_may_cover_dice(dice, tray, edges):
    edge = edges * dice.looks[0].edge * tray_width_px(tray.tray)
    sleeve = Die(None, 700, 420, edge, edge, 0.0, 0.0, Zone.TRAY, Problem.FOREIGN_OBJECT)

    assert filter_reading(Reading((sleeve,)), tray.tray, dice).dice == (sleeve,)


def test_an_unread_object_of_the_size_of_a_die_stays(dice, tray):
    edge = dice.looks[0].edge * tray_width_px(tray.tray)
    unread = Die(None, 700, 420, edge, edge, 0.0, 0.1, Zone.TRAY, Problem.UNREADABLE)

    assert filter_reading(Reading((unread,)), tray.tray, dice).dice == (unread,)


def test_a_small_die_of_a_mixed_set_is_not_a_crumb(tray):
    large = DieAppearance(0.12, (90.0, 0.0, 0.0), None)
    small = DieAppearance(0.05, (90.0, 0.0, 0.0), None)
    mixed = learn_dice_set([large, large, large, large, small])
    edge = small.edge * tray_width_px(tray.tray)
    die = Die(3, 700, 420, edge, edge, 0.0, 0.9)

    assert filter_reading(Reading((die,)), tray.tray, mixed).dice == (die,)


@pytest.mark.parametrize("problem", [Problem.COCKED, Problem.HIDDEN, Problem.STACKED])
def test_a_die_with_a_specific_problem_stays(dice, tray, problem):
    edge = dice.looks[0].edge * tray_width_px(tray.tray)
    die = Die(None, 700, 420, 0.6 * edge, 0.6 * edge, 0.0, 0.1, Zone.TRAY, problem)

    assert filter_reading(Reading((die,)), tray.tray, dice).dice == (die,)
