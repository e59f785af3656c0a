"""A simulated camera over a simulated tray, for play without hardware and for tests."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from device.cameras.base import PREVIEW_WIDTH_PX, SIMULATED_CAMERA, Frame
from device.cameras.simulated.background import backdrop
from device.cameras.simulated.die_sprite import COARSE, FINE
from device.cameras.simulated.hand import HandMotion
from device.cameras.simulated.lens import TrayPoints
from device.cameras.simulated.painter import Painter, RestView
from device.cameras.simulated.sim_dice import SimDice, SimDie, SimPlace
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, LENS, TrayLook, find_look
from vision.reading import Zone

PREVIEW_NOISE = 0.45  # relative to that of a full frame, because scaling down averages the noise
SLIDE_S = 0.5  # duration of an unhurried push

Destination = Literal["aside", "gone", "corner", "stay"]


@dataclass(frozen=True, slots=True)
class VisibleDie:
    """The truth about one die in the frame.

    Attributes:
        value: The face that points most nearly upwards, 1 to 6.
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


class _Views:
    """Full frames and previews of one table, painted on first use, so that the program starts sooner."""

    def __init__(self, look: TrayLook) -> None:
        self._look = look

    @cached_property
    def full(self) -> RestView:
        painter = Painter(self._look, LENS, backdrop(self._look), FINE)
        return RestView(painter, self._look.noise)

    @cached_property
    def preview(self) -> RestView:
        lens = LENS.scaled(PREVIEW_WIDTH_PX)
        painter = Painter(self._look, lens, backdrop(self._look).scaled(lens), COARSE)
        return RestView(painter, self._look.noise * PREVIEW_NOISE)


class SimulatedTray:
    """Dice in a tray, as seen by a Raspberry Pi camera 33 cm above them.

    The dice start in the thrower's hand. The methods do what a person does with the dice; any thread
    may call them. A program that reads the dice should use only the frames. The same seed and the same
    calls put the same dice in the same places.

    >>> tray = SimulatedTray(seed=1, roll_s=0.0)
    >>> tray.throw(values=[1, 1, 5])
    >>> tray.truth
    (1, 1, 5)
    >>> tray.capture().image.shape
    (864, 1536, 3)

    Args:
        seed: Makes throws repeatable; None means different throws each time.
        n_dice: Number of dice, at least 1.
        look: The colours of the table: a key of `LOOKS`, or any other `TrayLook`.
        roll_s: How long thrown dice move, in seconds; if 0, they are at rest at once.
        clock: Monotonic clock in seconds.
    """

    name = SIMULATED_CAMERA
    tray = FLOOR.in_frame_of(LENS)
    aside = ASIDE.in_frame_of(LENS)

    def __init__(
        self,
        *,
        seed: int | None = None,
        n_dice: int = 6,
        look: TrayLook | str = "green",
        roll_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if n_dice < 1:
            raise ValueError(f"n_dice must be 1 or more, not {n_dice}")
        look = look if isinstance(look, TrayLook) else find_look(look)
        self._views, self._die_mm = _Views(look), look.die_mm
        self._roll_s = roll_s
        self._clock = clock
        self._lock = threading.Lock()
        self._rng = np.random.default_rng(seed)
        self._all_dice = SimDice(self._rng, n_dice, look.die_mm)
        self._hand_motion = HandMotion()

    @property
    def truth(self) -> tuple[int, ...]:
        """The faces that the dice in the tray show once they are at rest, sorted, without cocked dice."""
        return tuple(
            sorted(
                die.value
                for die in self._dice()
                if die.place is SimPlace.TRAY and not die.is_cocked
            )
        )

    @property
    def visible_dice(self) -> tuple[VisibleDie, ...]:
        """The dice in the frame once they are at rest."""
        return tuple(
            _visible(die, self._die_mm) for die in self._dice() if die.place is not SimPlace.HAND
        )

    @property
    def is_rolling(self) -> bool:
        """Whether any die is moving."""
        with self._lock:
            return self._clock() < self._all_dice.end_s

    def throw(self, n: int | None = None, values: Sequence[int] | None = None) -> None:
        """Pick up the dice in the tray and throw them.

        Dice that are kept in the tray stay there. If no others are left, all dice are thrown (hot dice).

        Args:
            n: Number of dice. They are taken from the tray first, then from the hand, then from the
                set-aside area. None means as many as `values` or, if that is None too, all dice in
                the tray.
            values: The faces that the dice will show, 1 to 6; None leaves them to chance.
        """
        with self._lock:
            picked = self._all_dice.choose_for_throw(
                len(values) if n is None and values is not None else n
            )
            self._throw(picked, values)

    def throw_all(self, values: Sequence[int] | None = None) -> None:
        """Throw all dice, including those in the set-aside area. They will show these faces; None means random ones."""
        with self._lock:
            self._throw(list(range(len(self._all_dice.dice))), values)

    def place(self, values: Sequence[int]) -> None:
        """Place dice with these faces in the tray by hand. They are picked up in the same order as in `throw`."""
        with self._lock:
            picked = self._all_dice.choose_for_throw(len(values))
            self._all_dice.lay(picked, _checked(values, len(picked)))

    def set_aside(self, values: Iterable[int], *, to: Destination = "aside") -> None:
        """Keep dice out of the next throw.

        Args:
            values: The faces of the dice.
            to: "aside" puts the dice in the set-aside area, "gone" outside the frame, "corner"
                slides them into a corner of the tray, and "stay" leaves them where they are.
        """
        with self._lock:
            picked = self._all_dice.find_by_face(values)
            match to:
                case "aside":
                    self._all_dice.put_aside(picked)
                case "gone":
                    self._all_dice.take_away(picked)
                case "corner":
                    self._all_dice.slide_to_corner(picked, self._clock(), SLIDE_S)
                case "stay":
                    self._all_dice.keep_in_tray(picked)
                case _:
                    raise ValueError(f"to must be aside, gone, corner or stay, not {to!r}")

    def gather(self, *, aside: bool = False) -> None:
        """Take the dice in the tray into the hand and, if `aside` is true, also those in the set-aside area."""
        places = (SimPlace.TRAY, SimPlace.ASIDE) if aside else (SimPlace.TRAY,)
        with self._lock:
            self._all_dice.take_away(self._all_dice.in_place(*places))

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

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return a small frame of the tray as it is now."""
        return self._frame(self._views.preview)

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return a 1536x864 frame of the tray as it is now."""
        return self._frame(self._views.full)

    def close(self) -> None:
        """Implement `Camera.close`: do nothing, because there is no hardware to release."""

    def _frame(self, view: RestView) -> Frame:
        with self._lock:
            now_s = self._clock()
            dice = tuple(
                die.motion for die in self._all_dice.dice if die.place is not SimPlace.HAND
            )
            hand = self._hand_motion.hand(now_s)
        return Frame(view.render(dice, hand, now_s), now_s)

    def _dice(self) -> list[SimDie]:
        with self._lock:
            return list(self._all_dice.dice)

    def _throw(self, picked: list[int], values: Sequence[int] | None) -> None:
        if values is None:
            values = [int(v) for v in self._rng.integers(1, 7, len(picked))]
        shown = _checked(values, len(picked))
        self._all_dice.throw(picked, shown, self._clock(), self._roll_s)


def _checked(values: Sequence[int], count: int) -> list[int]:
    wrong = [value for value in values if value not in range(1, 7)]
    if wrong:
        raise ValueError(f"a die shows 1 to 6, not {wrong[0]}")
    if len(values) != count:
        raise ValueError(f"{count} dice are thrown, but {len(values)} faces are given")
    return list(values)


def _visible(die: SimDie, edge_mm: float) -> VisibleDie:
    top = die.rest.centre_mm + np.array([0.0, 0.0, edge_mm / 2])
    x_px, y_px = (float(v) for v in LENS.project(TrayPoints(top[None]))[0])
    zone = Zone.TRAY if die.place is SimPlace.TRAY else Zone.ASIDE
    return VisibleDie(die.value, x_px, y_px, zone, die.is_cocked)
