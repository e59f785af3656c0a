"""Rate limits: an address that tries too often has to wait, and others do not."""

from game.commands import StartMatch
from tests.web.conftest import as_scorekeeper, make_app
from web.access.rate_limit import RateLimit
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
