"""The outputs at the tray (lamp, buzzer and voice), combined into one."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from gpiozero.pins import Factory

from device.hardware.buzzer import Sounder
from device.hardware.lamp import RgbLamp, SingleColourLamp
from device.hardware.pins import open_when_free
from device.hardware.voice import Voice
from device.session.indicator import Indicator
from device.settings import Settings
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


def open_signals(factory: Factory, settings: Settings, warn: Callable[[str], object]) -> Signals:
    """Open all outputs that are connected.

    Args:
        factory: Pin factory of gpiozero.
        settings: Which outputs are connected, and to which pins.
        warn: Called with one line about each output that cannot be opened.
    """
    outputs: list[Output] = []
    missing: list[Message] = []
    for make in _makers(factory, settings):
        try:
            outputs.append(open_when_free(make))
        except Exception as error:  # noqa: BLE001 - lgpio raises its own exceptions
            missing.append(reason(error))
            warn(str(error))
    return Signals(*outputs, missing=missing)


def _makers(factory: Factory, settings: Settings) -> Iterator[Callable[[], Output]]:
    match settings.lamp:
        case "rgb":
            pins = (settings.red_pin, settings.green_pin, settings.blue_pin)
            yield partial(RgbLamp, factory, pins, anode=settings.common_anode)
        case "one":
            anode = settings.common_anode
            yield partial(SingleColourLamp, factory, settings.red_pin, anode=anode)
    if settings.buzzer_pin >= 0:
        yield partial(Sounder, factory, settings.buzzer_pin, tones=settings.buzzer_tones)
    if settings.voice:
        yield Voice
