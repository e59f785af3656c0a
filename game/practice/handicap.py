"""Handicaps: points that one player has at the start, so that both players win equally often.

A player who starts with points counts as being on the board, and so needs no opening. The same
applies to a player whose score was set by hand.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from game.errors import OddsError
from game.match.apply_event import apply_event
from game.match.events import ScoreSet, Thrown
from game.match.match import Match
from game.match.state import State
from game.odds.match_odds import MatchOdds
from game.odds.rounds_odds import RoundsOdds
from game.odds.style_odds import unit
from game.practice.strategy import Strategy, needs_decision
from game.rules.ruleset import Ruleset

MAX_EVENTS = 20_000
"""Number of events after which a match counts as endless and is left out."""


@dataclass(frozen=True, slots=True)
class WinShare:
    """How many matches a player won, out of all matches that were played.

    Attributes:
        won: Number of matches that the player won.
        matches: Number of matches that were played to the end.
    """

    won: int
    matches: int

    @property
    def share(self) -> float:
        """Share of the matches that were won."""
        return self.won / self.matches if self.matches else 0.0

    @property
    def error(self) -> float:
        """Standard error of the share of the matches that were won."""
        return sqrt(self.share * (1 - self.share) / self.matches) if self.matches else 0.0


def start_state(
    rules: Ruleset, n_players: int, *, first: int = 0, head_starts: Sequence[int] = ()
) -> State:
    """Return the state of a match before its first throw.

    Args:
        rules: The rules.
        n_players: Number of players.
        first: The seat that begins, from 0.
        head_starts: Points that seat 0, seat 1 and so on begin with. Further seats begin with 0.
    """
    state = Match.start(rules, [str(seat) for seat in range(n_players)], first=first).state
    for seat, points in enumerate(head_starts):
        state = apply_event(state, ScoreSet(seat, points)) if points else state
    return state


def winner(state: State, strategies: Sequence[Strategy], random: Random) -> int | None:
    """Return the seat that wins when a match is played to its end, or None if it does not end.

    Args:
        state: State of the match.
        strategies: The strategy of each seat.
        random: Source of the random dice.
    """
    while state.winner is None and state.n_events < MAX_EVENTS:
        state = play_on(state, strategies[state.turn.seat], random)
    return state.winner


def play_on(state: State, strategy: Strategy, random: Random) -> State:
    """Return the state after the current player's next event.

    The event is a throw if there is nothing to decide, or if the strategy decides to throw.

    Args:
        state: State of the match.
        strategy: The strategy of the current player.
        random: Source of the random dice.
    """
    decision = strategy.decide(state) if needs_decision(state) else None
    return apply_event(
        state, decision or Thrown(tuple(random.choices(range(1, 7), k=state.dice_in_hand)))
    )


@dataclass(frozen=True, slots=True)
class Game:
    """A match for strategies to play.

    Attributes:
        start: State of the match before the first throw.
        strategies: The strategy of each seat.
        seat: The seat whose wins are counted.
    """

    start: State
    strategies: Sequence[Strategy]
    seat: int = 0


def win_share(games: Iterable[Game], seed: int = 1) -> WinShare:
    """Play matches, and return how many were won by the seat that each match names in `Game.seat`.

    Args:
        games: The matches to play.
        seed: Seed for the random dice.
    """
    random, won, ended = Random(seed), 0, 0
    for game in games:
        found = winner(game.start, game.strategies, random)
        won, ended = won + (found == game.seat), ended + (found is not None)
    return WinShare(won, ended)


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
    if isinstance(wins, RoundsOdds):
        lead, board = (-points, 1) if seat else (points, 2)
        return wins.win(lead, 2 * wins.rules.rounds, board if points else 0)
    standings = wins.standings
    nothing = standings.find(0, opened=False)
    ahead = standings.find(points // wins.step, opened=True) if points else nothing
    mine, theirs = (nothing, ahead) if seat else (ahead, nothing)
    return float(wins.chances[0, mine, theirs])


Players = Callable[[int], Sequence[Strategy]]
"""A function that returns the strategies of both players, given the number of the match from 0."""


def fair_head_starts(rules: Ruleset, players: Players, matches: int) -> Iterator[HeadStart]:
    """Yield head starts that make the two players' shares of wins more and more equal.

    Args:
        rules: The rules.
        players: Returns the strategies of both players for each match.
        matches: Number of matches to play for each head start.
    """
    step = unit(rules)
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
