"""Pins on machines without usable pins."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from device.hardware import pins as hardware_pins
from device.hardware.pins import MAX_STATES, PinBusyError, open_pins, open_when_free


def test_a_mock_pin_forgets_old_states(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with closing(open_pins()[0]) as pins, closing(LED(22, pin_factory=pins)) as led:
        for _ in range(MAX_STATES):
            led.toggle()
            led.toggle()

        assert len(led.pin.states) == MAX_STATES
        assert not led.is_lit


def test_a_laptop_with_a_gpiochip_and_no_lgpio_has_no_header(tmp_path, monkeypatch, caplog):
    (tmp_path / "gpiochip0").touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: None)

    pins, trouble = open_pins()

    assert isinstance(pins, MockFactory)
    assert trouble is None
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("files", "lgpio", "expected"),
    [(["gpiochip0"], None, "lgpio is missing: sudo apt install"), ([], True, "no pins were found")],
)
def test_a_pi_without_lgpio_or_pins_is_reported(tmp_path, monkeypatch, files, lgpio, expected):
    for name in files:
        (tmp_path / name).touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "is_raspberry_pi", lambda: True)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: lgpio)

    assert expected in str(open_pins()[1])


class LgpioError(Exception):
    """An exception like lgpio's own, which is not an OSError."""


def lgpio_that_cannot_open(monkeypatch, tmp_path, error):
    def refuse():
        raise error

    (tmp_path / "gpiochip0").touch()
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr(hardware_pins, "DEV", tmp_path)
    monkeypatch.setattr(hardware_pins, "find_spec", lambda _: True)
    module = SimpleNamespace(LGPIOFactory=refuse)
    monkeypatch.setattr(hardware_pins, "import_module", lambda _: module)


def test_pins_that_cannot_be_opened_are_reported_and_replaced_by_mock_pins(
    tmp_path, monkeypatch, caplog
):
    lgpio_that_cannot_open(monkeypatch, tmp_path, LgpioError("can not open gpiochip"))
    pins, trouble = open_pins()

    assert isinstance(pins, MockFactory)
    assert "can not open gpiochip: run the installer again" in str(trouble)
    assert str(trouble) in caplog.text


def test_a_folder_in_which_lgpio_cannot_write_is_named_as_the_cause(tmp_path, monkeypatch):
    lgpio_that_cannot_open(
        monkeypatch, tmp_path, FileNotFoundError(2, "No such file", ".lgd-nfy-3")
    )
    monkeypatch.setattr(hardware_pins.os, "access", lambda *_: False)
    trouble = str(open_pins()[1])

    assert "lgpio writes into the folder in which it is started" in trouble
    assert "group gpio" not in trouble


def test_a_pin_is_opened_as_soon_as_another_program_has_freed_it():
    answers, pauses = iter([LgpioError("GPIO busy"), LgpioError("GPIO busy"), None]), []

    def open_it():
        if error := next(answers):
            raise error
        return "button"

    assert open_when_free(open_it, pauses.append) == "button"
    assert len(pauses) == 2


def test_a_pin_that_stays_busy_is_reported_with_the_remedy():
    def open_it():
        raise LgpioError("GPIO busy")

    with pytest.raises(PinBusyError, match="another program is using a pin: stop that program"):
        open_when_free(open_it, lambda _: None)


def test_other_errors_of_a_pin_are_not_retried():
    def open_it():
        raise LgpioError("bad GPIO number")

    with pytest.raises(LgpioError, match="bad GPIO number"):
        open_when_free(open_it, lambda _: pytest.fail("paused"))
