"""The chance that one turn banks at least so many points, by the play that makes it largest."""

from functools import cache

import numpy as np

from game.odds.far import far
from game.odds.throws import CompiledRules, Floats, Indices, throws
from game.odds.turn import REFUSED, Stakes, Worth, play, rows
from game.ruleset import Ruleset

_BOARDS = 64
"""Boards worked out together; more need more memory than they save time."""


def reaching(throws: CompiledRules, needed: int, least: int, most: int = 0) -> Worth:
    """Chance to bank `needed` steps or more, from every point of a turn up to `most` steps.

    Below `least` steps nothing may be banked.
    """
    return _reaching(throws, np.array([max(needed, least)]), least, most)


def _reaching(throws: CompiledRules, needed: Indices, least: int, most: int = 0) -> Worth:
    top = np.maximum(needed, most)
    steps = np.arange(rows(throws, int(top.max())))[:, None]
    enough = (steps >= needed).astype(np.float64)
    stakes = Stakes(
        bank=np.where(steps >= least, enough, REFUSED),
        lost=np.zeros(len(needed)),
        top=top,
        hot_above=np.full(enough.shape, far(throws).slope[-1]),
    )
    return play(throws, stakes)


def chances_to_reach(throws: CompiledRules, most: int, least: int) -> Floats:
    """Chance of a turn that begins to bank at least n steps, for n from 0 to `most`."""
    most = max(most, least)
    if throws.forced.n and least > 1:
        return _each_alone(throws, most, least)
    to_go = reaching(throws, most, 1).thrown[: most + 1, -1, 0][::-1]
    chances = np.concatenate([[to_go[1]], to_go[1:]])
    chances[:least] = chances[least]
    return chances


def _each_alone(throws: CompiledRules, most: int, least: int) -> Floats:
    """Where a bank is forced but refused below the least, what was had before matters too."""
    needed = np.maximum(np.arange(most, -1, -1), least)
    parts = [
        _reaching(throws, needed[i : i + _BOARDS], least).begin()
        for i in range(0, len(needed), _BOARDS)
    ]
    return np.concatenate(parts)[::-1]


@cache
def chances_of_one_throw(rules: Ruleset, most: int, least: int) -> Floats:
    """Chance of a throw of all dice to score at least n steps, for n from 0 to `most`."""
    compiled = throws(rules)
    best = np.zeros(compiled.largest + 1)
    for classes in (compiled.free, compiled.forced):
        for c in range(classes.n):
            most_steps = max(int(steps[c]) for steps in classes.steps if c < len(steps))
            best[most_steps] += classes.weights[-1, c]
    chances = np.zeros(max(most, least) + 1)
    at_least = best[::-1].cumsum()[::-1][: len(chances)]
    chances[: len(at_least)] = at_least
    chances[:least] = chances[least]
    return chances
