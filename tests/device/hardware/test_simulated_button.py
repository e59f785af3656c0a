"""Several phones and programs, one simulated button."""

from threading import Thread
from time import sleep

import pytest
from gpiozero.pins.mock import MockFactory

from device.hardware import simulated_button
from device.hardware.button import TrayButton
from device.hardware.simulated_button import SimulatedButton
from game.situation import TableError


@pytest.fixture
def table():
    """A finger on a button, and what the button made of it: seconds held, 0 for a press."""
    pins, made = MockFactory(), []
    button = TrayButton(
        pins,
        on_press=lambda _: made.append(0),
        on_hold=lambda seconds, _: made.append(seconds),
        hold_s=0.2,
    )
    yield SimulatedButton(button), made
    button.close()
    pins.close()


def held(simulated_button, seconds):
    thread = Thread(target=simulated_button.hold, args=(seconds,))
    thread.start()
    sleep(0.1)
    return thread


def test_a_press_during_a_hold_is_refused_and_the_hold_goes_on(table):
    simulated_button, made = table
    hold = held(simulated_button, 0.4)
    with pytest.raises(TableError, match="wait until it is let go"):
        simulated_button.hold(0.01)
    for down in (True, False):
        with pytest.raises(TableError, match="being held"):
            simulated_button.move(down=down)
    hold.join()

    assert made == [pytest.approx(0.4, abs=0.15)]


def test_one_after_the_other_both_count(table):
    simulated_button, made = table
    simulated_button.hold(0.01)
    simulated_button.move(down=True)
    simulated_button.move(down=False)

    assert made == [0, 0]


def test_letting_go_of_what_is_not_down_does_nothing(table):
    simulated_button, made = table
    simulated_button.move(down=False)

    assert made == []


def test_a_phone_that_went_away_does_not_hold_the_button_for_ever(table, monkeypatch):
    monkeypatch.setattr(simulated_button, "STUCK_S", 0.1)
    hand, made = table
    hand.move(down=True)
    with pytest.raises(TableError):
        hand.hold(0.01)
    sleep(0.15)
    hand.hold(0.01)

    assert len(made) == 2


def test_a_finger_far_away_says_itself_how_long_it_was_there(table):
    finger, made = table
    finger.move(down=True)
    finger.move(down=False, held_s=1.5)
    finger.hold(0.25)
    finger.move(down=True)
    sleep(0.25)  # the release is long on its way
    finger.move(down=False, held_s=0.1)

    assert made == [1.5, pytest.approx(0.25, abs=0.15), 0]
