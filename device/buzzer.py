"""The buzzer: a short sound for what just happened, for those who look at the dice."""

from gpiozero import Buzzer, TonalBuzzer
from gpiozero.pins import Factory
from gpiozero.tones import Tone

from device.sign import HOLDING, Sign

STEP_S = 0.1

SOUNDS = {
    Sign.READ: "h",
    Sign.HOT_DICE: "lmh",
    Sign.QUESTION: "m.m",
    Sign.ATTENTION: "l.l.l",
    Sign.FARKLE: "mmllll",
    Sign.WON: "l.m.h.mhhh",
    Sign.NO_CAMERA: "l.l",
    Sign.BANK: "h",
    Sign.UNDO: "h.h",
    Sign.SHUT_DOWN: "h.h.h",
}
"""Low, middle, high and silent, a tenth of a second each; a plain buzzer has one tone for all."""

BANKED = "mh"

MIDDLE = Tone(880)
"""Small discs are loud from here on; low and high are an octave below and above."""

_HEIGHTS = {"l": -1.0, "m": 0.0, "h": 1.0}


def sound_for(before: Sign | None, after: Sign) -> str:
    """What is heard when one sign follows the other; nothing where nothing happened.

    Letting go of the button says only what came of it: a turn that ended, never "read" again.
    """
    if before in (None, after):
        return ""
    if after is Sign.READY:
        return BANKED if before in (Sign.READ, Sign.HOT_DICE, *HOLDING) else ""
    if before in HOLDING and after in (Sign.READ, Sign.HOT_DICE):
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
        self._sign: Sign | None = None
        self.played = ""

    def __repr__(self) -> str:
        return f"<Sounder {self.played!r} on {self._buzzer!r}>"

    def show(self, sign: Sign, _: str = "") -> None:
        sound, self._sign = sound_for(self._sign, sign), sign
        if sound:
            self.played = sound
            self._buzzer.source = [self._value(note) for note in (*sound, ".")]

    def close(self) -> None:
        self._buzzer.close()

    def _value(self, note: str) -> float | bool | None:
        return _HEIGHTS.get(note) if self._tones else note != "."
