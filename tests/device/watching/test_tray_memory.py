"""What the watch learns about its tray, and when it forgets it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from device.cameras.base import TrayZones
from device.cameras.simulated.tray_geometry import LOOKS
from device.watching.tray_memory import RESTS_TO_BELIEVE, TrayMemory, WatchedTray
from tests.vision.painted import Put, photograph
from vision import read
from vision.candidates import seems_empty
from vision.known_tray import KnownTray
from vision.reading import Die, Lean, Problem, Quad, Reading

FLAT = Lean(0.1, 0.1, 0.1, 0.0, 0.04)
DICE = Reading((Die(3, 100, 100, 40, 40, 0, 0.99),), leans=(FLAT,))
EMPTY = Reading()
TRAY = Quad(((0, 0), (80, 0), (80, 60), (0, 60)))
OBJECT = Die(None, 40, 30, 10, 10, 0, 0.0, problem=Problem.FOREIGN_OBJECT)
BESIDE = Die(3, 70, 30, 10, 10, 0, 0.99)
WITH_OBJECT = Reading((OBJECT, BESIDE), leans=(FLAT,))
HERE = WatchedTray("one", (80, 60), TrayZones(TRAY, None))


def picture(level=90):
    return np.full((60, 80, 3), level, np.uint8)


def tumbled(_since_s):
    return True


def not_tumbled(_since_s):
    return False


@pytest.fixture
def memory():
    memory = TrayMemory()
    memory.begin(HERE)
    return memory


def test_for_another_tray_only_the_leans_of_its_calibration_are_known(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.begin(replace(HERE, camera="two"), (FLAT, FLAT))

    assert memory.known.leans == (FLAT, FLAT)
    assert memory.known.empty is None


def test_a_reading_is_learnt_from_once_the_next_one_is_accepted(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, tumbled)
    assert memory.known.leans == ()
    memory.add(2.0, picture(), DICE)
    memory.accept(2.0, tumbled)

    assert memory.known.leans == (FLAT,)


def test_a_throw_that_was_tapped_in_counts_as_the_next_one(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.accept(None, tumbled)

    assert memory.known.leans == (FLAT,)


def test_nothing_is_learnt_from_a_reading_that_was_not_accepted(memory):
    memory.add(1.0, picture(), DICE)
    memory.add(2.0, picture(), EMPTY)
    memory.accept(None, tumbled)
    memory.accept(None, tumbled)

    assert memory.known.leans == ()


def test_nothing_is_learnt_from_a_discarded_reading(memory):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.discard()
    memory.accept(None, tumbled)

    assert memory.known.leans == ()


def test_an_empty_tray_is_learnt_once_dice_were_thrown_into_it(memory):
    seen = picture()
    memory.add(1.0, seen, EMPTY)
    memory.add(2.0, picture(120), DICE)
    assert memory.known.empty is None
    memory.accept(2.0, tumbled)

    assert memory.known.empty is seen


def test_an_empty_tray_is_not_learnt_if_nothing_was_thrown_since(memory):
    memory.add(1.0, picture(), EMPTY)
    memory.add(2.0, picture(), DICE)
    memory.accept(2.0, not_tumbled)

    assert memory.known.empty is None


@pytest.mark.parametrize(
    ("tray", "is_same"),
    [
        (HERE, True),
        (replace(HERE, camera="two"), False),
        (replace(HERE, frame_px=(160, 120)), False),
        (replace(HERE, zones=(TRAY, TRAY)), False),
    ],
)
def test_the_same_tray_is_still_known_and_another_one_is_not(memory, tray, is_same):
    memory.add(1.0, picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.accept(None, tumbled)
    before = memory.known
    memory.begin(tray)

    assert (memory.known is before) is is_same
    assert is_same or memory.known.leans == ()


def with_object(level=90):
    """Return the same image with an object in its centre."""
    image = picture(level)
    image[26:35, 36:45] = 240
    return image


def read_with_object(memory, empty):
    memory.known = KnownTray(empty)
    memory.add(5.0, with_object(), WITH_OBJECT)


def test_a_foreign_object_becomes_part_of_the_empty_tray(memory):
    read_with_object(memory, picture())
    memory.add_foreign_object(5.0, OBJECT)

    assert np.array_equal(memory.known.empty, with_object())


def test_a_foreign_object_is_added_in_the_present_light(memory):
    read_with_object(memory, picture(60))
    memory.add_foreign_object(5.0, OBJECT)

    assert np.abs(memory.known.empty.astype(int) - with_object()).max() <= 1


def test_without_an_empty_tray_image_a_foreign_object_is_only_dropped(memory):
    memory.add(5.0, with_object(), WITH_OBJECT)
    memory.add_foreign_object(5.0, OBJECT)
    memory.accept(5.0, tumbled)
    memory.accept(None, tumbled)

    assert memory.known.empty is None
    assert memory.known.leans == (FLAT,)  # of the dice next to it


def test_an_object_from_an_unknown_reading_is_not_added(memory):
    empty = picture()
    read_with_object(memory, empty)
    memory.add_foreign_object(4.0, OBJECT)

    assert memory.known.empty is empty


def test_discarding_a_reading_removes_its_foreign_object(memory):
    empty = picture()
    read_with_object(memory, empty)
    memory.add_foreign_object(5.0, OBJECT)
    memory.accept(5.0, tumbled)
    memory.discard()

    assert memory.known.empty is empty


def test_an_earlier_foreign_object_stays_if_only_the_newest_reading_is_discarded(memory):
    read_with_object(memory, picture())
    memory.add_foreign_object(5.0, OBJECT)
    memory.accept(5.0, tumbled)
    before = memory.known.empty
    memory.add(6.0, with_object(), DICE)
    memory.discard(6.0)
    memory.accept(None, tumbled)

    assert memory.known.empty is before
    assert memory.known.leans == (FLAT,)


def lit_picture():
    """Return a frame in which each die has a pattern of its own."""
    return np.random.default_rng(3).integers(0, 255, (60, 80, 3), np.uint8)


def learnt(memory):
    """Return the value of each look that is known, and whether it is confirmed."""
    return [(look.value, look.is_confirmed) for look in memory.known.looks]


def test_an_accepted_reading_teaches_how_its_faces_look(memory):
    memory.add(1.0, lit_picture(), DICE)
    memory.accept(1.0, tumbled)
    assert learnt(memory) == []
    memory.accept(None, tumbled)

    assert learnt(memory) == [(3, False)]


def test_a_corrected_face_is_learnt_as_confirmed(memory):
    memory.add(1.0, lit_picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.note_faces(1.0, DICE.dice, [5])
    memory.accept(None, tumbled)

    assert learnt(memory) == [(5, True)]


def test_a_face_that_the_match_does_not_know_is_not_learnt(memory):
    memory.add(1.0, lit_picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.note_faces(1.0, DICE.dice, [None])
    memory.accept(None, tumbled)

    assert learnt(memory) == []


def test_a_doubtful_die_that_was_entered_on_a_phone_is_learnt_as_confirmed(memory):
    doubtful = Reading((replace(DICE.dice[0], problem=Problem.UNREADABLE),))
    memory.add(1.0, lit_picture(), doubtful)
    memory.accept(None, tumbled)
    memory.note_faces(1.0, doubtful.dice, [4])
    memory.add(2.0, lit_picture(), DICE)
    memory.accept(2.0, tumbled)

    assert learnt(memory) == [(4, True)]
    assert memory.known.leans == ()


def test_a_doubtful_reading_of_which_nobody_said_anything_teaches_nothing(memory):
    memory.add(1.0, lit_picture(), Reading((replace(DICE.dice[0], problem=Problem.UNREADABLE),)))
    memory.accept(None, tumbled)
    memory.accept(None, tumbled)

    assert learnt(memory) == []


def test_an_empty_tray_seen_before_dice_were_entered_on_a_phone_is_not_learnt_later(memory):
    memory.add(1.0, lit_picture(), EMPTY)
    memory.accept(None, not_tumbled)
    memory.accept(None, tumbled)

    assert memory.known.empty is None


def test_a_cocked_die_is_not_learnt(memory):
    cocked = Reading((replace(DICE.dice[0], problem=Problem.COCKED),))
    memory.add(1.0, lit_picture(), cocked)
    memory.note_faces(1.0, cocked.dice, [3])
    memory.accept(None, tumbled)

    assert learnt(memory) == []


def test_an_undone_throw_teaches_no_faces(memory):
    memory.add(1.0, lit_picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.note_faces(1.0, DICE.dice, [3])
    memory.discard()
    memory.accept(None, tumbled)

    assert learnt(memory) == []


def test_sizes_and_faces_of_the_dice_can_be_forgotten(memory):
    memory.add(1.0, lit_picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.accept(None, tumbled)
    memory.add(2.0, lit_picture(), DICE)
    memory.accept(2.0, tumbled)
    memory.forget_dice()
    memory.accept(None, tumbled)

    assert learnt(memory) == []
    assert memory.known.leans == ()


def test_faces_are_forgotten_with_the_tray(memory):
    memory.add(1.0, lit_picture(), DICE)
    memory.accept(1.0, tumbled)
    memory.accept(None, tumbled)
    memory.begin(replace(HERE, zones=()))

    assert learnt(memory) == []


def test_a_die_that_only_the_face_reader_sees_does_not_become_part_of_the_empty_tray():
    """Otherwise the die would count as part of the tray, without a question."""
    shot = photograph([Put(2, -40, 0, 5)], LOOKS["red"])
    hazy = cv2.GaussianBlur((shot.image * 0.15 + 130 * 0.85).astype(np.uint8), (0, 0), 1.2)
    zones, memory = TrayZones(shot.tray, None), TrayMemory()
    memory.begin(WatchedTray("one", (hazy.shape[1], hazy.shape[0]), zones))
    assert seems_empty(hazy, *zones)
    for _ in range(RESTS_TO_BELIEVE):
        memory.learn_empty_tray(hazy, zones)

    assert read(hazy, shot.tray, known=memory.known).values == (2,)
