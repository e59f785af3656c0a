"""Lamp, buzzer and voice together: what the table tells those who stand at it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from gpiozero.pins import Factory

from device.hardware.buzzer import Sounder
from device.hardware.choices import LampKind
from device.hardware.lamp import RgbLamp, SingleColourLamp
from device.hardware.pins import BLUE_PIN, GREEN_PIN, RED_PIN
from device.hardware.voice import Voice
from device.session.indicator import Indicator
from game.errors import reason
from game.message import Message

log = logging.getLogger(__name__)


class Output(Protocol):
    """Something that tells people where the table stands."""

    def show(self, indicator: Indicator, words: str, /, *, banked: bool) -> None:
        """The sign now, what the page says to it, and whether a turn was just banked.

        Returns at once.
        """

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Wiring:
    """What is there besides the button.

    Attributes:
        lamp: three colours, one (on the red pin), or none.
        red, green, blue: BCM numbers of its pins.
        anode: whether the lamp's common leg is at 3.3 V instead of ground.
        buzzer: its pin; None where there is none.
        tones: whether the buzzer is a passive one, which plays tones.
        voice: whether words are spoken.
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
    """Several outputs as one. One that fails stops neither the others nor the table.

    Args:
        outputs: what there is.
        missing: why there is not more.
    """

    def __init__(self, *outputs: Output, missing: Sequence[Message] = ()) -> None:
        self._outputs = outputs
        self._failed: dict[int, Message] = {}
        self._missing = missing

    def __repr__(self) -> str:
        return f"<Signals {', '.join(map(repr, self._outputs))}>"

    def show(self, indicator: Indicator, words: str = "", *, banked: bool = False) -> None:
        for number, output in enumerate(self._outputs):
            try:
                output.show(indicator, words, banked=banked)
                self._failed.pop(number, None)
            except Exception as error:
                if number not in self._failed:
                    log.exception("%r fails", output)
                self._failed[number] = Message(
                    "%(what)s: %(why)s", what=type(output).__name__, why=reason(error)
                )

    @property
    def troubles(self) -> tuple[Message, ...]:
        """Which of them fail, and how."""
        return (*self._missing, *self._failed.values())

    def close(self) -> None:
        for output in self._outputs:
            try:
                output.close()
            except Exception:
                log.exception("%r cannot be closed", output)


def open_signals(factory: Factory, wiring: Wiring, warn: Callable[[str], object]) -> Signals:
    """All that is wired; `warn` takes one line about each that does not work: the table does."""
    outputs: list[Output] = []
    missing: list[Message] = []
    for make in _makers(factory, wiring):
        try:
            outputs.append(make())
        except Exception as error:  # noqa: BLE001 - lgpio has errors of its own kind
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
