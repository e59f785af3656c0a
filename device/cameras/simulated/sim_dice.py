"""The dice of the simulated table, and the ways in which hands move them."""

# np.random takes time and memory to import, and only a simulated tray needs it
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import pi, radians

import numpy as np

from device.cameras.simulated.die_pose import UP, DiePose, flat_rotation, rotation, yaw_of
from device.cameras.simulated.resting import (
    Footprint,
    find_rest,
    free_slot,
    lean_on_wall,
    scatter,
)
from device.cameras.simulated.throw import AtRest, DieMotion, Slide, plan_throw
from device.cameras.simulated.tray_geometry import FLOOR, TABLE_MM

COCKED_RAD = radians(10)  # a die that leans more than this shows no face


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
        is_kept: Whether the die stays in the tray when dice are next picked up for a throw.
    """

    motion: DieMotion
    place: SimPlace = SimPlace.HAND
    is_kept: bool = False

    @property
    def rest(self) -> DiePose:
        """The pose in which the die comes to rest."""
        return self.motion.rest

    @property
    def value(self) -> int:
        """The face that points most nearly upwards when the die is at rest, 1 to 6."""
        return self.rest.top_face

    @property
    def is_cocked(self) -> bool:
        """Whether the die leans too much to show a face."""
        return self.rest.tilt > COCKED_RAD

    @property
    def is_loose(self) -> bool:
        """Whether the die is in the tray and is picked up for the next throw."""
        return self.place is SimPlace.TRAY and not self.is_kept


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
                set-aside area, and dice kept in the tray come last. None means all dice in the tray
                that are not kept or, if there are none, all dice.

        Raises:
            ValueError: If `n` is less than 1 or more than the number of dice.
        """
        loose = [i for i, die in enumerate(self.dice) if die.is_loose]
        if n is None:
            return loose or list(range(len(self.dice)))
        if not 1 <= n <= len(self.dice):
            raise ValueError(f"cannot throw {n} dice: there are {len(self.dice)}")
        kept = [i for i in self.in_place(SimPlace.TRAY) if self.dice[i].is_kept]
        return (loose + self.in_place(SimPlace.HAND) + self.in_place(SimPlace.ASIDE) + kept)[:n]

    def find_by_face(self, values: Iterable[int]) -> list[int]:
        """Return the index of a die in the tray for each of these faces. Kept dice are chosen last.

        Raises:
            ValueError: If the dice in the tray do not show these faces.
        """
        wanted = Counter(values)
        in_tray = sorted(self.in_place(SimPlace.TRAY), key=lambda i: self.dice[i].is_kept)
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

    def lay(self, picked: Sequence[int], values: Sequence[int]) -> None:
        """Place dice in the tray by hand, so that they are at rest at once.

        Args:
            picked: Indices of the dice.
            values: The face that each of these dice shows, 1 to 6.
        """
        self.take_away(picked)
        rests = scatter(self._rng, values, self._footprints(SimPlace.TRAY), self.edge_mm)
        for i, rest in zip(picked, rests, strict=True):
            self.dice[i] = SimDie(AtRest(rest), SimPlace.TRAY)

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
            self.dice[i] = replace(self.dice[i], place=SimPlace.HAND, is_kept=False)

    def keep_in_tray(self, picked: Iterable[int]) -> None:
        """Mark the dice with these indices, so that the next throw leaves them in the tray."""
        for i in picked:
            self.dice[i] = replace(self.dice[i], is_kept=True)

    def slide(self, picked: Iterable[int], now_s: float, slide_s: float, far_mm: float) -> None:
        """Push dice across the floor to nearby free places.

        Args:
            picked: Indices of the dice.
            now_s: When the dice start to move, in seconds.
            slide_s: How long the dice move, in seconds.
            far_mm: Approximately how far the dice move.
        """
        for i in picked:
            start = self.dice[i].rest
            x_mm, y_mm = (float(v) for v in start.centre_mm[:2])
            self._slide_near(i, (x_mm, y_mm), far_mm / 2, now_s, slide_s)

    def slide_to_corner(self, picked: Iterable[int], now_s: float, slide_s: float) -> None:
        """Push dice into the near right corner, where the next throw leaves them.

        Args:
            picked: Indices of the dice.
            now_s: When the dice start to move, in seconds.
            slide_s: How long the dice move, in seconds.
        """
        corner_mm = (FLOOR.right_mm - 2 * self.edge_mm, FLOOR.near_mm + 2 * self.edge_mm)
        for i in picked:
            self._slide_near(i, corner_mm, self.edge_mm / 2, now_s, slide_s)
            self.dice[i] = replace(self.dice[i], is_kept=True)

    def lean(self, i: int, *, away: bool) -> None:
        """Lean a die in the tray against a wall.

        Args:
            i: Index of the die.
            away: True if its top face points away from the wall, False if towards the wall.

        Raises:
            ValueError: If there is no room along the walls.
        """
        others = self._footprints(SimPlace.TRAY, but=i)
        rest = lean_on_wall(self._rng, self.dice[i].value, others, self.edge_mm, away=away)
        self.dice[i] = replace(self.dice[i], motion=AtRest(rest))

    def _slide_near(
        self, i: int, around_mm: tuple[float, float], spread_mm: float, now_s: float, slide_s: float
    ) -> None:
        """Push a die to a free place near a point.

        Args:
            i: Index of the die.
            around_mm: x and y of the point.
            spread_mm: Standard deviation of the place from that point in x and in y.
            now_s: When the die starts to move, in seconds.
            slide_s: How long the die moves, in seconds.
        """
        others, spread = self._footprints(SimPlace.TRAY, but=i), (spread_mm, spread_mm)
        spot = find_rest(self._rng, others, self.edge_mm, around_mm, spread, sociable=False)
        start = _pushed_flat(self.dice[i].rest, self.edge_mm)
        turned = _smallest_turn(spot.yaw - yaw_of(start.turn))
        centre = np.array([spot.x_mm, spot.y_mm, self.edge_mm / 2])
        rest = DiePose(centre, rotation(UP, turned) @ start.turn)
        motion = Slide(start, rest, now_s, now_s + slide_s, turned)
        self.dice[i] = replace(self.dice[i], motion=motion)

    def _footprints(self, place: SimPlace, but: int | None = None) -> list[Footprint]:
        return [
            Footprint.of(self.dice[i].rest, self.edge_mm) for i in self.in_place(place) if i != but
        ]


def _pushed_flat(pose: DiePose, edge_mm: float) -> DiePose:
    """Return the pose of a die that is being pushed: a leaning die falls flat, any other keeps its pose."""
    if pose.tilt < COCKED_RAD:
        return pose
    x_mm, y_mm, _ = pose.centre_mm
    return DiePose(np.array([x_mm, y_mm, edge_mm / 2]), flat_rotation(pose.top_face, 0.0))


def _smallest_turn(radians_: float) -> float:
    """Return the smallest turn that has the same effect on a square as a turn by `radians_`, in radians."""
    return (radians_ + pi / 4) % (pi / 2) - pi / 4
