"""The play that maximises the chance to win against one opponent who plays as well.

A board is what both have when a turn begins. Banking leads to a board on which they have more
together, so boards are solved from the highest sums down. A turn that brings nothing leads to
the same board with the other on turn: those two boards hang on each other. Each is worth
F(1 - the other), where F is a whole turn played for a given worth of losing it: convex, rising,
made of straight pieces. Newton's steps on all such pairs of one sum at once find where both hold;
the slope of F is that between its last two values, exact on a straight piece.

Where farkles in a row are counted nobody comes back to the same board: those with most farkles are
solved first, and no such steps are needed. A penalty or a reset leads to a lower sum, which is not
solved yet: then all is gone over again and again, from what the same rules give without these, until
nothing moves. Such throws and turns are rare, so that few rounds are enough.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, Indices
from game.odds.ending import MatchEnding
from game.odds.player_standings import Standings
from game.odds.throw_odds import chances_to_reach, values_to_reach
from game.odds.turn_odds import asymptote
from game.odds.turn_solver import REFUSED, Stakes, dice_after_keep, n_rows, solve_turn

_CLOSE = 1e-8
"""Chance by which the boards of a pair may miss before the last step, which squares it."""

_PATIENCE = 60
_SLOPE = 0.4
"""How much of a turn's worth hangs on what losing it is worth, at first guess."""

_AT_REST = 1e-6
"""Chance by which a board may move in the last round over all of them: the next moves it a tenth."""

_NEARLY = 0.99

_CORES, _WORTH_SHARING = 2, 64
"""Cores that share the boards of one sum, and from how many on that is worth it."""

_NEGLIGIBLE = 1e-10
"""What throwing on instead of banking may win at most where it is not looked at."""


@dataclass(frozen=True, slots=True)
class _Depth:
    """How far turns are followed in a round over all boards.

    From `highest` steps at risk on one banks or goes for the target. It is gone over again until no board
    moves by more than `at_rest`; about so many `rounds` take as long as a solution takes.
    """

    highest: int
    at_rest: float
    rounds: int
    in_short: bool = False


_SHALLOW = _Depth(40, 1e-3, 16, in_short=True)
"""Most turns never see more."""

_DEEP = _Depth(80, _AT_REST, 4)
_TO_THE_END = _Depth(10**9, _AT_REST, 5)
"""Where throwing all dice is no risk, one goes on for ever."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Some boards at the beginning of a turn: the columns of the arrays.

    `mine` and `theirs` are numbers of `Holdings`. `seat` is 0 where the player on turn began the
    match; 0 for all where that does not matter.
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
    holdings: Standings
    escape: Floats
    reaching: Floats
    striving: Floats

    @classmethod
    def of(cls, throws: CompiledRules, ending: MatchEnding, holdings: Standings) -> "MatchSolver":
        both = [
            chances_to_reach(throws, ending.goal, throws.needed(opened=opened))[: ending.goal + 1]
            for opened in (False, True)
        ]
        most = ending.goal - holdings.floor
        striving = values_to_reach(throws, most, 1).thrown[: most + 1, :, 0][::-1]
        return cls(throws, ending, holdings, asymptote(throws).slope, np.stack(both), striving)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the array of chances to win: [seat, mine, theirs]."""
        return self.ending.seats, len(self.holdings), len(self.holdings)

    @property
    def falls(self) -> bool:
        """Whether a turn may lead to a lower sum."""
        return bool(self.throws.reset.any()) or not self.holdings.stay

    @property
    def sums(self) -> range:
        """Steps that both may have together, from the most down."""
        low, high = int(self.holdings.score.min()), int(self.holdings.score.max())
        return range(2 * high, 2 * low - 1, -1)

    def unsolved(self) -> Floats:
        return np.full(self.shape, np.nan)

    def of_sum(self, total: int) -> Positions:
        """All boards with so many steps together."""
        score, seats = self.holdings.score, self.ending.seats
        mine, theirs = np.nonzero(score[:, None] == total - score)
        return Positions(
            seat=np.repeat(np.arange(seats), len(mine)),
            mine=np.tile(mine, seats),
            theirs=np.tile(theirs, seats),
        )

    def other(self, boards: Positions) -> Positions:
        """The same boards with the other on turn."""
        seat = 1 - boards.seat if self.ending.seats > 1 else boards.seat
        return Positions(seat, boards.theirs, boards.mine)

    def scores(self, boards: Positions) -> tuple[Indices, Indices]:
        """Steps of the player on turn, and of the other."""
        return self.holdings.score[boards.mine], self.holdings.score[boards.theirs]

    def opened(self, standing: Indices) -> Indices:
        """1 where on the board, else 0."""
        return self.holdings.opened[standing].astype(np.intp)

    def after(self, boards: Positions, wins: Floats, mine: Indices) -> Floats:
        """What it is worth to end a turn with these holdings."""
        other = self.other(boards)
        worth: Floats = 1.0 - wins[other.seat, other.mine, mine]
        return worth

    def lost(self, boards: Positions, wins: Floats) -> Floats:
        """What a turn is worth that brings nothing."""
        return self.after(boards, wins, self.holdings.lost[boards.mine])

    def idle(self, boards: Positions, wins: Floats) -> Floats:
        """What a turn is worth that brings nothing and is no farkle, since it overshot."""
        return self.after(boards, wins, self.holdings.idle[boards.mine])

    def needed(self, boards: Positions) -> Indices:
        """Steps that the player on turn needs to bank."""
        both = [self.throws.needed(opened=False), self.throws.needed(opened=True)]
        needed: Indices = np.array(both, np.intp)[self.opened(boards.mine)]
        return needed

    def stakes(
        self,
        boards: Positions,
        wins: Floats,
        lost: Floats,
        most: int = 0,
        highest: int = _TO_THE_END.highest,
    ) -> Stakes:
        """What the ends of the turn are worth; `boards` as `sorted_by_top` has them.

        From `highest` steps on at the latest everybody is taken to bank, or to go for the target.
        Who is over a target to be hit may prefer a farkle, and can throw until there is one.
        """
        needed = self.needed(boards)
        top = np.maximum(self.top(boards, wins), most)
        capped = bool((top > np.maximum(highest, needed)).any())
        top = np.minimum(top, np.maximum(highest, needed))
        steps = np.arange(n_rows(self.throws, int(top.max())))[:, None]
        score = self.holdings.score[boards.mine] + steps
        going_on = np.minimum(score, self.ending.goal - 1)
        bank = self.after(boards, wins, self.holdings.banked(going_on))
        reached = score >= self.ending.goal
        short = lost if self.holdings.stay else self.idle(boards, wins)
        bank[reached] = self._reached(boards, score, short)[reached]
        above = self._thrown_above(bank, lost)
        if capped and not self.ending.exactly:
            above = self._going_for_it(boards, score, lost, above)
        over = None
        if self.ending.exactly:
            over = score > self.ending.goal
            farkled = np.broadcast_to(lost, bank.shape)
            above = dict.fromkeys(range(self.throws.n_dice), farkled) | {
                left: np.maximum(worth, lost) for left, worth in above.items()
            }
        bank[steps < needed] = REFUSED
        if over is not None:
            bank = np.where(over, self._overshot(boards, wins, steps, short), bank)
        reset = np.zeros(len(boards))
        if self.throws.reset.any():
            reset = self.after(boards, wins, self.holdings.reset[boards.mine])
        return Stakes(bank, lost, reset, top, above, over)

    def _thrown_above(self, bank: Floats, lost: Floats) -> dict[int, Floats]:
        """By the dice left: banked in the end or lost, as often as somebody who only wants out."""
        escape = self.escape[dice_after_keep(self.throws)]
        return {
            left: escape[left] * bank + (1 - escape[left]) * lost
            for left in {0, *self.throws.must_throw}
        }

    def _going_for_it(
        self, boards: Positions, score: Indices, lost: Floats, above: dict[int, Floats]
    ) -> dict[int, Floats]:
        """By the dice left: throwing until the target is reached, where that is more than `above`."""
        won = self._reached(boards, np.full((1, len(boards)), self.ending.goal), lost)
        to_go, gain = np.maximum(self.ending.goal - score, 0), won - lost
        found = dict(above)
        for left, dice in enumerate(dice_after_keep(self.throws)):
            worth = self.striving[to_go, dice]
            worth *= gain
            worth += lost
            found[left] = np.maximum(worth, above[left]) if left in above else worth
        return found

    def _reached(self, boards: Positions, score: Indices, short: Floats) -> Floats:
        if self.ending.exactly:
            return np.where(score == self.ending.goal, 1.0, short)
        followed = np.array(self.ending.followed)[boards.seat]
        lead = score - self.holdings.score[boards.theirs]
        held = self.ending.held(lead, self.opened(boards.theirs))
        return np.where(followed, held, 1.0)

    def _overshot(self, boards: Positions, wins: Floats, steps: Indices, short: Floats) -> Floats:
        """What a turn of so many steps is worth that goes over a target to be hit exactly."""
        given = self.holdings.score[boards.theirs] + steps
        if not self.ending.welfare:
            return np.broadcast_to(short, given.shape)
        theirs = self.holdings.given(boards.theirs, np.minimum(given, self.ending.goal - 1))
        worth = 1.0 - wins[self.other(boards).seat, theirs, self.holdings.idle[boards.mine]]
        return np.where(
            given < self.ending.goal, worth, np.where(given > self.ending.goal, short, 0)
        )

    def top(self, boards: Positions, wins: Floats) -> Indices:
        """From where on everybody banks.

        That is where the target is reached, or, where the other may follow, where the lead is so
        large that one farkle more would lose more than any further points could win.
        """
        mine, theirs = self.scores(boards)
        to_goal = np.maximum(self.ending.goal - mine, self.needed(boards))
        if self.ending.exactly:
            most = self.ending.goal - mine
            past_both = np.maximum(most, self.ending.goal - theirs + 1)
            return past_both if self.ending.welfare else most
        followed = np.array(self.ending.followed)[boards.seat]
        if not followed.any():
            return to_goal
        safe = self._safe_lead(boards, wins) + theirs - mine
        return np.where(followed, np.maximum(to_goal, safe), to_goal)

    def _safe_lead(self, boards: Positions, wins: Floats) -> Indices:
        """The lead from which on the other's last turn is a smaller risk than any throw."""
        least = 0.0 if self.throws.must_throw else float(self.throws.farkle[1:].min())
        risk = np.maximum(least * self._others_least(boards, wins), _NEGLIGIBLE)
        catching = self.ending.catching[self.opened(boards.theirs)]
        lead: Indices = (catching > risk[:, None]).sum(axis=1)
        return lead

    def _others_least(self, boards: Positions, wins: Floats) -> Floats:
        """A chance to win that the other has at least when this turn brings nothing.

        Half that on a board on which the player on turn has a step more, if there is one; else
        that of reaching the target at once and being followed by one step.
        """
        goal, other = self.ending.goal, self.other(boards)
        mine, theirs = self.scores(boards)
        above = self.holdings.banked(np.minimum(mine + 1, goal - 1))
        solved = wins[other.seat, boards.theirs, above]
        at_once = self.reaching[self.opened(boards.theirs), np.minimum(goal - theirs, goal)]
        held = self.ending.held(np.array([1]), [1])[0]
        return np.where(mine + 1 < goal, np.nan_to_num(solved) / 2, at_once * held)

    def sorted_by_top(self, boards: Positions, wins: Floats) -> Positions:
        """The boards in the order in which the turn wants its columns."""
        return boards.at(np.argsort(-self.top(boards, wins), kind="stable"))

    def stakes_on_solved(self, boards: Positions, wins: Floats, most: int = 0) -> Stakes:
        """The stakes of turns that are solved, thrown on up to `most` steps at least."""
        return self.stakes(boards, wins, self.lost(boards, wins), most)


def solve(duel: MatchSolver, wins: Floats) -> Iterator[float]:
    """Fill in every chance to win that is not a number yet; yields the share that is done.

    The caller may stop and keep `wins` at any time, and go on with it another day.

    Raises:
        OddsError: on some board neither player can ever win.
    """
    work = _work(duel)
    slopes = np.full((duel.shape[0], duel.ending.goal), _SLOPE)
    for i, total in enumerate(duel.sums):
        boards = duel.of_sum(total)
        if np.isnan(wins[boards.index()]).any():
            _solve_sum(duel, duel.sorted_by_top(boards, wins), wins, slopes)
        yield float(work[: i + 1].sum() / work.sum())


def solve_iteratively(duel: MatchSolver, wins: Floats) -> Iterator[float]:
    """Go over all boards until nothing moves; yields the share that is done, about.

    `wins` holds a guess of every chance; that of the board on which a match begins is not a number
    until all are right.

    Raises:
        OddsError: it does not come to rest.
    """
    work = _work(duel)
    begin = duel.holdings.find(0, opened=False)
    found = wins.copy()
    found[0, begin, begin] = np.nan_to_num(found[0, begin, begin], nan=0.5)
    depths, done = _depths(duel), 0.0
    for _ in range(_PATIENCE):
        depth, before = depths[0], found.copy()
        slopes = np.full((duel.shape[0], duel.ending.goal), _SLOPE)
        for i, total in enumerate(duel.sums):
            _sweep(duel, duel.of_sum(total), found, slopes, depth)
            part = float(work[: i + 1].sum() / work.sum())
            yield min(_NEARLY, done + part / depth.rounds)
        done += 1 / depth.rounds
        wins[:] = found
        if np.abs(found - before).max() < depth.at_rest:
            depths = depths[1:]
            if not depths:
                return
        wins[0, begin, begin] = np.nan
    raise OddsError(
        Message("under these rules a match may have no end: penalties take more than turns bring")
    )


def _depths(duel: MatchSolver) -> tuple[_Depth, ...]:
    if duel.holdings.stay:
        return (_DEEP,)
    safe = duel.throws.farkle[duel.throws.n_dice] == 0
    return _SHALLOW, _TO_THE_END if safe else _DEEP


def _sweep(
    duel: MatchSolver, boards: Positions, wins: Floats, slopes: Floats, depth: _Depth
) -> None:
    """Solve the boards of one sum, over those of lower sums as they were found before."""
    if duel.holdings.stay:
        _solve_sum(duel, duel.sorted_by_top(boards, wins), wins, slopes)
        return
    farkles = duel.holdings.farkles()
    counted = farkles[boards.mine] + farkles[boards.theirs]
    for n in range(int(counted.max()), -1, -1):
        some = duel.sorted_by_top(boards.at(np.flatnonzero(counted == n)), wins)
        stakes = duel.stakes(some, wins, duel.lost(some, wins), highest=depth.highest)
        wins[some.index()] = _begin(duel, stakes.in_short() if depth.in_short else stakes)


def _work(duel: MatchSolver) -> Floats:
    """How long the boards of each sum take, about: turns, and steps until the target."""
    n = np.bincount(duel.holdings.score - duel.holdings.score.min())
    to_go = (duel.ending.goal - duel.holdings.score.min()) - np.arange(len(n))
    work: Floats = np.convolve(n * to_go, n)[::-1].astype(np.float64)
    return work


def _solve_sum(duel: MatchSolver, boards: Positions, wins: Floats, slopes: Floats) -> None:
    pairs = _pairs(duel, boards)
    guess = _guess(duel, boards, wins)
    mine, _ = duel.scores(boards)
    slope = slopes[boards.seat, mine]
    lost_before, worth_before = np.zeros(0), np.zeros(0)
    lost = 1.0 - guess[pairs]
    for _ in range(_PATIENCE):
        worth = _begin(duel, duel.stakes(boards, wins, lost))
        if len(worth_before):
            slope = _slope(slope, worth - worth_before, lost - lost_before)
        missed = np.abs(worth - (1.0 - lost[pairs])).max()
        solved = _newton(worth, slope, lost, pairs)
        if missed < _CLOSE:
            wins[boards.index()] = solved
            slopes[boards.seat, mine] = slope
            return
        lost_before, worth_before, lost = lost, worth, 1.0 - solved[pairs]
    raise OddsError(
        Message("under these rules a match may have no end: nobody can win from some scores")
    )


def _begin(duel: MatchSolver, stakes: Stakes) -> Floats:
    """What the turns are worth, half of the boards on each of two cores."""
    if len(stakes.lost) < _WORTH_SHARING:
        return solve_turn(duel.throws, stakes).begin()
    halves = [stakes.at(slice(i, None, _CORES)) for i in range(_CORES)]
    worth = np.empty_like(stakes.lost)
    with ThreadPoolExecutor(_CORES) as cores:
        for i, found in enumerate(
            cores.map(lambda half: solve_turn(duel.throws, half).begin(), halves)
        ):
            worth[i::_CORES] = found
    return worth


def _pairs(duel: MatchSolver, boards: Positions) -> Indices:
    """For each board the column of the one with the other on turn."""
    column = {key: i for i, key in enumerate(zip(*map(list, boards.index()), strict=True))}
    other = duel.other(boards)
    return np.array([column[key] for key in zip(*map(list, other.index()), strict=True)], np.intp)


def _guess(duel: MatchSolver, boards: Positions, wins: Floats) -> Floats:
    """What was found before; else from boards of a higher sum, as if the chances lay in a plane."""
    known = wins[boards.index()]
    mine, theirs = duel.scores(boards)
    last = duel.ending.goal - 1
    up = duel.holdings.banked(np.minimum(mine + 1, last))
    over = duel.holdings.banked(np.minimum(theirs + 1, last))
    plane = wins[boards.seat, up, boards.theirs] + wins[boards.seat, boards.mine, over]
    guess = np.where(np.isnan(known), plane - wins[boards.seat, up, over], known)
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
