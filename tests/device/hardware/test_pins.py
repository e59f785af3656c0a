"""Pins where there are none."""

from contextlib import closing

from gpiozero import LED

from device.hardware.pins import KEPT_STATES, open_pins


def test_a_mock_pin_forgets_what_is_long_past(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with closing(open_pins()) as pins, closing(LED(22, pin_factory=pins)) as led:
        for _ in range(KEPT_STATES):
            led.toggle()
            led.toggle()

        assert len(led.pin.states) == KEPT_STATES
        assert not led.is_lit
