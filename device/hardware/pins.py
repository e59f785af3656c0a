"""The GPIO pins: those of the Pi, or gpiozero's mock pins on other machines.

The button on the page drives a mock pin, so that pressing it runs the same code as pressing a real button.
"""

import logging
import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import sleep
from typing import TypeVar

from gpiozero import Device
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockFactory, MockPWMPin

from device.machine_fit import is_raspberry_pi
from game.errors import TraykeeperError, reason
from game.message import Message

log = logging.getLogger(__name__)

Opened = TypeVar("Opened")

DEV = Path("/dev")
NO_LGPIO = Message(
    "lgpio is missing: sudo apt install python3-lgpio, "
    "or pip install lgpio in the environment of Traykeeper"
)
NO_CHIP = Message("no pins were found: update the Pi (sudo apt full-upgrade) and restart it")
NOT_ALLOWED = Message(
    "run the installer again or, if you start Traykeeper by hand, join the group gpio "
    "(sudo usermod -aG gpio $USER) and log in again"
)
NOT_WRITABLE = Message(
    "lgpio writes into the folder in which it is started: start Traykeeper in one of your own"
)

BUSY = "busy"
"""The word in lgpio's exception if another program is using a pin."""

BUSY_TRIES, BUSY_PAUSE_S = 10, 0.5
"""Number of attempts to open a pin in use, and seconds between them: a program that is ending takes a moment."""

MAX_STATES = 100
"""Number of latest states that a mock pin remembers for tests."""

_HEADER_NAMES = """
3.3 V|5 V|GPIO2|5 V|GPIO3|ground|GPIO4|GPIO14|ground|GPIO15|GPIO17|GPIO18|GPIO27|ground|GPIO22|GPIO23
3.3 V|GPIO24|GPIO10|ground|GPIO9|GPIO25|GPIO11|GPIO8|ground|GPIO7|GPIO0|GPIO1|GPIO5|ground|GPIO6|GPIO12
GPIO13|ground|GPIO19|GPIO16|GPIO26|GPIO20|ground|GPIO21
"""

HEADER = dict(enumerate(_HEADER_NAMES.strip().replace("\n", "|").split("|"), 1))
"""The function of each pin of the 40-pin header, by its number. The header has been the same on every Pi since 2014."""


def open_pins() -> tuple[Factory, Message | None]:
    """Open the GPIO pins of this machine, or mock pins if it has none that can be used.

    Return the pins, and why they are mock pins; None if they are real, or if this machine has no pins.

    Some laptops have a gpiochip for their lid or keys, so the pins of a gpiochip are used only if lgpio is
    installed. The environment variable `GPIOZERO_PIN_FACTORY` works as usual in gpiozero.
    """
    wanted = os.environ.get("GPIOZERO_PIN_FACTORY")
    if wanted not in (None, "mock"):
        return Device._default_pin_factory(), None  # noqa: SLF001 - gpiozero has no public name for it
    why = None
    if wanted is None and any(DEV.glob("gpiochip*")) and find_spec("lgpio"):
        try:
            return import_module("gpiozero.pins.lgpio").LGPIOFactory(), None
        except Exception as error:  # noqa: BLE001 - lgpio raises its own exceptions
            remedy = NOT_ALLOWED if os.access(".", os.W_OK) else NOT_WRITABLE
            why = Message("%(error)s: %(remedy)s", error=reason(error), remedy=remedy)
    elif wanted is None and is_raspberry_pi():
        why = NO_CHIP if find_spec("lgpio") else NO_LGPIO
    if why is None:
        return mock_pins(), None
    trouble = Message("the pins cannot be used, so the button is on the page (%(why)s)", why=why)
    log.warning("%s", trouble)
    return mock_pins(), trouble


def mock_pins() -> MockFactory:
    """Return gpiozero's mock pins, which are connected to nothing."""
    return MockFactory(pin_class=_BoundedMockPin)


def open_when_free(
    open_it: Callable[[], Opened], pause: Callable[[float], object] = sleep
) -> Opened:
    """Open a device; if another program is using its pin, keep trying for a few seconds.

    Args:
        open_it: Opens and returns the device.
        pause: Waits for a time in seconds.

    Raises:
        PinBusyError: If the pin is still in use after that.
    """
    for _ in range(BUSY_TRIES):
        try:
            return open_it()
        except Exception as error:  # lgpio raises its own exceptions
            if BUSY not in str(error).lower():
                raise
        pause(BUSY_PAUSE_S)
    raise PinBusyError(
        Message("another program is using a pin: stop that program, then restart Traykeeper")
    )


class PinBusyError(TraykeeperError):
    """Raised when a pin is in use by another program."""


class _BoundedMockPin(MockPWMPin):  # type: ignore[misc]
    """A mock pin that remembers only its latest states.

    gpiozero's own mock pin remembers all of them, so a lamp that blinks for a week would use up the memory.
    """

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        del self.states[:-MAX_STATES]
        return changed
