"""The outputs at the tray (lamp, buzzer and voice), combined into one."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from gpiozero.pins import Factory

from device.hardware.buzzer import Sounder
from device.hardware.choices import BLUE_PIN, GREEN_PIN, RED_PIN, LampKind
from device.hardware.lamp import RgbLamp, SingleColourLamp
from device.hardware.pins import open_when_free
from device.hardware.voice import Voice
from device.session.indicator import Indicator
from game.errors import reason
from game.message import Message

log = logging.getLogger(__name__)


class Output(Protocol):
    """A device that tells the players the state of the game."""

    def show(self, indicator: Indicator, words: str, /, *, banked: bool) -> None:
        """Show the state of the game, without waiting for the device.

        Args:
            indicator: The state to show.
            words: The message on the page.
            banked: Whether a turn has just been banked.
        """

    def close(self) -> None:
        """Switch the device off and release its pins."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """Which outputs are connected, and to which pins.

    Attributes:
        lamp: `rgb`, `one` (an LED of one colour on the red pin) or `none`.
        red, green, blue: BCM numbers of the lamp's pins.
        anode: Whether the lamp's common leg is connected to 3.3 V instead of ground.
        buzzer: BCM number of the buzzer's pin; None if there is no buzzer.
        tones: Whether the buzzer is passive and can play tones; an active buzzer has only its own tone.
        voice: Whether messages are spoken.
    """

    lamp: LampKind = "rgb"
    red: int = RED_PIN
    green: int = GREEN_PIN
    blue: int = BLUE_PIN
    anode: bool = False
    buzzer: int | None = None
    tones: bool = False
    voice: bool = False


class Signals:
    """Several outputs combined into one. If one of them fails, the others and the game continue.

    Args:
        outputs: The outputs that were opened.
        missing: For each output that could not be opened, the reason.
    """

    def __init__(self, *outputs: Output, missing: Sequence[Message] = ()) -> None:
        self._outputs = outputs
        self._failed: dict[int, Message] = {}
        self._missing = missing

    def __repr__(self) -> str:
        return f"<Signals {', '.join(map(repr, self._outputs))}>"

    def show(self, indicator: Indicator, words: str = "", *, banked: bool = False) -> None:
        """Implement `Output.show`."""
        for number, output in enumerate(self._outputs):
            try:
                output.show(indicator, words, banked=banked)
                self._failed.pop(number, None)
            except Exception as error:
                if number not in self._failed:
                    log.exception("%r failed", output)
                self._failed[number] = Message(
                    "%(what)s: %(why)s", what=type(output).__name__, why=reason(error)
                )

    @property
    def troubles(self) -> tuple[Message, ...]:
        """The reasons why outputs are missing or failing; empty if all work."""
        return (*self._missing, *self._failed.values())

    def close(self) -> None:
        """Implement `Output.close`."""
        for output in self._outputs:
            try:
                output.close()
            except Exception:
                log.exception("%r cannot be closed", output)


def open_signals(factory: Factory, wiring: Wiring, warn: Callable[[str], object]) -> Signals:
    """Open all outputs that are connected.

    Args:
        factory: Pin factory of gpiozero.
        wiring: Which outputs are connected, and to which pins.
        warn: Called with one line about each output that cannot be opened.
    """
    outputs: list[Output] = []
    missing: list[Message] = []
    for make in _makers(factory, wiring):
        try:
            outputs.append(open_when_free(make))
        except Exception as error:  # noqa: BLE001 - lgpio raises its own exceptions
            missing.append(reason(error))
            warn(str(error))
    return Signals(*outputs, missing=missing)


def _makers(factory: Factory, wiring: Wiring) -> Iterator[Callable[[], Output]]:
    match wiring.lamp:
        case "rgb":
            pins = (wiring.red, wiring.green, wiring.blue)
            yield partial(RgbLamp, factory, pins, anode=wiring.anode)
        case "one":
            yield partial(SingleColourLamp, factory, wiring.red, anode=wiring.anode)
    if wiring.buzzer is not None:
        yield partial(Sounder, factory, wiring.buzzer, tones=wiring.tones)
    if wiring.voice:
        yield Voice
