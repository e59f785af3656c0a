"""The buzzer, which makes a short sound for each event, for players who are looking at the dice."""

import re

from gpiozero import Buzzer, TonalBuzzer
from gpiozero.pins import Factory
from gpiozero.tones import Tone

from device.session.indicator import BUTTON_HELD, Indicator

STEP_S = 0.1

SOUNDS = {
    Indicator.READ: "h",
    Indicator.HOT_DICE: "lmh",
    Indicator.QUESTION: "m.m",
    Indicator.ATTENTION: "l.l.l",
    Indicator.FARKLE: "mmllll",
    Indicator.WON: "l.m.h.mhhh",
    Indicator.NO_CAMERA: "l.l",
    Indicator.BANK: "h",
    Indicator.UNDO: "h.h",
    Indicator.SHUT_DOWN: "h.h.h",
}
"""The sound for each indicator, as notes of a tenth of a second: l is low, m is middle, h is high, and . is silent.

An active buzzer has only one tone; it pauses briefly before each different note.
"""

BANKED = "mh"

MIDDLE = Tone(880)
"""The middle note: small piezo discs are loud from this frequency upwards. The others are one octave lower or higher."""

SAME_NOTES = re.compile("l+|m+|h+")

_HEIGHTS = {"l": -1.0, "m": 0.0, "h": 1.0}


def sound_for(before: Indicator | None, after: Indicator, *, banked: bool = False) -> str:
    """Return the notes to play when the indicator changes, as in `SOUNDS`; "" means silence.

    When the button is released, only a bank makes a sound: if the indicator returns to any other state, the player
    already knows that state.

    Args:
        before: The previous indicator; None if there was none.
        after: The current indicator.
        banked: Whether a turn has just been banked.
    """
    if before in (None, after):
        return ""
    if after is Indicator.READY:
        return BANKED if banked else ""
    if before in BUTTON_HELD and after in (Indicator.READ, Indicator.HOT_DICE):
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

    def show(self, indicator: Indicator, _: str = "", *, banked: bool = False) -> None:
        """Implement `Output.show`."""
        sound = sound_for(self._indicator, indicator, banked=banked)
        self._indicator = indicator
        if sound:
            self.played = sound
            notes = sound if self._tones else ".".join(SAME_NOTES.findall(sound))
            self._buzzer.source = [self._value(note) for note in (*notes, ".")]

    def close(self) -> None:
        """Implement `Output.close`."""
        self._buzzer.close()

    def _value(self, note: str) -> float | bool | None:
        return _HEIGHTS.get(note) if self._tones else note != "."
