"""The button at the tray. When it is released, the time for which it was down distinguishes a press from a hold.

Pages can press it as well.
"""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from gpiozero import Button
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockPin

from device.hardware.choices import BUTTON_PIN
from device.session.indicator import SHUTDOWN_S, STUCK_S
from game.commands import Hold, MoveSimulatedButton, Press
from game.message import Message
from game.situation import TableError

BOUNCE_S = 0.02
"""Debounce time in seconds, applied by the kernel: longer than a push-button bounces, shorter than any press."""


ONLY_AT_THE_TRAY = Message("Only the button at the tray can shut the machine down.")
STUCK = Message("the button is stuck: it has been down for more than ten seconds")
BUSY = Message("The button is being held: wait until it is released.")


class TrayButton:
    """A push-button between a GPIO and ground, with the Pi's own pull-up.

    Wire it to header pins 11 (GPIO17) and 9 (ground). Then:

        button = TrayButton(factory, on_release=print)

    Args:
        factory: Pin factory of gpiozero.
        on_release: Called when the button is released, with the seconds it was held (0 if it was released within
            `hold_s` seconds) and the id of the phone's request for pressing the simulated button ("" if a real button
            was pressed).
        on_holding: Called with the seconds for which the button has been down: at once with 0, then every `hold_s`
            seconds; and with None when it is released.
        pin: BCM number of the pin.
        hold_s: Time in seconds from which a press counts as a hold.
        clock: Monotonic clock, in seconds.
    """

    def __init__(
        self,
        factory: Factory,
        *,
        on_release: Callable[[float, str], object],
        on_holding: Callable[[float | None], object] = lambda _: None,
        pin: int = BUTTON_PIN,
        hold_s: float = 1.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._on_release, self._on_holding = on_release, on_holding
        self._hold_s, self._clock = hold_s, clock
        self._down_s: float | None = None
        self._since_s: float | None = None
        self._simulated_hold_s: float | None = None
        self._request = ""
        self._changing = Lock()
        self._button = Button(
            pin, bounce_time=BOUNCE_S, hold_time=hold_s, hold_repeat=True, pin_factory=factory
        )
        self._button.when_pressed = self._pressed
        self._button.when_held = self._held
        self._button.when_released = self._released
        # gpiozero reports neither a press that began before the pin was opened nor that it is held.
        self._since_s = clock() if self._button.is_pressed else None

    def __repr__(self) -> str:
        return f"<TrayButton {self._button!r}>"

    @property
    def is_simulated(self) -> bool:
        """Whether the pin is one of gpiozero's mock pins, so that `drive` can press the button."""
        return isinstance(self._button.pin, MockPin)

    @property
    def held_s(self) -> float | None:
        """Seconds for which the button has been down; None if it is up.

        If it was already down when the pin was opened, the time counts from then.
        """
        since_s = self._since_s
        return None if since_s is None else self._clock() - since_s

    def drive(self, *, down: bool, held_s: float | None = None, request: str = "") -> None:
        """Press or release the simulated button.

        Args:
            down: True presses the button, False releases it.
            held_s: How long the finger was on the button according to the phone's clock, in seconds; None measures
                the time here.
            request: Id of the phone's request that causes the press or the hold.
        """
        pin = self._button.pin
        self._simulated_hold_s, self._request = held_s, request
        if down:
            pin.drive_low()
        else:
            pin.drive_high()

    def close(self) -> None:
        """Release the pin."""
        self._button.close()

    def _pressed(self) -> None:
        with self._changing:
            self._down_s = self._since_s = self._clock()
            self._on_holding(0.0)

    def _held(self) -> None:
        # gpiozero calls this on a separate thread, perhaps after the release.
        with self._changing:
            if self._down_s is not None:
                self._on_holding(self._clock() - self._down_s)

    def _released(self) -> None:
        with self._changing:
            down_s, self._down_s, self._since_s = self._down_s, None, None
            self._on_holding(None)
        if down_s is None:
            return
        simulated_s = self._simulated_hold_s
        held_s = self._clock() - down_s if simulated_s is None else simulated_s
        self._on_release(held_s if held_s >= self._hold_s else 0.0, self._request)


class TableButton:
    """The button of the table.

    A page presses a simulated button at its pin, so that the lamp shows what releasing the button
    would do. Only one phone or program at a time can hold it down. If the button is real, a press on a page
    has the same effect as one of that button.

    Args:
        button: The button at the tray; None if there is none.
        missing: Why there is no button; None if there is one, or if none is expected.
        press: Called with the seconds of a hold, and the id of its request, if a page uses a real button.
        clock: Monotonic clock in seconds.
        pause: Sleeps for a number of seconds.
    """

    def __init__(
        self,
        button: TrayButton | None,
        missing: Message | None,
        press: Callable[[float, str], object],
        clock: Callable[[], float],
        pause: Callable[[float], object],
    ) -> None:
        self._button, self._missing, self._press = button, missing, press
        self._clock, self._pause = clock, pause
        self._simulated = button if button and button.is_simulated else None
        self._moving = Lock()
        self._down_s: float | None = None
        self._is_timed = False

    @property
    def is_real(self) -> bool:
        """Whether there is a physical button, which can be pressed only at the tray."""
        return self._button is not None and self._simulated is None

    @property
    def is_stuck(self) -> bool:
        """Whether the button has been down for longer than anybody would hold it."""
        held_s = self._button.held_s if self._button else None
        return held_s is not None and held_s >= STUCK_S

    @property
    def trouble(self) -> Message | None:
        """Why there is no button, or a message that the button is stuck; None if neither is the case."""
        return STUCK if self.is_stuck else self._missing

    def use(self, command: Press | Hold | MoveSimulatedButton, request: str = "") -> None:
        """Press, hold or move the button as a page asks.

        Args:
            command: The command that the page sends. `seconds` of a release says how long the finger was on
                the button according to the phone's clock; None measures the time here.
            request: Id of the page's request; "" if it has none.

        Raises:
            TableError: If the button is already in use, or if the command would move a real button or
                shut the machine down.
        """
        match command:
            case Press():
                self._hold(0.0, request)
            case Hold() if command.seconds >= SHUTDOWN_S:
                raise TableError(ONLY_AT_THE_TRAY)
            case Hold():
                self._hold(command.seconds, request)
            case MoveSimulatedButton() if self._simulated is None:
                raise TableError(Message("There is a real button: press it at the tray."))
            case MoveSimulatedButton(down=True):
                self._push(self._simulated, is_timed=False)
            case MoveSimulatedButton():
                is_too_long = (command.seconds or 0.0) >= SHUTDOWN_S
                with self._moving:
                    if self._is_timed:
                        raise TableError(BUSY)
                    if (
                        is_too_long
                    ):  # the pin reads as released, but releasing a stuck button has no effect
                        self._release(self._simulated, STUCK_S)
                    else:
                        self._release(self._simulated, command.seconds, request)
                if is_too_long:
                    raise TableError(ONLY_AT_THE_TRAY)

    def release_abandoned(self) -> None:
        """Release the simulated button, without effect, if its phone has vanished and never releases it."""
        with self._moving:
            down_s = self._clock() if self._down_s is None else self._down_s
            if self._simulated and self._clock() - down_s >= STUCK_S:
                self._release(self._simulated, STUCK_S)

    def close(self) -> None:
        """Release the pin of the button."""
        if self._button:
            self._button.close()

    def _hold(self, seconds: float, request: str) -> None:
        if self._simulated is None:
            self._press(seconds, request)
            return
        self._push(self._simulated, is_timed=True)
        self._pause(seconds)
        with self._moving:
            self._release(self._simulated, request=request)

    def _push(self, button: TrayButton, *, is_timed: bool) -> None:
        self.release_abandoned()
        with self._moving:
            if self._down_s is not None:
                raise TableError(BUSY)
            self._down_s, self._is_timed = self._clock(), is_timed
            button.drive(down=True)

    def _release(self, button: TrayButton, held_s: float | None = None, request: str = "") -> None:
        self._down_s, self._is_timed = None, False
        button.drive(down=False, held_s=held_s, request=request)
