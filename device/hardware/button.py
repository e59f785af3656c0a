"""The one button by the tray: press and hold told apart when it is let go."""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from gpiozero import Button
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockPin

from device.hardware.pins import BUTTON_PIN

BOUNCE_S = 0.02
"""Longer than a push-button chatters, shorter than any press. The kernel does the waiting."""


class TrayButton:
    """A push-button between a GPIO and ground, with the Pi's own pull-up.

    Wire it to header pins 11 (GPIO17) and 9 (ground). Then:

        button = TrayButton(factory, on_press=print, on_hold=print)

    Args:
        factory: where the pin is.
        on_press: called when the button is let go within `hold_s`, with the request that asked for
            that; "" where a finger did it.
        on_hold: called with the seconds held when it is let go later, and with that request.
        on_holding: called with the seconds so far: 0 at once, then every `hold_s`; and last
            with None when the button is let go.
        pin: BCM number.
        hold_s: from here on a press is a hold.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        factory: Factory,
        *,
        on_press: Callable[[str], object],
        on_hold: Callable[[float, str], object],
        on_holding: Callable[[float | None], object] = lambda _: None,
        pin: int = BUTTON_PIN,
        hold_s: float = 1.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._on_press, self._on_hold, self._on_holding = on_press, on_hold, on_holding
        self._hold_s, self._clock = hold_s, clock
        self._down_s: float | None = None
        self._told_s: float | None = None
        self._request = ""
        self._changing = Lock()
        self._button = Button(
            pin, bounce_time=BOUNCE_S, hold_time=hold_s, hold_repeat=True, pin_factory=factory
        )
        self._button.when_pressed = self._pressed
        self._button.when_held = self._held
        self._button.when_released = self._released

    def __repr__(self) -> str:
        return f"<TrayButton {self._button!r}>"

    @property
    def is_simulated(self) -> bool:
        """Whether the pin is gpiozero's mock, so that `drive` can press it."""
        return isinstance(self._button.pin, MockPin)

    def drive(self, *, down: bool, held_s: float | None = None, request: str = "") -> None:
        """Press or let go of the simulated button, as a finger would: after `held_s` by its own watch."""
        pin = self._button.pin
        self._told_s, self._request = held_s, request
        if down:
            pin.drive_low()
        else:
            pin.drive_high()

    def close(self) -> None:
        self._button.close()

    def _pressed(self) -> None:
        with self._changing:
            self._down_s = self._clock()
            self._on_holding(0.0)

    def _held(self) -> None:
        # gpiozero calls this on a thread of its own, which may come after the release.
        with self._changing:
            if self._down_s is not None:
                self._on_holding(self._clock() - self._down_s)

    def _released(self) -> None:
        with self._changing:
            down_s, self._down_s = self._down_s, None
            self._on_holding(None)
        if down_s is None:
            return
        held_s = self._clock() - down_s if self._told_s is None else self._told_s
        if held_s < self._hold_s:
            self._on_press(self._request)
        else:
            self._on_hold(held_s, self._request)
