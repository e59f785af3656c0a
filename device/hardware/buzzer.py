"""The buzzer: a short sound for what just happened, for those who look at the dice."""

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
"""Low, middle, high and silent, a tenth of a second each; a plain buzzer has one tone for all, and beeps
anew where another note begins."""

BANKED = "mh"

MIDDLE = Tone(880)
"""Small discs are loud from here on; low and high are an octave below and above."""

SAME_NOTES = re.compile("l+|m+|h+")

_HEIGHTS = {"l": -1.0, "m": 0.0, "h": 1.0}


def sound_for(before: Indicator | None, after: Indicator, *, banked: bool = False) -> str:
    """What is heard when one sign follows the other; nothing where nothing happened.

    Letting go of the button says only what came of it: a turn that was `banked`, never "read" again.
    """
    if before in (None, after):
        return ""
    if after is Indicator.READY:
        return BANKED if banked else ""
    if before in BUTTON_HELD and after in (Indicator.READ, Indicator.HOT_DICE):
        return ""
    return SOUNDS.get(after, "")


class Sounder:
    """A buzzer between a pin and ground: active ones have their own tone, `tones` need a passive.

    Attributes:
        played: the last sound.
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
        sound = sound_for(self._indicator, indicator, banked=banked)
        self._indicator = indicator
        if sound:
            self.played = sound
            notes = sound if self._tones else ".".join(SAME_NOTES.findall(sound))
            self._buzzer.source = [self._value(note) for note in (*notes, ".")]

    def close(self) -> None:
        self._buzzer.close()

    def _value(self, note: str) -> float | bool | None:
        return _HEIGHTS.get(note) if self._tones else note != "."
