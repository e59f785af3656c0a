"""A match with changes made by hand."""

from game.match.events import ScoreSet, Skipped, TurnSet
from game.match.match import Match
from game.rules.rule_files import load


def set_by_hand() -> Match:
    """Return a match of four turns: a score and a turn are set by hand, the last turn is skipped.

    One of the names looks like a spreadsheet formula.
    """
    played = Match.start(load("walnut-studiolo"), ["Anna", "=Ben"]).throw((1, 1, 1, 2, 3, 4)).bank()
    played = played.throw((2, 2, 3, 4, 6, 6)).push(ScoreSet(1, 700)).push(TurnSet(1, 300, 4))
    return played.throw((5, 2, 3, 4)).bank().push(Skipped())
