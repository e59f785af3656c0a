"""The one finger on the simulated button, however many phones and programs want to press it."""

from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep

from device.hardware.button import TrayButton
from game.message import Message
from game.situation import TableError

STUCK_S = 12.0
"""Longer than any hold that is taken: whoever put the finger down has gone away."""

BUSY = Message("The button is being held down: wait until it is let go.")


class SimulatedButton:
    """Puts the button down and lets go, so that nobody cuts another's hold short."""

    def __init__(
        self,
        button: TrayButton,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._button, self._clock, self._pause = button, clock, pause
        self._moving = Lock()
        self._down_s: float | None = None
        self._timed = False

    def hold(self, seconds: float, request: str = "") -> None:
        """Down for so long, since this request asked for it."""
        self._put_down(timed=True)
        self._pause(seconds)
        with self._moving:
            self._let_go(request=request)

    def move(self, *, down: bool, held_s: float | None = None, request: str = "") -> None:
        """Down until it is let go; `held_s` is how long the finger was there, which may be far away."""
        if down:
            self._put_down(timed=False)
            return
        with self._moving:
            if self._timed:
                raise TableError(BUSY)
            self._let_go(held_s, request)

    def _put_down(self, *, timed: bool) -> None:
        with self._moving:
            if self._down_s is not None:
                if self._clock() - self._down_s < STUCK_S:
                    raise TableError(BUSY)
                self._let_go()
            self._down_s, self._timed = self._clock(), timed
            self._button.drive(down=True)

    def _let_go(self, held_s: float | None = None, request: str = "") -> None:
        self._down_s, self._timed = None, False
        self._button.drive(down=False, held_s=held_s, request=request)
