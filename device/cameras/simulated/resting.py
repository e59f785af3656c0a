"""Finds free places where dice can come to rest, in the tray and in the set-aside area."""

# np.random takes time and memory to import, and only a simulated tray needs it
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from device.cameras.simulated.die_pose import DiePose, extent_mm, flat_rotation, yaw_of
from device.cameras.simulated.lens import Floats
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, Area

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
