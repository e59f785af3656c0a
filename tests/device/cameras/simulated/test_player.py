"""A player at the simulated tray throws the dice that the match expects."""

import pytest

from device.cameras.simulated.player import throw_like_a_player
from game.match.events import Kept
from game.match.match import Match
from game.rules import rule_files


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
