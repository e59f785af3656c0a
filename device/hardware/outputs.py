"""The outputs at the tray (lamp, buzzer and voice), combined into one."""

import logging
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from threading import Condition, Thread
from typing import Protocol

from gpiozero import LED, RGBLED, Buzzer, TonalBuzzer
from gpiozero.pins import Factory
from gpiozero.tones import Tone

from device.hardware.choices import BLUE_PIN, GREEN_PIN, RED_PIN
from device.hardware.pins import open_when_free
from device.session.indicator import BUTTON_HELD, Indicator
from device.settings import Settings
from game.errors import TraykeeperError, reason
from game.message import Message
from game.situation import HoldEffect
from web.contracts import Lamp

log = logging.getLogger(__name__)

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
    Indicator.HOLD: Lamp("#0000ff", 0, Message("let go: bank")),
    Indicator.UNDO: Lamp("#a000ff", 0, Message("let go: undo the last step")),
    Indicator.SHUT_DOWN: Lamp("#ff0000", 5, Message("let go: shut down")),
    Indicator.STUCK: Lamp("#ff4000", 5, Message("the button is stuck: free it")),
    # Almost pure colours for the test, because the pure ones have other meanings.
    Indicator.TEST_RED: Lamp("#fe0000", 0, Message("test: is it red?")),
    Indicator.TEST_GREEN: Lamp("#00fe00", 0, Message("test: is it green?")),
    Indicator.TEST_BLUE: Lamp("#0000fe", 0, Message("test: is it blue?")),
}
"""Colour and blink rate of the RGB LED for each indicator, and what it means. The page shows the same."""

MEANINGS = {
    (Indicator.HOLD, HoldEffect.YES): Message("let go: yes"),
    (Indicator.HOLD, HoldEffect.REMATCH): Message("let go: rematch"),
    (Indicator.HOLD, HoldEffect.BEGIN): Message("let go: begin the match"),
    (Indicator.HOLD, HoldEffect.STOP): Message("let go: stop waiting"),
    (Indicator.READ, HoldEffect.NOTHING): Message("read: throw again and press"),
    (Indicator.HOT_DICE, HoldEffect.NOTHING): Message("hot dice: throw all again and press"),
}
"""What a light means if it depends on what holding the button would do."""

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
    Indicator.HOLD: "#.....",
    Indicator.UNDO: "#.#.....",
    Indicator.SHUT_DOWN: "#.#.#.....",
    Indicator.STUCK: "#.#.#.#.#.....",
    Indicator.TEST_RED: "####......",
    Indicator.TEST_GREEN: "####.####.......",
    Indicator.TEST_BLUE: "####.####.####.......",
}
"""Repeating pattern of an LED of one colour for each indicator: # is on and . is off for a tenth of a second."""

SOUNDS = {
    Indicator.READ: "h",
    Indicator.HOT_DICE: "lmh",
    Indicator.QUESTION: "m.m",
    Indicator.ATTENTION: "l.l.l",
    Indicator.FARKLE: "mmllll",
    Indicator.WON: "l.m.h.mhhh",
    Indicator.NO_CAMERA: "l.l",
    Indicator.HOLD: "h",
    Indicator.UNDO: "h.h",
    Indicator.SHUT_DOWN: "h.h.h",
}
"""The sound for each indicator, as notes of a tenth of a second: l is low, m is middle, h is high, and . is silent.

An active buzzer has only one tone; it pauses briefly before each different note.
"""

BANKED = "mh"

_RESULTS = (Indicator.READ, Indicator.HOT_DICE, Indicator.FARKLE, Indicator.WON)
"""What the lamp shows after a throw or its result."""

MIDDLE = Tone(880)
"""The middle note: small piezo discs are loud from this frequency upwards. The others are one octave lower or higher."""

SAME_NOTES = re.compile("l+|m+|h+")
_HEIGHTS = {"l": -1.0, "m": 0.0, "h": 1.0}
MISSING = Message("there is no voice, because espeak-ng is missing: sudo apt install espeak-ng")

_SILENT = (
    Indicator.STARTING,
    Indicator.WAITING,
    Indicator.HOLD,
    Indicator.UNDO,
    Indicator.SHUT_DOWN,
)
"""States that are not announced, because they last only a moment."""

ERROR_LINE = re.compile("error:", re.IGNORECASE)
"""How a line begins in which espeak-ng says that it cannot play. Lines of the ALSA library before it say why."""

MAX_SPEECH_S = 30.0
"""Longest time for one message, in seconds. Only a sound card that hangs takes longer."""


def lamp_for(indicator: Indicator, hold: HoldEffect) -> Lamp:
    """Return the light of an indicator, whose meaning promises only what holding the button would do."""
    lamp = LAMPS[indicator]
    return replace(lamp, meaning=MEANINGS.get((indicator, hold), lamp.meaning))


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

    def show(self, indicator: Indicator, *_: object, **__: object) -> None:
        """Show the state of the game, without waiting for the device."""
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
        """Switch the device off and release its pins."""
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

    def show(self, indicator: Indicator, *_: object, **__: object) -> None:
        """Show the state of the game, without waiting for the device."""
        if BLINKS[indicator] == self.shown:
            return
        self.shown = BLINKS[indicator]
        self._led.source = cycle([step == "#" for step in self.shown])

    def close(self) -> None:
        """Switch the device off and release its pins."""
        self._led.close()


def _channels(colour: str) -> tuple[float, float, float]:
    """Return the red, green and blue values of a colour such as `#ff8000`, each from 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def sound_for(
    before: Indicator | None,
    after: Indicator,
    *,
    has_changed: bool = False,
    banked: bool = False,
) -> str:
    """Return the notes to play when the indicator changes, as in `SOUNDS`; "" means silence.

    A throw and its result sound only once: if the indicator returns to one of them, the player already knows it.

    Args:
        before: The previous indicator; None if there was none.
        after: The current indicator.
        has_changed: Whether the match has just changed.
        banked: Whether a turn has just been banked.
    """
    if before is None:
        return ""
    if banked and after in (Indicator.READY, Indicator.NO_CAMERA):
        return BANKED
    is_known = after in _RESULTS and not has_changed
    if before is after or is_known or (before in BUTTON_HELD and after is Indicator.NO_CAMERA):
        return ""
    return SOUNDS.get(after, "")


class Sounder:
    """A buzzer between a pin and ground.

    Args:
        factory: Pin factory of gpiozero.
        pin: BCM number of the pin.
        tones: Whether the buzzer is passive and can play tones. An active buzzer has its own tone.

    Attributes:
        played: The notes of the last sound, as in `SOUNDS`; "" before the first.
    """

    def __init__(self, factory: Factory, pin: int, *, tones: bool = False) -> None:
        self._tones = tones
        self._buzzer = (
            TonalBuzzer(pin, mid_tone=MIDDLE, pin_factory=factory)
            if tones
            else Buzzer(pin, pin_factory=factory)
        )
        self._buzzer.source_delay = STEP_S
        self._indicator: Indicator | None = None
        self.played = ""

    def __repr__(self) -> str:
        return f"<Sounder {self.played!r} on {self._buzzer!r}>"

    def show(
        self,
        indicator: Indicator,
        _: str = "",
        *,
        has_changed: bool = False,
        banked: bool = False,
    ) -> None:
        """Show the state of the game, without waiting for the device."""
        sound = sound_for(self._indicator, indicator, has_changed=has_changed, banked=banked)
        self._indicator = indicator
        if sound:
            self.played = sound
            notes = sound if self._tones else ".".join(SAME_NOTES.findall(sound))
            self._buzzer.source = [self._value(note) for note in (*notes, ".")]

    def close(self) -> None:
        """Switch the device off and release its pins."""
        self._buzzer.close()

    def _value(self, note: str) -> float | bool | None:
        return _HEIGHTS.get(note) if self._tones else note != "."


def spoken_text(message: Message, advice: tuple[Message, ...] = ()) -> str:
    """Join a message and its advice without repeating a sentence.

    Args:
        message: The message on the page.
        advice: The advice below it.

    >>> cocked, again = Message("A die is cocked."), Message("Throw it again.")
    >>> spoken_text(cocked, (cocked, again))
    'A die is cocked. Throw it again.'
    """
    return " ".join(map(str, dict.fromkeys((message, *advice))))


def without_separators(words: str) -> str:
    """Remove thousands separators, so that espeak-ng does not read one number as two.

    >>> without_separators("Anna banks 1,000, and throws.")
    'Anna banks 1000, and throws.'
    """
    return re.sub(r"(?<=\d),(?=\d{3})", "", words)


class VoiceMissingError(TraykeeperError, FileNotFoundError):
    """Raised when espeak-ng is not installed. The message names the package to install."""


class VoiceFailedError(TraykeeperError, OSError):
    """Raised when espeak-ng cannot play its sound. The message names the remedy."""


class Voice:
    """An output that speaks the latest message.

    Args:
        language: Name of one of espeak-ng's voices.
        to_file: File that the sound is written to, for tests; None plays it.

    Raises:
        VoiceMissingError: If espeak-ng is not installed.
    """

    def __init__(self, language: str = "en", *, to_file: Path | None = None) -> None:
        program = shutil.which("espeak-ng")
        if program is None:
            raise VoiceMissingError(MISSING)
        self._command = [program, "-v", language]
        if to_file:
            self._command += ["-w", str(to_file)]
        self._changed = Condition()
        self._next: str | None = None
        self._last = ""
        self._closed = False
        self._speaking: subprocess.Popen[str] | None = None
        self._trouble: Message | None = None
        self._thread = Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Voice {self._last!r}>"

    def show(self, indicator: Indicator, words: str, **_: object) -> None:
        """Show the state of the game, without waiting for the device. A message that is the same as the last one is not repeated.

        Raises:
            VoiceFailedError: If the last message could not be played.
        """
        if indicator not in _SILENT and words not in ("", self._last):
            with self._changed:
                self._last = self._next = words
                self._interrupt()
                self._changed.notify()
        if self._trouble:
            raise VoiceFailedError(self._trouble)

    def close(self) -> None:
        """Switch the device off and release its pins."""
        with self._changed:
            self._closed = True
            self._interrupt()
            self._changed.notify()
        self._thread.join(1)

    def _interrupt(self) -> None:
        if self._speaking:
            self._speaking.terminate()

    def _run(self) -> None:
        while (words := self._wait()) is not None:
            try:
                self._speak(words)
            except OSError:
                log.exception("the voice failed")

    def _wait(self) -> str | None:
        """Wait for the next message to speak; return None once the voice is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._next is not None)
            words, self._next = self._next, None
            return None if self._closed else words

    def _speak(self, words: str) -> None:
        with self._changed:
            if self._next is not None or self._closed:
                return  # newer words have arrived
            self._speaking = subprocess.Popen(  # noqa: S603 - the words are passed on stdin
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
        try:
            _, said = self._speaking.communicate(without_separators(words), timeout=MAX_SPEECH_S)
            self._note_trouble(said, is_whole=self._speaking.returncode == 0)
        except subprocess.TimeoutExpired:
            self._speaking.kill()
            self._speaking.wait()
        finally:
            with self._changed:
                self._speaking = None

    def _note_trouble(self, said: str, *, is_whole: bool) -> None:
        """Note why espeak-ng could not play a message. Its exit status does not say so.

        Args:
            said: What espeak-ng printed as errors.
            is_whole: Whether it has spoken to the end, and was not interrupted.
        """
        if error := next((line for line in said.splitlines() if ERROR_LINE.match(line)), ""):
            self._trouble = Message(
                "nothing can be heard (%(error)s): check the speaker with `speaker-test`, then run the installer again",
                error=error,
            )
        elif is_whole:
            self._trouble = None


class Output(Protocol):
    """A device that tells the players the state of the game."""

    def show(self, indicator: Indicator, words: str, /, *, has_changed: bool, banked: bool) -> None:
        """Show the state of the game, without waiting for the device.

        Args:
            indicator: The state to show.
            words: The message on the page.
            has_changed: Whether the match has just changed.
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

    def show(
        self,
        indicator: Indicator,
        words: str = "",
        *,
        has_changed: bool = False,
        banked: bool = False,
    ) -> None:
        """Show the state of the game, without waiting for the device."""
        for number, output in enumerate(self._outputs):
            try:
                output.show(indicator, words, has_changed=has_changed, banked=banked)
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
        """Switch the device off and release its pins."""
        for output in self._outputs:
            try:
                output.close()
            except Exception:
                log.exception("%r cannot be closed", output)


def open_signals(
    factory: Factory,
    settings: Settings,
    warn: Callable[[str], object],
    no_pins: Message | None = None,
) -> Signals:
    """Open all outputs that are connected.

    Args:
        factory: Pin factory of gpiozero.
        settings: Which outputs are connected, and to which pins.
        warn: Called with one line about each output that cannot be opened.
        no_pins: Why the pins are mock pins; None if they are real, or if this machine has no pins.
    """
    outputs: list[Output] = []
    missing = [no_pins] if no_pins else []
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
