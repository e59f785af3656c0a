"""Several phones and programs share one simulated button."""

import pytest
from gpiozero.pins.mock import MockFactory

from device.hardware.button import TableButton, TrayButton
from device.session.indicator import STUCK_S
from game.commands import Hold, MoveSimulatedButton
from game.situation import TableError


@pytest.fixture
def others():
    """What other phones do while the button is being held."""
    return []


@pytest.fixture
def table(clock, others):
    """Return a simulated button and the list of its holds in seconds, 0 for a press."""
    pins, made = MockFactory(), []
    button = TrayButton(
        pins,
        on_release=lambda seconds, _: made.append(seconds),
        hold_s=0.2,
        clock=clock,
    )

    def pause(seconds):
        while others:
            others.pop()()
        clock.now_s += seconds

    yield TableButton(button, None, lambda *_: None, clock, pause), made
    button.close()
    pins.close()


def test_a_press_during_a_hold_is_refused_and_the_hold_continues(table, others):
    simulated_button, made = table
    refused = []

    def press():
        with pytest.raises(TableError, match="wait until it is released"):
            simulated_button.use(Hold(0.01))
        for down in (True, False):
            with pytest.raises(TableError, match="being held"):
                simulated_button.use(MoveSimulatedButton(down=down))
        refused.append(True)

    others.append(press)
    simulated_button.use(Hold(0.4))

    assert refused == [True]
    assert made == [pytest.approx(0.4)]


def test_two_presses_in_turn_both_count(table):
    simulated_button, made = table
    simulated_button.use(Hold(0.01))
    simulated_button.use(MoveSimulatedButton(down=True))
    simulated_button.use(MoveSimulatedButton(down=False))

    assert made == [0, 0]


def test_releasing_a_button_that_is_not_down_does_nothing(table):
    simulated_button, made = table
    simulated_button.use(MoveSimulatedButton(down=False))

    assert made == []


def test_a_phone_that_has_left_does_not_block_the_button(table, clock):
    hand, made = table
    hand.use(MoveSimulatedButton(down=True))
    with pytest.raises(TableError):
        hand.use(Hold(0.01))
    clock.now_s += STUCK_S
    hand.use(Hold(0.01))

    assert len(made) == 2


def test_a_phone_measures_the_hold_itself(table, clock):
    finger, made = table
    finger.use(MoveSimulatedButton(down=True))
    finger.use(MoveSimulatedButton(down=False, seconds=1.5))
    finger.use(Hold(0.25))
    finger.use(MoveSimulatedButton(down=True))
    clock.now_s += 0.25  # the release is delayed on its way
    finger.use(MoveSimulatedButton(down=False, seconds=0.1))

    assert made == [1.5, pytest.approx(0.25), 0]
