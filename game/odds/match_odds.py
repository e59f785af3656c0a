"""A solved two-player match: the chance of winning in every position at the start of a turn.

Only these chances are stored. The chances within a turn are worked out when they are needed. A
position at the start of a turn is called a board.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import Floats, compile_rules, count_scoreless
from game.odds.match_model import MatchModel, Positions, goal_steps, match_ending
from game.odds.match_solver import solve, solve_iteratively
from game.odds.match_stakes import MatchStakes
from game.odds.player_standings import Standings, match_standings
from game.odds.turn_solver import TurnValues, solve_turn
from game.rules.ruleset import PENALTY_STREAK, Piggyback, Ruleset

METHOD_VERSION = 2
"""Version of the calculation, which is increased whenever the calculation gives other chances for the same rules."""

_IGNORED_OPTIONS = {
    "name", "title", "source", "assumed", "target", "piggyback", "take_over_farkle",
    "take_over_on_board", "nothing_first_throw", "knock_back", "scoreless_start",
    "three_scoreless_starts", "triple_threes", "hot_dice_multiply",
}  # fmt: skip
"""Rule options that are only text, or that the odds do not take into account."""

_FIRST_PLAYER_WITH_PIGGYBACK = {
    ("12bd597d76731d85", Piggyback.NOT_HEAVY, 0): 0.5228,
    ("beb2ba4508c724fd", Piggyback.NOT_HEAVY, 0): 0.5344,
    ("03d8cb2128a9b55b", Piggyback.YES, 0): 0.5320,
    ("c3c047ec9a69b396", Piggyback.YES, 0): 0.5249,
    ("b6af39b9ab680913", Piggyback.YES, 500): 0.5334,
}
"""Chances of winning for the first player in colorado-dice, stirler, high-stakes, table-10000 and
risky-greed. They were worked out once, as described in docs/decisions/exact-match.md."""

_GUESS_SHARE = 0.1
"""Share of the work that goes into the first guess, which ignores penalties and resets."""


def rules_digest(rules: Ruleset, target: int) -> str:
    """Return a digest of everything in the rules that affects the chances.

    Only options that differ from their defaults count, so a new option leaves existing tables
    valid.

    Args:
        rules: The rules.
        target: Points to play for.
    """
    usual = asdict(Ruleset("", ""))
    options = {
        key: value
        for key, value in asdict(rules).items()
        if key not in _IGNORED_OPTIONS and value != usual[key]
    }
    text = json.dumps([METHOD_VERSION, target, options], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class MatchOdds:
    """Chances of winning a two-player match against an equally good opponent.

    Attributes:
        rules: The rules.
        target: Points to play for.
        chances: Chance of winning for the current player, indexed by [seat, mine, theirs] as in
            `Positions`. NaN if unknown.
    """

    rules: Ruleset
    target: int
    chances: Floats

    @classmethod
    def unsolved(cls, rules: Ruleset, target: int) -> "MatchOdds":
        """Return the odds of a match before any chance has been worked out.

        Args:
            rules: The rules.
            target: Points to play for.

        Raises:
            OddsError: If the match cannot be solved.
        """
        stakes = _stakes(rules, target)
        wins = cls(rules, target, stakes.model.unsolved())
        wins.__dict__["stakes"] = stakes
        return wins

    @cached_property
    def stakes(self) -> MatchStakes:
        """The values of all ways in which a turn can end. Calculating these values takes a moment."""
        return _stakes(self.rules, self.target)

    @property
    def model(self) -> MatchModel:
        """The positions of the match, and where turns lead from them."""
        return self.stakes.model

    @property
    def step(self) -> int:
        """Points of one step, the unit in which points are counted."""
        return compile_rules(self.rules).step

    @property
    def solved(self) -> bool:
        """Whether all chances are known."""
        return not np.isnan(self.first_player)

    def solve(self) -> Iterator[float]:
        """Work out the unknown chances, and yield the share of the work that is done.

        The caller may stop at any time, store the chances, and continue later.
        """
        if not self.model.can_fall:
            yield from solve(self.stakes, self.chances)
        elif not self.solved:
            if np.isnan(self.chances).sum() > 1:
                yield from self._guess_without_falls()
            shares = solve_iteratively(self.stakes, self.chances)
            yield from (_GUESS_SHARE + (1 - _GUESS_SHARE) * share for share in shares)

    def _guess_without_falls(self) -> Iterator[float]:
        """Fill in a first guess at every chance, computed with the same rules but without penalties or resets.

        Yields:
            The share of the work that is done.
        """
        plain = MatchOdds.unsolved(
            replace(self.rules, three_farkles=0, four_twos_reset=False), self.target
        )
        yield from (_GUESS_SHARE * share for share in plain.solve())
        near = np.maximum(self.model.standings.score, 0)
        self.chances[:] = plain.chances[:, near[:, None], near]

    @property
    def first_player(self) -> float:
        """Chance of winning for the player who begins the match."""
        return float(self.chances[0, self._start_standing, self._start_standing])

    @cached_property
    def standings(self) -> Standings:
        """All standings that a player can have when a turn begins.

        Finding them is faster than working out `stakes`.
        """
        return match_standings(self.rules, goal_steps(self.rules, self.target, self.step))

    @cached_property
    def _start_standing(self) -> int:
        return self.standings.find(0, opened=False)

    def begin(self, mine: int, theirs: int, *, second: bool = False) -> float:
        """Return the chance of winning for the player whose turn begins with these scores.

        Args:
            mine: Score of the current player.
            theirs: Score of the other player.
            second: Whether the other player began the match.

        Raises:
            OddsError: If somebody has reached the target.
        """
        return self.chance(self.board(self.number(mine), self.number(theirs), second=second))

    def chance(self, board: Positions) -> float:
        """Return the chance of winning for the player whose turn begins in this position."""
        return float(self.chances[board.index()][0])

    def number(self, points: int, *, opened: bool | None = None, farkles: int = 0) -> int:
        """Return the number of a player's standing in `standings`.

        Impossible scores are rounded down to possible ones.

        Args:
            points: Score of the player.
            opened: Whether the player is on the board. None means that the player counts as on
                the board when the score is above 0.
            farkles: Number of farkles in a row.

        Raises:
            OddsError: If the score reaches the target.
        """
        if points // self.step >= self.model.ending.goal:
            raise OddsError(
                "%(points)s points already reach the target of %(target)s",
                points=points,
                target=self.target,
            )
        on_board = points > 0 if opened is None else opened
        return self.model.standings.find(points // self.step, opened=on_board, farkles=farkles)

    def board(self, mine: int, theirs: int, *, second: bool = False) -> Positions:
        """Return a single position at the start of a turn.

        Args:
            mine: Number of the current player's standing.
            theirs: Number of the other player's standing.
            second: Whether the other player began the match.
        """
        seat = int(second and self.model.ending.seats > 1)
        return Positions(*(np.array([at], np.intp) for at in (seat, mine, theirs)))

    def turn(self, board: Positions, most: int = 0) -> tuple[Floats, TurnValues]:
        """Return the chance of winning by banking, and the chance at every stage of the turn.

        The chance of winning by banking is indexed by the points at risk, in steps.

        Args:
            board: The position at the start of the turn.
            most: Highest number of steps at risk that the chances must cover; they may cover more.
        """
        stakes = self.stakes.on_solved(board, self.chances, most)
        return stakes.bank[:, 0], solve_turn(self.model.throws, stakes)


def _stakes(rules: Ruleset, target: int) -> MatchStakes:
    end = match_ending(rules, target)
    return MatchStakes.of(compile_rules(rules), end, match_standings(rules, end.goal))


def is_close(rules: Ruleset) -> bool:
    """Return whether the odds cover enough of the rules to show the first player's chance."""
    left_out = rules.rounds or rules.hot_dice_multiply or rules.scoreless_start
    return not left_out


def is_exact(rules: Ruleset) -> bool:
    """Return whether the first player's chance is exact for these rules, apart from penalties."""
    return is_close(rules) and rules.piggyback is Piggyback.NO


def left_out_of_match(rules: Ruleset) -> tuple[Message, ...]:
    """Return a phrase for each of these rules that is left out of the exact solution of a match."""
    return tuple(_left_out(rules))


def _left_out(rules: Ruleset) -> Iterator[Message]:
    if rules.nothing_first_throw:
        yield Message("that a throw without points pays only as the first throw of a turn")
    if rules.scoreless_start:
        yield Message("the penalty for a first throw without points")
    if rules.knock_back:
        yield Message("knocking other players back to zero")
    if rules.piggyback is not Piggyback.NO:
        yield Message("building on the points that another player has banked")
    if rules.take_over_farkle:
        yield Message("the penalty for a farkle after building on banked points")
    if rules.hot_dice_multiply:
        yield Message("hot dice that multiply later points")
    if rules.triple_threes:
        yield Message("the penalty for three 3s in one throw")
    if rules.three_scoreless_starts:
        chance = (count_scoreless(rules.n_dice, rules) / 6**rules.n_dice) ** PENALTY_STREAK
        yield Message(
            "the penalty for three first throws without points, once in %(turns)s turns",
            turns=round(1 / chance) if chance else 0,
        )


def first_player_with_piggyback(rules: Ruleset, target: int) -> float | None:
    """Return the first player's chance of winning if points may be taken over, or None if unknown.

    Args:
        rules: The rules.
        target: Points to play for.
    """
    if rules.take_over_on_board:
        return None
    key = rules_digest(rules, target), rules.piggyback, rules.take_over_farkle
    return _FIRST_PLAYER_WITH_PIGGYBACK.get(key)
