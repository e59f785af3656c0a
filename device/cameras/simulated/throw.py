"""The motion of thrown dice: all of them come in over one side of the tray and scatter."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from typing import Protocol

import numpy as np

from device.cameras.simulated.die_pose import UP, DiePose, extent_mm, rotation
from device.cameras.simulated.lens import Floats
from device.cameras.simulated.tray_geometry import FLOOR, WALL_MM

# The remaining distance falls as (1 - u) ** SLOWING; 2 is constant braking, felt brakes fast dice harder.
SLOWING = 1.9
ROLLING = 1.5  # the same for the angle; lower, because the last quarter turn is a fall
SLIDING = 0.75  # share of the turns that a wheel of the same size would make
SPIN = 2.2  # deviation of the rotation about the vertical axis during a throw, in radians

DROP_MM = 95.0  # height of the hand above the floor
# Hops after the landing: the share of the remaining roll at which each ends, and its height in mm.
_HOPS = ((0.0, 0.0), (0.22, 24.0), (0.39, 10.0), (0.50, 3.0))


class DieMotion(Protocol):
    """How a die moves."""

    @property
    def end_s(self) -> float:
        """When it has come to rest, in seconds."""

    @property
    def rest(self) -> DiePose:
        """The pose in which it comes to rest."""

    def at(self, time_s: float) -> DiePose | None:
        """Return the pose at a time; None while the die is in the thrower's hand, outside the frame."""


@dataclass(frozen=True, slots=True, eq=False)
class AtRest:
    """A die that does not move."""

    rest: DiePose
    end_s: float = float("-inf")

    def at(self, time_s: float) -> DiePose | None:
        """Implement `DieMotion.at`."""
        del time_s
        return self.rest


@dataclass(frozen=True, slots=True, eq=False)
class Slide:
    """A die that is pushed over the floor and turned by some radians, so that the same face stays up."""

    start: DiePose
    rest: DiePose
    start_s: float
    end_s: float
    turned: float

    def at(self, time_s: float) -> DiePose | None:
        """Implement `DieMotion.at`."""
        if time_s >= self.end_s:
            return self.rest
        left = 1 - _smooth((time_s - self.start_s) / (self.end_s - self.start_s))
        way = self.start.centre_mm - self.rest.centre_mm
        return DiePose(
            self.rest.centre_mm + left * way, rotation(UP, -left * self.turned) @ self.rest.turn
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tumble:
    """A die that is thrown.

    Attributes:
        rest: Its pose after the throw.
        edge_mm: Its edge.
        start_s: When it leaves the hand.
        end_s: When it comes to rest.
        goal_mm: Where it would come to rest without walls, as x, y in tray coordinates.
        heading: Unit vector of its direction over the floor.
        travel_mm: The length of its path over the floor.
        landing: Share of the roll after which it first touches the floor.
        spin: By how many radians it turns about the vertical axis.
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
        """Implement `DieMotion.at`."""
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
        """Return the point mirrored at a wall that the path meets."""
        wall = wall_mm(self.edge_mm) * np.sign(self.heading)
        beyond = (point - wall) * np.sign(self.heading) > 0
        return np.asarray(np.where(beyond, 2 * wall - point, point))

    def _turn(self, left: float) -> Floats:
        rolls_about = np.array([-self.heading[1], self.heading[0], 0.0])
        # A wheel as wide as the die turns by distance / radius, a cube by pi/2 for each edge.
        angle = SLIDING * self.travel_mm / self.edge_mm * np.pi / 2
        roll = rotation(rolls_about, -angle * left**ROLLING)
        return roll @ rotation(UP, -self.spin * left) @ self.rest.turn


def wall_mm(edge_mm: float) -> Floats:
    """Return the distance in x and y of a die's centre from the tray's if it touches a wall with a flat side."""
    return np.array([FLOOR.right_mm, FLOOR.far_mm]) - edge_mm / 2


def _hop_mm(done: float, landing: float) -> float:
    """Return the height of a die above the floor after the share `done` of its roll."""
    if done < landing:
        return DROP_MM * (1 - (done / landing) ** 2)
    after = (done - landing) / (1 - landing)
    for (start, _), (end, height_mm) in pairwise(_HOPS):
        if after < end:
            along = (after - start) / (end - start)
            return 4 * height_mm * along * (1 - along)
    return 0.0


def _smooth(share: float) -> float:
    share = min(1.0, max(0.0, share))
    return share * share * (3 - 2 * share)


# Throwers sit at the near side or at the left; dice are set aside at the right, so nobody throws from there.
SIDES = (0.5 * pi, 0.5 * pi, 0.25 * pi, 0.0, 0.75 * pi)  # headings in radians, near side first
FAN = 0.35  # largest deviation from the heading to either side, in radians
FROM_OUTSIDE_MM = 42.0  # distance from the wall at which the hand lets go, outside the frame
RELEASE = 0.12  # share of a roll before the first die comes in
WALL_HIT = 0.5  # share of the dice near a far wall that bounced back from it
MIN_PATH_EDGES = 3.5  # shortest path of a die inside the tray, in die edges
LANDINGS = (0.2, 0.85)  # range of the landing, in shares of a roll
CLEARANCE = 1.3  # a die lands this much later than it passes the wall: it is 38 mm high there
PLANS = 5  # paths that are tried for a die; the one that meets the others least is used
HALVES_MM = np.array([FLOOR.right_mm, FLOOR.far_mm])  # the floor is centred
PARALLEL = 1e-6  # a die that flies parallel to a wall never came over it
MOMENTS = np.linspace(0.25, 1.0, 12)  # shares of the roll at which paths are compared


def plan_throw(
    rng: np.random.Generator,
    rests: Sequence[DiePose],
    lying: Sequence[DiePose],
    edge_mm: float,
    *,
    start_s: float,
    roll_s: float,
) -> list[Tumble]:
    """Plan a throw.

    Args:
        rng: Decides how the dice fly.
        rests: The poses in which they come to rest.
        lying: Poses of the dice that lie in the tray already.
        edge_mm: Edge of a die.
        start_s: When the throw starts.
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
    """Return the shares of the roll after which the dice come to rest; one of them is 1."""
    ends = rng.uniform(0.72, 0.97, count)
    ends[int(rng.integers(count))] = 1.0
    return [float(end) for end in ends]


@dataclass(frozen=True, slots=True)
class _Thrower:
    """A throw from one side; `side` is its heading in radians."""

    rng: np.random.Generator
    edge_mm: float
    start_s: float
    roll_s: float
    side: float

    def plan(self, rest: DiePose, end: float) -> Tumble:
        """Return a path that reaches a rest after the share `end` of the roll."""
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
        """Return where the die is at the `MOMENTS`; far away while it is in the hand."""
        poses = [plan.at(self.start_s + self.roll_s * float(moment)) for moment in MOMENTS]
        away = np.array([1e4, 1e4, 0.0])
        return np.array([away if pose is None else pose.centre_mm for pose in poses])

    def _goal(self, rest: DiePose, heading: Floats) -> Floats:
        """Return the rest, or its mirror image behind a far wall for a die that bounces back."""
        goal = rest.centre_mm[:2]
        mirrored = 2 * wall_mm(self.edge_mm) * np.sign(heading) - goal
        hits = np.abs(mirrored - goal) < 5 * self.edge_mm
        bounces = hits & (self.rng.random(2) < WALL_HIT)
        # A die that lies close to where it came in has bounced back.
        too_short = _to_walls_mm(goal, heading) < MIN_PATH_EDGES * self.edge_mm
        return np.asarray(np.where(bounces | too_short, mirrored, goal))


def _landing(inside_mm: float, travel_mm: float) -> float:
    """Return the share of the roll after which a die lands, clear of the wall that it came over."""
    over_the_wall = 1 - (max(0.0, inside_mm) / travel_mm) ** (1 / SLOWING)
    return float(np.clip(CLEARANCE * over_the_wall, *LANDINGS))


def _to_walls_mm(point: Floats, heading: Floats) -> Floats:
    """Return the distances, back along the heading, to the two walls that a die may have come over."""
    signs = np.where(heading < 0, -1.0, 1.0)
    return np.asarray((point * signs + HALVES_MM) / np.maximum(np.abs(heading), PARALLEL))


def _crowding(way: Floats, others: Sequence[Floats], edge_mm: float) -> float:
    """Return how much a path collides with those of the other dice."""
    if not others:
        return 0.0
    gaps_mm = np.linalg.norm(np.array(others) - way, axis=2)
    return float(np.clip(1.5 * edge_mm - gaps_mm, 0, None).sum())
