"""What a picture showed, told from its reading and what the match has of the throw now."""

from dataclasses import replace

import pytest

from device.session.judge import judge
from device.session.tray_reader import TrayReading
from device.storage.misread_labels import truth
from game.match.match import Match
from game.rules import rule_files
from vision.reading import Die, Problem, Reading, Zone

MATCH = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
SEEN = (1, 1, 3, 3, 4, 6)


def reading(*faces, problem=Problem.COCKED):
    """Dice in a row; one of None has the problem."""
    dice = (
        Die(face, 100.0 * i, 100, 50, 50, 0, 0.99, problem=None if face else problem)
        for i, face in enumerate(faces, 1)
    )
    return Reading(tuple(dice))


def accepted(seen, match=MATCH):
    return match.push(*judge(match, TrayReading(seen, has_tumbled=True)).events)


def truth_now(seen, match, stayed=()):
    return truth(seen, match.last_throw, stayed)


def test_a_throw_that_was_read_right_has_nothing_to_teach():
    seen = reading(*SEEN)
    found = truth_now(seen, accepted(seen))

    assert found.values == SEEN
    assert found.faces == SEEN
    assert found.agrees(seen)


@pytest.mark.parametrize("face", [1, 3, 5])
def test_a_corrected_face_belongs_to_the_die_that_showed_it(face):
    seen = reading(*SEEN)
    match = accepted(seen).correct((1, 1, 3, 3, face, 6))
    found = truth_now(seen, match)

    assert found.values == tuple(sorted((1, 1, 3, 3, face, 6)))
    assert found.faces == (1, 1, 3, 3, face, 6)
    assert found.all_found
    assert not found.agrees(seen)


def test_an_unread_die_has_the_face_that_was_tapped():
    seen = reading(1, 1, 3, None, 4, 6)
    told = TrayReading(seen, has_tumbled=True).with_face(3, 5)
    found = truth_now(seen, accepted(told.reading))

    assert found.faces == (1, 1, 3, 5, 4, 6)
    assert not found.agrees(seen)


def test_a_thing_that_was_left_out_was_no_die():
    seen = reading(*SEEN, None)
    found = truth_now(seen, MATCH.throw(SEEN))

    assert found.values == SEEN
    assert found.faces == (*SEEN, None)
    assert not found.all_found


def test_a_throw_tapped_in_for_a_picture_tells_the_one_face_that_is_left():
    seen = reading(1, 1, 3, None, 4, 6)
    found = truth_now(seen, MATCH.throw((1, 1, 3, 4, 5, 6)))

    assert found.faces == (1, 1, 3, 5, 4, 6)


def test_where_two_are_left_nobody_can_tell_which_is_which():
    seen = reading(1, 1, None, None, 4, 6)
    found = truth_now(seen, MATCH.throw((1, 1, 2, 4, 5, 6)))

    assert found.faces == (1, 1, None, None, 4, 6)
    assert found.values == (1, 1, 2, 4, 5, 6)


def test_a_die_that_was_missed_is_known_to_be_missing():
    seen = reading(1, 1, 3, 4, 6)
    found = truth_now(seen, MATCH.throw((1, 1, 3, 4, 5, 6)))

    assert found.values == (1, 1, 3, 4, 5, 6)
    assert not found.all_found


def test_dice_of_earlier_throws_show_what_was_read():
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


def test_dice_beside_the_tray_are_not_part_of_it():
    seen = reading(*SEEN)
    beside = replace(seen.dice[0], y=900.0, zone=Zone.OUTSIDE)
    seen = Reading((*seen.dice, beside))

    assert truth_now(seen, accepted(seen)).faces == (*SEEN, None)
