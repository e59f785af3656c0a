"""Lamp, buzzer and voice: what each shows depends only on the state of the game."""

import os
import shutil
import wave
from contextlib import closing
from itertools import count
from time import sleep

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from device.hardware.outputs import (
    BLINKS,
    LAMPS,
    SOUNDS,
    RgbLamp,
    Signals,
    SingleColourLamp,
    Sounder,
    Voice,
    open_signals,
    sound_for,
    spoken_text,
    without_separators,
)
from device.session.indicator import BUTTON_HELD, Indicator, indicator_for
from device.settings import Settings
from game.message import Message
from game.situation import HoldEffect, Situation
from tests.waiting import until

HOUR_S = 3600


class RecordedPin(MockPWMPin):
    """A pin that remembers every state and every frequency that was set."""

    def __init__(self, *args):
        self.set_states, self.set_frequencies = [], []
        super().__init__(*args)

    def _set_state(self, value):
        super()._set_state(value)
        self.set_states.append(value)

    def _set_frequency(self, value):
        super()._set_frequency(value)
        self.set_frequencies.append(value)


@pytest.fixture
def pins():
    factory = MockFactory(pin_class=RecordedPin)
    yield factory
    factory.close()


def test_every_indicator_has_a_colour_and_a_blink_pattern():
    assert set(LAMPS) == set(BLINKS) == set(Indicator)


def test_no_two_indicators_look_the_same():
    looks = [(lamp.colour, lamp.blink) for lamp in LAMPS.values()]

    assert len(set(looks)) == len(Indicator)


def test_blink_patterns_differ_whenever_somebody_starts_to_watch():
    """A shifted copy of a pattern would look the same."""

    def turned(pattern):
        long = (pattern * 60)[:120]
        return {long[i:] + long[:i] for i in range(len(pattern))}

    for indicator in Indicator:
        others = [BLINKS[other] * 60 for other in Indicator if other is not indicator]
        assert not any(other[:120] in turned(BLINKS[indicator]) for other in others), indicator


@pytest.mark.parametrize(
    ("situation", "indicator"),
    [
        (Situation.NO_MATCH, Indicator.NO_MATCH),
        (Situation.TURN_BEGINS, Indicator.READY),
        (Situation.WAITING, Indicator.WAITING),
        (Situation.ACCEPTED, Indicator.READ),
        (Situation.QUESTION, Indicator.QUESTION),
        (Situation.ATTENTION, Indicator.ATTENTION),
        (Situation.TURN_OVER, Indicator.READY),
        (Situation.WON, Indicator.WON),
    ],
)
def test_every_situation_has_its_indicator(situation, indicator):
    assert indicator_for(situation, None) is indicator


def test_the_indicator_is_starting_until_the_search_for_a_camera_ends():
    ready = Situation.TURN_BEGINS

    assert indicator_for(ready, None, has_camera=False, started=False) is Indicator.STARTING
    assert indicator_for(ready, None, has_camera=False) is Indicator.NO_CAMERA
    assert indicator_for(Situation.ACCEPTED, None, has_camera=False) is Indicator.NO_CAMERA


@pytest.mark.parametrize(
    ("held_s", "indicator"),
    [
        (0.9, Indicator.READ),
        (1, Indicator.HOLD),
        (3, Indicator.UNDO),
        (5, Indicator.SHUT_DOWN),
        (9.9, Indicator.SHUT_DOWN),
        (10, Indicator.STUCK),
        (60, Indicator.STUCK),
    ],
)
def test_a_held_button_shows_what_its_release_would_do(held_s, indicator):
    assert indicator_for(Situation.ACCEPTED, None, held_s=held_s, hold=HoldEffect.BANK) is indicator


@pytest.mark.parametrize("anode", [False, True])
def test_the_rgb_led_has_the_colour_of_the_indicator(pins, anode):
    lamp = RgbLamp(pins, anode=anode)
    lamp.show(Indicator.FARKLE)
    levels = [pins.pin(f"GPIO{pin}").state for pin in (22, 23, 24)]
    lamp.close()

    assert levels == ([0, 1, 1] if anode else [1, 0, 0])


def test_the_rgb_led_blinks_if_the_indicator_does(pins):
    lamp = RgbLamp(pins)
    lamp.show(Indicator.SHUT_DOWN)
    red = pins.pin("GPIO22")
    red.clear_states()
    until(lambda: {0, 1} <= {state.state for state in red.states})
    lamp.close()


@pytest.mark.parametrize("anode", [False, True])
def test_a_single_colour_lamp_blinks_its_pattern(pins, anode):
    lamp = SingleColourLamp(pins, 22, anode=anode)
    pin = pins.pin("GPIO22")

    def steps():
        """Return whether the LED was lit at each step, from the first step at which it was."""
        lit = [state != anode for state in pin.set_states]
        return lit[lit.index(True) :] if True in lit else []

    lamp.show(Indicator.HOLD)
    blinking = until(lambda: steps()[:12] if len(steps()) > 12 else None)
    lamp.show(Indicator.READY)
    pin.set_states.clear()
    ready = until(lambda: steps()[:7] if len(steps()) > 6 else None)
    lamp.close()

    assert blinking == [True, False, False, False, False, False] * 2
    assert all(ready)
    assert lamp._led.source_delay == 0.1


def test_each_change_is_heard_once():
    assert sound_for(Indicator.WAITING, Indicator.READ, has_changed=True) == SOUNDS[Indicator.READ]
    assert sound_for(Indicator.WAITING, Indicator.READ) == ""  # no dice were thrown
    assert sound_for(Indicator.READ, Indicator.READ) == ""
    assert sound_for(Indicator.STARTING, Indicator.READY) == ""
    assert sound_for(None, Indicator.ATTENTION) == ""


def test_the_sound_of_a_release_announces_its_result():
    assert sound_for(Indicator.READ, Indicator.READY, banked=True) == "mh"
    assert sound_for(Indicator.HOLD, Indicator.READY) == ""  # nothing was thrown
    assert sound_for(Indicator.READ, Indicator.READY) == ""  # a throw was undone
    assert sound_for(Indicator.NO_CAMERA, Indicator.NO_CAMERA, banked=True) == "mh"
    assert sound_for(Indicator.HOLD, Indicator.NO_CAMERA) == ""
    assert sound_for(Indicator.HOLD, Indicator.WON, has_changed=True) == SOUNDS[Indicator.WON]
    assert sound_for(Indicator.HOLD, Indicator.READ) == ""  # refused: the reading is not news


def test_sounds_are_short_and_distinct():
    assert len(set(SOUNDS.values()) | {""}) >= len(SOUNDS) - len(BUTTON_HELD)
    assert all(len(sound) <= 10 for sound in SOUNDS.values())


@pytest.mark.parametrize(
    ("sign", "beeps"), [(Indicator.READ, 1), (Indicator.QUESTION, 2), (Indicator.HOT_DICE, 3)]
)
def test_an_active_buzzer_beeps_and_stops(pins, sign, beeps):
    sounder = Sounder(pins, 27)
    pin = pins.pin("GPIO27")
    sounder.show(Indicator.WAITING)
    sounder.show(sign, has_changed=True)
    until(lambda: len(pin.states) > 2 * beeps)
    sleep(0.3)  # there could be another beep
    states = [bool(state.state) for state in pin.states]
    sounder.close()

    assert states == [False, *[True, False] * beeps]


def test_a_passive_buzzer_plays_tones_and_stops(pins):
    sounder = Sounder(pins, 27, tones=True)
    sounder.show(Indicator.WAITING)
    heard = pins.pin("GPIO27").set_frequencies
    heard.clear()
    sounder.show(Indicator.HOT_DICE, has_changed=True)
    until(lambda: len(heard) > 3)
    sounder.close()

    assert heard[:4] == [440, 880, 1760, None]


def test_every_connected_output_is_opened(pins):
    outputs = open_signals(
        pins, Settings(lamp="one", buzzer_pin=27, buzzer_tones=True), pytest.fail
    )
    assert "SingleColourLamp" in repr(outputs)
    assert "TonalBuzzer" in repr(outputs)
    outputs.close()
    assert repr(open_signals(pins, Settings(lamp="none"), pytest.fail)) == "<Signals >"


def test_a_missing_espeak_ng_is_reported_and_everything_else_works(monkeypatch, pins):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    warnings = []
    outputs = open_signals(pins, Settings(voice=True), warnings.append)
    outputs.show(Indicator.READY, "Anna throws.")
    outputs.close()

    assert warnings == [
        "there is no voice, because espeak-ng is missing: sudo apt install espeak-ng"
    ]


def test_a_voice_that_cannot_be_heard_is_reported_until_it_can(monkeypatch, tmp_path):
    """espeak-ng ends with status 0 although there is no sound card."""
    program, has_card = tmp_path / "espeak-ng", tmp_path / "card"
    program.write_text(
        f"#!/bin/sh\ncat >/dev/null\n[ -e {has_card} ] || echo 'error: No such file or directory' >&2\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    words = count()
    with closing(Signals(Voice())) as signals:

        def troubles():
            signals.show(Indicator.READY, f"{next(words)}")
            return signals.troubles

        (trouble,) = until(troubles)
        has_card.touch()
        until(lambda: not troubles())

    assert "No such file or directory): check the speaker with `speaker-test`" in str(trouble)


def test_sentences_are_not_repeated_and_thousands_have_no_separator():
    cocked, again = Message("It is cocked."), Message("Throw it again.")

    assert spoken_text(cocked, (cocked, again)) == ("It is cocked. Throw it again.")
    assert (
        without_separators("Anna banks 1,250, Ben has 10,000.") == "Anna banks 1250, Ben has 10000."
    )


# The real espeak-ng, writing to a file


@pytest.fixture
def voice(tmp_path):
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed: sudo apt install espeak-ng")
    voice = Voice(to_file=tmp_path / "spoken.wav")
    speak, voice.spoken = voice._speak, []

    def speak_and_note(words):
        speak(words)
        voice.spoken.append(words)

    voice._speak = speak_and_note
    yield voice
    voice.close()


def seconds_of(path):
    """Return the duration of the finished sound."""
    with wave.open(str(path)) as sound:
        return sound.getnframes() / sound.getframerate()


def test_a_sentence_is_spoken(voice, tmp_path):
    voice.show(Indicator.READ, "Anna threw 1 1 5: 250 at risk.")
    until(lambda: voice.spoken)

    assert 1.5 < seconds_of(tmp_path / "spoken.wav") < 8


def test_speaking_does_not_block_the_caller(voice):
    """The words go to a program that never ends by itself."""
    voice._command = ["sleep", "inf"]
    voice.show(Indicator.READ, "One two three four five six seven eight nine ten.")
    until(lambda: voice._speaking)
    voice.show(Indicator.READ, "Ben throws.")

    assert "Ben throws." not in voice.spoken


def test_a_new_message_interrupts_the_previous_one(voice, tmp_path):
    for i in range(30):
        voice.show(Indicator.READ, f"{i} " + "and this goes on and on for a very long time. " * 30)
    voice.show(Indicator.READ, "Ben throws.")
    until(lambda: voice.spoken[-1:] == ["Ben throws."])

    assert seconds_of(tmp_path / "spoken.wav") < 3


def test_short_lived_indicators_are_not_spoken(voice):
    voice.show(Indicator.WAITING, "Waiting for the dice to lie still.")

    assert repr(voice) == "<Voice ''>"


def test_signals_close_every_output(pins):
    closed = []

    class Part:
        def show(self, indicator, words, *, banked):
            pass

        def close(self):
            closed.append(self)

    Signals(Part(), Part()).close()
    assert len(closed) == 2
