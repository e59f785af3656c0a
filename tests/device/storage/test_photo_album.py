"""Which die on the photo is which of the throw."""

from dataclasses import replace

import numpy as np

from device.session.placement import place_of
from device.storage.photo_album import PhotoAlbum, with_slots
from game.match.events import Thrown
from game.match.match import Match
from game.rules import rule_files
from vision.reading import Die, Reading, Zone

RULES = rule_files.load("walnut-studiolo")


def die(face, x, zone=Zone.TRAY):
    return Die(face, x, 100, 50, 50, 0, 0.99, zone)


READING = Reading(tuple(die(face, 100 * i) for i, face in enumerate((6, 2, 1, 2, 3, 4))))


def photo(reading=READING):
    return PhotoAlbum().add(np.zeros((720, 1280, 3), np.uint8), reading)


def accepted(reading=READING):
    places = tuple(map(place_of, reading.in_tray))
    match = Match.start(RULES, ["Anna", "Ben"])
    return match.push(Thrown(tuple(sorted(place.face for place in places)), places))


def slots(photo):
    return [die.slot for die in photo.dice]


def test_each_die_is_one_of_the_throw():
    shown = with_slots(photo(), READING, accepted().last_throw)

    assert (shown.index, slots(shown)) == (0, [5, 1, 0, 2, 3, 4])


def test_a_die_that_was_corrected_is_still_known():
    match = accepted().correct((1, 1, 2, 2, 3, 4), 0)
    shown = with_slots(photo(), READING, match.last_throw)

    assert slots(shown)[0] == 1
    assert sorted(slots(shown)) == [0, 1, 2, 3, 4, 5]


def test_dice_elsewhere_are_not_of_the_throw():
    moved = replace(READING, dice=tuple(replace(die, y=400) for die in READING.dice))
    shown = with_slots(photo(moved), moved, accepted().last_throw)

    assert (shown.index, slots(shown)) == (None, [None] * 6)


def test_dice_that_stayed_while_one_cannot_be_read_are_those_of_the_throw_before():
    stayed = Reading((READING.dice[2], die(None, 900)))
    shown = with_slots(photo(stayed), stayed, accepted().last_throw)

    assert (shown.index, slots(shown)) == (0, [0, None])


def test_without_a_throw_there_is_nothing_to_tell():
    assert with_slots(photo(), READING, None).index is None
