"""Where dice may lie: flat, inside the walls, and never two in the same place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from device.cameras.simulated.die_pose import DiePose, flat_turn, reach, yaw_of
from device.cameras.simulated.lens import Floats
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, Area

TOUCHING_MM = 0.1  # the gap between dice that touch: they never share a volume
APART_MM = 0.6  # the least gap between dice that do not
ROUNDING_MM = 1e-9
FLAT_RAD = 0.01  # rounding errors tilt a die less than this
TRIES = 400  # a tray holds dozens of dice; six are placed within a few tries
BESIDE_A_DIE = 0.22  # the share of dice that come to lie against another
BESIDE_A_WALL = 0.12
SPREAD_MM = (62.0, 40.0)  # how far thrown dice scatter


@dataclass(frozen=True, slots=True)
class Footprint:
    """The square of floor that a die covers; `yaw` in radians."""

    x_mm: float
    y_mm: float
    yaw: float
    edge_mm: float

    @classmethod
    def of(cls, pose: DiePose, edge_mm: float) -> "Footprint":
        """A leaning die gets the square that it covers seen from above."""
        x_mm, y_mm, _ = (float(v) for v in pose.centre_mm)
        if pose.tilt > FLAT_RAD:
            return cls(x_mm, y_mm, 0.0, 2 * float(reach(pose.turn, edge_mm)[:2].max()))
        return cls(x_mm, y_mm, yaw_of(pose.turn), edge_mm)

    def pose(self, value: int, quarter: int, ground_mm: float = 0.0) -> DiePose:
        """The die that lies here and shows `value`, turned by `quarter` right angles."""
        centre = np.array([self.x_mm, self.y_mm, ground_mm + self.edge_mm / 2])
        return DiePose(centre, flat_turn(value, self.yaw + quarter * pi / 2))

    def apart(self, other: "Footprint", gap_mm: float) -> bool:
        """Whether a line with `gap_mm` of room on it parts the two (separating axes)."""
        way = np.array([other.x_mm - self.x_mm, other.y_mm - self.y_mm])
        return any(
            abs(float(way @ axis))
            >= self.half_on(axis) + other.half_on(axis) + gap_mm - ROUNDING_MM
            for axis in (*self.axes(), *other.axes())
        )

    def inside(self, area: Area) -> bool:
        half_mm = self.half_on(np.array([1.0, 0.0])) - ROUNDING_MM  # the same along y
        return (
            area.left_mm + half_mm <= self.x_mm <= area.right_mm - half_mm
            and area.near_mm + half_mm <= self.y_mm <= area.far_mm - half_mm
        )

    def axes(self) -> tuple[Floats, Floats]:
        along = np.array([cos(self.yaw), sin(self.yaw)])
        return along, np.array([-along[1], along[0]])

    def half_on(self, axis: Floats) -> float:
        along, across = self.axes()
        return (abs(float(along @ axis)) + abs(float(across @ axis))) * self.edge_mm / 2


def find_rest(
    rng: np.random.Generator,
    taken: Sequence[Footprint],
    edge_mm: float,
    around_mm: tuple[float, float],
    spread_mm: tuple[float, float] = SPREAD_MM,
    *,
    sociable: bool = True,
) -> Footprint:
    """A free place on the floor, near a point; if `sociable`, now and then against a die or wall.

    Raises:
        ValueError: the tray is full.
    """
    for attempt in range(TRIES):
        wider = 1 + 3 * attempt / TRIES
        x, y = rng.normal(around_mm, (spread_mm[0] * wider, spread_mm[1] * wider))
        spot = Footprint(float(x), float(y), float(rng.uniform(0, pi / 2)), edge_mm)
        gap_mm = APART_MM
        habit = float(rng.random()) if sociable else 0.5
        if taken and habit < BESIDE_A_DIE:
            spot, gap_mm = _against(rng, taken[int(rng.integers(len(taken)))], edge_mm), TOUCHING_MM
        elif habit > 1 - BESIDE_A_WALL:
            spot = _against_wall(spot)
        if spot.inside(FLOOR) and all(spot.apart(other, gap_mm) for other in taken):
            return spot
    raise ValueError(
        f"no room left in the tray for a die of {edge_mm:g} mm: use fewer or smaller dice"
    )


def _against(rng: np.random.Generator, other: Footprint, edge_mm: float) -> Footprint:
    """Face to face with another die, shifted a little along it."""
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
    """The same place, pushed flat against the nearer side wall or end wall."""
    half_mm = spot.edge_mm / 2 + TOUCHING_MM
    x_mm = (FLOOR.right_mm - half_mm) * (1 if spot.x_mm > 0 else -1)
    y_mm = (FLOOR.far_mm - half_mm) * (1 if spot.y_mm > 0 else -1)
    if abs(spot.x_mm) / FLOOR.right_mm > abs(spot.y_mm) / FLOOR.far_mm:
        return Footprint(x_mm, spot.y_mm, 0.0, spot.edge_mm)
    return Footprint(spot.x_mm, y_mm, 0.0, spot.edge_mm)


def free_slot(rng: np.random.Generator, taken: Sequence[Footprint], edge_mm: float) -> Footprint:
    """The next place in the rows beside the tray, as people put dice there.

    Raises:
        ValueError: the strip is full.
    """
    for x_mm, y_mm in _slots(edge_mm):
        slip = rng.normal(0, 0.06 * edge_mm, 2)
        spot = Footprint(
            x_mm + float(slip[0]),
            y_mm + float(slip[1]),
            float(rng.normal(0, 0.25)) % (pi / 2),
            edge_mm,
        )
        if all(spot.apart(other, TOUCHING_MM) for other in taken):
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
