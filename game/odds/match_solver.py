"""The solver of a two-player match: it maximises the chance of winning against an equally good opponent.

A board is the position when a turn begins: the standings of both players. Banking leads to a board
with a higher sum of scores, so boards are solved from the highest sum down. A turn that scores
nothing leads to the same board with the other player to throw, so these two boards depend on each
other: the chance on each is F(1 - the chance on the other), where F(x) is the value of a whole turn
if losing that turn is worth x. F is convex, rising and piecewise linear. Newton's method solves all
such pairs with the same sum of scores at once. The slope of F comes from its last two values, which
is exact as long as both lie on the same piece.

Where the rules count farkles in a row, a farkle never leads back to the same board. The boards with
the most farkles are then solved first, and Newton's method is not needed. A penalty or a reset
leads to a lower sum, which is not solved yet. In that case all boards are solved repeatedly,
starting from the solution without penalties or resets, until no chance changes. Such turns are
rare, so a few rounds are enough.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from game.errors import OddsError
from game.odds.compiled_rules import Floats, Indices
from game.odds.match_model import MatchModel, Positions
from game.odds.match_stakes import UNLIMITED, MatchStakes
from game.odds.turn_solver import Stakes, solve_turn

_MAX_PAIR_ERROR = 1e-8
"""Largest error of the chances on a pair of boards before the last Newton step, which squares the error."""

_MAX_ROUNDS = 60
_START_SLOPE = 0.4
"""First guess at the slope of F, the function described above."""

_MAX_CHANGE = 1e-6
"""Largest change in the last round over all boards. Another round would change the chances by only
a tenth of this."""

_NEARLY_DONE = 0.99

_CORES, _MIN_SHARED_BOARDS = 2, 64
"""Number of cores that share the boards with one sum of scores, and smallest number of boards for
which sharing is faster."""

_NEGLIGIBLE = 1e-10
"""Change in the value of a lost turn below which a slope cannot be measured."""


@dataclass(frozen=True, slots=True)
class _Depth:
    """The precision with which turns are calculated in a round over all boards (positions).

    Attributes:
        highest: Steps at risk from which a player is assumed to bank or to go for the target.
        settled: Rounds are repeated until no chance changes by more than this.
        rounds: Expected number of such rounds in the whole work, for reporting progress.
        is_single_precision: Whether 32-bit floats are enough.
    """

    highest: int
    settled: float
    rounds: int
    is_single_precision: bool = False


_SHALLOW = _Depth(40, 1e-3, 16, is_single_precision=True)
"""For the first rounds. Few turns score more than 40 steps."""

_DEEP = _Depth(80, _MAX_CHANGE, 4)
_TO_THE_END = _Depth(UNLIMITED, _MAX_CHANGE, 5)
"""For rules under which throwing all dice never farkles, so that a player can always throw again."""


def solve(stakes: MatchStakes, wins: Floats) -> Iterator[float]:
    """Fill in every unknown chance of winning, and yield the share of the work that is done.

    The caller may stop at any time and continue later with the same `wins`.

    Args:
        stakes: The values of all ways in which turns of the match can end.
        wins: Chance of winning for the current player, in all positions. Unknown chances are NaN.

    Raises:
        OddsError: If there is a position from which neither player can ever win.
    """
    model = stakes.model
    work = _work(model)
    slopes = np.full((model.shape[0], model.ending.goal), _START_SLOPE)
    for i, total in enumerate(model.sums):
        boards = model.of_sum(total)
        if np.isnan(wins[boards.index()]).any():
            _solve_sum(stakes, stakes.sorted_by_top(boards, wins), wins, slopes)
        yield float(work[: i + 1].sum() / work.sum())


def solve_iteratively(stakes: MatchStakes, wins: Floats) -> Iterator[float]:
    """Solve all positions repeatedly until nothing changes; yield the approximate share of the work done.

    Args:
        stakes: The values of all ways in which turns of the match can end.
        wins: A guess at every chance of winning. The chance at the start of the match is NaN until
            all chances are right.

    Raises:
        OddsError: If the chances do not converge.
    """
    model = stakes.model
    work = _work(model)
    start = model.standings.find(0, opened=False)
    found = wins.copy()
    found[0, start, start] = np.nan_to_num(found[0, start, start], nan=0.5)
    depths, done = _depths(model), 0.0
    for _ in range(_MAX_ROUNDS):
        depth, before = depths[0], found.copy()
        slopes = np.full((model.shape[0], model.ending.goal), _START_SLOPE)
        for i, total in enumerate(model.sums):
            _sweep(stakes, model.of_sum(total), found, slopes, depth)
            part = float(work[: i + 1].sum() / work.sum())
            yield min(_NEARLY_DONE, done + part / depth.rounds)
        done += 1 / depth.rounds
        wins[:] = found
        if np.abs(found - before).max() < depth.settled:
            depths = depths[1:]
            if not depths:
                return
        wins[0, start, start] = np.nan
    raise OddsError("under these rules a match may never end: penalties take more than turns earn")


def _depths(model: MatchModel) -> tuple[_Depth, ...]:
    if model.standings.is_static:
        return (_DEEP,)
    never_farkles = model.throws.farkle[model.throws.n_dice] == 0
    return _SHALLOW, _TO_THE_END if never_farkles else _DEEP


def _sweep(
    stakes: MatchStakes, boards: Positions, wins: Floats, slopes: Floats, depth: _Depth
) -> None:
    """Solve positions with the same sum of scores.

    The chances in positions with lower sums come from the previous round over all positions.

    Args:
        stakes: The values of all ways in which turns of the match can end.
        boards: The positions to solve.
        wins: Chance of winning for the current player, in all positions. It is updated in place.
        slopes: Latest slope of F, the value of a turn as a function of the value of losing it,
            indexed by [seat, score]. It is updated in place.
        depth: How precisely turns are calculated.
    """
    standings = stakes.model.standings
    if standings.is_static:
        _solve_sum(stakes, stakes.sorted_by_top(boards, wins), wins, slopes)
        return
    farkles = standings.farkles()
    counted = farkles[boards.mine] + farkles[boards.theirs]
    for n in range(int(counted.max()), -1, -1):
        some = stakes.sorted_by_top(boards.at(np.flatnonzero(counted == n)), wins)
        lost = stakes.model.value_of_farkle(some, wins)
        found = stakes.stakes(some, wins, lost, highest=depth.highest)
        wins[some.index()] = _turn_values(
            stakes.model, found.in_single_precision() if depth.is_single_precision else found
        )


def _work(model: MatchModel) -> Floats:
    """Estimate the work for the positions with each sum of scores, from the highest sum down.

    The work in a position is assumed to grow with the number of steps that the current player still
    needs.
    """
    score = model.standings.score
    n = np.bincount(score - score.min())
    to_go = (model.ending.goal - score.min()) - np.arange(len(n))
    work: Floats = np.convolve(n * to_go, n)[::-1].astype(np.float64)
    return work


def _solve_sum(stakes: MatchStakes, boards: Positions, wins: Floats, slopes: Floats) -> None:
    model = stakes.model
    pairs = _pairs(model, boards)
    guess = _guess(model, boards, wins)
    mine, _ = model.scores(boards)
    slope = slopes[boards.seat, mine]
    lost_before, value_before = np.zeros(0), np.zeros(0)
    lost = 1.0 - guess[pairs]
    for _ in range(_MAX_ROUNDS):
        value = _turn_values(model, stakes.stakes(boards, wins, lost))
        if len(value_before):
            slope = _slope(slope, value - value_before, lost - lost_before)
        missed = np.abs(value - (1.0 - lost[pairs])).max()
        solved = _newton(value, slope, lost, pairs)
        if missed < _MAX_PAIR_ERROR:
            wins[boards.index()] = solved
            slopes[boards.seat, mine] = slope
            return
        lost_before, value_before, lost = lost, value, 1.0 - solved[pairs]
    raise OddsError("under these rules a match may never end: from some scores nobody can win")


def _turn_values(model: MatchModel, stakes: Stakes) -> Floats:
    """Return the value of a whole turn in each position.

    If there are many, two cores share the work.
    """
    if len(stakes.lost) < _MIN_SHARED_BOARDS:
        return solve_turn(model.throws, stakes).begin()
    halves = [stakes.at(slice(i, None, _CORES)) for i in range(_CORES)]
    value = np.empty_like(stakes.lost)
    with ThreadPoolExecutor(_CORES) as cores:
        found = cores.map(lambda half: solve_turn(model.throws, half).begin(), halves)
        for i, values in enumerate(found):
            value[i::_CORES] = values
    return value


def _pairs(model: MatchModel, boards: Positions) -> Indices:
    """Return, for each position, the index of the same position with the other player to throw."""
    column = {key: i for i, key in enumerate(zip(*map(list, boards.index()), strict=True))}
    swapped = model.swapped(boards)
    return np.array([column[key] for key in zip(*map(list, swapped.index()), strict=True)], np.intp)


def _guess(model: MatchModel, boards: Positions, wins: Floats) -> Floats:
    """Return a first guess at the chance in each position.

    A chance from an earlier round is used as it is. Unknown chances are extrapolated from those
    with higher sums of scores.
    """
    known = wins[boards.index()]
    mine, theirs = model.scores(boards)
    last = model.ending.goal - 1
    up = model.standings.after_bank(np.minimum(mine + 1, last))
    over = model.standings.after_bank(np.minimum(theirs + 1, last))
    plane = wins[boards.seat, up, boards.theirs] + wins[boards.seat, boards.mine, over]
    guess = np.where(np.isnan(known), plane - wins[boards.seat, up, over], known)
    return np.clip(np.where(np.isnan(guess), 0.5, guess), 0.0, 1.0)


def _slope(slope: Floats, rise: Floats, run: Floats) -> Floats:
    """Return rise / run, or the old slope where `run` is almost 0, limited to between 0 and 1."""
    moved = np.abs(run) > _NEGLIGIBLE
    found = np.where(moved, rise / np.where(moved, run, 1.0), slope)
    return np.clip(found, 0.0, 1.0)


def _newton(value: Floats, slope: Floats, lost: Floats, pairs: Indices) -> Floats:
    """Return the chance in each position at which the tangents of its pair of positions meet.

    Args:
        value: Value of a turn in each position.
        slope: Slope of the tangent in each position: the change of `value` with `lost`.
        lost: Value of a lost turn in each position, from which `value` was calculated.
        pairs: Index of the other position of each pair.
    """
    start = value + slope * (1.0 - lost)
    apart = np.maximum(1.0 - slope * slope[pairs], np.finfo(np.float64).eps)
    met: Floats = (start - slope * start[pairs]) / apart
    return np.clip(met, 0.0, 1.0)
