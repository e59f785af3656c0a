"""The solved match of two: chances to win from every board, and the play they stand for.

Only what a turn is worth when it begins is kept; the inside of a turn is worked out on demand.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import Floats, throws
from game.odds.ending import ending
from game.odds.match_solver import MatchSolver, Positions, solve
from game.odds.turn_solver import Worth, play
from game.rules.ruleset import Piggyback, Ruleset

METHOD = 2
"""Raised whenever the same rules would give other chances."""

_NOT_LOOKED_AT = {
    "name",
    "title",
    "source",
    "assumed",
    "target",
    "piggyback",
    "all_alike_wins",
    "three_farkles",
    "three_scoreless_starts",
    "four_twos_reset",
    "below_zero",
    "welfare",
    "hot_dice_multiply",
    "take_over_farkle",
}
"""Options that are only words, or left out of the figures."""


def digest(rules: Ruleset, target: int) -> str:
    """What tells these rules, as far as they matter here, from all others.

    Only what is otherwise than usual counts, so that a new option leaves older tables as they are.
    """
    usual = asdict(Ruleset("", ""))
    options = {
        key: value
        for key, value in asdict(rules).items()
        if key not in _NOT_LOOKED_AT and value != usual[key]
    }
    text = json.dumps([METHOD, target, options], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class MatchOdds:
    """Chances to win under these rules and to this target, against one opponent who plays as well.

    `chances` is at [seat, mine, theirs], scores in steps; not a number where unsolved. The seat
    is 1 for the player who did not begin the match, where the last round makes that a difference.
    Piggybacking, penalties, resets and instant wins are left out.
    """

    rules: Ruleset
    target: int
    chances: Floats

    @classmethod
    def unsolved(cls, rules: Ruleset, target: int) -> "MatchOdds":
        """Nothing known yet.

        Raises:
            OddsError: there is nothing to know: the target is too far, or may never be reached.
        """
        duel = MatchSolver.of(throws(rules), ending(rules, target))
        wins = cls(rules, target, duel.unsolved())
        wins.__dict__["duel"] = duel
        return wins

    @cached_property
    def duel(self) -> MatchSolver:
        return MatchSolver.of(throws(self.rules), ending(self.rules, self.target))

    @property
    def step(self) -> int:
        return throws(self.rules).step

    @property
    def solved(self) -> bool:
        return not np.isnan(self.chances[0, 0, 0])

    def solve(self) -> Iterator[float]:
        """Fill in what is missing; yields the share done. Can be stopped, saved and gone on with."""
        return solve(self.duel, self.chances)

    @property
    def first_player(self) -> float:
        """The chance of the player who begins the match."""
        return float(self.chances[0, 0, 0])

    def begin(self, mine: int, theirs: int, *, second: bool = False) -> float:
        """The chance of the player whose turn begins with these points on the board.

        Raises:
            OddsError: one of them has reached the target.
        """
        board = self.board(mine, theirs, second=second)
        return float(self.chances[board.index()][0])

    def board(self, mine: int, theirs: int, *, second: bool = False) -> Positions:
        """The board with these points; a score below zero counts as none.

        Raises:
            OddsError: one of them has reached the target.
        """
        steps = [max(0, points) // self.step for points in (mine, theirs)]
        if max(steps) >= self.duel.ending.goal:
            raise OddsError(
                Message(
                    "with %(points)s the target %(target)s is reached",
                    points=max(mine, theirs),
                    target=self.target,
                )
            )
        seat = int(second and self.duel.ending.seats > 1)
        return Positions(*(np.array([at], np.intp) for at in (seat, *steps)))

    def turn(self, board: Positions, most: int = 0) -> tuple[Floats, Worth]:
        """The turn that begins on this board, up to so many steps at risk at least.

        Chance to win by banking so many steps, at [steps]; and that of every point of the turn.
        """
        stakes = self.duel.stakes_on_solved(board, self.chances, most)
        return stakes.bank[:, 0], play(self.duel.throws, stakes)


def exact(rules: Ruleset) -> bool:
    """Whether two players' match is solved as it is played, nothing it has being left out.

    Penalties, resets and instant wins are left out by definition; taking over is not.
    """
    played_otherwise = rules.rounds or rules.welfare or rules.hot_dice_multiply
    return rules.piggyback is Piggyback.NO and not played_otherwise
