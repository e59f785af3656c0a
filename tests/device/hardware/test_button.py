"""The button at the tray, on gpiozero's mock pin."""

from threading import Thread

import pytest
from gpiozero.pins.mock import MockFactory

from device.hardware.button import TrayButton
from tests.waiting import until

MOMENT_S = 0.2


@pytest.fixture
def pins():
    factory = MockFactory()
    yield factory
    factory.close()


def test_a_hold_that_is_reported_during_the_release_does_not_stay_on_the_lamp(pins):
    reported, releasing = [], []

    def clock():
        """Return the time. While a hold is being noticed, release the button first."""
        if reported == [0.0] and not releasing:
            releasing.append(Thread(target=button.drive, kwargs={"down": False}))
            releasing[0].start()
            releasing[0].join(MOMENT_S)
        return 2.0 * len(releasing)

    button = TrayButton(
        pins,
        on_release=lambda *_: None,
        on_holding=reported.append,
        hold_s=0.05,
        clock=clock,
    )
    button.drive(down=True)
    until(lambda: None in reported)
    releasing[0].join()
    button.close()

    assert reported[:2] == [0.0, 2.0]
    assert reported[-1] is None


def test_a_hold_is_reported_repeatedly_until_the_release(pins):
    reported, held = [], []
    button = TrayButton(
        pins,
        on_release=lambda seconds, _: held.append(seconds),
        on_holding=reported.append,
        hold_s=0.05,
    )
    button.drive(down=True)
    until(lambda: len(reported) > 3)
    button.drive(down=False)
    until(lambda: held)
    button.close()

    assert reported[-1] is None
    assert len(held) == 1


def test_the_pin_of_a_closed_button_can_be_used_again(pins):
    def open_button():
        return TrayButton(pins, on_release=lambda *_: None, on_holding=lambda _: None)

    first = open_button()
    first.close()
    open_button().close()
