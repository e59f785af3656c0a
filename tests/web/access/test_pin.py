import pytest

from web.access.pin import LINK_S, PERIOD_S, PIN_DIGITS, TRIES, Pin, TooManyTriesError, pin

SECRET = bytes(range(32))


@pytest.fixture
def door(clock):
    return Pin(SECRET, wall=clock, clock=clock)


def test_the_pin_is_six_digits_and_changes(clock):
    shown = pin(SECRET, clock.now_s)

    assert len(shown) == PIN_DIGITS
    assert shown.isdigit()
    assert shown != pin(SECRET, clock.now_s + PERIOD_S)
    assert shown != pin(bytes(32), clock.now_s)


def test_it_is_taken_while_it_is_shown_and_a_period_longer(door, clock):
    shown = door.now()
    clock.now_s += PERIOD_S
    assert door.is_right(shown)
    clock.now_s += PERIOD_S

    assert not door.is_right(shown)


def test_who_guesses_is_stopped_even_with_the_right_one(door, clock):
    for guess in range(TRIES):
        assert not door.is_right(f"x{guess}")
    with pytest.raises(TooManyTriesError, match="wait 300 s"):
        door.is_right(door.now())

    clock.now_s += PERIOD_S
    assert door.is_right(door.now())


@pytest.mark.parametrize("told", ["", "12345", "1234567", "\ud800", "１２３４５６", "☃" * 200])
def test_garbage_is_wrong(door, told):
    assert not door.is_right(told)


def test_a_link_is_good_once_and_for_an_hour(door, clock):
    assert not door.is_link("")
    token = door.new_link()
    assert door.is_link(token)
    assert not door.is_link(token + "x")
    door.use_up()
    assert not door.is_link(token)

    token = door.new_link()
    clock.now_s += LINK_S
    assert not door.is_link(token)
