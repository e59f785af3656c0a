"""A camera over a dice tray that is not there: for play without hardware, and for tests."""

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
from device.cameras.simulated.hand import Reach
from device.cameras.simulated.lens import TrayPoints
from device.cameras.simulated.painter import Painter, RestView
from device.cameras.simulated.sim_dice import SimDice, SimDie, SimPlace
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, LENS, TrayLook, look_named
from vision.reading import Quad, Zone

PREVIEW_NOISE = 0.45  # of the full picture's: the ISP averages when it scales down
SLIDE_S = 0.5  # an unhurried push
TRAY_SEEN, ASIDE_SEEN = FLOOR.seen_by(LENS), ASIDE.seen_by(LENS)

Destination = Literal["aside", "gone", "corner", "stay"]


@dataclass(frozen=True, slots=True)
class VisibleDie:
    """The truth about one die in the picture: where the centre of its top face is seen."""

    value: int
    x_px: float
    y_px: float
    zone: Zone
    cocked: bool


class SimulatedTray:
    """Dice in a tray, as a Raspberry Pi camera 33 cm above would see them.

    The dice start in the thrower's hand. What a person does with them are methods, callable from
    any thread; a reader should look at the frames only. The same seed and the same calls give
    the same dice in the same places.

    >>> tray = SimulatedTray(seed=1, roll_s=0.0)
    >>> tray.throw(values=[1, 1, 5])
    >>> tray.truth
    (1, 1, 5)
    >>> tray.capture().image.shape
    (864, 1536, 3)

    Args:
        seed: None rolls differently each time.
        n_dice: the size of the set.
        look: green, red, blue, black, travel, ruby, or a Look of one's own.
        roll_s: how long thrown dice move; 0 lets them lie at once.
        clock: seconds that never run backwards.
    """

    name = SIMULATED_CAMERA

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
        self._look = look if isinstance(look, TrayLook) else look_named(look)
        self._roll_s = roll_s
        self._clock = clock
        self._lock = threading.Lock()
        self._rng = np.random.default_rng(seed)
        self._table = SimDice(self._rng, n_dice, self._look.die_mm)
        self._reach = Reach()

    @cached_property
    def _full(self) -> RestView:
        """Made when first looked at: the page is up meanwhile."""
        return RestView(Painter(self._look, LENS, backdrop(self._look), FINE), self._look.noise)

    @cached_property
    def _small(self) -> RestView:
        lens = LENS.scaled(PREVIEW_WIDTH_PX)
        painter = Painter(self._look, lens, backdrop(self._look).scaled(lens), COARSE)
        return RestView(painter, self._look.noise * PREVIEW_NOISE)

    @property
    def tray(self) -> Quad:
        """The floor's four inner corners, clockwise from the far left."""
        return TRAY_SEEN

    @property
    def aside(self) -> Quad:
        """The strip of table to the right of the tray where set-aside dice lie."""
        return ASIDE_SEEN

    @property
    def truth(self) -> tuple[int, ...]:
        """What the dice in the tray show, or will when they lie; cocked dice show nothing."""
        return tuple(
            sorted(
                die.value for die in self._dice() if die.place is SimPlace.TRAY and not die.cocked
            )
        )

    @property
    def visible_dice(self) -> tuple[VisibleDie, ...]:
        """The dice in the picture, as they lie or will lie."""
        return tuple(
            _lying(die, self._look.die_mm) for die in self._dice() if die.place is not SimPlace.HAND
        )

    @property
    def is_rolling(self) -> bool:
        """Whether any die is in motion, thrown or pushed."""
        with self._lock:
            return self._clock() < self._table.end_s

    def throw(self, n: int | None = None, values: Sequence[int] | None = None) -> None:
        """Pick up the dice in the tray and throw them.

        Dice kept in the tray stay. When none are left to throw, all dice are (hot dice).

        Args:
            n: throw exactly so many: from the tray, then from the hand, then from aside.
            values: what they shall show; else chance decides.
        """
        with self._lock:
            picked = self._table.picked_up(len(values) if n is None and values is not None else n)
            self._throw(picked, values)

    def throw_all(self, values: Sequence[int] | None = None) -> None:
        """Gather every die, also those aside, and throw them."""
        with self._lock:
            self._throw(list(range(len(self._table.dice))), values)

    def place(self, values: Sequence[int]) -> None:
        """Lay dice into the tray by hand; taken up in the order of `throw(n)`."""
        with self._lock:
            picked = self._table.picked_up(len(values))
            self._table.lay(picked, _checked(values, len(picked)))

    def set_aside(self, values: Iterable[int], *, to: Destination = "aside") -> None:
        """Keep dice of the tray that show these values out of the next throw.

        `to` says where: "aside" is beside the tray; "gone" is out of the picture; "corner" slides
        them to a corner of the tray; "stay" leaves them exactly where they lie.
        """
        with self._lock:
            picked = self._table.showing(values)
            if to == "aside":
                self._table.put_aside(picked)
            elif to == "gone":
                self._table.take_away(picked)
            elif to == "corner":
                self._table.slide_to_corner(picked, self._clock(), SLIDE_S)
            elif to == "stay":
                self._table.keep_lying(picked)
            else:
                raise ValueError(f"to must be aside, gone, corner or stay, not {to!r}")

    def gather(self) -> None:
        """Take all dice out of the tray into the hand."""
        with self._lock:
            self._table.take_away(self._table.in_place(SimPlace.TRAY))

    def take_back_set_aside(self) -> None:
        """Take the dice beside the tray into the hand again."""
        with self._lock:
            self._table.take_away(self._table.in_place(SimPlace.ASIDE))

    def nudge(
        self,
        values: Iterable[int] | None = None,
        *,
        far_mm: float = 20.0,
        slide_s: float = SLIDE_S,
        hand: bool = False,
    ) -> None:
        """Slide dice of the tray (all, or those that show `values`) without turning them over.

        Args:
            values: None is all dice in the tray.
            far_mm: about how far.
            slide_s: how long it takes.
            hand: whether the hand that does it is seen.
        """
        with self._lock:
            picked = (
                self._table.in_place(SimPlace.TRAY)
                if values is None
                else self._table.showing(values)
            )
            now_s = self._clock()
            if hand:
                self._reach = self._reach.visit(now_s, slide_s)
                now_s += self._reach.way_s
            self._table.slide(picked, now_s, slide_s, far_mm)

    def lean(self, index: int = 0, *, away: bool = False) -> None:
        """Make a die of the tray cocked: it leans against a wall. `index` counts in `lying`.

        One that leans `away` from the wall looks straight at the camera: the hardest to notice.
        """
        with self._lock:
            seen = self._table.in_place(SimPlace.TRAY, SimPlace.ASIDE)
            if (
                not 0 <= index < len(seen)
                or self._table.dice[seen[index]].place is not SimPlace.TRAY
            ):
                raise ValueError(
                    f"die {index} is not in the tray: lean one of the dice lying there"
                )
            self._table.lean(seen[index], away=away)

    def show_hand(self, shown: bool = True) -> None:  # noqa: FBT001, FBT002 - reads as a sentence
        """Reach into the picture from the near side, or draw the hand back."""
        with self._lock:
            self._reach = self._reach.turned(self._clock(), inwards=shown)

    def preview(self) -> Frame:
        """320 px wide, colour. Returns at once: the caller sets the pace."""
        return self._frame(self._small)

    def capture(self) -> Frame:
        """A picture of 1536x864. Returns at once: the caller sets the pace."""
        return self._frame(self._full)

    def close(self) -> None:
        """There is no hardware to give back."""

    def _frame(self, view: RestView) -> Frame:
        with self._lock:
            now_s = self._clock()
            dice = tuple(die.motion for die in self._table.dice if die.place is not SimPlace.HAND)
            hand = self._reach.hand(now_s)
        return Frame(view.shot(dice, hand, now_s), now_s)

    def _dice(self) -> list[SimDie]:
        with self._lock:
            return list(self._table.dice)

    def _throw(self, picked: list[int], values: Sequence[int] | None) -> None:
        if values is None:
            values = [int(v) for v in self._rng.integers(1, 7, len(picked))]
        shown = _checked(values, len(picked))
        self._table.throw(picked, shown, self._clock(), self._roll_s)


def _checked(values: Sequence[int], count: int) -> list[int]:
    wrong = [value for value in values if value not in range(1, 7)]
    if wrong:
        raise ValueError(f"a die shows 1 to 6, not {wrong[0]}")
    if len(values) != count:
        raise ValueError(f"{count} dice are thrown, but {len(values)} values are given")
    return list(values)


def _lying(die: SimDie, edge_mm: float) -> VisibleDie:
    top = die.rest.centre_mm + np.array([0.0, 0.0, edge_mm / 2])
    x_px, y_px = (float(v) for v in LENS.project(TrayPoints(top[None]))[0])
    zone = Zone.TRAY if die.place is SimPlace.TRAY else Zone.ASIDE
    return VisibleDie(die.value, x_px, y_px, zone, die.cocked)
