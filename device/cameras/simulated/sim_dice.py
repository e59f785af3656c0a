"""The dice of the simulated table, and the ways in which hands move them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import cos, pi, sin

import numpy as np

from device.cameras.simulated.die_pose import DiePose, extent_mm, flat_rotation, yaw_of
from device.cameras.simulated.lens import Floats
from device.cameras.simulated.throw import AtRest, DieMotion, plan_throw
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, TABLE_MM, Area

# np.random takes time and memory to import, and only a simulated tray needs it


TOUCHING_MM = 0.1  # the gap between dice that touch: they never overlap
APART_MM = 0.6  # the smallest gap between dice that do not touch
ROUNDING_MM = 1e-9
FLAT_RAD = 0.01  # rounding errors tilt a die less than this
TRIES = 400  # a tray holds dozens of dice; six are placed within a few tries
AGAINST_DIE = 0.22  # share of dice that come to rest against another die
AGAINST_WALL = 0.12
SPREAD_MM = (62.0, 40.0)  # standard deviation of thrown dice in x and y
SCATTER_AROUND_MM = (0.0, 6.0)  # thrown dice come to rest a little beyond the centre


@dataclass(frozen=True, slots=True)
class Footprint:
    """The square that a die covers when seen from above.

    Attributes:
        x_mm: x of the centre in tray coordinates.
        y_mm: y of the centre in tray coordinates.
        yaw: Direction of the edges in radians, from the x axis.
        edge_mm: Length of the edges.
    """

    x_mm: float
    y_mm: float
    yaw: float
    edge_mm: float

    @classmethod
    def of(cls, pose: DiePose, edge_mm: float) -> Footprint:
        """Return the footprint of a die; for a leaning die, a square around it.

        Args:
            pose: Position and rotation of the die.
            edge_mm: Edge of the die.
        """
        x_mm, y_mm, _ = (float(v) for v in pose.centre_mm)
        if pose.tilt > FLAT_RAD:
            return cls(x_mm, y_mm, 0.0, 2 * float(extent_mm(pose.turn, edge_mm)[:2].max()))
        return cls(x_mm, y_mm, yaw_of(pose.turn), edge_mm)

    def pose(self, value: int, quarter: int, ground_mm: float = 0.0) -> DiePose:
        """Return the pose of a flat die with this footprint.

        Args:
            value: The face on top, 1 to 6.
            quarter: Number of right angles by which the die is turned.
            ground_mm: Height of the ground above the floor of the tray.
        """
        centre = np.array([self.x_mm, self.y_mm, ground_mm + self.edge_mm / 2])
        return DiePose(centre, flat_rotation(value, self.yaw + quarter * pi / 2))

    def is_apart_from(self, other: Footprint, gap_mm: float) -> bool:
        """Return whether two footprints are at least `gap_mm` apart, by the separating axis theorem.

        Args:
            other: The other footprint.
            gap_mm: The smallest gap.
        """
        way = np.array([other.x_mm - self.x_mm, other.y_mm - self.y_mm])
        return any(
            abs(float(way @ axis))
            >= self.half_extent(axis) + other.half_extent(axis) + gap_mm - ROUNDING_MM
            for axis in (*self.axes(), *other.axes())
        )

    def is_inside(self, area: Area) -> bool:
        """Return whether the footprint lies entirely inside an area."""
        half_mm = self.half_extent(np.array([1.0, 0.0])) - ROUNDING_MM  # the same along y
        return (
            area.left_mm + half_mm <= self.x_mm <= area.right_mm - half_mm
            and area.near_mm + half_mm <= self.y_mm <= area.far_mm - half_mm
        )

    def axes(self) -> tuple[Floats, Floats]:
        """Return two unit vectors along the edges of the footprint."""
        along = np.array([cos(self.yaw), sin(self.yaw)])
        return along, np.array([-along[1], along[0]])

    def half_extent(self, axis: Floats) -> float:
        """Return half the extent of the footprint along a unit vector, in millimetres."""
        along, across = self.axes()
        return (abs(float(along @ axis)) + abs(float(across @ axis))) * self.edge_mm / 2


def find_rest(
    rng: np.random.Generator,
    taken: Sequence[Footprint],
    edge_mm: float,
    around_mm: tuple[float, float],
) -> Footprint:
    """Find a free place on the floor of the tray for a die.

    Args:
        rng: Source of random numbers.
        taken: Footprints of the dice that already lie in the tray.
        edge_mm: Edge of the die.
        around_mm: x and y of the point near which the die comes to rest.

    Raises:
        ValueError: If the tray is full.
    """
    for attempt in range(TRIES):
        wider = 1 + 3 * attempt / TRIES
        x, y = rng.normal(around_mm, (SPREAD_MM[0] * wider, SPREAD_MM[1] * wider))
        spot = Footprint(float(x), float(y), float(rng.uniform(0, pi / 2)), edge_mm)
        gap_mm = APART_MM
        chance = float(rng.random())
        if taken and chance < AGAINST_DIE:
            spot, gap_mm = _against(rng, taken[int(rng.integers(len(taken)))], edge_mm), TOUCHING_MM
        elif chance > 1 - AGAINST_WALL:
            spot = _against_wall(spot)
        if spot.is_inside(FLOOR) and all(spot.is_apart_from(other, gap_mm) for other in taken):
            return spot
    raise ValueError(
        f"no room left in the tray for a die of {edge_mm:g} mm: use fewer or smaller dice"
    )


def _against(rng: np.random.Generator, other: Footprint, edge_mm: float) -> Footprint:
    """Return a place where a die of `edge_mm` touches `other` face to face, shifted slightly to the side."""
    side = other.yaw + pi / 2 * int(rng.integers(4))
    away_mm = (other.edge_mm + edge_mm) / 2 + TOUCHING_MM
    along_mm = float(rng.uniform(-0.6, 0.6)) * edge_mm
    return Footprint(
        other.x_mm + away_mm * cos(side) - along_mm * sin(side),
        other.y_mm + away_mm * sin(side) + along_mm * cos(side),
        other.yaw,
        edge_mm,
    )


def _against_wall(spot: Footprint) -> Footprint:
    """Return the place of a die after it has been pushed flat against the nearest wall."""
    half_mm = spot.edge_mm / 2 + TOUCHING_MM
    x_mm = (FLOOR.right_mm - half_mm) * (1 if spot.x_mm > 0 else -1)
    y_mm = (FLOOR.far_mm - half_mm) * (1 if spot.y_mm > 0 else -1)
    if abs(spot.x_mm) / FLOOR.right_mm > abs(spot.y_mm) / FLOOR.far_mm:
        return Footprint(x_mm, spot.y_mm, 0.0, spot.edge_mm)
    return Footprint(spot.x_mm, y_mm, 0.0, spot.edge_mm)


def free_slot(rng: np.random.Generator, taken: Sequence[Footprint], edge_mm: float) -> Footprint:
    """Find the next free place in the rows of the set-aside area.

    Args:
        rng: Source of random numbers, which decide how precisely the die is placed.
        taken: Footprints of the dice in the area.
        edge_mm: Edge of the die.

    Raises:
        ValueError: If the area is full.
    """
    for x_mm, y_mm in _slots(edge_mm):
        slip = rng.normal(0, 0.06 * edge_mm, 2)
        spot = Footprint(
            x_mm + float(slip[0]),
            y_mm + float(slip[1]),
            float(rng.normal(0, 0.25)) % (pi / 2),
            edge_mm,
        )
        if all(spot.is_apart_from(other, TOUCHING_MM) for other in taken):
            return spot
    raise ValueError("no room left beside the tray: gather() takes the dice up")


def _slots(edge_mm: float) -> Iterator[tuple[float, float]]:
    step_mm = 1.7 * edge_mm
    columns = int((ASIDE.right_mm - ASIDE.left_mm) // step_mm)
    rows = int((ASIDE.far_mm - ASIDE.near_mm) // step_mm)
    for row in range(rows):
        for column in range(columns):
            yield (
                ASIDE.left_mm + step_mm * (column + 0.6),
                ASIDE.far_mm - step_mm * (row + 0.6),
            )


def scatter(
    rng: np.random.Generator, values: Sequence[int], taken: Sequence[Footprint], edge_mm: float
) -> list[DiePose]:
    """Find free places for thrown dice, and return their poses in the order of `values`.

    Args:
        rng: Source of random numbers.
        values: The face that each thrown die will show, 1 to 6.
        taken: Footprints of the dice that already lie in the tray.
        edge_mm: Edge of a die.

    Raises:
        ValueError: If the tray is full.
    """
    taken = list(taken)
    rests: list[DiePose] = []
    for value in values:
        taken.append(find_rest(rng, taken, edge_mm, SCATTER_AROUND_MM))
        rests.append(taken[-1].pose(value, int(rng.integers(4))))
    return rests


# np.random takes time and memory to import, and only a simulated tray needs it


class SimPlace(Enum):
    """Where a simulated die is."""

    HAND = "hand"  # outside the frame
    TRAY = "tray"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True, eq=False)
class SimDie:
    """One simulated die.

    Attributes:
        motion: How the die moves.
        place: The place of the die.
    """

    motion: DieMotion
    place: SimPlace = SimPlace.HAND

    @property
    def rest(self) -> DiePose:
        """The pose in which the die comes to rest."""
        return self.motion.rest

    @property
    def value(self) -> int:
        """The face that points most nearly upwards when the die is at rest, 1 to 6."""
        return self.rest.top_face


class SimDice:
    """All dice of the simulated table, identified by index. Times are in seconds on the caller's clock.

    Args:
        rng: Source of random numbers, which decide where dice come to rest.
        n_dice: Number of dice.
        edge_mm: Edge of a die.

    Attributes:
        dice: The dice, by index.
        edge_mm: Edge of a die.
    """

    def __init__(self, rng: np.random.Generator, n_dice: int, edge_mm: float) -> None:
        self._rng = rng
        self.edge_mm = edge_mm
        unseen = AtRest(DiePose(np.zeros(3), flat_rotation(1, 0.0)))
        self.dice = [SimDie(unseen) for _ in range(n_dice)]

    @property
    def end_s(self) -> float:
        """When the last die comes to rest, in seconds."""
        return max((die.motion.end_s for die in self.dice), default=float("-inf"))

    def in_place(self, *places: SimPlace) -> list[int]:
        """Return the indices of the dice in these places."""
        return [i for i, die in enumerate(self.dice) if die.place in places]

    def choose_for_throw(self, n: int | None) -> list[int]:
        """Return the indices of the dice that a hand picks up for a throw.

        Args:
            n: Number of dice. They are taken from the tray first, then from the hand, then from the
                set-aside area. None means all dice in the tray or, if there are none, all dice.

        Raises:
            ValueError: If `n` is less than 1 or more than the number of dice.
        """
        in_tray = self.in_place(SimPlace.TRAY)
        if n is None:
            return in_tray or list(range(len(self.dice)))
        if not 1 <= n <= len(self.dice):
            raise ValueError(f"cannot throw {n} dice: there are {len(self.dice)}")
        return (in_tray + self.in_place(SimPlace.HAND) + self.in_place(SimPlace.ASIDE))[:n]

    def find_by_face(self, values: Iterable[int]) -> list[int]:
        """Return the index of a die in the tray for each of these faces.

        Raises:
            ValueError: If the dice in the tray do not show these faces.
        """
        wanted = Counter(values)
        in_tray = self.in_place(SimPlace.TRAY)
        picked: list[int] = []
        for i in in_tray:
            if wanted[self.dice[i].value] > 0:
                wanted[self.dice[i].value] -= 1
                picked.append(i)
        if missing := sorted(wanted.elements()):
            shown = sorted(self.dice[i].value for i in in_tray)
            raise ValueError(f"no {missing} in the tray: it shows {shown}")
        return picked

    def throw(
        self, picked: Sequence[int], values: Sequence[int], now_s: float, roll_s: float
    ) -> None:
        """Throw dice that will show the given faces.

        Args:
            picked: Indices of the dice.
            values: The face that each of these dice will show, 1 to 6.
            now_s: When the throw starts, in seconds.
            roll_s: How long the dice roll, in seconds.
        """
        self.take_away(picked)
        lying = [self.dice[i].rest for i in self.in_place(SimPlace.TRAY)]
        rests = scatter(self._rng, values, self._footprints(SimPlace.TRAY), self.edge_mm)
        motions = plan_throw(self._rng, rests, lying, self.edge_mm, start_s=now_s, roll_s=roll_s)
        for i, motion in zip(picked, motions, strict=True):
            self.dice[i] = SimDie(motion, SimPlace.TRAY)

    def put_aside(self, picked: Iterable[int]) -> None:
        """Put the dice with these indices in the set-aside area."""
        for i in picked:
            value = self.dice[i].value
            spot = free_slot(self._rng, self._footprints(SimPlace.ASIDE), self.edge_mm)
            rest = spot.pose(value, int(self._rng.integers(4)), TABLE_MM)
            self.dice[i] = SimDie(AtRest(rest), SimPlace.ASIDE)

    def take_away(self, picked: Iterable[int]) -> None:
        """Take the dice with these indices into the hand, outside the frame."""
        for i in picked:
            self.dice[i] = replace(self.dice[i], place=SimPlace.HAND)

    def _footprints(self, place: SimPlace) -> list[Footprint]:
        return [Footprint.of(self.dice[i].rest, self.edge_mm) for i in self.in_place(place)]
