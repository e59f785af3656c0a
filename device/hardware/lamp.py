"""The lamp at the tray: an RGB LED, or an LED of one colour that blinks."""

from itertools import cycle

from gpiozero import LED, RGBLED
from gpiozero.pins import Factory

from device.hardware.choices import BLUE_PIN, GREEN_PIN, RED_PIN
from device.session.indicator import Indicator
from game.message import Message
from web.contracts import Lamp

LAMPS = {
    Indicator.STARTING: Lamp("#404040", 1, Message("starting: looking for the camera")),
    Indicator.NO_MATCH: Lamp(
        "#ffffff", 0, Message("no match: throw one die each, or set up a match on a phone")
    ),
    Indicator.READY: Lamp("#00ff00", 0, Message("ready: throw and press")),
    Indicator.BOT: Lamp(
        "#6000ff", 0.5, Message("a bot is playing: watch, or press to continue at once")
    ),
    Indicator.OTHER_TRAY: Lamp("#200040", 0, Message("a player is throwing at the other tray")),
    Indicator.WAITING: Lamp("#0040ff", 2, Message("waiting for the dice to lie still")),
    Indicator.READ: Lamp("#00a0a0", 0, Message("read: throw again and press, or hold to bank")),
    Indicator.HOT_DICE: Lamp(
        "#ffd000", 0, Message("hot dice: throw all again and press, or hold to bank")
    ),
    Indicator.QUESTION: Lamp("#ffa000", 1, Message("a question: hold for yes")),
    Indicator.ATTENTION: Lamp("#ff4000", 2, Message("needs attention: see the phone")),
    Indicator.FARKLE: Lamp("#ff0000", 0, Message("farkle: next player, throw and press")),
    Indicator.WON: Lamp("#ff00ff", 1, Message("won: hold for a rematch")),
    Indicator.NO_CAMERA: Lamp("#400000", 0.5, Message("no camera: tap the dice in on the phone")),
    Indicator.SAFE_MODE: Lamp("#ff0080", 0.5, Message("safe mode: see the page, tap the dice in")),
    Indicator.SCOREKEEPER: Lamp(
        "#ffffff", 2, Message("a phone is asking to keep score: press to agree")
    ),
    Indicator.BANK: Lamp("#0000ff", 0, Message("let go: bank, or yes")),
    Indicator.UNDO: Lamp("#a000ff", 0, Message("let go: undo the last step")),
    Indicator.SHUT_DOWN: Lamp("#ff0000", 5, Message("let go: shut down")),
    Indicator.STUCK: Lamp("#ff4000", 5, Message("the button is stuck: free it")),
    # Almost pure colours for the test, because the pure ones have other meanings.
    Indicator.TEST_RED: Lamp("#fe0000", 0, Message("test: is it red?")),
    Indicator.TEST_GREEN: Lamp("#00fe00", 0, Message("test: is it green?")),
    Indicator.TEST_BLUE: Lamp("#0000fe", 0, Message("test: is it blue?")),
}
"""Colour and blink rate of the RGB LED for each indicator, and what it means. The page shows the same."""

STEP_S = 0.1

BLINKS = {
    Indicator.STARTING: "#####.....",
    Indicator.NO_MATCH: "#...................",
    Indicator.READY: "#",
    Indicator.BOT: "#####...............",
    Indicator.OTHER_TRAY: "##..................",
    Indicator.WAITING: "##..",
    Indicator.READ: "##################..",
    Indicator.HOT_DICE: "##############.#.#.#",
    Indicator.QUESTION: "#.#.................",
    Indicator.ATTENTION: "#.#.#...............",
    Indicator.FARKLE: "##########..........",
    Indicator.WON: "#.#.#.#.############",
    Indicator.NO_CAMERA: "######..............",
    Indicator.SAFE_MODE: "######..######..#...",
    Indicator.SCOREKEEPER: "#######.#.",
    Indicator.BANK: "#.....",
    Indicator.UNDO: "#.#.....",
    Indicator.SHUT_DOWN: "#.#.#.....",
    Indicator.STUCK: "#.#.#.#.#.....",
    Indicator.TEST_RED: "####......",
    Indicator.TEST_GREEN: "####.####.......",
    Indicator.TEST_BLUE: "####.####.####.......",
}
"""Repeating pattern of an LED of one colour for each indicator: # is on and . is off for a tenth of a second."""


class RgbLamp:
    """An RGB LED on three pins, each with its own resistor.

    Args:
        factory: Pin factory of gpiozero.
        pins: BCM numbers of the red, green and blue pins.
        anode: Whether the common leg is connected to 3.3 V instead of ground.

    Attributes:
        shown: The colour and blink rate that the LED shows; None until they are first set.
    """

    def __init__(
        self,
        factory: Factory,
        pins: tuple[int, int, int] = (RED_PIN, GREEN_PIN, BLUE_PIN),
        *,
        anode: bool = False,
    ) -> None:
        self._led = RGBLED(*pins, active_high=not anode, pin_factory=factory)
        self.shown: Lamp | None = None

    def __repr__(self) -> str:
        return f"<RgbLamp {self.shown and self.shown.colour} on {self._led!r}>"

    def show(self, indicator: Indicator, _: str = "", *, banked: bool = False) -> None:  # noqa: ARG002
        """Implement `Output.show`."""
        if LAMPS[indicator] == self.shown:
            return
        self.shown = lamp = LAMPS[indicator]
        colour = _channels(lamp.colour)
        if lamp.blink:
            half_s = 0.5 / lamp.blink
            self._led.blink(on_time=half_s, off_time=half_s, on_color=colour, background=True)
        else:
            self._led.color = colour

    def close(self) -> None:
        """Implement `Output.close`."""
        self._led.close()


class SingleColourLamp:
    """An LED of one colour with its resistor.

    Args:
        factory: Pin factory of gpiozero.
        pin: BCM number of the pin.
        anode: Whether the LED is connected to 3.3 V instead of ground.

    Attributes:
        shown: The pattern that the LED repeats; "" until a pattern is first set.
    """

    def __init__(self, factory: Factory, pin: int = RED_PIN, *, anode: bool = False) -> None:
        self._led = LED(pin, active_high=not anode, pin_factory=factory)
        self._led.source_delay = STEP_S
        self.shown = ""

    def __repr__(self) -> str:
        return f"<SingleColourLamp {self.shown} on {self._led!r}>"

    def show(self, indicator: Indicator, _: str = "", *, banked: bool = False) -> None:  # noqa: ARG002
        """Implement `Output.show`."""
        if BLINKS[indicator] == self.shown:
            return
        self.shown = BLINKS[indicator]
        self._led.source = cycle([step == "#" for step in self.shown])

    def close(self) -> None:
        """Implement `Output.close`."""
        self._led.close()


def _channels(colour: str) -> tuple[float, float, float]:
    """Return the red, green and blue values of a colour such as `#ff8000`, each from 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
