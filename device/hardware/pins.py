"""Where the pins are: the Pi's own, or gpiozero's mock where there is none.

The mock is no dead end: the button on the page drives the same pin, so that press, hold and
lamp run through the very code that a finger uses.
"""

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from gpiozero import Device
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockFactory, MockPWMPin

BUTTON_PIN = 17
"""BCM number; header pin 11, with ground beside it on pin 9."""

RED_PIN, GREEN_PIN, BLUE_PIN = 22, 23, 24
"""BCM numbers; header pins 15, 16 and 18."""

BUZZER_PIN = 12
"""BCM number; header pin 32, with ground beside it on pin 34. Where there is a buzzer."""

DEV = Path("/dev")
MODEL = Path("/proc/device-tree/model")
OUT_OF_REACH = "traykeeper: the button is on the page: this machine's pins are out of reach"
NO_LGPIO = f"{OUT_OF_REACH}. Install lgpio: sudo apt install python3-lgpio, or pip install lgpio where Traykeeper is"
NOT_ALLOWED = "are you in the group gpio? sudo usermod -aG gpio $USER, then log in again"

KEPT_STATES = 100
"""Of a mock pin: what tests look at."""

_HEADER_NAMES = """
3.3 V|5 V|GPIO2|5 V|GPIO3|ground|GPIO4|GPIO14|ground|GPIO15|GPIO17|GPIO18|GPIO27|ground|GPIO22|GPIO23
3.3 V|GPIO24|GPIO10|ground|GPIO9|GPIO25|GPIO11|GPIO8|ground|GPIO7|GPIO0|GPIO1|GPIO5|ground|GPIO6|GPIO12
GPIO13|ground|GPIO19|GPIO16|GPIO26|GPIO20|ground|GPIO21
"""

HEADER = dict(enumerate(_HEADER_NAMES.strip().replace("\n", "|").split("|"), 1))
"""What is on each pin of the 40-pin header, by its number; the same on every Pi since 2014."""


def open_pins(warn: Callable[[str], object] = lambda _: None) -> Factory:
    """The pins of this machine, or pins in memory where there are none; warns of that on a Pi.

    Many a laptop has a gpiochip for its lid or its keys; only where lgpio is installed, too, is it a
    header. `GPIOZERO_PIN_FACTORY` is honoured as everywhere in gpiozero.
    """
    wanted = os.environ.get("GPIOZERO_PIN_FACTORY")
    if wanted not in (None, "mock"):
        return Device._default_pin_factory()  # noqa: SLF001 - gpiozero has no public name for it
    if wanted is None and any(DEV.glob("gpiochip*")) and find_spec("lgpio"):
        try:
            return import_module("gpiozero.pins.lgpio").LGPIOFactory()
        except Exception as error:  # noqa: BLE001 - lgpio has errors of its own kind
            warn(f"{OUT_OF_REACH} ({error}): {NOT_ALLOWED}")
    elif wanted is None and MODEL.exists() and "Raspberry Pi" in MODEL.read_text():
        warn(NO_LGPIO)
    return MockFactory(pin_class=_ForgetfulPin)


class _ForgetfulPin(MockPWMPin):  # type: ignore[misc]
    """gpiozero's mock remembers every state for ever: a lamp that blinks all week would fill the memory."""

    def _change_state(self, value: float) -> bool:
        changed = bool(super()._change_state(value))
        del self.states[:-KEPT_STATES]
        return changed
