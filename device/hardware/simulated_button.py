"""The simulated button, which only one phone or program can hold down at a time."""

from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep

from device.hardware.button import TrayButton
from game.message import Message
from game.situation import TableError

STUCK_S = 12.0
"""A button that is down for longer than any accepted hold was abandoned by its phone."""

BUSY = Message("The button is being held: wait until it is released.")


class SimulatedButton:
    """Presses and releases the simulated button, and refuses a second press while it is down.

    Args:
        button: The button, on a mock pin.
        clock: Monotonic clock, in seconds.
        pause: Waits for a number of seconds.
    """

    def __init__(
        self,
        button: TrayButton,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._button, self._clock, self._pause = button, clock, pause
        self._moving = Lock()
        self._down_s: float | None = None
        self._is_timed = False

    def hold(self, seconds: float, request: str = "") -> None:
        """Hold the button down and release it.

        Args:
            seconds: How long.
            request: Request that causes the press or the hold.

        Raises:
            TableError: If the button is down already.
        """
        self._press(is_timed=True)
        self._pause(seconds)
        with self._moving:
            self._release(request=request)

    def move(self, *, down: bool, held_s: float | None = None, request: str = "") -> None:
        """Press the button, or release it.

        Args:
            down: True presses, False releases.
            held_s: At a release, how long the finger was on the button by the clock of the phone; None
                measures it here.
            request: Request that causes the press or the hold.

        Raises:
            TableError: If another phone or program holds the button down.
        """
        if down:
            self._press(is_timed=False)
            return
        with self._moving:
            if self._is_timed:
                raise TableError(BUSY)
            self._release(held_s, request)

    def _press(self, *, is_timed: bool) -> None:
        with self._moving:
            if self._down_s is not None:
                if self._clock() - self._down_s < STUCK_S:
                    raise TableError(BUSY)
                self._release()
            self._down_s, self._is_timed = self._clock(), is_timed
            self._button.drive(down=True)

    def _release(self, held_s: float | None = None, request: str = "") -> None:
        self._down_s, self._is_timed = None, False
        self._button.drive(down=False, held_s=held_s, request=request)
