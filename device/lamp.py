"""The lamp by the tray: a pure function of where the table stands, and the LED that shows it."""

from typing import Protocol

from gpiozero import RGBLED
from gpiozero.pins import Factory

from device.pins import BLUE_PIN, GREEN_PIN, RED_PIN
from game.match import Match
from game.state import Ending
from web.table import Lamp, Situation

OFF = Lamp("#000000", 0, "off")

_BY_SITUATION = {
    Situation.NO_MATCH: Lamp("#ffffff", 0, "no match: throw one die each, or set up on the phone"),
    Situation.TURN_BEGINS: Lamp("#00ff00", 0, "ready: throw and press"),
    Situation.TURN_OVER: Lamp("#00ff00", 0, "ready: next player, throw and press"),
    Situation.WAITING: Lamp("#0040ff", 2, "waiting for the dice to lie still"),
    Situation.ACCEPTED: Lamp("#00a0a0", 0, "read: throw on and press, or hold to bank"),
    Situation.QUESTION: Lamp("#ffa000", 1, "a question: hold for yes"),
    Situation.ATTENTION: Lamp("#ff4000", 2, "needs attention: see the page"),
    Situation.WON: Lamp("#ff00ff", 1, "won: hold for a rematch"),
}

_FARKLE = Lamp("#ff0000", 0, "farkle: next player, throw and press")
_HOT_DICE = Lamp("#ffd000", 0, "hot dice: throw all again and press, or hold to bank")
_NO_CAMERA = Lamp("#400000", 0.5, "no camera: tap the dice in on the phone")

BANK_S, UNDO_S, SHUTDOWN_S = 1.0, 3.0, 5.0
"""What letting go of the button does, from so many seconds on."""

_HOLDING = (
    (SHUTDOWN_S, Lamp("#ff0000", 5, "let go: shut down")),
    (UNDO_S, Lamp("#a000ff", 0, "let go: take back the last step")),
    (BANK_S, Lamp("#0000ff", 0, "let go: bank, or yes")),
)


def lamp_for(
    situation: Situation,
    match: Match | None,
    *,
    held_s: float = 0.0,
    has_camera: bool = True,
) -> Lamp:
    """What the lamp shows. Nothing is remembered: the same table gives the same light."""
    for from_s, lamp in _HOLDING:
        if held_s >= from_s:
            return lamp
    if not has_camera and situation in (Situation.TURN_BEGINS, Situation.TURN_OVER):
        return _NO_CAMERA
    if match and situation is Situation.TURN_OVER:
        farkled = match.state.turns[-1].ending is Ending.FARKLE
        return _FARKLE if farkled else _BY_SITUATION[situation]
    if match and situation is Situation.ACCEPTED:
        hot = any(keep.hot for keep in match.state.keeps[:1])
        return _HOT_DICE if hot else _BY_SITUATION[situation]
    return _BY_SITUATION[situation]


class LampOutput(Protocol):
    """Something that can shine."""

    def show(self, lamp: Lamp) -> None: ...

    def close(self) -> None: ...


class RgbLamp:
    """An RGB LED on three pins, each with its resistor; common cathode unless `anode`.

    Attributes:
        shown: the lamp it was last told to show.
    """

    def __init__(self, factory: Factory, *, anode: bool = False) -> None:
        self._led = RGBLED(RED_PIN, GREEN_PIN, BLUE_PIN, active_high=not anode, pin_factory=factory)
        self.shown = OFF

    def __repr__(self) -> str:
        return f"<RgbLamp {self.shown.colour} on {self._led!r}>"

    def show(self, lamp: Lamp) -> None:
        if lamp == self.shown:
            return
        self.shown = lamp
        colour = _channels(lamp.colour)
        if lamp.blink:
            half_s = 0.5 / lamp.blink
            self._led.blink(on_time=half_s, off_time=half_s, on_color=colour, background=True)
        else:
            self._led.color = colour

    def close(self) -> None:
        self._led.close()


def _channels(colour: str) -> tuple[float, float, float]:
    """`#ff8000` -> red, green and blue, 0..1 each."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
