"""A request that is sent twice runs once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from game.commands import Bank, EnterThrow, StartMatch
from game.journal.history import History
from tests.device.rig import open_rig
from tests.waiting import PATIENCE_S
from tests.web.conftest import as_scorekeeper, make_app
from web.access import idempotency
from web.access.idempotency import HEADER, MAX_PHONES, MAX_REQUESTS
from web.access.phone import COOKIE


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    return table


def bank(client, key):
    return client.post("/api/v1/bank", json={}, headers={HEADER: key})


def test_same_key_banks_once_and_gets_the_same_answer(client, begun):
    first, second = bank(client, "a"), bank(client, "a")

    assert first.data == second.data
    assert first.status_code == second.status_code == 200
    assert len(begun.match.state.turns) == 1


def test_refusal_is_remembered_too(client, begun):
    begun.do(Bank())

    assert bank(client, "a").status_code == bank(client, "a").status_code == 409


def test_another_key_is_another_request(client, begun):
    bank(client, "a")

    assert bank(client, "b").status_code == 409


def test_twenty_requests_at_once_bank_once(client, begun, monkeypatch):
    monkeypatch.setattr(idempotency, "MAX_WAIT_S", PATIENCE_S)
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: bank(as_scorekeeper(client.application), "a"), range(20)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    assert len(begun.match.state.turns) == 1


@pytest.mark.parametrize("key", ["", "x" * 101])
def test_empty_or_overlong_key_is_refused(client, begun, key):
    assert bank(client, key).status_code == 400


def test_other_phone_with_the_same_key_does_not_get_the_answer(client, begun):
    bank(client, "a")

    assert bank(client.application.test_client(), "a").status_code == 403


def test_oldest_request_is_forgotten_beyond_the_limit(client, begun):
    bank(client, "first")
    for number in range(MAX_REQUESTS):
        bank(client, str(number))

    assert bank(client, "first").status_code == 409


def test_watchers_cannot_displace_the_scorekeepers_requests(client, begun):
    first = bank(client, "first")
    watcher = client.application.test_client()
    for number in range(MAX_REQUESTS * MAX_PHONES // 8):
        watcher.delete_cookie(COOKIE)
        watcher.post("/api/v1/scorekeeper/sit", json={"name": ""}, headers={HEADER: str(number)})

    assert bank(client, "first").data == first.data


def test_same_key_with_another_body_is_refused(client, begun):
    assert bank(client, "a").status_code == 200
    again = client.post("/api/v1/bank", json={"dice": [1]}, headers={HEADER: "a"})

    assert again.status_code == 422
    assert "send a new one" in again.json["detail"]


def test_request_in_the_journal_does_not_run_again_after_a_restart(tmp_path):
    """The step is in the journal, the answer was lost, and the program has restarted."""
    for attempt in range(2):
        with open_rig(tmp_path) as rig:
            app = make_app(rig.companion, history=History(tmp_path / "journal.db"))
            client = as_scorekeeper(app)
            if not attempt:
                client.post("/api/v1/match", json={"names": ["Anna", "Ben"]})
            tap = client.post(
                "/api/v1/dice", json={"dice": [1, 1, 1, 2, 3, 4]}, headers={HEADER: "a"}
            )
            assert (tap.status_code, tap.json["at_risk"]) == (200, 1000)
            assert len(rig.companion.snapshot().match.timeline) == 1
            other = client.post("/api/v1/dice", json={"dice": [5]}, headers={HEADER: "a"})
            assert other.status_code == 422


def test_hold_of_the_simulated_button_does_not_run_again_after_a_restart(tmp_path):
    for attempt in range(2):
        with open_rig(tmp_path) as rig:
            app = make_app(rig.companion, history=History(tmp_path / "journal.db"))
            client = as_scorekeeper(app)
            if not attempt:
                client.post("/api/v1/match", json={"names": ["Anna", "Ben"]})
                client.post("/api/v1/dice", json={"dice": [1, 1, 1, 2, 3, 4]})
            held = client.post("/api/v1/hold", json={"seconds": 1.2}, headers={HEADER: "a"})

            assert held.status_code == 200
            assert len(rig.companion.snapshot().match.state.turns) == 1
