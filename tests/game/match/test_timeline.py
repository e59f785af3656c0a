"""The rows of a match, and the scores after each of them."""

import pytest

from game.match.match import scores_by_turn, timeline_rows
from tests.game.set_by_hand import set_by_hand


@pytest.fixture
def match():
    return set_by_hand()


def test_turns_and_manual_changes_are_listed_in_order(match):
    rows = [(entry.number, entry.scores) for entry in timeline_rows(match)]

    assert rows == [
        (1, (1000, 0)),
        (2, (1000, 0)),
        (0, (1000, 700)),
        (0, (1000, 700)),
        (3, (1000, 1050)),
        (4, (1000, 1050)),
    ]


def test_the_curve_runs_from_zero_to_the_scores(match):
    rows = scores_by_turn(match)

    assert rows[0] == (0, 0)
    assert rows[-1] == tuple(player.score for player in match.state.players)
