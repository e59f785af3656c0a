"""An estimate of the chance of winning for matches that are not solved, which is quick under all rules.

Matches with a target are modelled as a race between players who play for points. In a match with a
fixed number of turns, the other players play for points until their last turn, in which they try to
beat the best score. Only the current turn, and the last turn of the current player, are played for
the chance of winning. Rules that the average points leave out are left out here as well.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from game.errors import OddsError
from game.match.apply_event import best_opponent
from game.match.state import State
from game.odds.compiled_rules import CompiledRules, Floats, compile_without_endings
from game.odds.race import RaceTurn, last_race_turn, play_turn, points_race, race_turn
from game.odds.turn_odds import (
    REFUSED,
    Stakes,
    asymptote,
    chances_to_reach,
    n_rows,
    solve_turn,
    turn_outcomes,
)
from game.rules.ruleset import LastRound, Ruleset

_MOST_STEPS = 160
"""Steps that a turn practically never scores: usually 8,000 points."""

_NEGLIGIBLE = 1e-9

_EVERY = 4
"""Scores for which a later last turn is played; the chances between them are interpolated."""


def estimated_turn(state: State, most: int) -> RaceTurn | None:
    """Return estimated chances of winning in the current turn, or None if there is no estimate.

    A single last throw leaves no choice, so it has no estimate.

    Args:
        state: State of a match without a winner.
        most: Highest number of points at risk for which chances are needed.
    """
    if state.is_charity_roll:
        return None
    try:
        if state.rules.rounds:
            return _fixed_turns(state, most)
        return _race(state, most)
    except OddsError:
        return None


def _race(state: State, most: int) -> RaceTurn:
    race, seat = points_race(state.rules), state.turn.seat
    step, mates = race.throws.step, state.team_seats(seat)
    mine = _steps(state, seat, step, race.goal)
    opened, most = state.player.opened, most // step + 1
    if state.closer is None:
        order = state.order_from(seat)
        place = {other: i for i, other in reversed([*enumerate(order)])}
        sides = dict.fromkeys(state.team_seats(other)[0] for other in order if other not in mates)
        first = [min(place[s] for s in state.team_seats(side) if s in place) for side in sides]
        later = len(order) - state.order.index(seat) if seat in state.order else len(order)
        rivals = [_steps(state, side, step, race.goal) for side in sides]
        return race_turn(
            race, mine, rivals, sum(at < later for at in first), opened=opened, most=most
        )
    best = state.players[best_opponent(state)].score // step
    after = [s for s in state.to_follow if s not in mates]
    rivals = [_steps(state, other, step, race.goal) for other in after]
    return last_race_turn(race, mine, best, rivals, opened=opened, most=most)


def _steps(state: State, seat: int, step: int, goal: int) -> int:
    return min(max(state.players[seat].score // step, 0), goal - 1)


def _fixed_turns(state: State, most: int) -> RaceTurn:
    """Return the chances in a match with a fixed number of turns for each player."""
    rules, seat = state.rules, state.turn.seat
    throws, mates = compile_without_endings(rules), state.team_seats(seat)
    left = {s: state.turns_left(s) for s in state.order}
    mine = max(state.player.score, 0) // throws.step
    own = sum(left.get(s, 0) for s in mates) - 1
    sides = dict.fromkeys(state.team_seats(other)[0] for other in state.order if other not in mates)
    order = (state.order[0], *state.order_from(state.order[0]))
    ahead = set(order[: min(order.index(s) for s in mates if s in order)])
    others = tuple(
        _Other(
            max(state.players[side].score, 0) // throws.step,
            sum(left.get(s, 0) for s in state.team_seats(side)),
            wins_ties=bool(ahead & set(state.team_seats(side))),
        )
        for side in sides
    )
    chance = _after_turn(rules, mine, own, others)
    if rules.target_ends_rounds and rules.last_round is LastRound.NONE:
        chance = np.where(throws.step * np.arange(len(chance)) >= rules.target, 1.0, chance)
    needed = throws.needed(opened=state.player.opened)
    top = max(_MOST_STEPS, most // throws.step + 1, needed)
    rows = np.minimum(mine + np.arange(n_rows(throws, top)), len(chance) - 1)
    return play_turn(throws, chance[rows], (float(chance[mine]), float(chance[0])), top, needed)


def _top(throws: CompiledRules) -> int:
    """Return the steps at risk from which every player banks, which are at least those that a bank needs."""
    return max(_MOST_STEPS, throws.needed(opened=True))


@dataclass(frozen=True, slots=True)
class _Other:
    """An opponent, or a team of opponents, in a match with a fixed number of turns.

    Attributes:
        score: Score in steps.
        turns: Turns that are left.
        wins_ties: Whether the opponent wins if both end with the same score.
    """

    score: int
    turns: int
    wins_ties: bool


@lru_cache(maxsize=64)
def _after_turn(rules: Ruleset, mine: int, own: int, others: tuple[_Other, ...]) -> Floats:
    """Return the chance of winning after a turn that ends with each score, indexed by that score.

    Args:
        rules: The rules, with a fixed number of turns.
        mine: Score of the current player before the turn, in steps.
        own: Turns that the player has after this one.
        others: The opponents.
    """
    ends = [
        other.score + len(_sums_of_turns(rules, other.turns - 1)) + len(_reaching(rules))
        for other in others
    ]
    chance = np.ones(max([mine, *ends]) + 1 + compile_without_endings(rules).largest)
    for other in others:
        chance *= 1 - _beaten(rules, other, len(chance))
    if own > 0:
        chance = _after_last_turn(rules, chance, mine)
        chance = _shifted(chance, _sums_of_turns(rules, own - 1))
    return chance


def _beaten(rules: Ruleset, other: _Other, size: int) -> Floats:
    """Return the chance that an opponent beats each score, indexed by that score up to `size`.

    The opponent is ahead before the last turn, or scores what is missing in it.
    """
    points = _sums_of_turns(rules, other.turns - 1)
    found = np.zeros(size + 1)
    found[: other.score] = 1.0
    found[other.score : other.score + len(points)] = points[::-1].cumsum()[::-1]
    if other.turns:
        last = np.convolve(points, _reaching(rules)[1:])
        found[other.score + 1 : other.score + 1 + len(last)] += last
    return found[:-1] if other.wins_ties else found[1:]


@lru_cache(maxsize=512)
def _sums_of_turns(rules: Ruleset, turns: int) -> Floats:
    """Return the chance that turns played for points score each number of steps in all, indexed by the steps."""
    if turns <= 0:
        return np.ones(1)
    if turns == 1:
        return turn_points(rules)
    half = turns // 2
    points = np.convolve(_sums_of_turns(rules, half), _sums_of_turns(rules, turns - half))
    return points[: np.flatnonzero(points > _NEGLIGIBLE)[-1] + 1]


def _shifted(chance: Floats, points: Floats) -> Floats:
    """Return the average chance after a turn that scores with these chances, indexed by the score before it."""
    padded = np.concatenate([chance, np.full(len(points), chance[-1])])
    found: Floats = np.convolve(padded[::-1], points)[::-1][len(points) - 1 :][: len(chance)]
    return found


def _after_last_turn(rules: Ruleset, chance: Floats, mine: int) -> Floats:
    """Return the chance before a player's last turn from each score, given the chance after it."""
    throws = compile_without_endings(rules)
    before, top = np.arange(mine, len(chance), _EVERY), _top(throws)
    steps = np.arange(n_rows(throws, top))[:, None]
    bank = chance[np.minimum(before + steps, len(chance) - 1)]
    lost, least = chance[before], throws.needed(opened=True)
    stakes = Stakes(
        bank=np.where(steps < least, REFUSED, bank),
        lost=lost,
        reset=lost,
        top=np.full(len(before), top),
        thrown_above=dict.fromkeys({0, *throws.must_throw}, bank),
    )
    return np.interp(np.arange(len(chance)), before, solve_turn(throws, stakes).begin())


@lru_cache(maxsize=8)
def turn_points(rules: Ruleset) -> Floats:
    """Return the chance that a turn played for points scores each number of steps, indexed by the steps."""
    throws = compile_without_endings(rules)
    line, top = asymptote(throws), _top(throws)
    steps = np.arange(n_rows(throws, top), dtype=np.float64)[:, None]
    stakes = Stakes(
        bank=np.where(steps < throws.needed(opened=True), REFUSED, steps),
        lost=np.zeros(1),
        reset=np.zeros(1),
        top=np.array([top]),
        thrown_above=line.thrown_where_one_must(throws, steps),
    )
    found = turn_outcomes(throws, stakes, solve_turn(throws, stakes)).banked[:, 0].copy()
    found[0] += 1 - found.sum()
    return found


@lru_cache(maxsize=8)
def _reaching(rules: Ruleset) -> Floats:
    throws = compile_without_endings(rules)
    found: Floats = chances_to_reach(throws, _top(throws), throws.needed(opened=True))
    return found
