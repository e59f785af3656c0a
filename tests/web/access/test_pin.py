"""The PIN and the one-time link, without HTTP."""

import pytest

from game.commands import StartMatch
from tests.web.conftest import as_scorekeeper, make_app
from web.access.pin import (
    LINK_S,
    MAX_TRIES,
    PERIOD_S,
    PIN_DIGITS,
    OneTimeLink,
    PinChecker,
    RateLimit,
    TooManyTriesError,
    pin_at,
)
from web.api.scorekeeper import MAX_ASKS, MAX_SEATINGS


def test_an_address_that_tries_too_often_waits_alone(clock):
    limit = RateLimit(2, 9, 60, clock)
    for _ in range(2):
        assert limit.wait_s("a") == 0
        limit.record("a")
    clock.now_s += 10

    assert limit.wait_s("a") == 50
    assert limit.wait_s("b") == 0
    clock.now_s += 50
    assert limit.wait_s("a") == 0


def test_all_addresses_wait_after_many_attempts_in_total(clock):
    limit = RateLimit(2, 3, 60, clock)
    for address in "abc":
        limit.record(address)

    assert limit.wait_s("d") == 60


def test_forgiven_address_does_not_wait(clock):
    limit = RateLimit(1, 9, 60, clock)
    limit.record("a")
    limit.forgive("a")

    assert limit.wait_s("a") == 0


def test_script_that_keeps_asking_for_the_role_is_limited(table):
    script = make_app(table, holder="").test_client()
    answers = [script.post("/api/v1/scorekeeper/ask").status_code for _ in range(MAX_ASKS + 1)]

    assert answers == [200] * MAX_ASKS + [429]
    other = script.application.test_client()
    asked = other.post("/api/v1/scorekeeper/ask", environ_base={"REMOTE_ADDR": "10.0.0.9"})
    assert asked.status_code == 409  # the script's last request is open for half a minute


def test_script_that_keeps_changing_its_player_is_limited_and_the_scorekeeper_is_not(table):
    table.do(StartMatch(("Anna", "Ben")))
    app = make_app(table)

    def sit(client, n):
        name = ("Anna", "Ben", "")[n % 3]
        return client.post("/api/v1/scorekeeper/sit", json={"name": name}).status_code

    script, holder = app.test_client(), as_scorekeeper(app)
    assert [sit(script, n) for n in range(MAX_SEATINGS + 1)] == [200] * MAX_SEATINGS + [429]
    assert {sit(script, MAX_SEATINGS - 1) for _ in range(9)} == {
        200
    }  # repeating the same name is no change
    script.post("/api/v1/scorekeeper/sit", json={"name": ""})
    assert {sit(holder, n) for n in range(2, 2 * MAX_SEATINGS)} <= {200, 409}


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
    shown = pins.shown_to_scorekeeper("anna")
    clock.now_s += PERIOD_S
    assert pins.is_right(shown)
    clock.now_s += PERIOD_S

    assert not pins.is_right(shown)


def test_too_many_wrong_pins_block_even_the_right_one(pins, clock):
    for guess in range(MAX_TRIES):
        assert not pins.is_right(f"x{guess}")
    with pytest.raises(TooManyTriesError, match="wait 300 s"):
        pins.is_right(pins.shown_to_scorekeeper("anna"))

    clock.now_s += PERIOD_S
    assert pins.is_right(pins.shown_to_scorekeeper("anna"))


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
