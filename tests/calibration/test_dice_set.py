"""The dice set is learnt from simulated throws; what else lies there is told from it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.dice_set import DieColours, learn, looks, sift
from calibration.outline import width_px
from device.cameras.simulated.tray import SimulatedTray
from vision.reading import Die, Problem, Reading, Zone

TRAY_MM = (250 + 170) / 2


def truth_of(tray) -> Reading:
    """What a reader that never errs would see."""
    edge = tray._look.die_mm * width_px(tray.tray) / TRAY_MM
    return Reading(
        tuple(
            Die(lying.value, lying.x_px, lying.y_px, edge, edge, 0.0, 1.0, lying.zone)
            for lying in tray.lying
        )
    )


def learnt(look="green", throws=((1, 2, 3, 4, 5, 6), (6, 5, 4, 2, 2, 3))):
    seen = []
    for number, values in enumerate(throws):
        tray = SimulatedTray(seed=number, look=look, roll_s=0.0)
        tray.throw_all(values)
        seen += looks(tray.capture().image, truth_of(tray), tray.tray)
    return learn(seen)


@pytest.fixture(scope="module")
def dice():
    return learnt()


@pytest.mark.parametrize(
    ("look", "lighter"), [("green", "body"), ("red", "pip"), ("blue", "body"), ("ruby", "pip")]
)
def test_size_body_and_pips_are_learnt(look, lighter):
    dice = learnt(look)

    assert dice.dice == 12
    assert dice.edge == pytest.approx(16 / TRAY_MM)
    assert (dice.body[0] > dice.pip[0]) == (lighter == "body")


def test_too_few_dice_teach_nothing():
    look = DieColours(0.08, (90.0, 0.0, 0.0), None)

    assert learn([look] * 4) is None
    assert learn([look] * 5).spread == 0


def test_one_odd_die_among_many_changes_little(dice):
    odd = DieColours(0.2, (10.0, 40.0, 40.0), (90.0, 0.0, 0.0))
    usual = [DieColours(dice.edge, dice.body, dice.pip)] * 11

    assert learn([*usual, odd]).edge == dice.edge
    assert learn([*usual, odd]).body == dice.body


def test_dice_of_the_set_are_never_touched(dice):
    for seed in range(8):
        tray = SimulatedTray(seed=seed + 50, roll_s=0.0)
        tray.throw_all()
        reading = truth_of(tray)

        assert sift(reading, tray.capture().image, tray.tray, dice) == reading


@pytest.mark.parametrize("shade", [0.45, 0.7, 1.5])
def test_nor_are_they_under_another_light(dice, shade):
    tray = SimulatedTray(seed=9, roll_s=0.0)
    tray.throw_all()
    image = np.clip(tray.capture().image * shade, 0, 255).astype(np.uint8)
    reading = sift(truth_of(tray), image, tray.tray, dice)

    assert len(reading.dice) == 6
    assert reading.values == truth_of(tray).values


def test_a_crumb_and_a_giant_are_dropped(dice, tray, picture):
    edge = dice.edge * width_px(tray.tray)
    crumb = Die(None, 700, 400, edge / 4, edge / 4, 0.0, 0.1, Zone.TRAY, Problem.UNREADABLE)
    giant = Die(5, 700, 400, edge * 4, edge * 4, 0.0, 0.9)
    reading = truth_of(tray)
    more = replace(reading, dice=(*reading.dice, crumb, giant))

    assert sift(more, picture, tray.tray, dice) == reading


def test_a_copper_coin_that_was_not_read_is_dropped(dice, tray, picture):
    edge = dice.edge * width_px(tray.tray)
    image = picture.copy()
    cv2.circle(image, (700, 420), round(edge * 0.7), (40, 95, 170), -1)
    coin = Die(None, 700, 420, edge, edge, 0.0, 0.1, Zone.TRAY, Problem.UNREADABLE)
    reading = replace(truth_of(tray), dice=(*truth_of(tray).dice, coin))

    assert coin not in sift(reading, image, tray.tray, dice).dice


def test_a_die_of_another_set_is_asked_about_not_dropped(dice):
    tray = SimulatedTray(seed=4, look="ruby", roll_s=0.0)
    tray.throw_all([6, 5, 4, 3, 2, 1])
    reading = sift(truth_of(tray), tray.capture().image, tray.tray, dice)

    assert len(reading.dice) == 6
    assert not reading.sure


@pytest.mark.parametrize("problem", [Problem.COCKED, Problem.HIDDEN, Problem.STACKED])
def test_a_named_problem_stays(dice, tray, picture, problem):
    edge = dice.edge * width_px(tray.tray)
    die = Die(None, 700, 420, 0.6 * edge, 0.6 * edge, 0.0, 0.1, Zone.TRAY, problem)

    assert sift(Reading((die,)), picture, tray.tray, dice).dice == (die,)
