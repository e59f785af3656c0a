"""The solved match of two: chances to win from every board, and the play they stand for.

Only what a turn is worth when it begins is kept; the inside of a turn is worked out on demand.
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
from game.odds.player_standings import match_standings
from game.odds.turn_solver import TurnValues, solve_turn
from game.rules.ruleset import PENALTY_STREAK, Piggyback, Ruleset

METHOD_VERSION = 2
"""Raised whenever the same rules would give other chances."""

_NOT_LOOKED_AT = {
    "name",
    "title",
    "source",
    "assumed",
    "target",
    "piggyback",
    "take_over_farkle",
    "three_scoreless_starts",
    "triple_threes",
    "hot_dice_multiply",
}
"""Options that are only words, or left out of the figures."""

_WITH_TAKING_OVER = {
    ("12bd597d76731d85", Piggyback.NOT_HEAVY, 0): 0.5228,
    ("beb2ba4508c724fd", Piggyback.NOT_HEAVY, 0): 0.5344,
    ("03d8cb2128a9b55b", Piggyback.YES, 0): 0.5320,
    ("c3c047ec9a69b396", Piggyback.YES, 0): 0.5249,
    ("b6af39b9ab680913", Piggyback.YES, 500): 0.5334,
}
"""Of colorado-dice, stirler, high-stakes, table-10000 and risky-greed: worked out once, with the inside of
every turn kept, as docs/decisions/exact-match.md tells."""

_FIRST_PART = 0.1
"""Of the work, where falls are solved: the guess without them."""


def rules_digest(rules: Ruleset, target: int) -> str:
    """What tells these rules, as far as they matter here, from all others.

    Only what is otherwise than usual counts, so that a new option leaves older tables as they are.
    """
    usual = asdict(Ruleset("", ""))
    options = {
        key: value
        for key, value in asdict(rules).items()
        if key not in _NOT_LOOKED_AT and value != usual[key]
    }
    text = json.dumps([METHOD_VERSION, target, options], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class MatchOdds:
    """Chances to win under these rules and to this target, against one opponent who plays as well.

    `chances` is at [seat, mine, theirs], by the numbers of `Holdings`; not a number where unsolved.
    The seat is 1 for the player who did not begin the match, where the last round makes that a
    difference. `left_out` says what is left out.
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
        stakes = _stakes(rules, target)
        wins = cls(rules, target, stakes.model.unsolved())
        wins.__dict__["stakes"] = stakes
        return wins

    @cached_property
    def stakes(self) -> MatchStakes:
        """What the ends of turns are worth. Working it out takes a moment."""
        return _stakes(self.rules, self.target)

    @property
    def model(self) -> MatchModel:
        """The boards of the match, and where turns lead from them."""
        return self.stakes.model

    @property
    def step(self) -> int:
        return compile_rules(self.rules).step

    @property
    def solved(self) -> bool:
        return not np.isnan(self.first_player)

    def solve(self) -> Iterator[float]:
        """Fill in what is missing; yields the share done. Can be stopped, saved and gone on with."""
        if not self.model.can_fall:
            yield from solve(self.stakes, self.chances)
        elif not self.solved:
            if np.isnan(self.chances).sum() > 1:
                yield from self._begin_without_falls()
            shares = solve_iteratively(self.stakes, self.chances)
            yield from (_FIRST_PART + (1 - _FIRST_PART) * share for share in shares)

    def _begin_without_falls(self) -> Iterator[float]:
        """A guess of all chances, from the same rules without what may lead to fewer points."""
        plain = MatchOdds.unsolved(
            replace(self.rules, three_farkles=0, four_twos_reset=False), self.target
        )
        yield from (_FIRST_PART * share for share in plain.solve())
        near = np.maximum(self.model.standings.score, 0)
        self.chances[:] = plain.chances[:, near[:, None], near]

    @property
    def first_player(self) -> float:
        """The chance of the player who begins the match."""
        return float(self.chances[0, self._nothing, self._nothing])

    @cached_property
    def _nothing(self) -> int:
        """The number of who begins: known without the solver, which takes longer."""
        goal = goal_steps(self.rules, self.target, self.step)
        return match_standings(self.rules, goal).find(0, opened=False)

    def begin(self, mine: int, theirs: int, *, second: bool = False) -> float:
        """The chance of the player whose turn begins with these points on the board.

        Raises:
            OddsError: one of them has reached the target.
        """
        return self.chance(self.board(self.number(mine), self.number(theirs), second=second))

    def chance(self, board: Positions) -> float:
        """Of the player whose turn begins on this board."""
        return float(self.chances[board.index()][0])

    def number(self, points: int, *, opened: bool | None = None, farkles: int = 0) -> int:
        """The number of what a player has; without `opened` whoever has points is on the board.

        Points that no score can be are rounded down, and those below the lowest that is told apart
        count as that.

        Raises:
            OddsError: the target is reached.
        """
        if points // self.step >= self.model.ending.goal:
            raise OddsError(
                Message(
                    "with %(points)s the target %(target)s is reached",
                    points=points,
                    target=self.target,
                )
            )
        on_board = points > 0 if opened is None else opened
        return self.model.standings.find(points // self.step, opened=on_board, farkles=farkles)

    def board(self, mine: int, theirs: int, *, second: bool = False) -> Positions:
        """The board on which the players have what these numbers say."""
        seat = int(second and self.model.ending.seats > 1)
        return Positions(*(np.array([at], np.intp) for at in (seat, mine, theirs)))

    def turn(self, board: Positions, most: int = 0) -> tuple[Floats, TurnValues]:
        """The turn that begins on this board, up to so many steps at risk at least.

        Chance to win by banking so many steps, at [steps]; and that of every point of the turn.
        """
        stakes = self.stakes.on_solved(board, self.chances, most)
        return stakes.bank[:, 0], solve_turn(self.model.throws, stakes)


def _stakes(rules: Ruleset, target: int) -> MatchStakes:
    end = match_ending(rules, target)
    return MatchStakes.of(compile_rules(rules), end, match_standings(rules, end.goal))


def is_close(rules: Ruleset) -> bool:
    """Whether what is left out is little enough to show the figure of two players' match."""
    return not rules.rounds and not rules.hot_dice_multiply


def is_exact(rules: Ruleset) -> bool:
    """Whether that figure can be told as that of these rules."""
    return is_close(rules) and rules.piggyback is Piggyback.NO


def left_out_of_match(rules: Ruleset) -> tuple[Message, ...]:
    """What the solved match does not know of these rules."""
    return tuple(_left_out(rules))


def _left_out(rules: Ruleset) -> Iterator[Message]:
    if rules.piggyback is not Piggyback.NO:
        yield Message("taking over what another has banked")
    if rules.take_over_farkle:
        yield Message("what a farkle costs after that")
    if rules.hot_dice_multiply:
        yield Message("hot dice that multiply what follows")
    if rules.triple_threes:
        yield Message("what three 3s in one throw cost")
    if rules.three_scoreless_starts:
        chance = (count_scoreless(rules.n_dice, rules) / 6**rules.n_dice) ** PENALTY_STREAK
        yield Message(
            "what three scoreless first throws cost, once in %(turns)s turns",
            turns=round(1 / chance) if chance else 0,
        )


def first_player_with_piggyback(rules: Ruleset, target: int) -> float | None:
    """What the player who begins wins where banked points are taken over; None where it is not known."""
    key = rules_digest(rules, target), rules.piggyback, rules.take_over_farkle
    return _WITH_TAKING_OVER.get(key)
