"""Knowledge about a tray makes readings more certain and never loses a die."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

import vision
from device.cameras.simulated.tray_geometry import LENS, LOOKS
from tests.simulated_hand import Hand, paint_hand
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
def known_tray():
    empty = photograph([], GREEN, seed=1)
    thrown = [photograph(DICE, GREEN, seed=seed).read() for seed in (2, 3)]
    return KnownTray.of(empty.image, thrown)


def with_object(shot, x_mm, draw):
    """Return the frame with an object drawn to the right of the centre of the tray."""
    image = shot.image.copy()
    corners = np.array(shot.tray.corners)
    x, y = corners.mean(axis=0)
    draw(image, (round(x + x_mm * np.ptp(corners[:, 0]) / 250), round(y)))
    return image


def test_a_certain_reading_without_dice_becomes_the_empty_tray_image():
    image = photograph([], GREEN).image

    known = KnownTray(leans=(FLAT,)).with_reading(image, Reading())

    assert known.empty is image
    assert known.leans == (FLAT,)


def test_leans_are_added_and_the_oldest_dropped():
    image = photograph([], GREEN).image
    read = Reading((Die(3, 9.0, 9.0, 5.0, 5.0, 0.0, 1.0),), leans=(FLAT,) * 6)
    known = KnownTray(image)
    for _ in range(MAX_LEANS):
        known = known.with_reading(image, read)

    assert known.empty is image
    assert len(known.leans) == MAX_LEANS


@pytest.mark.parametrize("problem", [Problem.COCKED, Problem.UNREADABLE])
def test_an_uncertain_reading_adds_no_knowledge(problem):
    die = Die(None, 9.0, 9.0, 5.0, 5.0, 0.0, 0.2, problem=problem)
    image = photograph([], GREEN).image
    known = KnownTray()

    assert known.with_reading(image, Reading((die,), leans=(FLAT,))) is known
    assert known.with_reading(image, Reading(problems=(Problem.HAND,))) is known


def test_dice_are_read_with_a_known_tray(known_tray):
    shot = photograph(DICE, GREEN, seed=5)

    reading = vision.read(shot.image, shot.tray, known=known_tray)

    assert reading.values == shot.values
    assert reading.is_sure


def test_known_leans_hold_for_another_resolution(known_tray):
    shot = photograph(DICE, GREEN, seed=5)

    reading = vision.read(
        cv2.resize(shot.image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA),
        Quad(tuple((0.75 * x, 0.75 * y) for x, y in shot.tray.corners)),
        known=replace(known_tray, empty=None),
    )

    assert reading.values == shot.values
    assert reading.is_sure


@pytest.mark.parametrize("shape", [(1, 3000, 3), (3000, 1, 3), (5, 4000, 3)])
def test_images_of_unusual_shapes_show_no_dice(shape):
    image = np.full(shape, 128, np.uint8)

    assert vision.read(image, known=KnownTray(image.copy())).values == ()


def test_without_the_position_of_the_tray_the_sides_of_dice_are_not_questions(known_tray):
    shot = photograph(
        [replace(one, y_mm=60.0 * (-1) ** k) for k, one in enumerate(DICE)], GREEN, seed=5
    )

    reading = vision.read(shot.image, known=known_tray)

    assert reading.values == shot.values
    assert reading.is_sure


def test_a_pattern_of_the_empty_tray_is_not_a_die(known_tray):
    printed = photograph(DICE, GREEN, seed=1)

    reading = vision.read(
        photograph(DICE, GREEN, seed=6).image, printed.tray, known=KnownTray(printed.image)
    )

    assert reading.values == ()
    assert reading.is_sure


def test_a_tray_seems_empty_despite_a_hand_in_its_empty_tray_image():
    before, now = (photograph([], GREEN, seed=seed) for seed in (1, 2))
    for shot in (before, now):
        paint_hand(shot.image, Hand(16.0, -34.0), LENS)
    new = find_changes(now.image, KnownTray(before.image), [now.tray])

    assert seems_empty(now.image, now.tray, None, new)
    assert not seems_empty(now.image, now.tray, None)


def test_a_tray_seems_empty_despite_dice_in_its_empty_tray_image():
    printed, more = photograph(DICE[:3], GREEN, seed=1), photograph(DICE, GREEN, seed=1)

    assert not seems_empty(printed.image, printed.tray, None)
    for shot, is_empty in ((printed, True), (more, False)):
        new = find_changes(shot.image, KnownTray(printed.image), [shot.tray])
        assert seems_empty(shot.image, shot.tray, None, new) is is_empty


@pytest.fixture(scope="module")
def die_px(known_tray):
    side = max(known_tray.empty.shape)
    return round(float(np.median([lean.edge for lean in known_tray.leans])) * side)


def test_an_unread_object_that_may_be_a_die_is_asked_about(known_tray, die_px):
    shot = photograph(DICE[:3], GREEN, seed=5)

    def draw(image, at):  # as light as the dice, with a spot that is too large for a pip
        body = cv2.boxPoints((at, (die_px, die_px), 20.0)).astype(np.int32)
        cv2.fillConvexPoly(image, body, (240, 250, 250), cv2.LINE_AA)
        centre = round(at[0]), round(at[1])
        cv2.circle(image, centre, round(0.3 * die_px), (80, 80, 80), -1, cv2.LINE_AA)

    reading = vision.read(with_object(shot, 60, draw), shot.tray, known=known_tray)

    assert not reading.is_sure
    assert [die.problem for die in reading.dice_in_tray if die.problem]
    assert set(shot.values) <= set(reading.values)


def test_a_coin_in_the_tray_is_neither_a_die_nor_a_question(known_tray, die_px):
    shot = photograph(DICE[:3], GREEN, seed=5)
    image = with_object(
        shot, 60, lambda image, at: cv2.circle(image, at, die_px // 2, (40, 95, 170), -1)
    )

    reading = vision.read(image, shot.tray, known=known_tray)

    assert reading.values == shot.values
    assert reading.is_sure


@pytest.mark.parametrize("is_tray_known", [True, False])
def test_a_card_that_may_hide_dice_is_asked_about(known_tray, die_px, is_tray_known):
    shot = photograph(DICE[:3], GREEN, seed=5)

    def draw(image, at):
        card = cv2.boxPoints((at, (3.4 * die_px, 2.4 * die_px), 10.0)).astype(np.int32)
        cv2.fillConvexPoly(image, card, (200, 205, 210), cv2.LINE_AA)

    tray = shot.tray if is_tray_known else None
    reading = vision.read(with_object(shot, 70, draw), tray, known=known_tray)

    assert Problem.FOREIGN_OBJECT in {die.problem for die in reading.dice}
    assert not reading.is_sure


@pytest.mark.parametrize("share", [0.6, 0.75])
@pytest.mark.parametrize("knows_sizes", [True, False])
def test_a_cloth_over_most_of_the_tray_is_asked_about(known_tray, share, knows_sizes):
    dice = [Put(5, -100, -60, 10), Put(3, -100, 60, 30), Put(2, 60, 0, 10)]
    shot = photograph(dice, GREEN, seed=5)
    image = shot.image.copy()
    corners = np.array(shot.tray.corners).astype(int)
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]] // 60
    checks = np.where(((rows + columns) % 2)[..., None], (40, 40, 180), (220, 220, 220))
    cloth = slice(top, bottom), slice(right - int(share * (right - left)), right)
    image[cloth] = checks[cloth]
    known = known_tray if knows_sizes else KnownTray(known_tray.empty)

    assert not vision.read(image, shot.tray, known=known).is_sure


@pytest.mark.parametrize("dice", [[Put(4, 10, 0, 10)], [Put(3, -100, 60, 30), Put(4, 10, 0, 10)]])
def test_a_long_object_is_asked_about_before_the_sizes_of_the_dice_are_known(known_tray, dice):
    shot = photograph(dice, GREEN, seed=5)

    def draw(image, at):
        body = cv2.boxPoints((at, (420, 120), 10.0)).astype(np.int32)
        cv2.fillConvexPoly(image, body, (150, 70, 40), cv2.LINE_AA)

    image = with_object(shot, 10, draw)
    reading = vision.read(image, shot.tray, known=KnownTray(known_tray.empty))

    assert Problem.FOREIGN_OBJECT in {die.problem for die in reading.dice}


def test_a_pencil_beside_a_die_is_no_question_before_the_sizes_of_the_dice_are_known(
    known_tray, die_px
):
    shot = photograph([Put(3, -100, 60, 30)], GREEN, seed=5)

    def draw(image, at):
        far = (at[0] + 2 * die_px, at[1] + 3 * die_px)
        cv2.line(image, at, far, (60, 190, 230), die_px // 3, cv2.LINE_AA)

    image = with_object(shot, 40, draw)
    reading = vision.read(image, shot.tray, known=KnownTray(known_tray.empty))

    assert reading.values == shot.values
    assert reading.is_sure


def test_a_pencil_in_the_tray_is_neither_a_die_nor_a_question(known_tray, die_px):
    shot = photograph(DICE[:3], GREEN, seed=5)

    def draw(image, at):
        far = (at[0] + 2 * die_px, at[1] + 3 * die_px)
        cv2.line(image, at, far, (60, 190, 230), die_px // 3, cv2.LINE_AA)

    reading = vision.read(with_object(shot, 40, draw), shot.tray, known=known_tray)

    assert reading.values == shot.values
    assert reading.is_sure


@pytest.mark.parametrize("grey", [30, 60, 90])
def test_a_dark_speck_is_neither_a_die_nor_a_question(known_tray, die_px, grey):
    shot = photograph(DICE[:3], GREEN, seed=5)
    side = round(0.62 * die_px)

    def draw(image, at):
        body = cv2.boxPoints((at, (side, side), 20.0)).astype(np.int32)
        cv2.fillConvexPoly(image, body, (grey, grey, grey), cv2.LINE_AA)

    reading = vision.read(with_object(shot, 60, draw), shot.tray, known=known_tray)

    assert reading.values == shot.values
    assert reading.is_sure


@pytest.mark.parametrize(("scale", "lean_deg"), [(0.55, 40), (0.62, 30), (0.62, 40)])
def test_a_cocked_die_that_is_smaller_than_the_known_dice_is_asked_about(
    known_tray, scale, lean_deg
):
    small = replace(GREEN, die_mm=scale * GREEN.die_mm)
    shot = photograph([Put(5, 20, 10, 15, lean_deg)], small, seed=5)

    assert not vision.read(shot.image, shot.tray, known=known_tray).is_sure


def with_changed_place(monkeypatch, shot, put, change):
    """Let the reader find `change(candidate)`, or nothing for None, where a die of the shot lies."""
    find = vision.reader.find_candidates
    x, y = LENS.project(np.array([[put.x_mm, put.y_mm, GREEN.die_mm]]))[0]

    def changed(*inputs):
        seen = find(*inputs)
        is_here = [
            np.hypot(one.detection.x - x, one.detection.y - y) < 50 for one in seen.candidates
        ]
        places = zip(seen.candidates, is_here, strict=True)
        candidates = [change(one) if here else one for one, here in places]
        return replace(seen, candidates=[one for one in candidates if one is not None])

    monkeypatch.setattr(vision.reader, "find_candidates", changed)


def test_a_die_over_the_wall_that_the_finder_misses_is_asked_about(monkeypatch, known_tray):
    die = Put(5, 122, 10, 15)  # a region of 0.7 edges lies on the floor
    shot = photograph([Put(2, 0, 0, 10), die], GREEN, seed=5)
    with_changed_place(monkeypatch, shot, die, lambda _: None)

    reading = vision.read(shot.image, shot.tray, known=known_tray)

    assert [one.problem for one in reading.dice if one.value is None] == [Problem.FOREIGN_OBJECT]


def test_an_object_smaller_than_a_die_that_no_network_explains_is_asked_about(
    monkeypatch, known_tray
):
    die = Put(5, 30, 10, 15)
    shot = photograph([Put(2, -40, 0, 10), die], replace(GREEN, die_mm=0.7 * GREEN.die_mm), seed=5)
    with_changed_place(monkeypatch, shot, die, lambda _: None)

    reading = vision.read(shot.image, shot.tray, known=known_tray)

    assert [one.problem for one in reading.dice if one.value is None] == [Problem.FOREIGN_OBJECT]


@pytest.mark.parametrize(("finder", "no_die"), [(0.7, 0.82), (0.7, 0.95), (0.9, 0.9), (0.9, 0.95)])
def test_a_doubtful_die_that_only_the_face_reader_denies_is_asked_about(
    monkeypatch, known_tray, finder, no_die
):
    die = Put(5, 30, 10, 15)
    shot = photograph([Put(2, -40, 0, 10), die], GREEN, seed=5)

    def doubt(one):
        detection = replace(one.detection, probability=finder)
        return replace(one, detection=detection, face=replace(one.face, no_die=no_die))

    with_changed_place(monkeypatch, shot, die, doubt)

    reading = vision.read(shot.image, shot.tray, known=known_tray)

    assert [one.problem for one in reading.dice if one.value is None] == [Problem.UNREADABLE]
