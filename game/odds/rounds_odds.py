"""The exact solution of a two-player match with a fixed number of turns.

Only the difference of the two scores matters, the number of turns that are left, and who is on the board. The
values are worked out backwards from the end: those of a turn follow from those of the next turn.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from game.errors import OddsError
from game.odds.compiled_rules import CompiledRules, Floats, Indices, compile_rules
from game.odds.match_model import unsolvable_reason
from game.odds.match_odds import MatchOdds
from game.odds.turn_odds import REFUSED, Stakes, TurnValues, n_rows, solve_turn
from game.rules.ruleset import Ruleset

_MOST_STEPS = 240
"""Steps that a turn practically never scores, usually 12,000 points: under `farkle-ten` with a chance of 0.0000004,
if the player tries. Rules with a throw of more than half as many points need more."""

_MOST_AHEAD = 400
"""Largest difference of scores that is distinguished, in steps: usually 20,000 points. A larger one counts as this one."""

_BATCH_SIZE = 256
"""Number of differences that are worked out at once, which limits the memory to about 20 MB for most rules."""

_CERTAIN = 1e-9
"""Chances that are this close to 0 or 1 count as 0 or 1."""

_NOBODY = 0
"""Number of the boards on which neither player is on the board."""


@dataclass(frozen=True)
class RoundsOdds(MatchOdds):
    """Chances of winning a two-player match with a fixed number of turns against an equally good opponent.

    Attributes:
        chances: Chance of winning for the current player, indexed by [turns left of both players, who
            is on the board, difference of the scores in steps + the largest one]. NaN if unknown.
            Without an opening, both players count as on the board.
    """

    @classmethod
    def unsolved(cls, rules: Ruleset, target: int) -> "RoundsOdds":
        """Return the odds of a match before any chance has been worked out.

        Args:
            rules: The rules, with a fixed number of turns.
            target: Not used.

        Raises:
            OddsError: If the match cannot be solved.
        """
        if refusal := unsolvable_reason(rules):
            raise OddsError(refusal)
        chances = np.full(_shape(rules), np.nan)
        ahead = chances.shape[2] // 2
        chances[0] = np.arange(-ahead, ahead + 1) >= 0  # the player who began wins a tie
        return cls(rules, target, chances)

    @property
    def has_right_shape(self) -> bool:
        """Whether the chances are those of as many turns and leads as the rules have."""
        return self.chances.shape == _shape(self.rules)

    @property
    def first_player(self) -> float:
        """Chance of winning for the player who begins the match."""
        return float(self.chances[-1, _NOBODY, self._ahead])

    @property
    def _ahead(self) -> int:
        return int(self.chances.shape[2]) // 2

    def solve(self) -> Iterator[float]:
        """Work out the unknown chances, and yield the share of the work that is done.

        The caller may stop at any time, store the chances, and continue later.
        """
        n_turns, n_boards, _ = self.chances.shape
        every = np.arange(-self._ahead, self._ahead + 1)
        for left, board in product(range(1, n_turns), range(n_boards)):
            if np.isnan(self.chances[left, board, 0]):
                parts = np.array_split(every, -(-len(every) // _BATCH_SIZE))
                found = [self._begin(left, board, part) for part in parts]
                self.chances[left, board] = np.concatenate(found)
            yield (left * n_boards + board + 1) / (n_turns * n_boards)

    def _begin(self, left: int, board: int, lead: Indices) -> Floats:
        """Return the chances at the start of a turn, for each lead of the current player in ascending order."""
        throws, stakes = self._stakes(left, board, lead)
        best = np.maximum(stakes.bank.max(axis=0), stakes.lost)
        open_ = np.flatnonzero((best > _CERTAIN) & (stakes.lost < 1 - _CERTAIN))
        found = np.where(best > _CERTAIN, 1.0, 0.0)
        if len(open_):
            some = slice(int(open_[0]), int(open_[-1]) + 1)
            found[some] = solve_turn(throws, stakes.at(some)).begin()
        return found

    def _stakes(
        self, left: int, board: int, lead: Indices, most: int = 0
    ) -> tuple[CompiledRules, Stakes]:
        """Return the stakes of a turn for each lead, in ascending order.

        Args:
            left: Turns that both players have left, including this one.
            board: Who is on the board.
            lead: Difference of the scores in steps, positive if the current player is ahead.
            most: Highest number of steps at risk that the stakes must cover.
        """
        throws = compile_rules(self.rules)
        mine, other = divmod(board, 2) if self.rules.opening else (1, 1)
        top = max(_MOST_STEPS, 2 * throws.largest, most)
        steps = np.arange(n_rows(throws, top))[:, None]
        bank = 1 - self._chance(left - 1, 2 * other + 1, -(lead + steps))
        lost = 1 - self._chance(left - 1, 2 * other + mine, -lead)
        enough = np.full(len(lead), top)
        if not throws.must_throw:
            enough = (bank < 1 - _CERTAIN).sum(axis=0)
        least = throws.needed(opened=bool(mine))
        return throws, Stakes(
            bank=np.where(steps < least, REFUSED, bank),
            lost=lost,
            reset=lost,
            top=np.clip(enough, least, top),
            thrown_above=dict.fromkeys({0, *throws.must_throw}, bank),
        )

    def _chance(self, left: int, board: int, lead: Indices) -> Floats:
        at = np.clip(lead + self._ahead, 0, 2 * self._ahead)
        found: Floats = self.chances[left, board if self.rules.opening else 0][at]
        return found

    def win(self, lead: int, turns_left: int, board: int) -> float:
        """Return the chance of winning for the player whose turn begins.

        Args:
            lead: Score of the current player minus that of the other player, in points.
            turns_left: Turns that both players have left, including this one.
            board: Who is on the board: 2 if the current player is, plus 1 if the other player is.

        Raises:
            OddsError: If the number of turns is not known.
        """
        self._check(turns_left, least=0)
        return float(self._chance(turns_left, board, np.array(lead // self.step)))

    def rounds_turn(
        self, lead: int, turns_left: int, board: int, most: int
    ) -> tuple[Floats, TurnValues]:
        """Return the chance of winning by banking, and the chance at every stage of the turn.

        The chance of winning by banking is indexed by the points at risk, in steps.

        Args:
            lead: As for `win`.
            turns_left: As for `win`.
            board: As for `win`.
            most: Highest number of steps at risk that the chances must cover; they may cover more.

        Raises:
            OddsError: If the number of turns is not known.
        """
        self._check(turns_left, least=1)
        throws, stakes = self._stakes(turns_left, board, np.array([lead // self.step]), most)
        return stakes.bank[:, 0], solve_turn(throws, stakes)

    def _check(self, turns_left: int, least: int) -> None:
        if not least <= turns_left < len(self.chances):
            raise OddsError("the chance of winning depends on the number of turns that are left")


def _shape(rules: Ruleset) -> tuple[int, int, int]:
    """Return the shape of `RoundsOdds.chances`."""
    ahead = max(_MOST_AHEAD, 4 * compile_rules(rules).largest)
    return 2 * rules.rounds + 1, 4 if rules.opening else 1, 2 * ahead + 1
