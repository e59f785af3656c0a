"""What a watch has learnt of its table, and when it forgets it again."""

from dataclasses import replace

import numpy as np
import pytest

from device.watching.tray_memory import TrayMemory, WatchedTray
from vision.known_tray import KnownTray
from vision.reading import Die, Lean, Problem, Quad, Reading

FLAT = Lean(0.1, 0.1, 0.1, 0.0, 0.04)
DICE = Reading((Die(3, 100, 100, 40, 40, 0, 0.99),), leans=(FLAT,))
EMPTY = Reading()
TRAY = Quad(((0, 0), (80, 0), (80, 60), (0, 60)))
THING = Die(None, 40, 30, 10, 10, 0, 0.0, problem=Problem.FOREIGN_OBJECT)
BESIDE = Die(3, 70, 30, 10, 10, 0, 0.99)
WITH_A_THING = Reading((THING, BESIDE), leans=(FLAT,))
HERE = WatchedTray("one", (80, 60), (TRAY,))


def picture(level=90):
    return np.full((60, 80, 3), level, np.uint8)


def rolled(_since_s):
    return True


def not_rolled(_since_s):
    return False


@pytest.fixture
def memory():
    memory = TrayMemory()
    memory.begin(HERE)
    return memory


def test_of_another_table_it_is_known_only_how_dice_lay_when_it_was_calibrated(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, rolled)
    memory.begin(replace(HERE, camera="two"), (FLAT, FLAT))

    assert memory.known.leans == (FLAT, FLAT)
    assert memory.known.empty is None


def test_a_reading_teaches_once_the_next_one_is_accepted(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, rolled)
    assert memory.known.leans == ()
    memory.add(2.0, picture(), DICE)
    memory.accept(2.0, rolled)

    assert memory.known.leans == (FLAT,)


def test_a_throw_that_is_tapped_in_is_the_next_one_too(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, rolled)
    memory.accept(None, rolled)

    assert memory.known.leans == (FLAT,)


def test_a_reading_that_was_not_accepted_teaches_nothing(memory):
    memory.add(1.0, picture(), DICE)
    memory.add(2.0, picture(), EMPTY)
    memory.accept(None, rolled)
    memory.accept(None, rolled)

    assert memory.known.leans == ()


def test_what_is_forgotten_is_never_taught(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, rolled)
    memory.discard()
    memory.accept(None, rolled)

    assert memory.known.leans == ()


def test_a_tray_that_was_read_empty_is_known_once_dice_were_thrown_into_it(memory):
    seen = picture()
    memory.add(1.0, seen, EMPTY)
    memory.add(2.0, picture(120), DICE)
    assert memory.known.empty is None
    memory.accept(2.0, rolled)

    assert memory.known.empty is seen


def test_a_tray_that_was_read_empty_is_not_believed_where_nothing_was_thrown_since(memory):
    memory.add(1.0, picture(), EMPTY)
    memory.add(2.0, picture(), DICE)
    memory.accept(2.0, not_rolled)

    assert memory.known.empty is None


@pytest.mark.parametrize(
    ("there", "is_same"),
    [
        (HERE, True),
        (replace(HERE, camera="two"), False),
        (replace(HERE, frame_px=(160, 120)), False),
        (replace(HERE, zones=(TRAY, TRAY)), False),
    ],
)
def test_the_same_table_is_still_known_and_another_one_is_not(memory, there, is_same):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, rolled)
    memory.accept(None, rolled)
    before = memory.known
    memory.begin(there)

    assert (memory.known is before) is is_same
    assert is_same or memory.known.leans == ()


def littered(level=90):
    """The same picture with a thing in its middle."""
    image = picture(level)
    image[26:35, 36:45] = 240
    return image


def seen_with_a_thing(memory, empty):
    memory.known = KnownTray(empty)
    memory.add(5.0, littered(), WITH_A_THING)


def test_a_thing_that_is_nothing_belongs_to_the_empty_tray(memory):
    seen_with_a_thing(memory, picture())
    memory.add_foreign_object(5.0, THING)

    assert np.array_equal(memory.known.empty, littered())


def test_it_is_laid_in_as_it_looks_in_the_light_of_now(memory):
    seen_with_a_thing(memory, picture(60))
    memory.add_foreign_object(5.0, THING)

    assert np.abs(memory.known.empty.astype(int) - littered()).max() <= 1


def test_where_the_empty_tray_is_not_known_it_is_only_dropped(memory):
    memory.add(5.0, littered(), WITH_A_THING)
    memory.add_foreign_object(5.0, THING)
    memory.accept(5.0, rolled)
    memory.accept(None, rolled)

    assert memory.known.empty is None
    assert memory.known.leans == (FLAT,)  # of the dice beside it


def test_a_thing_in_a_picture_of_another_time_is_not_laid_in(memory):
    empty = picture()
    seen_with_a_thing(memory, empty)
    memory.add_foreign_object(4.0, THING)

    assert memory.known.empty is empty


def test_what_is_forgotten_takes_its_things_out_of_the_empty_tray(memory):
    empty = picture()
    seen_with_a_thing(memory, empty)
    memory.add_foreign_object(5.0, THING)
    memory.accept(5.0, rolled)
    memory.discard()

    assert memory.known.empty is empty


def test_what_was_accepted_before_stays_when_only_the_newest_is_forgotten(memory):
    seen_with_a_thing(memory, picture())
    memory.add_foreign_object(5.0, THING)
    memory.accept(5.0, rolled)
    before = memory.known.empty
    memory.add(6.0, littered(), DICE)
    memory.discard(6.0)
    memory.accept(None, rolled)

    assert memory.known.empty is before
    assert memory.known.leans == (FLAT,)
