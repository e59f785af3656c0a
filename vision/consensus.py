"""Several readings of the same rest -> one: a die is only as sure as all looks agree on it."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot

from vision.reading import Die, Problem, Reading

SAME_DIE = 0.5
"""Of a die's edge: two dice at rest are never closer than one edge, centre to centre."""


def agree(readings: Sequence[Reading]) -> Reading:
    """The first reading, with every die in doubt that another look saw differently.

    A die that only some looks saw makes the whole reading doubtful too. `ms` adds up.
    """
    first, *others = readings
    dice = tuple(_confirmed(die, others) for die in first.dice)
    problems = list(first.problems)
    for other in others:
        problems += [problem for problem in other.problems if problem not in problems]
        if len(other.in_tray) > len(first.in_tray) and Problem.UNREADABLE not in problems:
            problems.append(Problem.UNREADABLE)
    ms = sum(reading.ms for reading in readings)
    return Reading(dice, tuple(problems), ms, first.leans)


def _confirmed(die: Die, others: Sequence[Reading]) -> Die:
    for other in others:
        twin = next((d for d in other.dice if _is_same(die, d)), None)
        if twin is None or (twin.value, twin.zone) != (die.value, die.zone):
            return replace(die, value=None, confidence=0.0, problem=Problem.UNREADABLE)
        worse = min(die.confidence, twin.confidence)
        die = replace(die, confidence=worse, problem=die.problem or twin.problem)
    return die


def _is_same(a: Die, b: Die) -> bool:
    return hypot(a.x - b.x, a.y - b.y) < SAME_DIE * a.size
