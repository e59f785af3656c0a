"""A request sent twice does not score twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from game.commands import Bank, StartMatch, TapIn
from tests.web.conftest import holding
from web.access.idempotency import HEADER, REMEMBERED


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(TapIn((1, 1, 1, 2, 3, 4)))
    return table


def bank(client, key):
    return client.post("/api/v1/bank", json={}, headers={HEADER: key})


def test_the_same_key_banks_once_and_gets_the_same_answer(client, begun):
    first, second = bank(client, "a"), bank(client, "a")

    assert first.data == second.data
    assert first.status_code == second.status_code == 200
    assert len(begun.match.state.turns) == 1


def test_a_refusal_is_remembered_too(client, begun):
    begun.do(Bank())

    assert bank(client, "a").status_code == bank(client, "a").status_code == 409


def test_another_key_is_another_wish(client, begun):
    bank(client, "a")

    assert bank(client, "b").status_code == 409


def test_twenty_at_once_bank_once(client, begun):
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: bank(holding(client.application), "a"), range(20)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    assert len(begun.match.state.turns) == 1


@pytest.mark.parametrize("key", ["", "x" * 101])
def test_a_key_is_of_sensible_length(client, begun, key):
    assert bank(client, key).status_code == 400


def test_another_phone_with_the_same_key_is_not_given_the_holders_answer(client, begun):
    bank(client, "a")

    assert bank(client.application.test_client(), "a").status_code == 403


def test_only_so_many_are_remembered(client, begun):
    bank(client, "first")
    for number in range(REMEMBERED):
        bank(client, str(number))

    assert bank(client, "first").status_code == 409
