"""What the camera saw: the value types that `vision.read` returns.

A Reading is never changed. What the match makes of it, and what a person corrects,
are other things with other names (see `game.match.match`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import cos, hypot, radians, sin
from typing import Any


class Zone(StrEnum):
    """Where a die lies: only dice in the tray are a throw."""

    TRAY = "tray"
    ASIDE = "aside"
    OUTSIDE = "outside"


class Problem(StrEnum):
    """Why a die, or a whole picture, cannot be read for sure."""

    COCKED = "cocked"
    HIDDEN = "hidden"
    STACKED = "stacked"
    UNREADABLE = "unreadable"
    HAND = "hand"
    DARK = "dark"
    TOO_SMALL = "too small"
    FOREIGN_OBJECT = "something else"


@dataclass(frozen=True, slots=True)
class Quad:
    """Four corners in picture pixels, in order around: the floor of a tray, say."""

    corners: tuple[
        tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]
    ]


@dataclass(frozen=True, slots=True)
class Die:
    """One die as seen, in picture pixels (origin top left, y down).

    `x`, `y` is the centre of the top face, `w`, `h` its upright bounding box, `angle` the turn
    of its edges in degrees, 0 <= angle < 90. `value` is None where the face cannot be read;
    `problem` then names why, and also where a value is given but not to be trusted.
    """

    value: int | None
    x: float
    y: float
    w: float
    h: float
    angle: float
    confidence: float
    zone: Zone = Zone.TRAY
    problem: Problem | None = None

    @property
    def size(self) -> float:
        """The edge of the top face in pixels, from the area of a square turned by `angle`."""
        return (self.w + self.h) / 2 / _spread(self.angle)


def _spread(angle_deg: float) -> float:
    """How much wider the bounding box of a turned square is than its edge."""
    return cos(radians(angle_deg)) + sin(radians(angle_deg))


@dataclass(frozen=True, slots=True)
class Lean:
    """How far the top of a die was seen to stand off its foot, in edges; where, and how large it was.

    `x`, `y`, off the middle of the picture, and `edge` are shares of its longer side: so it holds for
    pictures of any size from one camera.
    """

    x: float
    y: float
    right: float
    down: float
    edge: float


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one rest, and what stands in the way of trusting them.

    `problems` are those of the whole picture; each die carries its own. `leans` are of the dice
    that lie flat: they tell a `KnownTray` how the camera stands.
    """

    dice: tuple[Die, ...] = ()
    problems: tuple[Problem, ...] = ()
    ms: float = 0.0
    leans: tuple[Lean, ...] = field(default=(), compare=False)

    @property
    def dice_in_tray(self) -> tuple[Die, ...]:
        return tuple(die for die in self.dice if die.zone is Zone.TRAY)

    @property
    def values(self) -> tuple[int, ...]:
        """The readable faces in the tray, sorted."""
        return tuple(sorted(die.value for die in self.dice_in_tray if die.value is not None))

    @property
    def is_sure(self) -> bool:
        """False if anything in the tray was doubtful. An empty tray is a sure answer."""
        return not self.problems and all(die.problem is None for die in self.dice_in_tray)

    def relative_to(self, left: float, top: float) -> "Reading":
        """The same in the pixels of the part of the picture that begins there."""
        dice = tuple(replace(die, x=die.x - left, y=die.y - top) for die in self.dice)
        return replace(self, dice=dice, leans=())

    def to_json(self) -> dict[str, Any]:
        """The public form, as `traykeeper read --json` prints it (without the file's name)."""
        return {
            "values": list(self.values),
            "sure": self.is_sure,
            "dice": [_die_json(die) for die in self.dice],
            "problems": [str(problem) for problem in self.problems],
            "ms": round(self.ms, 1),
        }


def _die_json(die: Die) -> dict[str, Any]:
    return {
        "value": die.value,
        "x": round(die.x, 1),
        "y": round(die.y, 1),
        "w": round(die.w, 1),
        "h": round(die.h, 1),
        "angle": round(die.angle, 1),
        "confidence": round(die.confidence, 3),
        "zone": str(die.zone),
        "problem": None if die.problem is None else str(die.problem),
    }


SAME_DIE = 0.5
"""Of a die's edge: two dice at rest are never closer than one edge, centre to centre."""


def combine_readings(readings: Sequence[Reading]) -> Reading:
    """The first reading, with every die in doubt that another look saw differently.

    A die that only some looks saw makes the whole reading doubtful too. `ms` adds up.
    """
    first, *others = readings
    dice = tuple(_confirmed(die, others) for die in first.dice)
    problems = list(first.problems)
    for other in others:
        problems += [problem for problem in other.problems if problem not in problems]
        if len(other.dice_in_tray) > len(first.dice_in_tray) and Problem.UNREADABLE not in problems:
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
