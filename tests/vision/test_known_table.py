"""What is known of a table makes reading surer, and never makes a die vanish."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

import vision
from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision import Die, Problem, Quad, Reading
from vision.candidates import seems_empty
from vision.known_tray import MAX_LEANS, KnownTray
from vision.reading import Lean
from vision.tray_change import find_changes

GREEN = LOOKS["green"]
DICE = [Put(v, 38 * v - 133, 10 * (v % 3), 17 * v) for v in range(1, 7)]
FLAT = Lean(-0.1, 0.2, 0.1, 0.2, 0.03)


@pytest.fixture(scope="module")
def table():
    empty = photograph([], GREEN, seed=1)
    thrown = [photograph(DICE, GREEN, seed=seed).read() for seed in (2, 3)]
    return KnownTray.of(empty.image, thrown)


def spoilt(shot, x_mm, lay):
    """A picture with something laid into it, right of the middle of the tray."""
    image = shot.image.copy()
    corners = np.array(shot.tray.corners)
    x, y = corners.mean(axis=0)
    lay(image, (round(x + x_mm * np.ptp(corners[:, 0]) / 250), round(y)))
    return image


def test_a_sure_empty_reading_shows_the_empty_tray():
    image = photograph([], GREEN).image

    known = KnownTray(leans=(FLAT,)).with_reading(image, Reading())

    assert known.empty is image
    assert known.leans == (FLAT,)


def test_dice_that_lie_flat_are_kept_and_the_oldest_forgotten():
    image = photograph([], GREEN).image
    read = Reading((Die(3, 9.0, 9.0, 5.0, 5.0, 0.0, 1.0),), leans=(FLAT,) * 6)
    known = KnownTray(image)
    for _ in range(MAX_LEANS):
        known = known.with_reading(image, read)

    assert known.empty is image
    assert len(known.leans) == MAX_LEANS


@pytest.mark.parametrize("problem", [Problem.COCKED, Problem.UNREADABLE])
def test_what_is_in_doubt_teaches_nothing(problem):
    die = Die(None, 9.0, 9.0, 5.0, 5.0, 0.0, 0.2, problem=problem)
    image = photograph([], GREEN).image
    known = KnownTray()

    assert known.with_reading(image, Reading((die,), leans=(FLAT,))) is known
    assert known.with_reading(image, Reading(problems=(Problem.HAND,))) is known


def test_dice_are_read_as_without(table):
    shot = photograph(DICE, GREEN, seed=5)

    reading = vision.read(shot.image, shot.tray, known=table)

    assert reading.values == shot.values
    assert reading.is_sure


def test_what_is_known_holds_for_pictures_of_another_size(table):
    shot = photograph(DICE, GREEN, seed=5)

    reading = vision.read(
        cv2.resize(shot.image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA),
        Quad(tuple((0.75 * x, 0.75 * y) for x, y in shot.tray.corners)),
        known=replace(table, empty=None),
    )

    assert reading.values == shot.values
    assert reading.is_sure


@pytest.mark.parametrize("shape", [(1, 3000, 3), (3000, 1, 3), (5, 4000, 3)])
def test_pictures_of_odd_shapes_read_as_empty(shape):
    image = np.full(shape, 128, np.uint8)

    assert vision.read(image, known=KnownTray(image.copy())).values == ()


def test_without_a_tray_told_the_sides_of_dice_are_no_question(table):
    shot = photograph(
        [replace(one, y_mm=60.0 * (-1) ** k) for k, one in enumerate(DICE)], GREEN, seed=5
    )

    reading = vision.read(shot.image, known=table)

    assert reading.values == shot.values
    assert reading.is_sure


def test_what_was_there_before_is_no_die(table):
    printed = photograph(DICE, GREEN, seed=1)

    reading = vision.read(
        photograph(DICE, GREEN, seed=6).image, printed.tray, known=KnownTray(printed.image)
    )

    assert reading.values == ()
    assert reading.is_sure


def test_a_tray_seems_empty_where_what_looks_like_dice_was_there_before():
    printed, more = photograph(DICE[:3], GREEN, seed=1), photograph(DICE, GREEN, seed=1)

    assert not seems_empty(printed.image, printed.tray, None)
    for shot, is_empty in ((printed, True), (more, False)):
        new = find_changes(shot.image, printed.image, [shot.tray])
        assert seems_empty(shot.image, shot.tray, None, new) is is_empty


@pytest.fixture(scope="module")
def die_px(table):
    side = max(table.empty.shape)
    return round(float(np.median([lean.edge for lean in table.leans])) * side)


def test_what_may_be_a_die_and_is_not_read_is_asked_about(table, die_px):
    shot = photograph(DICE[:3], GREEN, seed=5)

    def lay(image, at):  # as light as the dice
        body = cv2.boxPoints((at, (die_px, die_px), 20.0)).astype(np.int32)
        cv2.fillConvexPoly(image, body, (240, 250, 250), cv2.LINE_AA)

    reading = vision.read(spoilt(shot, 60, lay), shot.tray, known=table)

    assert not reading.is_sure
    assert [die.problem for die in reading.dice_in_tray if die.problem]
    assert set(shot.values) <= set(reading.values)


def test_a_coin_in_the_tray_is_no_die_and_no_question(table, die_px):
    shot = photograph(DICE[:3], GREEN, seed=5)
    image = spoilt(
        shot, 60, lambda image, at: cv2.circle(image, at, die_px // 2, (40, 95, 170), -1)
    )

    reading = vision.read(image, shot.tray, known=table)

    assert reading.values == shot.values
    assert reading.is_sure


@pytest.mark.parametrize("tray_told", [True, False])
def test_a_card_that_may_hide_dice_is_asked_about(table, die_px, tray_told):
    shot = photograph(DICE[:3], GREEN, seed=5)

    def lay(image, at):
        card = cv2.boxPoints((at, (3.4 * die_px, 2.4 * die_px), 10.0)).astype(np.int32)
        cv2.fillConvexPoly(image, card, (200, 205, 210), cv2.LINE_AA)

    tray = shot.tray if tray_told else None
    reading = vision.read(spoilt(shot, 70, lay), tray, known=table)

    assert Problem.FOREIGN_OBJECT in {die.problem for die in reading.dice}
    assert not reading.is_sure


def test_a_pencil_in_the_tray_is_no_die_and_no_question(table, die_px):
    shot = photograph(DICE[:3], GREEN, seed=5)

    def lay(image, at):
        far = (at[0] + 2 * die_px, at[1] + 3 * die_px)
        cv2.line(image, at, far, (60, 190, 230), die_px // 3, cv2.LINE_AA)

    reading = vision.read(spoilt(shot, 40, lay), shot.tray, known=table)

    assert reading.values == shot.values
    assert reading.is_sure
