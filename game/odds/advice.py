"""The value of each choice in a turn of the current match, for the page and the terminal.

There are two measures: the chance of winning against an equally good opponent, and the average
points of the turn if nothing else matters.
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
from game.odds.rounds_odds import RoundsOdds
from game.odds.turn_odds import (
    PointsTable,
    TurnValues,
    chances_of_one_throw,
    farkle_within,
    points_table,
    values_to_reach,
)
from game.rules.ruleset import PENALTY_STREAK, LastRound, Ruleset
from game.rules.scoring import Keep, after_first_throw, must_throw_reason

WIN_TOLERANCE = 0.001
"""Largest difference between two chances of winning that counts as a tie. Nobody would notice such
a difference in a lifetime."""

POINTS_TOLERANCE = 1.0
"""Largest difference between two averages of points that counts as a tie."""


@dataclass(frozen=True, slots=True)
class MatchPosition:
    """A two-player match from the current player's point of view.

    Attributes:
        mine: Score of the current player.
        theirs: Score of the other player.
        second: Whether the other player began the match.
        opened: Whether the current player is on the board. None means that the player counts as
            on the board when `mine` is above 0.
        other_opened: Whether the other player is on the board. None means that the player counts
            as on the board when `theirs` is above 0.
        farkles: How many farkles in a row the current player has had.
        other_farkles: How many farkles in a row the other player has had.
        turns_left: How many turns both players have left, including this one, in a match with a fixed
            number of turns. 0 means that this is not known.
    """

    mine: int = 0
    theirs: int = 0
    second: bool = False
    opened: bool | None = None
    other_opened: bool | None = None
    farkles: int = 0
    other_farkles: int = 0
    turns_left: int = 0

    def after_nothing(self, fallen: int, floor: int | None) -> "MatchPosition":
        """Return the position after a farkle, as seen by the other player, who throws next.

        Args:
            fallen: Points that the third farkle in a row costs, and each further one.
            floor: Lowest score that the rules allow, or None.
        """
        farkles = min(self.farkles + 1, PENALTY_STREAK) % PENALTY_STREAK
        mine = self.mine if farkles else self.mine - fallen
        return MatchPosition(
            mine=self.theirs,
            theirs=mine if floor is None else max(mine, floor),
            second=not self.second,
            opened=self.other_opened,
            other_opened=self.opened,
            farkles=self.other_farkles,
            other_farkles=farkles,
            turns_left=max(self.turns_left - 1, 0),
        )

    @property
    def on_board(self) -> bool:
        """Whether the current player is on the board."""
        return self.mine > 0 if self.opened is None else self.opened

    @property
    def on_boards(self) -> int:
        """Who is on the board: 2 if the current player is, plus 1 if the other player is."""
        other = self.theirs > 0 if self.other_opened is None else self.other_opened
        return 2 * self.on_board + other


@dataclass(frozen=True, slots=True)
class TurnOption:
    """The choice between banking and throwing again with a number of dice, and the value of both.

    Attributes:
        at_risk: Points scored in the turn so far.
        n_dice: Number of dice in the next throw.
        refused: Why the turn cannot be banked, or None if it can.
        farkle: Chance that the next throw farkles.
        points: Average points of the turn if the player throws again.
        win_banked: Chance of winning by banking. None if it is not known or banking is not allowed.
        win_thrown: Chance of winning by throwing again. None if it is not known.
        keep: The keep that leads to this choice, or None.
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
        """Chance of winning with the better choice, or None if it is not known."""
        found = [win for win in (self.win_banked, self.win_thrown) if win is not None]
        return max(found, default=None)

    @property
    def worth(self) -> float:
        """Average points with the better choice."""
        return self.points if self.refused else max(self.points, float(self.at_risk))

    @property
    def is_tie(self) -> bool:
        """Whether banking and throwing again are equally good, apart from a negligible difference."""
        if self.refused:
            return False
        if self.win_banked is None or self.win_thrown is None:
            return abs(self.points - self.at_risk) < POINTS_TOLERANCE
        return abs(self.win_banked - self.win_thrown) < WIN_TOLERANCE

    @property
    def should_bank(self) -> bool:
        """Whether banking is the better choice."""
        if self.refused:
            return False
        if self.win_banked is None or self.win_thrown is None:
            is_decided = self.win_banked in (0.0, 1.0)
            return self.win_banked == 1.0 if is_decided else self.at_risk >= self.points
        return self.wins_at_once or 0.0 < self.win_banked >= self.win_thrown

    @property
    def wins_at_once(self) -> bool:
        """Whether banking wins for certain. Nothing can be better, whatever throwing again is worth."""
        return self.win_banked == 1.0


@dataclass(frozen=True, slots=True)
class TurnOdds:
    """The values of all choices in one turn.

    Attributes:
        rules: The rules.
        table: The match as the current player sees it.
        points: Average points of the turn, for any number of points at risk and of dice left.
        banked: Chance of winning by banking, indexed by the points at risk in steps (the unit of
            points, usually 50); None if unknown.
        worth: Chance of winning at every stage of the turn; None if unknown.
        lost: Chance of winning after a turn without points, with more than two players; None with
            two players.
        is_charity_roll: Whether the turn is a single throw, which may be banked with any number of
            dice left.
    """

    rules: Ruleset
    table: MatchPosition
    points: PointsTable
    banked: Floats | None
    worth: TurnValues | None
    lost: float | None = None
    is_charity_roll: bool = False

    def option(self, at_risk: int, n_dice: int, *, hot: bool = False) -> TurnOption:
        """Return the choice between banking and throwing again, with this many points at risk and dice to throw.

        Args:
            at_risk: Points scored in the turn so far.
            n_dice: Number of dice in the next throw.
            hot: Whether all dice are thrown again because of hot dice.
        """
        refused = self._refusal(at_risk, 0 if hot else n_dice)
        steps = at_risk // self.points.throws.step
        banked = None if self.banked is None or refused else float(self.banked[steps])
        thrown = None if self.worth is None else float(self.worth.thrown[steps, n_dice, 0])
        rules = after_first_throw(self.rules) if at_risk else self.rules
        return TurnOption(
            at_risk=at_risk,
            n_dice=n_dice,
            refused=refused,
            farkle=farkle_within(rules, n_dice, 1),
            points=self.points.throwing(at_risk, n_dice),
            win_banked=banked,
            win_thrown=thrown,
        )

    def options(
        self, at_risk: int, keeps: Iterable[Keep], bonus: int = 0
    ) -> tuple[TurnOption, ...]:
        """Return the choice that each keep of a throw leads to, best first.

        Args:
            at_risk: Points scored in the turn before the throw.
            keeps: The legal keeps.
            bonus: Extra points for a single last die that scored.
        """
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
                "%(short)s short of the %(opening)s needed to get on the board",
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
            "%(short)s short of the %(least)s needed to bank", short=least - at_risk, least=least
        )


def turn_odds(
    rules: Ruleset, table: MatchPosition, wins: MatchOdds | None, *, most: int = 0
) -> TurnOdds:
    """Return the value of every choice in a turn.

    Args:
        rules: The rules.
        table: The match as the current player sees it.
        wins: The solved two-player match. None leaves out the chances of winning.
        most: Highest number of points at risk for which values are needed.
    """
    points = points_table(rules, opened=table.on_board)
    if wins is None or not wins.solved:
        return TurnOdds(rules, table, points, None, None)
    if isinstance(wins, RoundsOdds):
        steps = most // wins.step + 1
        banked, worth = wins.rounds_turn(
            table.mine - table.theirs, table.turns_left, table.on_boards, steps
        )
        return TurnOdds(rules, table, points, banked, worth)
    mine = wins.number(table.mine, opened=table.opened, farkles=table.farkles)
    if table.theirs // wins.step >= wins.model.ending.goal:
        return _last_turn(rules, table, wins, points, most)
    banked, worth = wins.turn(board_of(wins, table, mine), most // wins.step + 1)
    return TurnOdds(rules, table, points, banked, worth)


def board_of(wins: MatchOdds, table: MatchPosition, mine: int | None = None) -> Positions:
    """Return a position in a match as an index into the chances of the solved match.

    Args:
        wins: The solved match.
        table: The position.
        mine: Number of the current player's standing (see `Standings`). If it is None, it is
            worked out.

    Raises:
        OddsError: If somebody has reached the target.
    """
    if mine is None:
        mine = wins.number(table.mine, opened=table.opened, farkles=table.farkles)
    theirs = wins.number(table.theirs, opened=table.other_opened, farkles=table.other_farkles)
    return wins.board(mine, theirs, second=table.second)


def _last_turn(
    rules: Ruleset, table: MatchPosition, wins: MatchOdds, points: PointsTable, most: int
) -> TurnOdds:
    """Return the values of the last turn, after the other player has reached the target.

    The arguments are those of `turn_odds`, plus `points`, the average points of a turn.
    """
    ending = wins.model.ending
    if not ending.followed[0 if ending.seats == 1 or table.second else 1]:
        raise OddsError(
            "with %(points)s the other player has already reached %(target)s and won",
            points=table.theirs,
            target=wins.target,
        )
    compiled = compile_rules(rules)
    short = (table.theirs - table.mine) // compiled.step + 1
    least = compiled.needed(opened=table.on_board)
    needed = max(short, least, 1)
    if rules.last_round is LastRound.CHARITY_ROLL:
        worth = _charity_roll_values(rules, needed, least, most // compiled.step + 1)
    else:
        worth = values_to_reach(compiled, needed, least, most // compiled.step + 1)
    banked = (np.arange(len(worth.thrown)) >= needed).astype(np.float64)
    return TurnOdds(rules, table, points, banked, worth)


def _charity_roll_values(rules: Ruleset, needed: int, least: int, most: int) -> TurnValues:
    """Return the chance of winning with a single throw, which is banked whatever it scores.

    Args:
        rules: The rules.
        needed: Number of steps (usually 50 points each) needed to win.
        least: Smallest number of steps that may be banked.
        most: Highest number of steps at risk for which values are needed.
    """
    chance = chances_of_one_throw(rules, needed, least)[needed]
    thrown = np.full((most + 1, rules.n_dice + 1, 1), chance)
    return TurnValues(thrown[:, 1:], thrown)


def is_as_good(option: TurnOption, best: TurnOption) -> bool:
    """Return whether an option is as good as the best one, apart from a negligible difference.

    Args:
        option: The option.
        best: The best option.
    """
    if option.win is None or best.win is None:
        return abs(option.worth - best.worth) < POINTS_TOLERANCE
    return abs(option.win - best.win) < WIN_TOLERANCE
