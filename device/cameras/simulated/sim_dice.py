"""The dice of the simulated table, and the ways in which hands move them."""

# np.random takes time and memory to import, and only a simulated tray needs it
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from device.cameras.simulated.die_pose import DiePose, flat_rotation
from device.cameras.simulated.resting import Footprint, free_slot, scatter
from device.cameras.simulated.throw import AtRest, DieMotion, plan_throw
from device.cameras.simulated.tray_geometry import TABLE_MM


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
