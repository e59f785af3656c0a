"""The throws of a match, and how their turns ended."""

import pytest

from game.match.events import Skipped, TurnSet
from game.match.match import Match
from game.rules.rule_files import load
from web.pages.match_replay import frames

BEGUN = Match.start(load("ten-thousand-extras"), ["Anna", "Ben"])


@pytest.mark.parametrize(
    ("match", "ending"),
    [
        (BEGUN.throw((1, 1, 1, 2, 3, 4)).bank(), "bank"),
        (BEGUN.throw((2, 3, 3, 4, 6, 6)), "farkle"),
        (BEGUN.throw((2, 2, 2, 2, 3, 4)), "reset"),
        (BEGUN.throw((3, 3, 3, 3, 3, 3)), "win"),
        (BEGUN.throw((1, 1, 1, 2, 3, 4)).push(Skipped()), "skip"),
        (BEGUN.throw((1, 1, 1, 2, 3, 4)).push(TurnSet(0, 0, 6)), "skip"),
    ],
)
def test_last_throw_of_a_turn_has_its_ending(match, ending):
    assert [frame.ending for frame in frames(match)] == [ending]


def test_earlier_throw_has_no_ending():
    match = BEGUN.throw((1, 1, 1, 2, 3, 4)).keep((1, 1, 1)).throw((1, 2, 3)).bank()

    assert [(frame.ending, frame.points) for frame in frames(match)] == [
        (None, None),
        ("bank", 1_100),
    ]
