"""The button at the tray, on gpiozero's mock pin."""

from threading import Thread
from time import sleep

import pytest
from gpiozero.pins.mock import MockFactory

from device.hardware.button import TrayButton

MOMENT_S = 0.2


@pytest.fixture
def pins():
    factory = MockFactory()
    yield factory
    factory.close()


def test_a_hold_that_is_noticed_while_the_button_is_let_go_does_not_stay_on_the_lamp(pins):
    said, letting_go = [], []

    def clock():
        """Time is asked for in the middle of noticing the hold: then the finger lets go."""
        if said == [0.0] and not letting_go:
            letting_go.append(Thread(target=button.drive, kwargs={"down": False}))
            letting_go[0].start()
            letting_go[0].join(MOMENT_S)
        return 2.0 * len(letting_go)

    button = TrayButton(
        pins,
        on_press=lambda _: None,
        on_hold=lambda *_: None,
        on_holding=said.append,
        hold_s=0.05,
        clock=clock,
    )
    button.drive(down=True)
    sleep(2 * MOMENT_S)
    letting_go[0].join()
    button.close()

    assert said == [0.0, 2.0, None]


def test_a_repeated_hold_is_told_until_it_is_let_go(pins):
    said, held = [], []
    button = TrayButton(
        pins,
        on_press=lambda _: None,
        on_hold=lambda seconds, _: held.append(seconds),
        on_holding=said.append,
        hold_s=0.05,
    )
    button.drive(down=True)
    sleep(0.3)
    button.drive(down=False)
    sleep(0.1)
    button.close()

    assert len(said) > 3
    assert said[-1] is None
    assert len(held) == 1
