"""Pins where there are none."""

from contextlib import closing
from types import SimpleNamespace

from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from device.hardware import pins as hardware_pins
from device.hardware.pins import KEPT_STATES, NO_LGPIO, open_pins


def test_a_mock_pin_forgets_what_is_long_past(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with closing(open_pins()) as pins, closing(LED(22, pin_factory=pins)) as led:
        for _ in range(KEPT_STATES):
            led.toggle()
            led.toggle()

        assert len(led.pin.states) == KEPT_STATES
        assert not led.is_lit


def test_a_laptop_with_a_gpiochip_and_no_lgpio_has_no_header(tmp_path, monkeypatch):
    (tmp_path / "gpiochip0").touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: None)

    with closing(open_pins()) as pins:
        assert isinstance(pins, MockFactory)


def test_a_pi_whose_pins_are_out_of_reach_says_so(tmp_path, monkeypatch):
    (tmp_path / "gpiochip0").touch()
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "MODEL", tmp_path / "model")
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: None)
    told = []

    with closing(open_pins(told.append)):
        assert told == [NO_LGPIO]


class LgpioError(Exception):
    """As lgpio's own, which is no kind of OSError."""


def test_pins_that_may_not_be_opened_are_told_and_played_without(tmp_path, monkeypatch):
    def refuse():
        raise LgpioError("can not open gpiochip")

    (tmp_path / "gpiochip0").touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: True)
    monkeypatch.setattr(
        hardware_pins, "import_module", lambda _: SimpleNamespace(LGPIOFactory=refuse)
    )
    told = []

    with closing(open_pins(told.append)) as pins:
        assert isinstance(pins, MockFactory)
    assert "can not open gpiochip" in told[0]
    assert "usermod -aG gpio" in told[0]
