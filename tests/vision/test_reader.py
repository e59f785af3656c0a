"""Reading a painted tray: every value, rotation, size, pair of colours and neighbour."""

from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

import cv2
import numpy as np
import pytest

import vision
from device.cameras.simulated.background import backdrop
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.simulated.tray_geometry import LENS, LOOKS, TrayLook
from tests.simulated_hand import Hand, paint_hand
from tests.vision.painted import Put, Shot, photograph
from vision import Problem, Quad, Reading, Zone
from vision.finder import find_dice_in_tray
from vision.images import load
from vision.known_tray import KnownTray
from vision.reader import MAX_WHITE_SHARE

GREEN = LOOKS["green"]
PAIRS = {
    "black on ivory": ((238, 233, 220), (28, 26, 30)),
    "red on white": ((240, 240, 240), (190, 30, 40)),
    "blue on white": ((240, 240, 240), (30, 60, 170)),
    "white on black": ((34, 33, 38), (240, 238, 230)),
    "white on red": ((170, 30, 40), (240, 240, 240)),
    "white on blue": ((30, 70, 160), (240, 240, 240)),
    "white on green": ((20, 110, 60), (240, 240, 240)),
    "gold on black": ((30, 30, 34), (212, 175, 80)),
    "black on yellow": ((236, 200, 40), (30, 30, 30)),
    "dark on wood": ((190, 150, 100), (60, 35, 20)),
}


def spread(few, many):
    """Return all pairs; the usual tests take one for each of the many, and the long tests the others."""
    few, many = list(few), list(many)
    return [
        pytest.param(one, other, marks=[] if j % len(few) == i else pytest.mark.long)
        for i, one in enumerate(few)
        for j, other in enumerate(many)
    ]


def row(*, turn_deg: float = 0.0, y_mm: float = 0.0) -> list[Put]:
    """Return all six values side by side, each rotated further than the last."""
    return [Put(v, 38 * v - 133, y_mm, turn_deg + 7 * v) for v in range(1, 7)]


def is_silent(shot: Shot) -> bool:
    reading = shot.read()
    return reading.is_sure and reading.values != shot.values


@pytest.mark.parametrize(("turn_deg", "name"), spread(range(0, 90, 15), LOOKS))
def test_every_value_is_read_at_every_rotation_on_every_tray(name, turn_deg):
    shot = photograph(row(turn_deg=turn_deg), LOOKS[name])

    reading = shot.read()

    assert reading.values == shot.values
    assert reading.is_sure or name == "travel"  # 25 px, the smallest dice: a question is allowed


@pytest.mark.parametrize(
    ("felt", "pair"), spread([(30, 104, 66), (40, 40, 44), (150, 120, 90)], PAIRS)
)
def test_light_and_dark_pips_are_read_on_bodies_of_any_colour(pair, felt):
    body, pip = PAIRS[pair]
    shot = photograph(row(turn_deg=12), replace(GREEN, body=body, pip=pip, felt=felt))

    reading = shot.read()

    assert reading.values == shot.values or not reading.is_sure
    assert sum(die.problem is None for die in reading.dice_in_tray) >= 5


@pytest.mark.parametrize("die_px", [21, 28, 40, 70, 120, 200])
def test_dice_of_any_size_are_read(die_px):
    shot = photograph(row(turn_deg=20), GREEN)
    edge_px = float(np.median([die.size for die in shot.read().dice]))

    scaled = shot.scaled(die_px / edge_px)

    assert scaled.read().values == shot.values


@pytest.mark.parametrize(("share", "value"), spread([0.15, 0.25, 0.35], range(1, 7)))
def test_a_die_that_fills_a_large_part_of_the_tray_is_read_or_asked_about(value, share):
    shot = photograph([Put(value, 10, 5, 20)], GREEN)
    (die,) = shot.read().dice
    half = die.size / share / 2
    left, top = round(die.x - half), round(die.y - half)
    right, bottom = round(die.x + half), round(die.y + half)
    close = np.ascontiguousarray(shot.image[top:bottom, left:right])
    height, width = close.shape[:2]

    reading = vision.read(close, Quad(((0, 0), (width, 0), (width, height), (0, height))))

    assert reading.values == (value,) or not reading.is_sure


@pytest.mark.parametrize("angle_deg", [pytest.param(0, marks=pytest.mark.long), 33])
@pytest.mark.parametrize("pair", list(combinations_with_replacement(range(1, 7), 2)))
def test_two_touching_dice_are_read_or_asked_about(pair, angle_deg):
    reading = side_by_side(pair, angle_deg)

    assert reading.values == pair or not reading.is_sure


def test_most_pairs_of_touching_dice_are_read():
    pairs = list(combinations_with_replacement(range(1, 7), 2))

    assert sum(side_by_side(pair, 33).values == pair for pair in pairs) >= 0.9 * len(pairs)


@cache
def side_by_side(pair: tuple[int, int], angle_deg: float) -> Reading:
    return photograph(touching(pair, angle_deg), GREEN).read()


def touching(values: tuple[int, ...], angle_deg: float) -> list[Put]:
    """Return dice that touch, in a rotated row."""
    c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    step = GREEN.die_mm * 1.01
    return [Put(v, k * step * c, k * step * s, angle_deg) for k, v in enumerate(values)]


@pytest.mark.parametrize("values", [(1, 2, 3, 4, 5, 6), (6, 6, 6, 2, 2, 2), (3, 5, 3, 5, 3, 5)])
def test_a_row_of_six_touching_dice_is_read_or_asked_about(values):
    shot = photograph([replace(d, x_mm=d.x_mm - 40) for d in touching(values, 0)], GREEN)

    assert not is_silent(shot)


def test_a_block_of_six_touching_dice_is_read_or_asked_about():
    step = GREEN.die_mm * 1.01
    dice = [Put(k + 1, step * (k % 3), step * (k // 3)) for k in range(6)]

    assert not is_silent(photograph(dice, GREEN))


@pytest.mark.parametrize("lean_deg", [20, 25, 30, 35, 40])
def test_a_tilted_die_is_cocked(lean_deg):
    dice = [Put(2, -40, 20), Put(5, 43, 10), Put(4, 60, 10, 0, lean_deg)]

    reading = photograph(dice, GREEN).read()

    assert not reading.is_sure
    assert Problem.COCKED in [die.problem for die in reading.dice]


def test_a_tilted_die_that_the_finder_hardly_sees_is_cocked(monkeypatch):
    def faint(*args):
        found = find_dice_in_tray(*args)
        return replace(found, detections=[replace(d, probability=0.3) for d in found.detections])

    monkeypatch.setattr("vision.candidates.find_dice_in_tray", faint)
    reading = photograph([Put(5, 0, 0, 0, 25)], GREEN).read()

    assert [die.problem for die in reading.dice] == [Problem.COCKED]


def test_position_size_and_rotation_of_a_die_are_measured():
    shot = photograph([Put(5, 30, -20, 25)], GREEN)
    top = LENS.project(np.array([[30.0, -20.0, GREEN.die_mm]]))[0]
    edge_px = GREEN.die_mm * LENS.px_per_mm(np.array([30.0, -20.0, GREEN.die_mm]))

    (die,) = shot.read().dice

    assert pytest.approx(tuple(top), abs=0.08 * edge_px) == (die.x, die.y)
    assert pytest.approx(edge_px, rel=0.12) == die.size
    assert abs((die.angle + 25 + 45) % 90 - 45) < 8  # y runs down in pictures
    assert die.w == die.h


def test_only_dice_in_the_tray_belong_to_the_throw():
    shot = photograph([Put(5, 0, 0, 10), Put(3, 180, 20, 30)], GREEN)

    alone = vision.read(shot.image, shot.tray)
    both = vision.read(shot.image, shot.tray, aside=shot.aside)

    assert alone.values == both.values == (5,)
    assert alone.is_sure
    assert both.is_sure
    assert {die.zone: die.value for die in both.dice} == {Zone.TRAY: 5, Zone.ASIDE: 3}


@pytest.mark.parametrize(
    ("edges", "zone", "problem"),
    [(0.15, Zone.TRAY, None), (0.45, Zone.TRAY, Problem.AT_WALL), (0.7, Zone.OUTSIDE, None)],
)
def test_a_die_just_outside_the_corners_counts_or_is_asked_about(edges, zone, problem):
    """The corners may be wrong by a few per cent, and a die beyond a wall is farther away."""
    shot = photograph([Put(5, 0, 0), Put(3, 60, 0)], GREEN)
    floor_mm = 60 - edges * GREEN.die_mm
    right_px = LENS.project(np.array([[floor_mm, 0.0, 0.0]]))[0][0]
    corners = np.array(shot.tray.corners)
    corners[corners[:, 0] > corners[:, 0].mean(), 0] = right_px

    reading = vision.read(shot.image, Quad.of(corners))

    found = {die.value: (die.zone, die.problem) for die in reading.dice}
    assert found == {5: (Zone.TRAY, None), 3: (zone, problem)}


@pytest.mark.parametrize("name", LOOKS)
def test_an_empty_tray_is_a_certain_reading(name):
    reading = photograph([], LOOKS[name]).read()

    assert reading.values == ()
    assert reading.is_sure


def test_a_hand_in_the_tray_is_a_problem():
    shot = photograph(row(), GREEN)
    image = shot.image.copy()
    paint_hand(image, Hand(16.0, -34.0), LENS)

    assert Problem.HAND in vision.read(image, shot.tray).problems


@pytest.mark.parametrize("turns", range(4))
def test_a_hand_beside_dice_in_a_photograph_is_a_problem(turns):
    image = np.rot90(load(Path(__file__).with_name("rendered_hand.jpg")), turns)

    reading = vision.read(image)

    assert Problem.HAND in reading.problems
    assert not reading.is_sure


def test_a_hand_over_a_known_tray_is_a_problem():
    empty, shot = photograph([], GREEN, seed=1), photograph(row(), GREEN)
    image = shot.image.copy()
    paint_hand(image, Hand(16.0, -34.0), LENS)

    assert Problem.HAND in vision.read(image, shot.tray, known=KnownTray(empty.image)).problems


def test_something_that_already_looks_like_a_hand_in_the_empty_tray_is_not_a_hand():
    empty, shot = photograph([], GREEN, seed=1), photograph([Put(5, -60, 20)], GREEN)
    for image in (empty.image, shot.image):
        paint_hand(image, Hand(16.0, -34.0), LENS)

    reading = vision.read(shot.image, shot.tray, known=KnownTray(empty.image))

    assert Problem.HAND not in reading.problems
    assert 5 in reading.values


def test_without_a_tray_the_whole_frame_is_read():
    shot = photograph(row(), GREEN)

    assert vision.read(shot.image).values == shot.values


@pytest.mark.parametrize("scale", [0.5, 0.7, 1.0])
def test_without_a_tray_dice_are_read_at_any_distance(scale):
    shot = photograph(row(), GREEN)
    height, width = shot.image.shape[:2]
    small = cv2.resize(shot.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    far = np.full_like(shot.image, np.median(shot.image[:40], axis=(0, 1)).astype(np.uint8))
    top, left = (height - small.shape[0]) // 2, (width - small.shape[1]) // 2
    far[top : top + small.shape[0], left : left + small.shape[1]] = small

    assert vision.read(far).values == shot.values


@pytest.mark.parametrize(("seed", "n"), [(4, 2), (103, 2), (100, 3), (100, 6), (103, 6)])
def test_without_a_tray_the_reading_matches_that_with_a_tray(seed, n):
    tray = SimulatedTray(seed=seed, roll_s=0)
    tray.throw(n)
    image = tray.capture().image

    assert vision.read(image).values == vision.read(image, tray.tray).values


def test_plain_felt_shows_no_dice():
    empty = backdrop(GREEN).picture[300:560, 500:900]

    assert vision.read(np.ascontiguousarray(empty)).values == ()


def test_a_frame_of_an_unknown_tray_is_never_certainly_empty():
    empty = photograph([], GREEN)

    reading = vision.read(empty.image)

    assert reading.values == ()
    assert not reading.is_sure


@pytest.mark.parametrize("pitch", [9, 16, 30])
def test_dots_printed_on_cloth_are_not_certain_dice(pitch):
    cloth = np.full((360, 480, 3), (60, 110, 40), np.uint8)
    for x in range(pitch, 480, pitch):
        for y in range(pitch, 360, pitch):
            cv2.circle(cloth, (x, y), max(1, pitch // 8), (220, 220, 220), -1, cv2.LINE_AA)

    reading = vision.read(cloth)

    assert not (reading.is_sure and reading.values)


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 3), (2, 900, 3), (40, 3, 3), (17, 17, 4)])
def test_images_of_unusual_shapes_show_no_dice(shape):
    assert vision.read(np.full(shape, 128, np.uint8)).values == ()


def test_a_grey_image_is_read():
    shot = photograph(row(), GREEN)

    grey = cv2.cvtColor(shot.image, cv2.COLOR_BGR2GRAY)

    assert vision.read(grey, shot.tray).values == shot.values


def test_positions_are_in_pixels_of_the_original_image():
    shot = photograph([Put(6, 20, 10, 15)], GREEN)
    large = shot.scaled(4)

    (small_die,), (large_die,) = shot.read().dice, large.read().dice

    assert pytest.approx(small_die.x * 4, rel=0.01) == large_die.x
    assert pytest.approx(small_die.size * 4, rel=0.05) == large_die.size


@pytest.mark.parametrize("image", [np.zeros((0, 5, 3), np.uint8), np.zeros((4, 4, 3))])
def test_an_array_that_is_not_an_image_is_refused(image):
    with pytest.raises(ValueError, match="uint8"):
        vision.read(image)


def test_a_tray_outside_the_frame_reads_as_empty():
    far = Quad(((5000, 5000), (6000, 5000), (6000, 6000), (5000, 6000)))

    assert vision.read(photograph(row(), GREEN).image, far).values == ()


def test_a_die_beyond_the_horizon_of_the_floor_is_not_in_the_tray():
    shot = photograph([Put(5, 0, 70), Put(2, -30, -20), Put(3, 30, -20)], GREEN)
    beyond = min(shot.read().dice, key=lambda die: die.y)
    x, y = beyond.x, beyond.y + 100
    tray = Quad(((x - 75, y), (x + 75, y), (x + 768, y + 700), (x - 768, y + 700)))

    assert vision.read(shot.image, tray).values == (2, 3)


def test_reading_a_frame_twice_gives_the_same_result():
    shot = photograph(row(), TrayLook())

    assert replace(shot.read(), ms=0) == replace(shot.read(), ms=0)


def test_a_tray_in_the_dark_is_not_empty():
    shot = photograph(row(), GREEN)

    reading = vision.read((shot.image * 0.05).astype(np.uint8), shot.tray)

    assert Problem.DARK in reading.problems
    assert not reading.is_sure


def with_white_floor(shot, share):
    """Return the frame of a shot in which this share of the tray's floor is pure white, from its left wall on."""
    corners = np.array(shot.tray.corners)
    left, right = corners[:, 0].min(), corners[:, 0].max()
    floor = np.zeros(shot.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(floor, np.round(corners).astype(np.int32), 1)
    floor[:, round(left + (right - left) * share) :] = 0
    image = shot.image.copy()
    image[floor > 0] = 255
    return image


@pytest.mark.parametrize(("share", "is_too_bright"), [(0.1, False), (0.4, True), (1.0, True)])
def test_a_tray_is_not_empty_if_much_of_it_is_overexposed(share, is_too_bright):
    shot = photograph([], GREEN)

    reading = vision.read(with_white_floor(shot, share), shot.tray)

    assert (Problem.GLARE in reading.problems) is is_too_bright
    assert reading.is_sure == (not is_too_bright)


def test_white_dice_that_fill_a_small_tray_are_not_overexposure():
    shot = photograph([Put(3, -20, 0), Put(5, 0, 0), Put(2, 20, 0)], GREEN)
    seen = shot.read().dice
    left, right = min(die.x for die in seen), max(die.x for die in seen)
    y, edge = seen[0].y, seen[0].size
    box = Quad(
        (
            (left - edge, y - edge),
            (right + edge, y - edge),
            (right + edge, y + edge),
            (left - edge, y + edge),
        )
    )
    bleached = np.where(shot.image.min(axis=2, keepdims=True) > 150, 255, shot.image)

    reading = vision.read(bleached.astype(np.uint8), box)

    inside = bleached[int(y - edge) : int(y + edge), int(left - edge) : int(right + edge)]
    assert (inside == 255).mean() > MAX_WHITE_SHARE
    assert reading.values == (2, 3, 5)
    assert Problem.GLARE not in reading.problems


def test_dice_of_a_few_pixels_are_too_small():
    shot = photograph(row(), GREEN)
    edge_px = float(np.median([die.size for die in shot.read().dice]))

    reading = shot.scaled(5 / edge_px).read()

    assert not reading.is_sure
    assert Problem.TOO_SMALL in [die.problem for die in reading.dice]


def test_most_dice_that_the_edge_of_the_picture_cuts_off_are_asked_about():
    shot = photograph(row(), GREEN)
    left, *_, right = sorted(shot.read().dice, key=lambda die: die.x)
    asked = 0
    for share in (0.35, 0.5, 0.65):  # of the die that stays in the picture
        first = round(left.x + (0.5 - share) * left.size)
        end = round(right.x + (share - 0.5) * right.size)
        for cut in (shot.image[:, first:], shot.image[:, :end]):
            dice = vision.read(np.ascontiguousarray(cut)).dice
            asked += Problem.CUT_OFF in [die.problem for die in dice]

    assert asked >= 4  # of 6


def with_doubt(monkeypatch, change):
    """Change the candidates that the reader finds, as dice of a different appearance would."""
    find = vision.reader.find_candidates

    def changed(*inputs):
        seen = find(*inputs)
        return replace(seen, candidates=change(seen.candidates))

    monkeypatch.setattr(vision.reader, "find_candidates", changed)


def test_dice_seen_from_the_side_ask_for_a_camera_above_them(monkeypatch):
    shot = photograph(row(), GREEN)
    with_doubt(monkeypatch, lambda seen: [replace(one, low_camera_log_odds=1.0) for one in seen])

    assert vision.read(shot.image).problems == (Problem.SIDE_VIEW,)
    assert vision.read(shot.image, shot.tray).is_sure


def test_a_side_of_a_die_is_no_die_of_its_own_even_if_the_tray_is_unknown(monkeypatch):
    shot = photograph(row(), GREEN)

    def with_side(seen):
        clear = [one for one in seen if one.face.no_die < 0.5]
        left = min(clear, key=lambda one: one.detection.x)  # the camera sees its right side
        at = replace(left.detection, x=left.detection.x + 0.7 * left.detection.edge)
        faint = replace(left.face, worst_view=0.3, agreement=0.3, familiarity=2.0)
        return [*seen, replace(left, detection=replace(at, probability=0.5), face=faint)]

    with_doubt(monkeypatch, with_side)
    reading = vision.read(shot.image)

    assert reading.is_sure
    assert reading.values == shot.values


def test_dice_are_no_foreign_objects_if_only_the_empty_tray_is_known():
    shot, empty = photograph(row(), GREEN), photograph([], GREEN, seed=1)

    reading = vision.read(shot.image, known=KnownTray(empty.image))

    assert reading.is_sure
    assert reading.values == shot.values


def test_a_place_that_is_hardly_a_die_is_asked_about_only_in_a_tray(monkeypatch):
    shot = photograph(row(), GREEN)

    def with_faint_place(seen):
        die = seen[0]
        at = replace(die.detection, y=die.detection.y + 3 * die.detection.edge, probability=0.3)
        return [*seen, replace(die, detection=at, face=replace(die.face, no_die=0.5))]

    with_doubt(monkeypatch, with_faint_place)
    in_tray, anywhere = vision.read(shot.image, shot.tray), vision.read(shot.image)

    assert [die.value for die in in_tray.dice if die.problem is Problem.UNREADABLE] == [None]
    assert anywhere.is_sure
    assert anywhere.values == shot.values


def test_a_set_aside_area_does_not_limit_the_search_if_the_tray_is_unknown():
    dice = [Put(5, 0, 0, 10), Put(2, -60, 30, 40), Put(3, 180, 20, 30)]
    shot = photograph(dice, GREEN)

    assert vision.read(shot.image, aside=shot.aside).values == (2, 3, 5)
