"""How often players who bank at thresholds win against each other, if both play for points alone.

Every course of a turn is followed, so nothing is simulated.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from game.match.events import PlayerStyle
from game.odds.compiled_rules import Floats
from game.rules.ruleset import Ruleset
from game.rules.scoring import (
    Keep,
    all_keeps,
    count_orders,
    keep_table,
    must_throw_reason,
    points_step,
)

_TOP = 180
"""Steps at risk from which every player banks: usually 9,000 points."""

_MOST_TURNS = 240
"""Number of turns after which a match between two levels counts as over."""

_NEGLIGIBLE = 1e-6
"""Chance that neither level has reached the target, below which the match counts as over."""

_MOST_GOAL = 400
"""Number of steps to the target that is enough: with twice as many, larger steps are taken."""

_MOST_MULTIPLIER = 6
"""Largest factor of points after hot dice that is considered."""


def most_worth(keeps: Sequence[Keep], worth_of_die: int, n_dice: int) -> Keep:
    """Return the keep with the most points, counting extra points for each die left to throw.

    Args:
        keeps: The keeps to choose from.
        worth_of_die: Points to add for each die left for the next throw.
        n_dice: Number of dice that are thrown after hot dice.
    """
    return max(keeps, key=lambda keep: keep.score + worth_of_die * (keep.dice_left or n_dice))


def shares_won(rules: Ruleset, style: PlayerStyle, others: Sequence[PlayerStyle]) -> Floats:
    """Return the share of two-player matches that a style wins against each of the others.

    Openings, last rounds and penalties are left out. Both players ignore the scores, except that they bank what
    reaches the target. Where a level should win 60 %, it won 58 to 62 % of the matches that were played (docs/odds.md).

    Args:
        rules: The rules.
        style: The style whose wins are counted.
        others: The other styles. All of them have the same `worth_of_die`.
    """
    (mine, reached), (theirs, others_reached) = (
        points_of_turns(rules, styles) for styles in ([style], others)
    )
    if rules.rounds:
        total = _points_after(mine[:, 0], rules.rounds)
        totals = [_points_after(each, rules.rounds) for each in theirs.T]
        return np.array([total @ (each.cumsum() - each / 2) for each in totals])
    points, wins = np.hstack([mine, theirs]).T, np.hstack([reached, others_reached]).T
    below = _still_below(points, wins, max(rules.target // unit(rules), 1))
    return -((below[1:] + below[:-1]) / 2)[:, 1:].T @ np.diff(below[:, 0])


def unit(rules: Ruleset) -> int:
    """Return the points of a step for players at thresholds, usually the largest number that divides every score.

    If the target is far away in such steps, a step is larger, but no larger than the lowest score. Scores are
    rounded to steps.

    Args:
        rules: The rules.
    """
    step = points_step(rules)
    least = min(keep.score for keep in all_keeps(rules) if keep.score > 0)
    return step * max(1, min(rules.target // step // _MOST_GOAL, least // step))


def _points_after(points: Floats, turns: int) -> Floats:
    """Return the chances of the points of several turns, given those of one turn, both indexed by the steps."""
    size, found = len(points) * turns, points
    for _ in range(turns - 1):
        found = np.convolve(found, points)
    return np.pad(found, (0, size - len(found)))


def _still_below(points: Floats, reached: Floats, goal: int) -> Floats:
    """Return the chance of each player to be below the goal after each number of turns, indexed by [turns, player].

    Players bank as soon as they can reach the goal.

    Args:
        points: Chance of the points of one turn, indexed by [player, steps].
        reached: Chance that a turn can bank this much at some time, indexed by [player, steps].
        goal: The goal, in steps.
    """
    size = 2 * goal
    points, reached = (
        np.pad(each[:, : goal + 1], ((0, 0), (0, max(goal + 1 - each.shape[1], 0))))
        for each in (points, reached)
    )
    scored = points.copy()
    scored[:, 0] = 0
    of_turn = np.fft.rfft(scored[:, :goal], size)
    nothing = 1 - reached[:, 1:] - scored.cumsum(axis=1)[:, :-1]
    at = np.tile(np.eye(1, goal), (len(points), 1))
    below = [np.ones(len(points))]
    while len(below) <= _MOST_TURNS and below[-1].max() > _NEGLIGIBLE:
        moved = np.fft.irfft(np.fft.rfft(at, size) * of_turn, size)[:, :goal]
        at = moved + at * nothing[:, ::-1]
        below.append(at.sum(axis=1))
    return np.array([*below, np.zeros(len(points))])


def points_of_turns(rules: Ruleset, styles: Sequence[PlayerStyle]) -> tuple[Floats, Floats]:
    """Return the chance that a turn banks each number of points, and that it could bank at least as much at some time.

    Both are indexed by [steps, style]. Every course of a turn is followed with the keeps and thresholds of these styles.

    Args:
        rules: The rules.
        styles: The styles. All of them have the same `worth_of_die`.
    """
    step, n_dice, top = unit(rules), rules.n_dice, _TOP
    most = _MOST_MULTIPLIER if rules.hot_dice_multiply else 1
    throws: Counter[tuple[int, int, int, int, int]] = Counter()
    for dice, keeps in keep_table(rules).items():
        if keeps:
            best, kept = keeps[0], most_worth(keeps, styles[0].worth_of_die, n_dice)
            choice = best.dice_left, round(kept.score / step), kept.dice_left
            throws[round(best.score / step), len(dice), *choice] += count_orders(dice)
    steps, n, left, kept_steps, kept_left = np.array(sorted(throws)).T
    weight = np.array([throws[key] / 6.0 ** key[1] for key in sorted(throws)])[:, None]
    banks = np.array(_chances_to_bank(rules, styles, top + most * max(steps) + 1))
    there = np.zeros((banks.shape[1], n_dice + 1, most + 1, len(styles)))
    banked, reached = np.zeros(banks.shape[1:]), np.zeros((len(banks[0]) + 1, len(styles)))
    there[0, n_dice, 1] = 1.0
    by_kept = np.lexsort((kept_left, kept_steps))
    gains, first_gain = np.unique(steps, return_index=True)
    keeps_left = np.stack((kept_steps, kept_left))[:, by_kept]
    (gain, dice_left), first_kept = np.unique(keeps_left, axis=1, return_index=True)
    for at, factor in product(range(top), range(1, most + 1)):
        now = there[at, :, factor]
        if not now.any():
            continue
        share = now[n] * weight
        bank = share * banks[left, at + steps * factor]
        reached[at + 1] += share.sum(axis=0)
        reached[at + 1 + gains * factor] -= np.add.reduceat(share, first_gain)
        banked[at + gains * factor] += np.add.reduceat(bank, first_gain)
        now_hot = np.minimum(factor + (dice_left == 0), most)
        thrown = np.add.reduceat((share - bank)[by_kept], first_kept)
        there[at + gain * factor, np.where(dice_left, dice_left, n_dice), now_hot] += thrown
    banked[0] += 1 - banked.sum(axis=0)
    return banked, reached[:-1].cumsum(axis=0)


def _chances_to_bank(rules: Ruleset, styles: Sequence[PlayerStyle], size: int) -> list[Floats]:
    """Return, for each number of dice left, the chance to bank, indexed by [steps at risk, style]."""
    points = np.arange(size)[:, None] * unit(rules)
    found = []
    for left in range(rules.n_dice):
        at = np.array([style.thresholds[(left or rules.n_dice) - 1] for style in styles])
        chance = 1 / (1 + np.exp(-((points - at) / styles[0].spread).clip(-40, 40)))
        chance[points[:, 0] < rules.minimum_bank] = 0.0
        found.append(np.zeros_like(chance) if must_throw_reason(left, rules) else chance)
        found[-1][_TOP:] = 1.0
    return found
