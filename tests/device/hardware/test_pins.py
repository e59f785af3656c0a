"""Pins on machines without usable pins."""

from contextlib import closing
from types import SimpleNamespace

from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from device.hardware import pins as hardware_pins
from device.hardware.pins import MAX_STATES, NO_LGPIO, open_pins


def test_a_mock_pin_forgets_old_states(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with closing(open_pins()) as pins, closing(LED(22, pin_factory=pins)) as led:
        for _ in range(MAX_STATES):
            led.toggle()
            led.toggle()

        assert len(led.pin.states) == MAX_STATES
        assert not led.is_lit


def test_a_laptop_with_a_gpiochip_and_no_lgpio_has_no_header(tmp_path, monkeypatch):
    (tmp_path / "gpiochip0").touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: None)

    with closing(open_pins()) as pins:
        assert isinstance(pins, MockFactory)


def test_a_pi_without_lgpio_is_reported(tmp_path, monkeypatch):
    (tmp_path / "gpiochip0").touch()
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "MODEL", tmp_path / "model")
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: None)
    warnings = []

    with closing(open_pins(warnings.append)):
        assert warnings == [NO_LGPIO]


class LgpioError(Exception):
    """An exception like lgpio's own, which is not an OSError."""


def test_pins_that_cannot_be_opened_are_reported_and_replaced_by_mock_pins(tmp_path, monkeypatch):
    def refuse():
        raise LgpioError("can not open gpiochip")

    (tmp_path / "gpiochip0").touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: True)
    monkeypatch.setattr(
        hardware_pins, "import_module", lambda _: SimpleNamespace(LGPIOFactory=refuse)
    )
    warnings = []

    with closing(open_pins(warnings.append)) as pins:
        assert isinstance(pins, MockFactory)
    assert "can not open gpiochip" in warnings[0]
    assert "usermod -aG gpio" in warnings[0]
