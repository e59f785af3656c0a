"""Matches that strategies play against each other with simulated dice, under all rules of a match."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

from game.match.events import ScoreSet, Thrown
from game.match.match import Match
from game.match.state import State
from game.match.step import step
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
        state = step(state, ScoreSet(seat, points)) if points else state
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
    """Return the state after the current player's next step.

    The step is a throw if there is nothing to decide, or if the strategy decides to throw.

    Args:
        state: State of the match.
        strategy: The strategy of the current player.
        random: Source of the random dice.
    """
    decision = strategy.decide(state) if needs_decision(state) else None
    return step(state, decision or Thrown(tuple(random.choices(range(1, 7), k=state.dice_in_hand))))


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
