"""The PIN and the one-time link, without HTTP."""

import pytest

from web.access.pin import (
    LINK_S,
    MAX_TRIES,
    PERIOD_S,
    PIN_DIGITS,
    OneTimeLink,
    PinChecker,
    TooManyTriesError,
    pin_at,
)

SECRET = bytes(range(32))


@pytest.fixture
def pins(clock):
    return PinChecker(SECRET, wall=clock, clock=clock)


def test_pin_has_six_digits_and_changes(clock):
    shown = pin_at(clock.now_s, SECRET)

    assert len(shown) == PIN_DIGITS
    assert shown.isdigit()
    assert shown != pin_at(clock.now_s + PERIOD_S, SECRET)
    assert shown != pin_at(clock.now_s, bytes(32))


def test_pin_is_valid_while_shown_and_for_one_more_period(pins, clock):
    shown = pins.shown_to_scorekeeper()
    clock.now_s += PERIOD_S
    assert pins.is_right(shown)
    clock.now_s += PERIOD_S

    assert not pins.is_right(shown)


def test_too_many_wrong_pins_block_even_the_right_one(pins, clock):
    for guess in range(MAX_TRIES):
        assert not pins.is_right(f"x{guess}")
    with pytest.raises(TooManyTriesError, match="wait 300 s"):
        pins.is_right(pins.shown_to_scorekeeper())

    clock.now_s += PERIOD_S
    assert pins.is_right(pins.shown_to_scorekeeper())


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "\ud800", "１２３４５６", "☃" * 200])
def test_garbage_is_a_wrong_pin(pins, pin):
    assert not pins.is_right(pin)


def test_link_is_valid_once_and_for_an_hour(clock):
    link = OneTimeLink(clock)
    assert not link.is_valid("")
    token = link.new_token()
    assert link.is_valid(token)
    assert not link.is_valid(token + "x")
    link.use_up()
    assert not link.is_valid(token)

    token = link.new_token()
    clock.now_s += LINK_S
    assert not link.is_valid(token)
