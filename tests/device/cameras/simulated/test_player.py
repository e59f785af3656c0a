"""A player at the simulated tray throws the dice that the match expects."""

from dataclasses import replace

import pytest

from device.cameras.simulated.player import throw_like_a_player
from game.match.events import Kept, TookOver, TurnSet
from game.match.match import Match
from game.rules import rule_files
from game.rules.ruleset import Piggyback


@pytest.fixture
def match():
    return Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])


def thrown(match, tray, values):
    """Throw these dice and read them correctly."""
    tray.throw_all(values)
    return match.throw(tuple(sorted(values)))


def test_the_best_keep_is_set_aside_if_none_was_tapped(match, tray):
    throw_like_a_player(tray, thrown(match, tray, (1, 1, 2, 4, 4, 6)))

    assert len(tray.truth) == 4


def test_dice_whose_reading_was_corrected_are_set_aside_too(match, tray):
    tray.throw_all((1, 2, 2, 4, 4, 6))
    corrected = match.throw((1, 1, 2, 4, 4, 6))

    throw_like_a_player(tray, corrected)
    assert len(tray.truth) == 4

    tray.throw_all((1, 2, 2, 4, 4, 6))
    throw_like_a_player(tray, corrected.push(Kept((1,))))
    assert len(tray.truth) == 5


def test_dice_that_were_thrown_but_not_read_are_thrown_again(match, tray):
    match = thrown(match, tray, (1, 1, 2, 4, 4, 6))
    throw_like_a_player(tray, match)
    throw_like_a_player(tray, match)

    assert len(tray.truth) == 4


def test_only_the_dice_that_were_taken_over_or_set_by_hand_are_thrown(tray):
    rules = replace(rule_files.load("walnut-studiolo"), piggyback=Piggyback.YES)
    match = thrown(Match.start(rules, ["Anna", "Ben"]), tray, (1, 1, 1, 2, 4, 6)).bank()
    throw_like_a_player(tray, match.push(TookOver()))
    assert len(tray.truth) == 3

    throw_like_a_player(tray, match.push(TurnSet(0, 300, 2)))
    assert len(tray.truth) == 2


def test_dice_kept_from_a_throw_that_was_tapped_in_are_not_thrown(match, tray):
    throw_like_a_player(tray, match.throw((1, 1, 2, 4, 4, 6)))

    assert len(tray.truth) == 4
