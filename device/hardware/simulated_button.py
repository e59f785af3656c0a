"""The simulated button, which only one phone or program can hold down at a time."""

from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep

from device.hardware.button import TrayButton
from game.message import Message
from game.situation import TableError

STUCK_S = 12.0
"""A button that has been down for this many seconds, longer than any accepted hold, was abandoned by its phone."""

BUSY = Message("The button is being held: wait until it is released.")


class SimulatedButton:
    """A simulated button that refuses a second press while it is down.

    Args:
        button: A button on a mock pin.
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
        """Hold the button down for some time, then release it.

        Args:
            seconds: How long to hold it down.
            request: Id of the phone's request that causes the press or the hold.

        Raises:
            TableError: If the button is already down.
        """
        self._press(is_timed=True)
        self._pause(seconds)
        with self._moving:
            self._release(request=request)

    def move(self, *, down: bool, held_s: float | None = None, request: str = "") -> None:
        """Press the button, or release it.

        Args:
            down: True presses the button, False releases it.
            held_s: When the button is released, how long the finger was on it according to the phone's clock, in
                seconds; None measures the time here.
            request: Id of the phone's request that causes the press or the hold.

        Raises:
            TableError: If another phone or program is holding the button down.
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
