"""Plans a throw: all dice come in over one side of the tray and scatter."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from typing import Protocol

import numpy as np

from device.cameras.simulated.die_pose import UP, DiePose, reach, rotation
from device.cameras.simulated.lens import Floats
from device.cameras.simulated.tray_geometry import FLOOR, WALL_MM

# Distance left falls as (1 - u) ** SLOWING: 2 is constant braking; felt brakes harder at speed.
SLOWING = 1.9
ROLLING = 1.5  # the same for the angle; lower, because the last quarter turn is a fall
SLIDING = 0.75  # of the turns that a wheel of the same size would make
SPIN = 2.2  # radians about the upright axis on the way

DROP_MM = 95.0  # the height of the hand over the floor
# Hops after the landing: at which share of the way each ends, and how high it is.
_HOPS = ((0.0, 0.0), (0.22, 24.0), (0.39, 10.0), (0.50, 3.0))


class DieMotion(Protocol):
    """Where a die is at any time."""

    @property
    def end_s(self) -> float:
        """From then on it lies still."""

    @property
    def rest(self) -> DiePose:
        """How it lies in the end."""

    def at(self, time_s: float) -> DiePose | None:
        """None while the die is out of the picture, in the thrower's hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Lie:
    """A die that does not move."""

    rest: DiePose
    end_s: float = float("-inf")

    def at(self, time_s: float) -> DiePose | None:
        del time_s
        return self.rest


@dataclass(frozen=True, slots=True, eq=False)
class Slide:
    """A die pushed over the floor: its face stays up."""

    start: DiePose
    rest: DiePose
    start_s: float
    end_s: float
    turned: float

    def at(self, time_s: float) -> DiePose | None:
        if time_s >= self.end_s:
            return self.rest
        left = 1 - _smooth((time_s - self.start_s) / (self.end_s - self.start_s))
        way = self.start.centre_mm - self.rest.centre_mm
        return DiePose(
            self.rest.centre_mm + left * way, rotation(UP, -left * self.turned) @ self.rest.turn
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tumble:
    """A thrown die.

    `goal_mm` is where it would come to rest if the walls let it through; `heading` its unit
    direction over the floor; `landing` the share of the roll after which it first touches the
    floor; `spin` the radians it turns about the upright axis.
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
        if time_s >= self.end_s:
            return self.rest
        if time_s < self.start_s:
            return None
        left = 1 - (time_s - self.start_s) / (self.end_s - self.start_s)
        turn = self._turn(left)
        room = reach(turn, self.edge_mm)
        place = self._turned_back(self.goal_mm - self.heading * self.travel_mm * left**SLOWING)
        low_mm = _hop_mm(1 - left, self.landing)
        if low_mm < WALL_MM:
            half = np.array([FLOOR.right_mm, FLOOR.far_mm]) - room[:2]
            place = np.clip(place, -half, half)
        return DiePose(np.array([*place, low_mm + room[2]]), turn)

    def _turned_back(self, point: Floats) -> Floats:
        """A way that meets a wall ahead goes on backwards."""
        wall = wall_mm(self.edge_mm) * np.sign(self.heading)
        beyond = (point - wall) * np.sign(self.heading) > 0
        return np.asarray(np.where(beyond, 2 * wall - point, point))

    def _turn(self, left: float) -> Floats:
        rolls_about = np.array([-self.heading[1], self.heading[0], 0.0])
        # A wheel as wide as the die would turn by distance / radius; a cube by pi/2 an edge.
        angle = SLIDING * self.travel_mm / self.edge_mm * np.pi / 2
        roll = rotation(rolls_about, -angle * left**ROLLING)
        return roll @ rotation(UP, -self.spin * left) @ self.rest.turn


def wall_mm(edge_mm: float) -> Floats:
    """How far from the middle, along x and y, dice lie that touch a wall with a flat side."""
    return np.array([FLOOR.right_mm, FLOOR.far_mm]) - edge_mm / 2


def _hop_mm(done: float, landing: float) -> float:
    """How high the die flies, when `done` of its roll is over."""
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


# A thrower sits at the near side; right is where dice are set aside, so nobody throws from there.
SIDES = (0.5 * pi, 0.5 * pi, 0.25 * pi, 0.0, 0.75 * pi)  # headings in radians, near side first
FAN = 0.35  # radians to either side
FROM_OUTSIDE_MM = 42.0  # how far before the wall the hand lets go: out of the picture
HANDS_EMPTY = 0.12  # the share of a roll before the first die comes in
WALL_HIT = 0.5  # of the dice that lie near a far wall, the share that comes back from it
SHORTEST_EDGES = 3.5  # a die runs at least so many of its edges inside the tray
LANDINGS = (0.2, 0.85)  # shares of a roll
CLEARED = 1.3  # a die lands so much later than it is over the wall: it is 38 mm up there
PLANS = 5  # ways tried for a die; the one that meets the others least is flown
HALVES_MM = np.array([FLOOR.right_mm, FLOOR.far_mm])  # the floor is centred
ALONG_A_WALL = 1e-6  # a die that flies along a wall never came over it
MOMENTS = np.linspace(0.25, 1.0, 12)  # shares of the roll at which ways are compared


def plan_throw(
    rng: np.random.Generator,
    rests: Sequence[DiePose],
    lying: Sequence[DiePose],
    edge_mm: float,
    *,
    start_s: float,
    roll_s: float,
) -> list[Tumble]:
    """One tumble for each rest; the last ends at `start_s + roll_s`."""
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
    """At which shares of the roll dice come to rest: one after the other, the last at 1."""
    ends = rng.uniform(0.72, 0.97, count)
    ends[int(rng.integers(count))] = 1.0
    return [float(end) for end in ends]


@dataclass(frozen=True, slots=True)
class _Thrower:
    """One throw from one side; `side` is the heading of the throw in radians."""

    rng: np.random.Generator
    edge_mm: float
    start_s: float
    roll_s: float
    side: float

    def plan(self, rest: DiePose, end: float) -> Tumble:
        """A way to a rest that is reached at the share `end` of the roll."""
        angle = self.side + float(self.rng.uniform(-FAN, FAN))
        heading = np.array([cos(angle), sin(angle)])
        goal = self._goal(rest, heading)
        inside_mm = float(_to_walls_mm(goal, heading).min())
        begin = HANDS_EMPTY * float(self.rng.uniform(0.6, 1.0))
        return Tumble(
            rest=rest,
            edge_mm=self.edge_mm,
            start_s=self.start_s + self.roll_s * begin,
            end_s=self.start_s + self.roll_s * end,
            goal_mm=goal,
            heading=heading,
            travel_mm=inside_mm + FROM_OUTSIDE_MM,
            landing=_landing(inside_mm - self.edge_mm, inside_mm + FROM_OUTSIDE_MM),
            spin=float(self.rng.normal(0, 2.2)),
        )

    def way(self, plan: Tumble) -> Floats:
        """Where the die is at the `MOMENTS`; far away while it is in the hand."""
        poses = [plan.at(self.start_s + self.roll_s * float(moment)) for moment in MOMENTS]
        away = np.array([1e4, 1e4, 0.0])
        return np.array([away if pose is None else pose.centre_mm for pose in poses])

    def _goal(self, rest: DiePose, heading: Floats) -> Floats:
        """The rest itself, or its mirror image behind a far wall for a die that comes back."""
        goal = rest.centre_mm[:2]
        mirrored = 2 * wall_mm(self.edge_mm) * np.sign(heading) - goal
        hits = np.abs(mirrored - goal) < 5 * self.edge_mm
        bounces = hits & (self.rng.random(2) < WALL_HIT)
        # No die stops right where it came in: it lies there because it came back.
        too_short = _to_walls_mm(goal, heading) < SHORTEST_EDGES * self.edge_mm
        return np.asarray(np.where(bounces | too_short, mirrored, goal))


def _landing(inside_mm: float, travel_mm: float) -> float:
    """The share of the roll at which a die lands, clear of the wall that it came over."""
    over_the_wall = 1 - (max(0.0, inside_mm) / travel_mm) ** (1 / SLOWING)
    return float(np.clip(CLEARED * over_the_wall, *LANDINGS))


def _to_walls_mm(point: Floats, heading: Floats) -> Floats:
    """How far back along the heading the two walls are that the die may have come over."""
    signs = np.where(heading < 0, -1.0, 1.0)
    return np.asarray((point * signs + HALVES_MM) / np.maximum(np.abs(heading), ALONG_A_WALL))


def _crowding(way: Floats, others: Sequence[Floats], edge_mm: float) -> float:
    """How much a way runs into those of the other dice."""
    if not others:
        return 0.0
    gaps_mm = np.linalg.norm(np.array(others) - way, axis=2)
    return float(np.clip(1.5 * edge_mm - gaps_mm, 0, None).sum())
