"""The play that maximises the chance to win against one opponent who plays as well.

A board is what both have when a turn begins. Banking leads to a board on which they have more
together, so boards are solved from the highest sums down. A turn that brings nothing leads to
the same board with the other on turn: those two boards hang on each other. Each is worth
F(1 - the other), where F is a whole turn played for a given worth of losing it: convex, rising,
made of straight pieces. Newton's steps on all such pairs of one sum at once find where both hold;
the slope of F is that between its last two values, exact on a straight piece.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, Indices
from game.odds.ending import MatchEnding
from game.odds.throw_odds import chances_to_reach
from game.odds.turn_odds import far
from game.odds.turn_solver import REFUSED, Stakes, in_hand, play, rows

_CLOSE = 1e-8
"""Chance by which the boards of a pair may miss before the last step, which squares it."""

_PATIENCE = 60
_SLOPE = 0.4
"""How much of a turn's worth hangs on what losing it is worth, at first guess."""

_NEGLIGIBLE = 1e-10
"""What throwing on instead of banking may win at most where it is not looked at."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Some boards at the beginning of a turn, in steps: the columns of the arrays.

    `seat` is 0 where the player on turn began the match; 0 for all where that does not matter.
    """

    seat: Indices
    mine: Indices
    theirs: Indices

    def __len__(self) -> int:
        return len(self.mine)

    def at(self, order: Indices) -> "Positions":
        return Positions(self.seat[order], self.mine[order], self.theirs[order])

    def index(self) -> tuple[Indices, Indices, Indices]:
        """Where their chances are in the array of all."""
        return self.seat, self.mine, self.theirs


@dataclass(frozen=True, slots=True)
class MatchSolver:
    """A match of two under compiled rules, with all that solving its boards needs."""

    throws: CompiledRules
    ending: MatchEnding
    escape: Floats
    reaching: Floats

    @classmethod
    def of(cls, throws: CompiledRules, ending: MatchEnding) -> "MatchSolver":
        both = [
            chances_to_reach(throws, ending.goal, throws.needed(opened=opened))[: ending.goal + 1]
            for opened in (False, True)
        ]
        return cls(throws, ending, far(throws).slope, np.stack(both))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the array of chances to win: [seat, mine, theirs]."""
        return self.ending.seats, self.ending.goal, self.ending.goal

    def unsolved(self) -> Floats:
        return np.full(self.shape, np.nan)

    def of_sum(self, total: int) -> Positions:
        """All boards with so many steps together."""
        seats, goal, _ = self.shape
        mine = np.arange(max(0, total - goal + 1), min(goal - 1, total) + 1)
        return Positions(
            seat=np.repeat(np.arange(seats), len(mine)),
            mine=np.tile(mine, seats),
            theirs=np.tile(total - mine, seats),
        )

    def other(self, boards: Positions) -> Positions:
        """The same boards with the other on turn."""
        seat = 1 - boards.seat if self.ending.seats > 1 else boards.seat
        return Positions(seat, boards.theirs, boards.mine)

    def needed(self, boards: Positions) -> Indices:
        """Steps that the player on turn needs to bank; whoever has points is on the board."""
        both = [self.throws.needed(opened=False), self.throws.needed(opened=True)]
        needed: Indices = np.array(both, np.intp)[(boards.mine > 0).astype(np.intp)]
        return needed

    def stakes(self, boards: Positions, wins: Floats, lost: Floats, most: int = 0) -> Stakes:
        """What the ends of the turn are worth; `boards` as `sorted_by_top` has them."""
        top = np.maximum(self.top(boards, wins), most)
        steps = np.arange(rows(self.throws, int(top.max())))[:, None]
        score, needed = boards.mine + steps, self.needed(boards)
        bank = np.where(score < self.ending.goal, self._going_on(boards, wins, score), 0.0)
        reached = score >= self.ending.goal
        bank[reached] = self._reached(boards, score, lost)[reached]
        above = self._thrown_above(bank, lost)
        over = None
        if self.ending.exactly:
            over = score > self.ending.goal
            above = dict.fromkeys(above, np.broadcast_to(lost, bank.shape))
        bank[steps < needed] = REFUSED
        if over is not None:
            bank = np.where(over, lost, bank)
        return Stakes(bank, lost, top, above, over)

    def _thrown_above(self, bank: Floats, lost: Floats) -> dict[int, Floats]:
        """By the dice left: banked in the end or lost, as often as somebody who only wants out."""
        escape = self.escape[in_hand(self.throws)]
        return {
            left: escape[left] * bank + (1 - escape[left]) * lost
            for left in {0, *self.throws.must_throw}
        }

    def _going_on(self, boards: Positions, wins: Floats, score: Indices) -> Floats:
        other = self.other(boards).seat
        theirs, score = boards.theirs[None, :], np.minimum(score, self.ending.goal - 1)
        going_on: Floats = 1.0 - wins[other[None, :], theirs, score]
        return going_on

    def _reached(self, boards: Positions, score: Indices, lost: Floats) -> Floats:
        if self.ending.exactly:
            return np.where(score == self.ending.goal, 1.0, lost)
        followed = np.array(self.ending.followed)[boards.seat]
        held = self.ending.held(score - boards.theirs, boards.theirs > 0)
        return np.where(followed, held, 1.0)

    def top(self, boards: Positions, wins: Floats) -> Indices:
        """From where on everybody banks.

        That is where the target is reached, or, where the other may follow, where the lead is so
        large that one farkle more would lose more than any further points could win.
        """
        to_goal = np.maximum(self.ending.goal - boards.mine, self.needed(boards))
        if self.ending.exactly:
            return self.ending.goal - boards.mine
        followed = np.array(self.ending.followed)[boards.seat]
        if not followed.any():
            return to_goal
        safe = self._safe_lead(boards, wins) + boards.theirs - boards.mine
        return np.where(followed, np.maximum(to_goal, safe), to_goal)

    def _safe_lead(self, boards: Positions, wins: Floats) -> Indices:
        """The lead from which on the other's last turn is a smaller risk than any throw."""
        least = 0.0 if self.throws.must_throw else float(self.throws.farkle[1:].min())
        risk = np.maximum(least * self._others_least(boards, wins), _NEGLIGIBLE)
        catching = self.ending.catching[(boards.theirs > 0).astype(np.intp)]
        lead: Indices = (catching > risk[:, None]).sum(axis=1)
        return lead

    def _others_least(self, boards: Positions, wins: Floats) -> Floats:
        """A chance to win that the other has at least when this turn brings nothing.

        Half that on a board on which the player on turn has a step more, if there is one; else
        that of reaching the target at once and being followed by one step.
        """
        goal, other = self.ending.goal, self.other(boards)
        above = np.minimum(boards.mine + 1, goal - 1)
        solved = wins[other.seat, boards.theirs, above]
        at_once = self.reaching[(boards.theirs > 0).astype(np.intp), goal - boards.theirs]
        held = self.ending.held(np.array([1]), [1])[0]
        return np.where(boards.mine + 1 < goal, np.nan_to_num(solved) / 2, at_once * held)

    def sorted_by_top(self, boards: Positions, wins: Floats) -> Positions:
        """The boards in the order in which the turn wants its columns."""
        return boards.at(np.argsort(-self.top(boards, wins), kind="stable"))

    def stakes_on_solved(self, boards: Positions, wins: Floats, most: int = 0) -> Stakes:
        """The stakes of turns that are solved, thrown on up to `most` steps at least."""
        lost = 1.0 - wins[self.other(boards).index()]
        return self.stakes(boards, wins, lost, most)


def solve(duel: MatchSolver, wins: Floats) -> Iterator[float]:
    """Fill in every chance to win that is not a number yet; yields the share that is done.

    The caller may stop and keep `wins` at any time, and go on with it another day.

    Raises:
        OddsError: on some board neither player can ever win.
    """
    goal = duel.ending.goal
    work = np.array([_work(duel, total) for total in range(2 * goal - 1)])
    slopes = np.full((duel.shape[0], goal), _SLOPE)
    for total in range(2 * goal - 2, -1, -1):
        boards = duel.of_sum(total)
        if np.isnan(wins[boards.index()]).any():
            _solve_sum(duel, duel.sorted_by_top(boards, wins), wins, slopes)
        yield float(work[total:].sum() / work.sum())


def _work(duel: MatchSolver, total: int) -> float:
    """How long the boards of this sum take, about: turns, and steps until the target."""
    mine = duel.of_sum(total).mine
    return float(len(mine) * (duel.ending.goal - mine.min()))


def _solve_sum(duel: MatchSolver, boards: Positions, wins: Floats, slopes: Floats) -> None:
    pairs = _pairs(duel, boards)
    guess = _guess(duel, boards, wins)
    slope = slopes[boards.seat, boards.mine]
    lost_before, worth_before = np.zeros(0), np.zeros(0)
    lost = 1.0 - guess[pairs]
    for _ in range(_PATIENCE):
        worth = play(duel.throws, duel.stakes(boards, wins, lost)).begin()
        if len(worth_before):
            slope = _slope(slope, worth - worth_before, lost - lost_before)
        missed = np.abs(worth - (1.0 - lost[pairs])).max()
        solved = _newton(worth, slope, lost, pairs)
        if missed < _CLOSE:
            wins[boards.index()] = solved
            slopes[boards.seat, boards.mine] = slope
            return
        lost_before, worth_before, lost = lost, worth, 1.0 - solved[pairs]
    raise OddsError(
        Message("under these rules a match may have no end: nobody can win from some scores")
    )


def _pairs(duel: MatchSolver, boards: Positions) -> Indices:
    """For each board the column of the one with the other on turn."""
    column = {key: i for i, key in enumerate(zip(*map(list, boards.index()), strict=True))}
    other = duel.other(boards)
    return np.array([column[key] for key in zip(*map(list, other.index()), strict=True)], np.intp)


def _guess(duel: MatchSolver, boards: Positions, wins: Floats) -> Floats:
    """From boards of a higher sum, as if the chances lay in a plane."""
    last = duel.ending.goal - 1
    up, over = np.minimum(boards.mine + 1, last), np.minimum(boards.theirs + 1, last)
    plane = wins[boards.seat, up, boards.theirs] + wins[boards.seat, boards.mine, over]
    guess = plane - wins[boards.seat, up, over]
    return np.clip(np.where(np.isnan(guess), 0.5, guess), 0.0, 1.0)


def _slope(slope: Floats, rise: Floats, run: Floats) -> Floats:
    """Between the last two values; as before where they are one."""
    moved = np.abs(run) > _NEGLIGIBLE
    found = np.where(moved, rise / np.where(moved, run, 1.0), slope)
    return np.clip(found, 0.0, 1.0)


def _newton(worth: Floats, slope: Floats, lost: Floats, pairs: Indices) -> Floats:
    """Where the straight pieces through both worths of each pair meet."""
    start = worth + slope * (1.0 - lost)
    apart = np.maximum(1.0 - slope * slope[pairs], np.finfo(np.float64).eps)
    met: Floats = (start - slope * start[pairs]) / apart
    return np.clip(met, 0.0, 1.0)
