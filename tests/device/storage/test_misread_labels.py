"""The true faces in a picture, worked out from its reading and the throw in the match."""

from dataclasses import replace

import pytest

from device.session.judge import judge
from device.session.tray_reader import TrayReading
from device.storage.misreads import truth
from game.match.match import Match
from game.rules import rule_files
from vision.reading import Die, Problem, Reading, Zone

MATCH = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
SEEN = (1, 1, 3, 3, 4, 6)


def reading(*faces, problem=Problem.COCKED):
    """Return a reading of dice in a row; a die with the face None has this problem."""
    dice = (
        Die(face, 100.0 * i, 100, 50, 50, 0, 0.99, problem=None if face else problem)
        for i, face in enumerate(faces, 1)
    )
    return Reading(tuple(dice))


def accepted(seen, match=MATCH):
    return match.push(*judge(match, TrayReading(seen, has_tumbled=True)).events)


def truth_now(seen, match, stayed=()):
    return truth(seen, match.last_throw, stayed)


def test_a_throw_that_was_read_correctly_agrees_with_its_reading():
    seen = reading(*SEEN)
    found = truth_now(seen, accepted(seen))

    assert found.values == SEEN
    assert found.faces == SEEN
    assert found.agrees(seen)


@pytest.mark.parametrize("face", [1, 3, 5])
def test_a_corrected_face_belongs_to_its_die(face):
    seen = reading(*SEEN)
    match = accepted(seen).correct((1, 1, 3, 3, face, 6))
    found = truth_now(seen, match)

    assert found.values == tuple(sorted((1, 1, 3, 3, face, 6)))
    assert found.faces == (1, 1, 3, 3, face, 6)
    assert found.all_found
    assert not found.agrees(seen)


def test_an_unread_die_gets_the_face_that_was_entered():
    seen = reading(1, 1, 3, None, 4, 6)
    entered = TrayReading(seen, has_tumbled=True).with_face(3, 5)
    found = truth_now(seen, accepted(entered.reading))

    assert found.faces == (1, 1, 3, 5, 4, 6)
    assert not found.agrees(seen)


def test_an_object_that_was_dismissed_is_not_a_die():
    seen = reading(*SEEN, None)
    found = truth_now(seen, MATCH.throw(SEEN))

    assert found.values == SEEN
    assert found.faces == (*SEEN, None)
    assert not found.all_found


def test_an_entered_throw_gives_the_last_unread_die_its_face():
    seen = reading(1, 1, 3, None, 4, 6)
    found = truth_now(seen, MATCH.throw((1, 1, 3, 4, 5, 6)))

    assert found.faces == (1, 1, 3, 5, 4, 6)


def test_two_unread_dice_get_no_faces():
    seen = reading(1, 1, None, None, 4, 6)
    found = truth_now(seen, MATCH.throw((1, 1, 2, 4, 5, 6)))

    assert found.faces == (1, 1, None, None, 4, 6)
    assert found.values == (1, 1, 2, 4, 5, 6)


def test_a_missed_die_is_known_to_be_missing():
    seen = reading(1, 1, 3, 4, 6)
    found = truth_now(seen, MATCH.throw((1, 1, 3, 4, 5, 6)))

    assert found.values == (1, 1, 3, 4, 5, 6)
    assert not found.all_found


def test_dice_from_earlier_throws_keep_the_faces_that_were_read():
    first = reading(1, 1, 2, 3, 4, 6)
    match = accepted(first)
    moved = [
        replace(die, y=300.0, value=face)
        for die, face in zip(first.dice[2:], (2, 2, 5, 6), strict=True)
    ]
    seen = Reading((*first.dice[:2], *moved))
    match = accepted(seen, match.keep((1, 1))).correct((2, 2, 3, 6))
    stayed = tuple(place for place in match.last_throw.places if place.aside)
    found = truth_now(seen, match, stayed)

    assert found.values == (1, 1, 2, 2, 3, 6)
    assert found.faces == (1, 1, 2, 2, 3, 6)
    unread = replace(seen.dice[0], value=None)
    assert truth(Reading((unread, *seen.dice[1:])), match.last_throw, stayed) is None


def test_dice_outside_the_tray_are_not_counted():
    seen = reading(*SEEN)
    beside = replace(seen.dice[0], y=900.0, zone=Zone.OUTSIDE)
    seen = Reading((*seen.dice, beside))

    assert truth_now(seen, accepted(seen)).faces == (*SEEN, None)
