"""The result of reading a frame: the value types that `vision.read` returns.

A `Reading` never changes. What the match accepts, and what a person corrects, are separate
objects (see `game.match.match`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import cos, hypot, radians, sin
from typing import Any, Self

SAME_DIE_EDGES = 0.5
"""Two positions closer than this, in die edges, belong to the same die: dice at rest are at least one edge apart."""


class Zone(StrEnum):
    """The area in which a die lies. Only dice in the tray belong to a throw."""

    TRAY = "tray"
    ASIDE = "aside"
    OUTSIDE = "outside"


class Problem(StrEnum):
    """The reason why a die, or a whole frame, cannot be read with certainty."""

    COCKED = "cocked"
    HIDDEN = "hidden"
    STACKED = "stacked"
    CUT_OFF = "cut off"
    AT_WALL = "at the wall"
    UNREADABLE = "unreadable"
    HAND = "hand"
    DARK = "dark"
    GLARE = "glare"
    TOO_SMALL = "too small"
    SIDE_VIEW = "seen from the side"
    MOVED = "moved"
    FOREIGN_OBJECT = "something else"


@dataclass(frozen=True, slots=True)
class Quad:
    """Four corners of a shape, such as the floor of a tray, in frame pixels and in order around it."""

    corners: tuple[
        tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]
    ]

    @classmethod
    def of(cls, corners: Iterable[Iterable[float]]) -> Self:
        """Return the shape with these four corners, such as an array (4, 2)."""
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        return cls((a, b, c, d))

    def scaled(self, factor: float) -> "Quad":
        """Return these corners in a frame that is `factor` times as large."""
        a, b, c, d = ((x * factor, y * factor) for x, y in self.corners)
        return Quad((a, b, c, d))


@dataclass(frozen=True, slots=True)
class Die:
    """One die in a frame, in pixels with the origin at the top left and y pointing down.

    An object that may be a die or may hide one is a `Die` as well, without a value and with `Problem.FOREIGN_OBJECT`.

    Attributes:
        value: Face that points upwards, 1 to 6, or None if it cannot be read. `problem` then says why.
        x: Horizontal position of the centre of the top face.
        y: Vertical position of the centre of the top face.
        w: Width of the upright bounding box of the top face.
        h: Height of that bounding box.
        angle: Rotation of the edges in degrees, from 0 to below 90.
        confidence: Probability from 0 to 1 that the value is right and the die lies flat.
        zone: Area in which the die lies.
        problem: Why the die is not certain. A die with a problem can still have a likely value.
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
        """Edge of the top face in pixels."""
        # The bounding box of a square turned by `angle` is wider by cos + sin of the angle.
        turn = radians(self.angle)
        return (self.w + self.h) / 2 / (cos(turn) + sin(turn))


@dataclass(frozen=True, slots=True)
class Lean:
    """How far the top of a die that lies flat is displaced from its foot, and where in the frame.

    Objects appear to lean away from the point below the camera (relief displacement), so the
    leans of several dice reveal the camera's position and lens. Positions and sizes are shares of the
    frame's longer side, so that they hold for frames of any resolution from the same camera.

    Attributes:
        x: Horizontal position relative to the centre of the frame.
        y: Vertical position relative to the centre of the frame.
        right: Displacement of the top to the right, in die edges.
        down: Displacement of the top downwards, in die edges.
        edge: Edge of the top face.
    """

    x: float
    y: float
    right: float
    down: float
    edge: float


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice in a frame of a still tray, and the problems that make them or the frame uncertain.

    Attributes:
        dice: Every die and foreign object that was found, in any zone. One that is not certain has its own `problem`.
        problems: Problems of the whole frame, such as a hand or darkness.
        ms: Time that the reading took, in milliseconds.
        leans: Leans of the dice that lie flat, from which a `KnownTray` derives the camera pose.
    """

    dice: tuple[Die, ...] = ()
    problems: tuple[Problem, ...] = ()
    ms: float = 0.0
    leans: tuple[Lean, ...] = field(default=(), compare=False)

    @property
    def dice_in_tray(self) -> tuple[Die, ...]:
        """The dice that lie in the tray."""
        return tuple(die for die in self.dice if die.zone is Zone.TRAY)

    @property
    def values(self) -> tuple[int, ...]:
        """The readable faces in the tray, in ascending order."""
        return tuple(sorted(die.value for die in self.dice_in_tray if die.value is not None))

    @property
    def is_sure(self) -> bool:
        """Whether nothing in the tray is uncertain. An empty tray is a certain answer."""
        return not self.problems and all(die.problem is None for die in self.dice_in_tray)

    def relative_to(self, left: float, top: float) -> "Reading":
        """Return this reading in the pixels of a crop of the frame, without its leans.

        Args:
            left: Column of the frame at which the crop begins.
            top: Row of the frame at which the crop begins.
        """
        dice = tuple(replace(die, x=die.x - left, y=die.y - top) for die in self.dice)
        return replace(self, dice=dice, leans=())

    def to_json(self) -> dict[str, Any]:
        """Return the fields that `traykeeper read --json` prints, except the file name."""
        return {
            "values": list(self.values),
            "sure": self.is_sure,
            "dice": [_die_json(die) for die in self.dice],
            "problems": [str(problem) for problem in self.problems],
            "ms": round(self.ms, 1),
        }


def combine_readings(readings: Sequence[Reading]) -> Reading:
    """Combine several readings of the same still tray into one.

    The result is the first reading. A die that another reading does not confirm becomes unreadable, and a die
    that appears only in another reading makes the whole result uncertain. `ms` is the total time of all
    readings.
    """
    first, *others = readings
    dice = tuple(_confirmed(die, others) for die in first.dice)
    problems = list(first.problems)
    for other in others:
        problems += [problem for problem in other.problems if problem not in problems]
        has_more = len(other.dice_in_tray) > len(first.dice_in_tray)
        if has_more and Problem.UNREADABLE not in problems:
            problems.append(Problem.UNREADABLE)
    return Reading(dice, tuple(problems), sum(reading.ms for reading in readings), first.leans)


def _confirmed(die: Die, others: Sequence[Reading]) -> Die:
    for other in others:
        twin = next((d for d in other.dice if _is_same_die(die, d)), None)
        if twin is None or (twin.value, twin.zone) != (die.value, die.zone):
            return replace(die, value=None, confidence=0.0, problem=Problem.UNREADABLE)
        lower = min(die.confidence, twin.confidence)
        die = replace(die, confidence=lower, problem=die.problem or twin.problem)
    return die


def _is_same_die(a: Die, b: Die) -> bool:
    return hypot(a.x - b.x, a.y - b.y) < SAME_DIE_EDGES * a.size


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
