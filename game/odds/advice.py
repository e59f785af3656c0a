"""What each choice of a turn is worth, on the board as it stands: for the page and the terminal.

Two measures stand side by side: the chance to win against one opponent who plays as well, and the
points that the turn brings on average if one looks at nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import Floats, compile_rules
from game.odds.match_model import Positions
from game.odds.match_odds import MatchOdds
from game.odds.throw_odds import chances_of_one_throw, farkle_within, values_to_reach
from game.odds.turn_odds import PointsTable, points_table
from game.odds.turn_solver import TurnValues
from game.rules.ruleset import PENALTY_STREAK, LastRound, Ruleset
from game.rules.scoring import Keep, must_throw_reason

WIN_TOLERANCE = 0.001
"""Chances to win that differ by less are called a tie: nobody would feel it in a lifetime."""

POINTS_TOLERANCE = 1.0


@dataclass(frozen=True, slots=True)
class MatchPosition:
    """Where a match of two stands for the player on turn.

    Attributes:
        mine, theirs: points on the board.
        second: whether the other began the match.
        opened, other_opened: whether the players are on the board; without, whoever has points is.
        farkles, other_farkles: how many in a row came last.
    """

    mine: int = 0
    theirs: int = 0
    second: bool = False
    opened: bool | None = None
    other_opened: bool | None = None
    farkles: int = 0
    other_farkles: int = 0

    def after_nothing(self, fallen: int, floor: int | None) -> "MatchPosition":
        """The other's turn, once this one brought nothing; the third farkle in a row costs so many."""
        farkles = (self.farkles + 1) % PENALTY_STREAK
        mine = self.mine if farkles else self.mine - fallen
        return MatchPosition(
            mine=self.theirs,
            theirs=mine if floor is None else max(mine, floor),
            second=not self.second,
            opened=self.other_opened,
            other_opened=self.opened,
            farkles=self.other_farkles,
            other_farkles=farkles,
        )

    @property
    def on_board(self) -> bool:
        return self.mine > 0 if self.opened is None else self.opened


@dataclass(frozen=True, slots=True)
class TurnOption:
    """Banking, or throwing on with some number of dice.

    Attributes:
        at_risk: points of the turn so far.
        n_dice: dice of the next throw.
        refused: why it cannot be banked.
        farkle: chance that the next throw is a farkle.
        points: what the turn brings on average when thrown on.
        win_banked, win_thrown: chance to win; None where it is not solved, or cannot be.
    """

    at_risk: int
    n_dice: int
    refused: Message | None
    farkle: Fraction
    points: float
    win_banked: float | None
    win_thrown: float | None
    keep: Keep | None = None

    @property
    def win(self) -> float | None:
        """By the better of both."""
        found = [win for win in (self.win_banked, self.win_thrown) if win is not None]
        return max(found, default=None)

    @property
    def worth(self) -> float:
        """Points of the better of both."""
        return self.points if self.refused else max(self.points, float(self.at_risk))

    @property
    def near(self) -> bool:
        """Whether banking and throwing on are as good as each other."""
        if self.refused:
            return False
        if self.win_banked is None or self.win_thrown is None:
            return abs(self.points - self.at_risk) < POINTS_TOLERANCE
        return abs(self.win_banked - self.win_thrown) < WIN_TOLERANCE

    @property
    def banks(self) -> bool:
        """Whether banking is the better of both."""
        if self.win_banked is None or self.win_thrown is None:
            return not self.refused and self.at_risk >= self.points
        return self.win_banked >= self.win_thrown


@dataclass(frozen=True, slots=True)
class TurnOdds:
    """All that can be asked in one turn on one board.

    Attributes:
        lost: the chance to win once it brings nothing, where more than two play.
        one_throw_only: whether it is a charity roll: no dice must be thrown on.
    """

    rules: Ruleset
    table: MatchPosition
    points: PointsTable
    banked: Floats | None
    worth: TurnValues | None
    lost: float | None = None
    is_charity_roll: bool = False

    def option(self, at_risk: int, n_dice: int, *, hot: bool = False) -> TurnOption:
        """Banking so many points, or throwing so many dice."""
        refused = self._refusal(at_risk, 0 if hot else n_dice)
        steps = at_risk // self.points.throws.step
        banked = None if self.banked is None or refused else float(self.banked[steps])
        thrown = None if self.worth is None else float(self.worth.thrown[steps, n_dice, 0])
        return TurnOption(
            at_risk=at_risk,
            n_dice=n_dice,
            refused=refused,
            farkle=farkle_within(self.rules, n_dice, 1),
            points=self.points.throwing(at_risk, n_dice),
            win_banked=banked,
            win_thrown=thrown,
        )

    def options(
        self, at_risk: int, keeps: Iterable[Keep], bonus: int = 0
    ) -> tuple[TurnOption, ...]:
        """What each keep of a throw would leave, best first; `at_risk` is without the throw."""
        found = [
            replace(
                self.option(
                    at_risk + bonus + keep.score,
                    keep.dice_left or self.rules.n_dice,
                    hot=keep.hot,
                ),
                keep=keep,
            )
            for keep in keeps
        ]
        return tuple(sorted(found, key=lambda option: (-(option.win or 0.0), -option.worth)))

    def _refusal(self, at_risk: int, left: int) -> Message | None:
        must = must_throw_reason(left, self.rules) if left < self.rules.n_dice else None
        if must and not self.is_charity_roll:
            return must
        if not self.table.on_board and at_risk < self.rules.opening:
            return Message(
                "%(short)s short of the opening %(opening)s",
                short=self.rules.opening - at_risk,
                opening=self.rules.opening,
            )
        if at_risk < max(1, self.rules.minimum_bank):
            return self._too_few(at_risk)
        return None

    def _too_few(self, at_risk: int) -> Message:
        least = self.rules.minimum_bank
        if not at_risk:
            return Message("throw first")
        return Message(
            "%(short)s short of the %(least)s one must bank", short=least - at_risk, least=least
        )


def turn_odds(
    rules: Ruleset, table: MatchPosition, wins: MatchOdds | None, *, most: int = 0
) -> TurnOdds:
    """The odds of the turn on this board; chances to win where `wins` is solved.

    Raises:
        OddsError: the player on turn has reached the target already, or nobody follows.
    """
    points = points_table(rules, opened=table.on_board)
    if wins is None or not wins.solved:
        return TurnOdds(rules, table, points, None, None)
    mine = wins.number(table.mine, opened=table.opened, farkles=table.farkles)
    if table.theirs // wins.step >= wins.model.ending.goal:
        return _following(rules, table, wins, points, most)
    banked, worth = wins.turn(board_of(wins, table, mine), most // wins.step + 1)
    return TurnOdds(rules, table, points, banked, worth)


def board_of(wins: MatchOdds, table: MatchPosition, mine: int | None = None) -> Positions:
    """The board of this position in the solved match.

    Raises:
        OddsError: somebody has reached the target.
    """
    if mine is None:
        mine = wins.number(table.mine, opened=table.opened, farkles=table.farkles)
    theirs = wins.number(table.theirs, opened=table.other_opened, farkles=table.other_farkles)
    return wins.board(mine, theirs, second=table.second)


def _following(
    rules: Ruleset, table: MatchPosition, wins: MatchOdds, points: PointsTable, most: int
) -> TurnOdds:
    """The last turn, after the other has reached the target: to have more, or lose."""
    ending = wins.model.ending
    if not ending.followed[0 if ending.seats == 1 or table.second else 1]:
        raise OddsError(
            Message(
                "with %(points)s the other has reached %(target)s and won",
                points=table.theirs,
                target=wins.target,
            )
        )
    compiled = compile_rules(rules)
    short = (table.theirs - table.mine) // compiled.step + 1
    least = compiled.needed(opened=table.on_board)
    needed = max(short, least, 1)
    if rules.last_round is LastRound.CHARITY_ROLL:
        worth = _charity(rules, needed, least, most // compiled.step + 1)
    else:
        worth = values_to_reach(compiled, needed, least, most // compiled.step + 1)
    banked = (np.arange(len(worth.thrown)) >= needed).astype(np.float64)
    return TurnOdds(rules, table, points, banked, worth)


def _charity(rules: Ruleset, needed: int, least: int, most: int) -> TurnValues:
    """One throw, and what it brings is banked: nothing is to be chosen."""
    chance = chances_of_one_throw(rules, needed, least)[needed]
    thrown = np.full((most + 1, rules.n_dice + 1, 1), chance)
    return TurnValues(thrown[:, 1:], thrown)


def is_as_good(option: TurnOption, best: TurnOption) -> bool:
    """Whether nobody would ever feel the difference to the best."""
    if option.win is None or best.win is None:
        return abs(option.worth - best.worth) < POINTS_TOLERANCE
    return abs(option.win - best.win) < WIN_TOLERANCE
