"""The simulated tray with a person who pushes dice, leans them against walls and reaches in, so that tests can do the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import pi, radians
from typing import Literal

import numpy as np

from device.cameras.base import Frame, read_only
from device.cameras.simulated.die_pose import (
    UP,
    DiePose,
    extent_mm,
    flat_rotation,
    rotation,
    yaw_of,
)
from device.cameras.simulated.lens import TrayPoints
from device.cameras.simulated.painter import RestView
from device.cameras.simulated.sim_dice import (
    APART_MM,
    TRIES,
    Footprint,
    SimDice,
    SimDie,
    SimPlace,
    scatter,
)
from device.cameras.simulated.throw import AtRest
from device.cameras.simulated.tray import SimulatedTray, checked_faces
from device.cameras.simulated.tray_geometry import FLOOR, LENS
from tests.simulated_hand import HandMotion, paint_hand
from vision.reading import Zone

SLIDE_S = 0.5  # duration of an unhurried push
COCKED_RAD = radians(10)  # a die that leans more than this shows no face
LEAN_TRIES = 200
LEAN_DEG = (20.0, 32.0)

Destination = Literal["aside", "gone", "corner", "stay"]


@dataclass(frozen=True, slots=True)
class VisibleDie:
    """The truth about one die in the frame.

    Attributes:
        value: The face that points up most, 1 to 6.
        x_px: x of the centre of its top face in the frame.
        y_px: y of the centre of its top face in the frame.
        zone: Whether the die is in the tray or in the set-aside area.
        is_cocked: Whether the die does not lie flat.
    """

    value: int
    x_px: float
    y_px: float
    zone: Zone
    is_cocked: bool


class HandledTray(SimulatedTray):
    """A simulated tray in which a person does more than throw dice and set them aside."""

    def __init__(self, **options) -> None:
        super().__init__(**options)
        self._all_dice = HandledDice(self._rng, len(self._all_dice.dice), self._all_dice.edge_mm)
        self._hand_motion = HandMotion()

    @property
    def truth(self) -> tuple[int, ...]:
        """The faces that the dice in the tray show once they are at rest, sorted, without cocked dice."""
        there = (die for die in self._dice() if die.place is SimPlace.TRAY)
        return tuple(sorted(die.value for die in there if not _is_cocked(die)))

    @property
    def visible_dice(self) -> tuple[VisibleDie, ...]:
        """The dice in the frame once they are at rest."""
        edge_mm = self._all_dice.edge_mm
        return tuple(
            _visible(die, edge_mm) for die in self._dice() if die.place is not SimPlace.HAND
        )

    def place(self, values: Sequence[int]) -> None:
        """Place dice with these faces in the tray by hand. They are picked up in the same order as in `throw`."""
        with self._lock:
            picked = self._all_dice.choose_for_throw(len(values))
            self._all_dice.lay(picked, checked_faces(values, len(picked)))

    def set_aside(self, values: Iterable[int], *, to: Destination = "aside") -> None:
        """Keep dice out of the next throw.

        Args:
            values: The faces of the dice.
            to: "aside" puts the dice in the set-aside area, "gone" outside the frame, "corner"
                slides them into a corner of the tray, and "stay" leaves them where they are.
        """
        if to == "aside":
            super().set_aside(values)
            return
        with self._lock:
            picked = self._all_dice.find_by_face(values)
            match to:
                case "gone":
                    self._all_dice.take_away(picked)
                case "corner":
                    self._all_dice.slide_to_corner(picked, self._clock(), SLIDE_S)
                case "stay":
                    self._all_dice.kept.update(picked)
                case _:
                    raise ValueError(f"to must be aside, gone, corner or stay, not {to!r}")

    def nudge(
        self,
        values: Iterable[int] | None = None,
        *,
        far_mm: float = 20.0,
        slide_s: float = SLIDE_S,
        hand: bool = False,
    ) -> None:
        """Slide dice across the floor without turning them over.

        Args:
            values: The faces of the dice; None slides all dice in the tray.
            far_mm: Approximately how far the dice move.
            slide_s: How long the dice move, in seconds.
            hand: Whether the hand that pushes the dice is visible in the frame.
        """
        with self._lock:
            picked = (
                self._all_dice.in_place(SimPlace.TRAY)
                if values is None
                else self._all_dice.find_by_face(values)
            )
            now_s = self._clock()
            if hand:
                self._hand_motion = self._hand_motion.visit(now_s, slide_s)
                now_s += self._hand_motion.entry_s
            self._all_dice.slide(picked, now_s, slide_s, far_mm)

    def lean(self, index: int = 0, *, away: bool = False) -> None:
        """Lean a die against a wall, so that it is cocked.

        Args:
            index: Index of the die in `visible_dice`.
            away: True if its top face points away from the wall, where the lean is hardest to notice;
                False if it points towards the wall.
        """
        with self._lock:
            seen = self._all_dice.in_place(SimPlace.TRAY, SimPlace.ASIDE)
            if (
                not 0 <= index < len(seen)
                or self._all_dice.dice[seen[index]].place is not SimPlace.TRAY
            ):
                raise ValueError(
                    f"die {index} is not in the tray: lean one of the dice lying there"
                )
            self._all_dice.lean(seen[index], away=away)

    def show_hand(self, shown: bool = True) -> None:  # noqa: FBT001, FBT002 - reads as a sentence
        """Move a hand into the frame from the near side or, if `shown` is false, out again."""
        with self._lock:
            self._hand_motion = self._hand_motion.redirected(self._clock(), inwards=shown)

    def _frame(self, view: RestView) -> Frame:
        frame = super()._frame(view)
        with self._lock:
            hand = self._hand_motion.hand(frame.time_s)
        if hand is None:
            return frame
        image = frame.image.copy()
        paint_hand(image, hand, LENS.scaled(image.shape[1]))
        return replace(frame, image=read_only(image))


class HandledDice(SimDice):
    """The dice of the simulated table, and everything that hands can do to them.

    Attributes:
        kept: Indices of the dice that stay in the tray when dice are next picked up for a throw.
    """

    def __init__(self, rng: np.random.Generator, n_dice: int, edge_mm: float) -> None:
        super().__init__(rng, n_dice, edge_mm)
        self.kept: set[int] = set()

    def choose_for_throw(self, n: int | None) -> list[int]:
        """Return the indices of the dice that a hand picks up for a throw; kept dice come last."""
        every = super().choose_for_throw(n if n is None else len(self.dice))
        loose = [i for i in every if i not in self.kept]
        if n is None:
            return loose or list(range(len(self.dice)))
        super().choose_for_throw(n)  # refuses an impossible number
        return [*loose, *sorted(self.kept)][:n]

    def take_away(self, picked: Iterable[int]) -> None:
        """Take the dice with these indices into the hand, outside the frame."""
        super().take_away(picked)
        self.kept.difference_update(picked)

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
        """Push dice into the near right corner, where they stay during the next throw.

        Args:
            picked: Indices of the dice.
            now_s: When the dice start to move, in seconds.
            slide_s: How long the dice move, in seconds.
        """
        corner_mm = (FLOOR.right_mm - 2 * self.edge_mm, FLOOR.near_mm + 2 * self.edge_mm)
        for i in picked:
            self._slide_near(i, corner_mm, self.edge_mm / 2, now_s, slide_s)
            self.kept.add(i)

    def lean(self, i: int, *, away: bool) -> None:
        """Lean a die in the tray against a wall.

        Args:
            i: Index of the die.
            away: True if its top face points away from the wall, False if towards the wall.

        Raises:
            ValueError: If there is no room along the walls.
        """
        value = self.dice[i].value
        rest = _lean_on_wall(self._rng, value, self._others(i), self.edge_mm, away=away)
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
        spot = _find_free(self._rng, self._others(i), self.edge_mm, around_mm, spread_mm)
        start = _pushed_flat(self.dice[i].rest, self.edge_mm)
        turned = _smallest_turn(spot.yaw - yaw_of(start.turn))
        centre = np.array([spot.x_mm, spot.y_mm, self.edge_mm / 2])
        rest = DiePose(centre, rotation(UP, turned) @ start.turn)
        motion = Slide(start, rest, now_s, now_s + slide_s, turned)
        self.dice[i] = replace(self.dice[i], motion=motion)

    def _others(self, i: int) -> list[Footprint]:
        others = (self.dice[j].rest for j in self.in_place(SimPlace.TRAY) if j != i)
        return [Footprint.of(rest, self.edge_mm) for rest in others]


@dataclass(frozen=True, slots=True, eq=False)
class Slide:
    """The motion of a die that is pushed across the floor, so that the same face stays up.

    Attributes:
        start: The pose before the push.
        rest: The pose after the push.
        start_s: When the die starts to move, in seconds.
        end_s: When the die comes to rest, in seconds.
        turned: Angle by which the die turns about the vertical axis, in radians.
    """

    start: DiePose
    rest: DiePose
    start_s: float
    end_s: float
    turned: float

    def at(self, time_s: float) -> DiePose | None:
        """Implement `DieMotion.at`: return the pose during the push."""
        if time_s >= self.end_s:
            return self.rest
        left = 1 - _smooth((time_s - self.start_s) / (self.end_s - self.start_s))
        way = self.start.centre_mm - self.rest.centre_mm
        return DiePose(
            self.rest.centre_mm + left * way, rotation(UP, -left * self.turned) @ self.rest.turn
        )


def _smooth(share: float) -> float:
    share = min(1.0, max(0.0, share))
    return share * share * (3 - 2 * share)


def _is_cocked(die: SimDie) -> bool:
    return die.rest.tilt > COCKED_RAD


def _visible(die: SimDie, edge_mm: float) -> VisibleDie:
    top = die.rest.centre_mm + np.array([0.0, 0.0, edge_mm / 2])
    x_px, y_px = (float(v) for v in LENS.project(TrayPoints(top[None]))[0])
    zone = Zone.TRAY if die.place is SimPlace.TRAY else Zone.ASIDE
    return VisibleDie(die.value, x_px, y_px, zone, _is_cocked(die))


def _find_free(
    rng: np.random.Generator,
    taken: Sequence[Footprint],
    edge_mm: float,
    around_mm: tuple[float, float],
    spread_mm: float,
) -> Footprint:
    """Find a free place for a die near a point, and not against a wall or another die."""
    for attempt in range(TRIES):
        spread = spread_mm * (1 + 3 * attempt / TRIES)
        x, y = rng.normal(around_mm, (spread, spread))
        spot = Footprint(float(x), float(y), float(rng.uniform(0, pi / 2)), edge_mm)
        if spot.is_inside(FLOOR) and all(spot.is_apart_from(other, APART_MM) for other in taken):
            return spot
    raise ValueError("no room left in the tray")


def _lean_on_wall(
    rng: np.random.Generator,
    value: int,
    taken: Sequence[Footprint],
    edge_mm: float,
    *,
    away: bool,
) -> DiePose:
    """Find a free place along the walls, and return the pose of a die that leans there.

    Args:
        rng: Source of random numbers.
        value: The face that points up most, 1 to 6.
        taken: Footprints of the other dice in the tray.
        edge_mm: Edge of the die.
        away: True if that face points away from the wall, False if it points towards the wall.

    Raises:
        ValueError: If there is no room along the walls.
    """
    for _ in range(LEAN_TRIES):
        side = int(rng.integers(4))
        wall = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][side])
        along_wall = np.array([-wall[1], wall[0], 0.0])
        lean_rad = radians(float(rng.uniform(*LEAN_DEG)))
        tilt = rotation(along_wall, -lean_rad if away else lean_rad)
        turn = tilt @ flat_rotation(value, int(rng.integers(4)) * pi / 2)
        extent = extent_mm(turn, edge_mm)
        room_mm = np.array([FLOOR.right_mm, FLOOR.far_mm]) - extent[:2]
        place = np.where(wall == 0, rng.uniform(-0.9, 0.9), wall) * room_mm
        rest = DiePose(np.array([*place, extent[2]]), turn)
        if all(Footprint.of(rest, edge_mm).is_apart_from(other, 0.5) for other in taken):
            return rest
    raise ValueError("no room left along the walls to lean a die: gather() some first")


def _pushed_flat(pose: DiePose, edge_mm: float) -> DiePose:
    """Return the pose of a die that is being pushed: a leaning die falls flat, any other keeps its pose."""
    if pose.tilt < COCKED_RAD:
        return pose
    x_mm, y_mm, _ = pose.centre_mm
    return DiePose(np.array([x_mm, y_mm, edge_mm / 2]), flat_rotation(pose.top_face, 0.0))


def _smallest_turn(radians_: float) -> float:
    """Return the smallest turn that has the same effect on a square as a turn by `radians_`, in radians."""
    return (radians_ + pi / 4) % (pi / 2) - pi / 4
