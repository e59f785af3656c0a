"""The motion of thrown dice, which all fly in over one side of the tray and scatter."""

# np.random takes time and memory to import, and only a simulated tray needs it
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin

import numpy as np

from device.cameras.simulated.die_pose import UP, DiePose, extent_mm, rotation
from device.cameras.simulated.lens import Floats
from device.cameras.simulated.tray_geometry import FLOOR, WALL_MM

# The remaining distance after a fraction u of the roll is proportional to (1 - u) ** SLOWING. A value of
# 2 would be constant braking, but felt brakes fast dice harder.
SLOWING = 1.9
ROLLING = 1.5  # the same for the angle; lower, because the last quarter turn is a fall
SLIDING = 0.75  # share of the turns that a wheel of the same size would make
SPIN = 2.2  # standard deviation of the rotation about the vertical axis during a throw, in radians

DROP_MM = 95.0  # height of the hand above the floor
# Hops after the landing: the fraction of the remaining roll at which each ends, and its height in mm.
_HOPS = ((0.0, 0.0), (0.22, 24.0), (0.39, 10.0), (0.50, 3.0))


@dataclass(frozen=True, slots=True, eq=False)
class AtRest:
    """The motion of a die that does not move."""

    rest: DiePose
    end_s: float = float("-inf")

    def at(self, time_s: float) -> DiePose | None:
        """Return the same pose at any time."""
        del time_s
        return self.rest


@dataclass(frozen=True, slots=True, eq=False)
class Tumble:
    """The motion of a die that is thrown.

    Attributes:
        rest: Pose of the die after the throw.
        edge_mm: Edge of the die.
        start_s: When the die leaves the hand, in seconds.
        end_s: When the die comes to rest, in seconds.
        goal_mm: Where the die would come to rest if there were no walls, as x and y in tray coordinates.
        heading: Direction of the die across the floor, as a unit vector (x, y).
        travel_mm: Length of the path across the floor.
        landing: Fraction of the time from `start_s` to `end_s` after which the die first touches the
            floor.
        spin: Angle by which the die turns about the vertical axis, in radians.
    """

    rest: DiePose
    edge_mm: float
    start_s: float
    end_s: float
    goal_mm: Floats
    heading: Floats
    travel_mm: float
    landing: float
    spin: float

    def at(self, time_s: float) -> DiePose | None:
        """Return the pose at a time in seconds; None while the die is in the thrower's hand, outside the frame."""
        if time_s >= self.end_s:
            return self.rest
        if time_s < self.start_s:
            return None
        left = 1 - (time_s - self.start_s) / (self.end_s - self.start_s)
        turn = self._turn(left)
        room = extent_mm(turn, self.edge_mm)
        place = self._bounced(self.goal_mm - self.heading * self.travel_mm * left**SLOWING)
        low_mm = _hop_mm(1 - left, self.landing)
        if low_mm < WALL_MM:
            half = np.array([FLOOR.right_mm, FLOOR.far_mm]) - room[:2]
            place = np.clip(place, -half, half)
        return DiePose(np.array([*place, low_mm + room[2]]), turn)

    def _bounced(self, point: Floats) -> Floats:
        """Return a point of the path, mirrored at a wall if it is beyond that wall."""
        wall = wall_mm(self.edge_mm) * np.sign(self.heading)
        beyond = (point - wall) * np.sign(self.heading) > 0
        return np.asarray(np.where(beyond, 2 * wall - point, point))

    def _turn(self, left: float) -> Floats:
        rolls_about = np.array([-self.heading[1], self.heading[0], 0.0])
        # A wheel as wide as the die turns by distance / radius, a cube by pi/2 for each edge.
        angle = SLIDING * self.travel_mm / self.edge_mm * np.pi / 2
        roll = rotation(rolls_about, -angle * left**ROLLING)
        return roll @ rotation(UP, -self.spin * left) @ self.rest.turn


DieMotion = AtRest | Tumble
"""The motion of a die: its pose at any time, and when and where it comes to rest."""


def wall_mm(edge_mm: float) -> Floats:
    """Return how far the centre of a die, flat against a wall, is from the centre of the tray, in x and in y."""
    return np.array([FLOOR.right_mm, FLOOR.far_mm]) - edge_mm / 2


def _hop_mm(done: float, landing: float) -> float:
    """Return the height of a die above the floor after a fraction of its roll.

    Args:
        done: The fraction of the roll, 0 to 1.
        landing: The fraction after which the die first touches the floor.
    """
    if done < landing:
        return DROP_MM * (1 - (done / landing) ** 2)
    after = (done - landing) / (1 - landing)
    for (start, _), (end, height_mm) in pairwise(_HOPS):
        if after < end:
            along = (after - start) / (end - start)
            return 4 * height_mm * along * (1 - along)
    return 0.0


# Throwers sit at the near side or on the left; dice are set aside on the right, so nobody throws from there.
SIDES = (0.5 * pi, 0.5 * pi, 0.25 * pi, 0.0, 0.75 * pi)  # headings in radians, near side first
FAN = 0.35  # largest deviation from the heading to either side, in radians
FROM_OUTSIDE_MM = 42.0  # distance from the wall at which the hand lets go, outside the frame
RELEASE = 0.12  # fraction of a roll before the first die comes in
WALL_HIT = 0.5  # share of the dice near a far wall that bounced back from it
MIN_PATH_EDGES = 3.5  # shortest path of a die inside the tray, in die edges
LANDINGS = (0.2, 0.85)  # range of the landing, as fractions of a roll
CLEARANCE = 1.3  # time of the landing, as a multiple of the time at which the die passes the wall
PLANS = 5  # number of paths that are tried for a die; the one that meets the others least is used
HALVES_MM = np.array([FLOOR.right_mm, FLOOR.far_mm])  # the floor is centred
PARALLEL = 1e-6  # a die that flies parallel to a wall never came over that wall
MOMENTS = np.linspace(0.25, 1.0, 12)  # fractions of the roll at which paths are compared


def plan_throw(
    rng: np.random.Generator,
    rests: Sequence[DiePose],
    lying: Sequence[DiePose],
    edge_mm: float,
    *,
    start_s: float,
    roll_s: float,
) -> list[Tumble]:
    """Plan how thrown dice move to the poses in which they will come to rest.

    Args:
        rng: Source of random numbers, which decide how the dice fly.
        rests: The pose in which each thrown die will come to rest.
        lying: Poses of the dice that already lie in the tray.
        edge_mm: Edge of a die.
        start_s: When the throw starts, in seconds.
        roll_s: When the last die comes to rest, in seconds after the start.

    Returns:
        The motion of each die, in the order of `rests`.
    """
    thrower = _Thrower(rng, edge_mm, start_s, roll_s, side=float(rng.choice(SIDES)))
    flown = [np.tile(die.centre_mm, (len(MOMENTS), 1)) for die in lying]
    tumbles: list[Tumble] = []
    for rest, end in zip(rests, _ends(rng, len(rests)), strict=True):
        plans = [thrower.plan(rest, end) for _ in range(PLANS)]
        ways = [thrower.way(plan) for plan in plans]
        best = min(range(PLANS), key=lambda i: _crowding(ways[i], flown, edge_mm))
        tumbles.append(plans[best])
        flown.append(ways[best])
    return tumbles


def _ends(rng: np.random.Generator, count: int) -> list[float]:
    """Return, for each die, the fraction of the roll's duration after which it comes to rest.

    For one of the dice, the fraction is 1.
    """
    ends = rng.uniform(0.72, 0.97, count)
    ends[int(rng.integers(count))] = 1.0
    return [float(end) for end in ends]


@dataclass(frozen=True, slots=True)
class _Thrower:
    """A person who throws from one side of the tray.

    Attributes:
        rng: Source of random numbers.
        edge_mm: Edge of a die.
        start_s: When the throw starts, in seconds.
        roll_s: Duration of the roll in seconds.
        side: Direction in which the person throws, in radians from the x axis.
    """

    rng: np.random.Generator
    edge_mm: float
    start_s: float
    roll_s: float
    side: float

    def plan(self, rest: DiePose, end: float) -> Tumble:
        """Return a possible motion of one die.

        Args:
            rest: The pose in which the die comes to rest.
            end: Fraction of the roll's duration after which it comes to rest.
        """
        angle = self.side + float(self.rng.uniform(-FAN, FAN))
        heading = np.array([cos(angle), sin(angle)])
        goal = self._goal(rest, heading)
        inside_mm = float(_to_walls_mm(goal, heading).min())
        begin = RELEASE * float(self.rng.uniform(0.6, 1.0))
        return Tumble(
            rest=rest,
            edge_mm=self.edge_mm,
            start_s=self.start_s + self.roll_s * begin,
            end_s=self.start_s + self.roll_s * end,
            goal_mm=goal,
            heading=heading,
            travel_mm=inside_mm + FROM_OUTSIDE_MM,
            landing=_landing(inside_mm - self.edge_mm, inside_mm + FROM_OUTSIDE_MM),
            spin=float(self.rng.normal(0, SPIN)),
        )

    def way(self, plan: Tumble) -> Floats:
        """Return the position of a die at each of the `MOMENTS`, (12, 3); a distant point while it is in the hand."""
        poses = [plan.at(self.start_s + self.roll_s * float(moment)) for moment in MOMENTS]
        away = np.array([1e4, 1e4, 0.0])
        return np.array([away if pose is None else pose.centre_mm for pose in poses])

    def _goal(self, rest: DiePose, heading: Floats) -> Floats:
        """Return the point that a die heads for: its resting place or, if it bounces back, the mirror image of that place.

        Args:
            rest: The pose in which the die comes to rest.
            heading: Direction of the die across the floor, as a unit vector (x, y).
        """
        goal = rest.centre_mm[:2]
        mirrored = 2 * wall_mm(self.edge_mm) * np.sign(heading) - goal
        hits = np.abs(mirrored - goal) < 5 * self.edge_mm
        bounces = hits & (self.rng.random(2) < WALL_HIT)
        # A die that comes to rest close to where it came in has bounced back.
        too_short = _to_walls_mm(goal, heading) < MIN_PATH_EDGES * self.edge_mm
        return np.asarray(np.where(bounces | too_short, mirrored, goal))


def _landing(inside_mm: float, travel_mm: float) -> float:
    """Return the fraction of its roll after which a die lands, so that it clears the wall that it came over.

    Args:
        inside_mm: Length of the die's path inside the tray, less one edge of the die.
        travel_mm: Length of the die's whole path.
    """
    over_the_wall = 1 - (max(0.0, inside_mm) / travel_mm) ** (1 / SLOWING)
    return float(np.clip(CLEARANCE * over_the_wall, *LANDINGS))


def _to_walls_mm(point: Floats, heading: Floats) -> Floats:
    """Return the distances from a point to the two walls that a die may have come over.

    Args:
        point: x and y of the point in tray coordinates.
        heading: Direction of the die as a unit vector (x, y). The distances are measured in
            the opposite direction.
    """
    signs = np.where(heading < 0, -1.0, 1.0)
    return np.asarray((point * signs + HALVES_MM) / np.maximum(np.abs(heading), PARALLEL))


def _crowding(way: Floats, others: Sequence[Floats], edge_mm: float) -> float:
    """Return how close a path comes to the paths of other dice: 0 if it stays clear of all of them.

    Args:
        way: Position of the die at each of the `MOMENTS`, (12, 3).
        others: Positions (12, 3) of each of the other dice at the same moments.
        edge_mm: Edge of a die.
    """
    if not others:
        return 0.0
    gaps_mm = np.linalg.norm(np.array(others) - way, axis=2)
    return float(np.clip(1.5 * edge_mm - gaps_mm, 0, None).sum())
