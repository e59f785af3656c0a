"""The dice of a simulated table and what hands do to them. It knows the truth."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import pi, radians

import numpy as np

from device.cameras.simulated.die_pose import UP, DiePose, flat_turn, reach, rotation, yaw_of
from device.cameras.simulated.resting import Footprint, find_rest, free_slot
from device.cameras.simulated.throw import DieMotion, Lie, Slide, plan_throw
from device.cameras.simulated.tray_geometry import FLOOR, TABLE_MM

COCKED_RAD = radians(10)  # a die that leans more shows no face
LEAN_DEG = (20.0, 32.0)
SCATTER_AROUND_MM = (0.0, 6.0)  # thrown dice run a little past the middle


class SimPlace(Enum):
    HAND = "hand"  # out of the picture
    TRAY = "tray"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True, eq=False)
class SimDie:
    """One die. `kept` is a die in the tray that the next throw leaves where it lies."""

    motion: DieMotion
    place: SimPlace = SimPlace.HAND
    kept: bool = False

    @property
    def rest(self) -> DiePose:
        return self.motion.rest

    @property
    def value(self) -> int:
        return self.rest.top_face

    @property
    def cocked(self) -> bool:
        return self.rest.tilt > COCKED_RAD

    @property
    def loose(self) -> bool:
        return self.place is SimPlace.TRAY and not self.kept


class SimDice:
    """All dice, by index. Times are those of the caller's clock, in seconds."""

    def __init__(self, rng: np.random.Generator, n_dice: int, edge_mm: float) -> None:
        self._rng = rng
        self.edge_mm = edge_mm
        unseen = Lie(DiePose(np.zeros(3), flat_turn(1, 0.0)))
        self.dice = [SimDie(unseen) for _ in range(n_dice)]

    @property
    def end_s(self) -> float:
        """When the last die comes to rest."""
        return max((die.motion.end_s for die in self.dice), default=float("-inf"))

    def in_place(self, *places: SimPlace) -> list[int]:
        return [i for i, die in enumerate(self.dice) if die.place in places]

    def picked_up(self, n: int | None) -> list[int]:
        """Which dice a hand takes up for a throw of `n`; None is all that are loose in the tray."""
        loose = [i for i, die in enumerate(self.dice) if die.loose]
        if n is None:
            return loose or list(range(len(self.dice)))
        if not 1 <= n <= len(self.dice):
            raise ValueError(f"cannot throw {n} dice: there are {len(self.dice)}")
        kept = [i for i in self.in_place(SimPlace.TRAY) if self.dice[i].kept]
        return (loose + self.in_place(SimPlace.HAND) + self.in_place(SimPlace.ASIDE) + kept)[:n]

    def showing(self, values: Iterable[int]) -> list[int]:
        """Dice of the tray with these values, one for each; loose ones before kept ones."""
        wanted = Counter(values)
        in_tray = sorted(self.in_place(SimPlace.TRAY), key=lambda i: self.dice[i].kept)
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
        """Throw these dice; they will show these values, in this order."""
        self.take_away(picked)
        lying = [self.dice[i].rest for i in self.in_place(SimPlace.TRAY)]
        rests = self._scattered(values)
        motions = plan_throw(self._rng, rests, lying, self.edge_mm, start_s=now_s, roll_s=roll_s)
        for i, motion in zip(picked, motions, strict=True):
            self.dice[i] = SimDie(motion, SimPlace.TRAY)

    def lay(self, picked: Sequence[int], values: Sequence[int]) -> None:
        """Put dice down in the tray by hand."""
        self.take_away(picked)
        for i, rest in zip(picked, self._scattered(values), strict=True):
            self.dice[i] = SimDie(Lie(rest), SimPlace.TRAY)

    def put_aside(self, picked: Iterable[int]) -> None:
        for i in picked:
            value = self.dice[i].value
            spot = free_slot(self._rng, self._footprints(SimPlace.ASIDE), self.edge_mm)
            rest = spot.pose(value, self._quarter(), TABLE_MM)
            self.dice[i] = SimDie(Lie(rest), SimPlace.ASIDE)

    def take_away(self, picked: Iterable[int]) -> None:
        """Take dice into the hand, out of the picture."""
        for i in picked:
            self.dice[i] = replace(self.dice[i], place=SimPlace.HAND, kept=False)

    def keep_lying(self, picked: Iterable[int]) -> None:
        for i in picked:
            self.dice[i] = replace(self.dice[i], kept=True)

    def slide(self, picked: Iterable[int], now_s: float, slide_s: float, far_mm: float) -> None:
        """Push dice over the floor to free places about `far_mm` away."""
        for i in picked:
            start = self.dice[i].rest
            x_mm, y_mm = (float(v) for v in start.centre_mm[:2])
            others = self._footprints(SimPlace.TRAY, but=i)
            spot = self._near(x_mm, y_mm, far_mm / 2, others)
            self._slide_to(i, spot, now_s, slide_s)

    def slide_to_corner(self, picked: Iterable[int], now_s: float, slide_s: float) -> None:
        """Push dice into the near right corner and keep them there."""
        corner_mm = (FLOOR.right_mm - 2 * self.edge_mm, FLOOR.near_mm + 2 * self.edge_mm)
        for i in picked:
            others = self._footprints(SimPlace.TRAY, but=i)
            spot = self._near(*corner_mm, self.edge_mm / 2, others)
            self._slide_to(i, spot, now_s, slide_s)
            self.dice[i] = replace(self.dice[i], kept=True)

    def lean(self, i: int, *, away: bool) -> None:
        """Stand a die of the tray on one edge, leaning against a wall."""
        others = self._footprints(SimPlace.TRAY, but=i)
        for _ in range(200):
            rest = self._leaning(self.dice[i].value, away=away)
            spot = Footprint.of(rest, self.edge_mm)
            if all(spot.apart(other, 0.5) for other in others):
                self.dice[i] = replace(self.dice[i], motion=Lie(rest))
                return
        raise ValueError("no room left along the walls to lean a die: gather() some first")

    def _leaning(self, value: int, *, away: bool) -> DiePose:
        side = int(self._rng.integers(4))
        wall = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][side])
        along_wall = np.array([-wall[1], wall[0], 0.0])
        lean_rad = radians(float(self._rng.uniform(*LEAN_DEG)))
        tilt = rotation(along_wall, -lean_rad if away else lean_rad)
        turn = tilt @ flat_turn(value, self._quarter() * pi / 2)
        reach_mm = reach(turn, self.edge_mm)
        room_mm = np.array([FLOOR.right_mm, FLOOR.far_mm]) - reach_mm[:2]
        place = np.where(wall == 0, self._rng.uniform(-0.9, 0.9), wall) * room_mm
        return DiePose(np.array([*place, reach_mm[2]]), turn)

    def _near(
        self, x_mm: float, y_mm: float, spread_mm: float, others: list[Footprint]
    ) -> Footprint:
        spread = (spread_mm, spread_mm)
        return find_rest(self._rng, others, self.edge_mm, (x_mm, y_mm), spread, sociable=False)

    def _slide_to(self, i: int, spot: Footprint, now_s: float, slide_s: float) -> None:
        start = self._flat(self.dice[i].rest)
        turned = _shortest_turn(spot.yaw - yaw_of(start.turn))
        centre = np.array([spot.x_mm, spot.y_mm, self.edge_mm / 2])
        rest = DiePose(centre, rotation(UP, turned) @ start.turn)
        motion = Slide(start, rest, now_s, now_s + slide_s, turned)
        self.dice[i] = replace(self.dice[i], motion=motion)

    def _flat(self, pose: DiePose) -> DiePose:
        """The pose itself; a leaning die falls flat as soon as it is pushed."""
        if pose.tilt < COCKED_RAD:
            return pose
        x_mm, y_mm, _ = pose.centre_mm
        return DiePose(np.array([x_mm, y_mm, self.edge_mm / 2]), flat_turn(pose.top_face, 0.0))

    def _scattered(self, values: Sequence[int]) -> list[DiePose]:
        taken = self._footprints(SimPlace.TRAY)
        rests: list[DiePose] = []
        for value in values:
            spot = find_rest(self._rng, taken, self.edge_mm, SCATTER_AROUND_MM)
            taken.append(spot)
            rests.append(spot.pose(value, self._quarter()))
        return rests

    def _footprints(self, place: SimPlace, but: int | None = None) -> list[Footprint]:
        return [
            Footprint.of(self.dice[i].rest, self.edge_mm) for i in self.in_place(place) if i != but
        ]

    def _quarter(self) -> int:
        return int(self._rng.integers(4))


def _shortest_turn(radians_: float) -> float:
    """The same new direction of the edges by the least turning: a die looks alike each quarter."""
    return (radians_ + pi / 4) % (pi / 2) - pi / 4
