"""A simulated camera over a simulated tray, for play without hardware and for tests."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from device.cameras.base import PREVIEW_WIDTH_PX, SIMULATED_CAMERA, Frame
from device.cameras.simulated.background import backdrop
from device.cameras.simulated.die_sprite import COARSE, FINE
from device.cameras.simulated.painter import Painter, RestView
from device.cameras.simulated.sim_dice import SimDice, SimDie, SimPlace
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, LENS, TrayLook, find_look

PREVIEW_NOISE = 0.45  # relative to that of a full frame, because scaling down averages the noise


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
        self._look = look
        self._roll_s = roll_s
        self._clock = clock
        self._lock = threading.Lock()
        self._rng = np.random.default_rng(seed)
        self._all_dice = SimDice(self._rng, n_dice, look.die_mm)

    @property
    def truth(self) -> tuple[int, ...]:
        """The faces that the dice in the tray show once they are at rest, sorted."""
        return tuple(sorted(die.value for die in self._dice() if die.place is SimPlace.TRAY))

    @property
    def is_rolling(self) -> bool:
        """Whether any die is moving."""
        with self._lock:
            return self._clock() < self._all_dice.end_s

    def throw(self, n: int | None = None, values: Sequence[int] | None = None) -> None:
        """Pick up the dice in the tray and throw them.

        If there are none in the tray, all dice are thrown (hot dice).

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

    def set_aside(self, values: Iterable[int]) -> None:
        """Put dice that show these faces in the set-aside area, so that the next throw leaves them there."""
        with self._lock:
            self._all_dice.put_aside(self._all_dice.find_by_face(values))

    def gather(self, *, aside: bool = False) -> None:
        """Take the dice in the tray into the hand and, if `aside` is true, also those in the set-aside area."""
        places = (SimPlace.TRAY, SimPlace.ASIDE) if aside else (SimPlace.TRAY,)
        with self._lock:
            self._all_dice.take_away(self._all_dice.in_place(*places))

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return a small frame of the tray as it is now."""
        return self._frame(self._small_view)

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return a 1536x864 frame of the tray as it is now."""
        return self._frame(self._full_view)

    def close(self) -> None:
        """Implement `Camera.close`: do nothing, because there is no hardware to release."""

    # The views are painted on first use, so that the program starts sooner.

    @cached_property
    def _full_view(self) -> RestView:
        painter = Painter(self._look, LENS, backdrop(self._look), FINE)
        return RestView(painter, self._look.noise)

    @cached_property
    def _small_view(self) -> RestView:
        lens = LENS.scaled(PREVIEW_WIDTH_PX)
        painter = Painter(self._look, lens, backdrop(self._look).scaled(lens), COARSE)
        return RestView(painter, self._look.noise * PREVIEW_NOISE)

    def _frame(self, view: RestView) -> Frame:
        with self._lock:
            now_s = self._clock()
            dice = tuple(
                die.motion for die in self._all_dice.dice if die.place is not SimPlace.HAND
            )
        return Frame(view.render(dice, now_s), now_s)

    def _dice(self) -> list[SimDie]:
        with self._lock:
            return list(self._all_dice.dice)

    def _throw(self, picked: list[int], values: Sequence[int] | None) -> None:
        if values is None:
            values = [int(v) for v in self._rng.integers(1, 7, len(picked))]
        shown = checked_faces(values, len(picked))
        self._all_dice.throw(picked, shown, self._clock(), self._roll_s)


def checked_faces(values: Sequence[int], count: int) -> list[int]:
    """Return the faces that dice will show, as a list.

    Args:
        values: The faces.
        count: Number of dice.

    Raises:
        ValueError: If there are not as many faces as dice, or a die cannot show one of them.
    """
    wrong = [value for value in values if value not in range(1, 7)]
    if wrong:
        raise ValueError(f"a die shows 1 to 6, not {wrong[0]}")
    if len(values) != count:
        raise ValueError(f"{count} dice are thrown, but {len(values)} faces are given")
    return list(values)
