"""Reading drawn dice: every value, turn, size, colour pair and neighbour."""

import numpy as np
import pytest

import vision
from vision import Problem, Quad, Reading, Zone

LIGHT_ON_DARK = {"body": (40, 40, 45), "pips": (235, 235, 235)}
COLOURS = {
    "dark on ivory": {"body": (225, 235, 240), "pips": (25, 25, 25)},
    "red on white": {"body": (240, 240, 240), "pips": (40, 30, 190)},
    "blue on white": {"body": (240, 240, 240), "pips": (170, 60, 30)},
    "white on red": {"body": (40, 30, 170), "pips": (240, 240, 240)},
    "white on blue": {"body": (160, 70, 30), "pips": (240, 240, 240)},
    "white on black": LIGHT_ON_DARK,
}


def wrong_and_sure(reading: Reading, values: tuple[int, ...]) -> bool:
    return reading.sure and reading.values != values


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("angle", [0, 17, 30, 45, 71])
def test_every_value_is_read_at_every_turn(table, value, angle):
    reading = vision.read(table().die(value, 240, 180, angle=angle).picture())

    assert reading.sure
    assert (value,) == reading.values


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("size", [32, 48, 80, 130, 200])
def test_the_die_gives_its_own_scale(table, value, size):
    reading = vision.read(table().die(value, 240, 180, size, angle=20).picture())

    assert (value,) == reading.values
    assert reading.sure


@pytest.mark.parametrize("value", range(1, 7))
def test_a_very_small_die_is_never_wrong_and_sure(table, value):
    reading = vision.read(table().die(value, 240, 180, 20, angle=20).picture())

    assert not wrong_and_sure(reading, (value,))


@pytest.mark.parametrize("pair", COLOURS)
@pytest.mark.parametrize("value", range(1, 7))
def test_light_and_dark_pips_on_bodies_of_any_colour(table, pair, value):
    ground = (150, 160, 165)
    picture = table(ground=ground).die(value, 240, 180, angle=12, **COLOURS[pair]).picture()

    reading = vision.read(picture)

    assert (value,) == reading.values
    assert reading.sure


def test_six_dice_of_two_colours_in_one_picture(table):
    drawn = table()
    for k, value in enumerate((1, 2, 3, 4, 5, 6)):
        colours = LIGHT_ON_DARK if k % 2 else {}
        drawn.die(value, 90 + 150 * (k % 3), 100 + 150 * (k // 3), angle=15 * k, **colours)

    reading = vision.read(drawn.picture())

    assert reading.values == (1, 2, 3, 4, 5, 6)
    assert reading.sure


@pytest.mark.parametrize("pair", [(a, b) for a in range(1, 7) for b in range(a, 7)])
def test_touching_dice_are_two_dice_or_a_question(table, pair):
    drawn = table()
    for k, value in enumerate(pair):
        drawn.die(value, 210 + 60 * k, 180)

    reading = vision.read(drawn.picture())

    assert not wrong_and_sure(reading, pair)


def test_touching_dice_are_mostly_read(table):
    pairs = [(a, b) for a in range(1, 7) for b in range(a, 7)]

    read = 0
    for pair in pairs:
        picture = table().die(pair[0], 210, 180).die(pair[1], 270, 180).picture()
        read += vision.read(picture).values == pair

    assert read >= 0.8 * len(pairs)


def test_place_size_and_turn_of_a_die_are_those_drawn(table):
    reading = vision.read(table().die(5, 200, 150, 80, angle=25).picture())

    die = reading.dice[0]
    assert pytest.approx((200, 150), abs=1.5) == (die.x, die.y)
    assert pytest.approx(80, rel=0.12) == die.size
    assert pytest.approx(25, abs=2) == die.angle
    assert die.w == die.h


def test_only_dice_on_the_floor_of_the_tray_are_a_throw(table):
    picture = table().die(5, 160, 180).die(3, 420, 180).picture()
    tray = Quad(((60, 60), (340, 60), (340, 300), (60, 300)))
    shelf = Quad(((350, 60), (475, 60), (475, 300), (350, 300)))

    inside = vision.read(picture, tray)
    both = vision.read(picture, tray, aside=shelf)

    assert inside.values == (5,)
    assert both.values == (5,)
    assert inside.sure
    assert both.sure
    assert {die.zone: die.value for die in both.dice} == {Zone.TRAY: 5, Zone.ASIDE: 3}


def test_an_empty_tray_is_a_sure_answer(table):
    reading = vision.read(table().picture())

    assert reading.values == ()
    assert reading.sure


def test_a_body_without_its_pips_beside_a_good_die_is_a_question(table):
    reading = vision.read(table().die(5, 140, 180).square(330, 180, 60).picture())

    assert not reading.sure
    assert Problem.UNREADABLE in {die.problem for die in reading.dice}


@pytest.mark.parametrize(
    "spots", [((-1, -1), (1, 1), (-1, 1)), ((-1, -1), (0, -1), (1, -1), (1, 1))]
)
def test_pips_that_are_no_face_are_never_a_sure_number(table, spots):
    drawn = table().square(240, 180, 80)
    for a, b in spots:
        drawn.disc(240 + 20 * a, 180 + 20 * b, 7, (25, 25, 25))

    reading = vision.read(drawn.picture())

    assert not (reading.sure and reading.values)


def test_dots_printed_on_the_cloth_are_no_dice(table):
    drawn = table()
    for x in range(30, 480, 40):
        for y in range(30, 360, 40):
            drawn.disc(x, y, 4, (220, 220, 220))

    reading = vision.read(drawn.picture())

    assert not (reading.sure and reading.values)


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 3), (2, 900, 3), (40, 3, 3), (17, 17, 4)])
def test_pictures_of_odd_shapes_read_as_empty(shape):
    reading = vision.read(np.full(shape, 128, np.uint8))

    assert reading.values == ()


def test_a_grey_picture_is_read_as_well(table):
    grey = table().die(4, 240, 180).picture().mean(axis=2).astype(np.uint8)

    assert vision.read(grey).values == (4,)


def test_forty_megapixels_are_read_at_a_bounded_scale(table):
    small = table(600, 400).die(6, 300, 200, 90).picture()
    large = np.kron(small, np.ones((13, 13, 1), np.uint8))

    reading = vision.read(large)

    assert reading.values == (6,)
    assert pytest.approx(300 * 13, rel=0.02) == reading.dice[0].x


@pytest.mark.parametrize("image", [np.zeros((0, 5, 3), np.uint8), np.zeros((4, 4, 3))])
def test_what_is_no_picture_is_refused(image):
    with pytest.raises(ValueError, match="uint8"):
        vision.read(image)


@pytest.mark.parametrize("seed", range(40))
def test_noise_never_breaks_the_reader(seed):
    chance = np.random.default_rng(seed)
    height, width = chance.integers(1, 200, 2)
    image = chance.integers(0, 256, (height, width, 3), np.uint8)

    vision.read(image)
