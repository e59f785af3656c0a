"""How dice move: they lie, are slid by a hand, or are thrown and tumble to rest.

A tumble is planned backwards from where the die will lie, so that it ends there exactly: it
rolls over its edges against the direction of travel, hops lower and lower, and is turned back
by the walls.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from device.cameras.lens import Floats
from device.cameras.pose import UP, DiePose, reach, rotation
from device.cameras.scene import FLOOR, WALL_MM

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
