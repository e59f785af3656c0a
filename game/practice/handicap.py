"""Handicaps: points that one player has at the start, so that both players win equally often.

A player who starts with points counts as being on the board, and so needs no opening. The same
applies to a player whose score was set by hand.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from game.errors import OddsError
from game.odds.match_odds import MatchOdds
from game.practice.matchup import Game, start_state, win_share
from game.practice.strategy import Strategy
from game.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class HeadStart:
    """The points that one of two players has at the start of a match.

    Attributes:
        seat: Seat of the player who starts with points, 0 or 1. The player in seat 0 begins the
            match.
        points: The points.
        first_wins: Chance that the player in seat 0 then wins the match.
    """

    seat: int
    points: int
    first_wins: float


def even_head_start(wins: MatchOdds) -> HeadStart:
    """Return the head start that gives two equally good players the same chance of winning.

    Args:
        wins: The solved two-player match.

    Raises:
        OddsError: If the match is not solved.
    """
    if not wins.solved:
        raise OddsError(
            "the chances of winning are not known for these rules: switch on the coach in a "
            "match with these rules, or run `traykeeper odds solve`"
        )
    seat = 1 if wins.first_player >= 1 / 2 else 0
    found = [
        HeadStart(seat, points, _first_wins(wins, seat, points))
        for points in range(0, wins.target, wins.step)
    ]
    return min(found, key=lambda start: (abs(start.first_wins - 1 / 2), start.points))


def _first_wins(wins: MatchOdds, seat: int, points: int) -> float:
    """Return the chance that the player who begins wins, if the player in `seat` starts with points."""
    standings = wins.standings
    nothing = standings.find(0, opened=False)
    ahead = standings.find(points // wins.step, opened=True) if points else nothing
    mine, theirs = (nothing, ahead) if seat else (ahead, nothing)
    return float(wins.chances[0, mine, theirs])


Players = Callable[[int], Sequence[Strategy]]
"""A function that returns the strategies of both players, given the number of the match from 0."""


def fair_head_starts(
    rules: Ruleset, players: Players, matches: int, step: int = 50
) -> Iterator[HeadStart]:
    """Yield head starts that make the two players' shares of wins more and more equal.

    Args:
        rules: The rules.
        players: Returns the strategies of both players for each match.
        matches: Number of matches to play for each head start.
        step: Head starts are multiples of this number of points.
    """
    first_wins = _share(rules, players, matches, ())
    yield HeadStart(1, 0, first_wins)
    seat = 1 if first_wins >= 1 / 2 else 0
    low, high = 0, rules.target // step
    while high - low > 1:
        middle = (low + high) // 2
        points = middle * step
        starts = (0, points) if seat else (points, 0)
        first_wins = _share(rules, players, matches, starts)
        yield HeadStart(seat, points, first_wins)
        is_still_behind = (first_wins > 1 / 2) == (seat == 1)
        low, high = (middle, high) if is_still_behind else (low, middle)


def _share(rules: Ruleset, players: Players, matches: int, head_starts: Sequence[int]) -> float:
    start = start_state(rules, 2, head_starts=head_starts)
    return win_share(Game(start, players(number)) for number in range(matches)).share
