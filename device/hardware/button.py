"""The button at the tray. When it is released, the time for which it was down distinguishes a press from a hold."""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from gpiozero import Button
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockPin

from device.hardware.choices import BUTTON_PIN

BOUNCE_S = 0.02
"""Debounce time in seconds, applied by the kernel: longer than a push-button bounces, shorter than any press."""


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
