"""Objects in a painted tray are found by comparing it with its empty-tray image."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from device.cameras.simulated.tray_geometry import LENS, LOOKS
from tests.simulated_hand import Hand, paint_hand
from tests.vision.painted import Put, photograph
from vision.candidates import MIN_HAND_SHARE
from vision.known_tray import KnownTray
from vision.tray_change import find_changes

GREEN = LOOKS["green"]
DICE = [Put(v, 38 * v - 133, 10 * (v % 3), 17 * v) for v in range(1, 7)]


def outlines(shot, grow=1.0):
    """Yield a square around each die that was read."""
    for die in shot.read().dice:
        half = grow * die.size * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        yield half + np.array([die.x, die.y])


@pytest.fixture(scope="module")
def empty():
    return photograph([], GREEN, seed=1)


@pytest.mark.parametrize("name", LOOKS)
def test_two_images_of_the_same_empty_tray_show_no_object(name):
    before, now = (photograph([], LOOKS[name], seed=seed) for seed in (1, 2))

    assert not find_changes(now.image, KnownTray(before.image), [now.tray]).objects.any()


@pytest.mark.parametrize("name", LOOKS)
def test_every_die_is_a_new_object(name):
    before, now = photograph([], LOOKS[name], seed=1), photograph(DICE, LOOKS[name])

    new = find_changes(now.image, KnownTray(before.image), [now.tray])

    assert all(new.is_new(die.x, die.y, die.size) for die in now.read().dice)
    assert len(new.regions(now.tray, [])) == len(DICE)


def test_only_marked_cells_that_show_an_object_count(empty):
    shot = photograph([Put(3, 0, 0)], GREEN)
    new = find_changes(shot.image, KnownTray(empty.image), [shot.tray])

    nowhere, everywhere = np.zeros((30, 40), bool), np.ones((30, 40), bool)

    assert new.object_share(nowhere) == 0
    assert new.object_share(everywhere) == pytest.approx((new.changed & new.objects).mean())


def test_the_shadow_of_a_hand_on_the_floor_is_no_hand_but_a_fingertip_beside_it_is(empty):
    rng = np.random.default_rng(3)
    felt = np.kron(
        rng.uniform(0.8, 1.2, (144, 256, 1)), np.ones((6, 6, 1))
    )  # texture that a shadow keeps
    rows, columns = empty.image.shape[:2]
    floor = np.clip(empty.image * felt[:rows, :columns], 0, 255).astype(np.uint8)
    shaded, covered = floor.copy(), floor.copy()
    shadow = np.s_[300:560, 500:900]
    shaded[shadow] = np.rint(0.7 * shaded[shadow])
    covered[shadow] = (120, 150, 200)
    beside = shaded.copy()
    fingertip = np.s_[400:440, 940:980]
    beside[fingertip] = (40, 50, 66)  # darker than the floor, so nothing is lit

    shares = []
    for image, shown in (
        (shaded, [shadow]),
        (covered, [shadow]),
        (beside, [shadow, fingertip]),
    ):
        new = find_changes(image, KnownTray(floor), [empty.tray])
        marks = np.zeros(floor.shape[:2], bool)
        for place in shown:
            marks[place] = True
        left, top = int(new.left), int(new.top)
        marks = marks[top : top + round(len(new.objects) * new.cell_px), left:]
        marks = marks[:, : round(new.objects.shape[1] * new.cell_px)]
        shares.append(replace(new, objects=np.ones_like(new.objects)).object_share(marks))

    only_shadow, hand, tip = shares
    assert only_shadow == 0
    assert MIN_HAND_SHARE < tip < 0.1 * hand


def test_outlines_of_the_dice_explain_every_object(empty):
    shot = photograph(DICE, GREEN)

    new = find_changes(shot.image, KnownTray(empty.image), [shot.tray])

    assert new.regions(shot.tray, list(outlines(shot))) == []


def test_an_unexplained_die_is_found_where_it_lies(empty):
    shot = photograph(DICE, GREEN)
    *others, unexplained = outlines(shot)

    (region,) = find_changes(shot.image, KnownTray(empty.image), [shot.tray]).regions(
        shot.tray, others
    )

    x, y = unexplained.mean(axis=0)
    assert np.hypot(region.x - x, region.y - y) < 0.5 * region.edge
    assert region.elongation < 1.6
    assert not region.is_entering


def test_a_hand_enters_from_outside_the_tray(empty):
    shot = photograph([], GREEN)
    image = shot.image.copy()
    paint_hand(image, Hand(16.0, -34.0), LENS)

    regions = find_changes(image, KnownTray(empty.image), [shot.tray]).regions(shot.tray, [])

    assert any(region.is_entering for region in regions)


@pytest.mark.parametrize("gain", [0.8, 1.15])
def test_a_change_of_light_creates_no_object(empty, gain):
    shot = photograph([], GREEN)
    image = np.clip(shot.image * gain, 0, 255).astype(np.uint8)

    assert not find_changes(image, KnownTray(empty.image), [shot.tray]).objects.any()


def test_another_tray_or_another_resolution_is_not_compared(empty):
    other = photograph(DICE, replace(GREEN, felt=(230, 225, 215)))
    small = cv2.resize(empty.image, None, fx=0.5, fy=0.5)

    assert find_changes(other.image, KnownTray(), [other.tray]) is None
    assert find_changes(other.image, KnownTray(small), [other.tray]) is None


def marked(shot, empty, corners):
    """Return the difference from the empty tray, as if the network had taken what is in the outline for an object."""
    new = find_changes(shot.image, KnownTray(empty.image), [shot.tray])
    objects = np.zeros_like(new.objects)
    cells = (corners - (new.left, new.top)) / new.cell_px
    cv2.fillConvexPoly(objects, np.round(cells).astype(np.int32), 1)
    return replace(new, objects=objects)


def beside(die, far):
    """Return the corners of a square to the right of a die, `far` edges away from its centre."""
    square = die.size * np.array([(0, -0.5), (1.2, -0.5), (1.2, 0.5), (0, 0.5)])
    return square + np.array([die.x + far * die.size, die.y])


def painted(shot, corners, paint):
    """Return the shot with the pixels in an outline changed."""
    mask = np.zeros(shot.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 1)
    image = shot.image.copy()
    image[mask > 0] = np.clip(paint(image[mask > 0].astype(np.float32)), 0, 255)
    return replace(shot, image=image)


def in_shadow(pixels):
    return 0.35 * pixels


def in_blue(pixels):
    return pixels * np.array([0.9, 0.3, 0.3])


@pytest.fixture(scope="module")
def one_die():
    shot = photograph([Put(3, 0, 0)], GREEN)
    (die,) = shot.read().dice
    return shot, die


def test_the_hard_shadow_of_a_die_is_a_shadow(empty, one_die):
    shot, die = one_die
    corners = beside(die, far=0.6)
    new = marked(painted(shot, corners, in_shadow), empty, corners)

    (region,) = new.regions(shot.tray, list(outlines(shot, grow=0.5)))

    assert region.is_touching
    assert region.is_shadow


@pytest.mark.parametrize("paint", [in_blue, lambda pixels: 1.4 * pixels])
def test_an_object_of_another_colour_or_lighter_than_the_floor_is_no_shadow(empty, one_die, paint):
    shot, die = one_die
    corners = beside(die, far=0.6)
    new = marked(painted(shot, corners, paint), empty, corners)

    (region,) = new.regions(shot.tray, list(outlines(shot, grow=0.5)))

    assert not region.is_shadow


def test_a_dark_object_away_from_all_dice_is_no_shadow(empty, one_die):
    shot, die = one_die
    corners = beside(die, far=1.8)
    dark = painted(shot, corners, lambda pixels: np.full_like(pixels, 0.65 * pixels.mean(axis=0)))

    (region,) = marked(dark, empty, corners).regions(shot.tray, list(outlines(shot, grow=0.5)))

    assert not region.is_touching
    assert not region.is_shadow


def test_glare_does_not_hide_that_a_die_is_new(empty, one_die):
    shot, die = one_die
    corners = beside(die, far=1.8)
    white = painted(shot, corners, lambda pixels: np.full_like(pixels, 255))
    before = painted(empty, corners, lambda pixels: np.full_like(pixels, 255))

    new = find_changes(white.image, KnownTray(before.image), [shot.tray])

    x, y = corners.mean(axis=0)
    assert new.is_new(x, y, die.size)
    assert not new.is_new(die.x - 3 * die.size, die.y, die.size)
