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
from game.rules.scoring import Keep, count_orders, keep_table, must_throw_reason, points_step

_TOP = 180
"""Steps at risk from which every player banks: usually 9,000 points."""

_MOST_TURNS = 240
"""Number of turns after which a match between two levels counts as over."""

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

    Openings, last rounds and penalties are left out, and both players ignore the scores. Compared with
    matches that were played, the share is off by about one in 100 (docs/odds.md).

    Args:
        rules: The rules.
        style: The style whose wins are counted.
        others: The other styles. All of them have the same `worth_of_die`.
    """
    mine, theirs = points_of_turns(rules, [style])[:, 0], points_of_turns(rules, others).T
    if rules.rounds:
        total = _points_after(mine, rules.rounds)
        totals = [_points_after(each, rules.rounds) for each in theirs]
        return np.array([total @ (each.cumsum() - each / 2) for each in totals])
    goal = max(rules.target // points_step(rules), 1)
    below = _still_below(mine, goal)
    rivals = [_still_below(each, goal) for each in theirs]
    return np.array([-np.diff(below) @ (each[:-1] + each[1:]) / 2 for each in rivals])


def _points_after(points: Floats, turns: int) -> Floats:
    """Return the chances of the points of several turns, given those of one turn, both indexed by the steps."""
    size, found = len(points) * turns, points
    for _ in range(turns - 1):
        found = np.convolve(found, points)
    return np.pad(found, (0, size - len(found)))


def _still_below(points: Floats, goal: int) -> Floats:
    """Return the chance that a player is still below the goal after each number of turns, from none."""
    at, below = np.eye(1, goal)[0], [1.0]
    for _ in range(_MOST_TURNS):
        at = np.convolve(at, points)[:goal]
        below.append(float(at.sum()))
    return np.array([*below, 0.0])


def points_of_turns(rules: Ruleset, styles: Sequence[PlayerStyle]) -> Floats:
    """Return the chance that a turn banks each number of points, indexed by [steps, style].

    Every course of a turn is followed with the keeps and thresholds of these styles.

    Args:
        rules: The rules.
        styles: The styles. All of them have the same `worth_of_die`.
    """
    step, n_dice, top = points_step(rules), rules.n_dice, _TOP
    most = _MOST_MULTIPLIER if rules.hot_dice_multiply else 1
    throws: Counter[tuple[int, int, int, int, int]] = Counter()
    for dice, keeps in keep_table(rules).items():
        if keeps:
            best, kept = keeps[0], most_worth(keeps, styles[0].worth_of_die, n_dice)
            choice = best.score // step, best.dice_left, kept.score // step, kept.dice_left
            throws[len(dice), *choice] += count_orders(dice)
    largest = most * max(steps for _, steps, *_ in throws)
    banks = _chances_to_bank(rules, styles, top + largest + 1)
    there = np.zeros((len(banks[0]), n_dice + 1, most + 1, len(styles)))
    banked = np.zeros_like(banks[0])
    there[0, n_dice, 1] = 1.0
    for at, factor in product(range(top), range(1, most + 1)):
        now = there[at, :, factor]
        if not now.any():
            continue
        for (n, steps, left, kept_steps, kept_left), count in throws.items():
            share, to = now[n] * (count / 6**n), at + steps * factor
            bank = share * banks[left][to]
            banked[to] += bank
            now_hot = min(factor + (kept_left == 0), most)
            there[at + kept_steps * factor, kept_left or n_dice, now_hot] += share - bank
    banked[0] += 1 - banked.sum(axis=0)
    return banked


def _chances_to_bank(rules: Ruleset, styles: Sequence[PlayerStyle], size: int) -> list[Floats]:
    """Return, for each number of dice left, the chance to bank, indexed by [steps at risk, style]."""
    points = np.arange(size)[:, None] * points_step(rules)
    found = []
    for left in range(rules.n_dice):
        at = np.array([style.thresholds[(left or rules.n_dice) - 1] for style in styles])
        chance = 1 / (1 + np.exp(-((points - at) / styles[0].spread).clip(-40, 40)))
        chance[points[:, 0] < rules.minimum_bank] = 0.0
        found.append(np.zeros_like(chance) if must_throw_reason(left, rules) else chance)
        found[-1][_TOP:] = 1.0
    return found
