"""A match that the club calls to a tray begins only if somebody there agrees."""

import json
from itertools import count

import pytest

from device.mqtt.publisher import Call, CallAnswer, OpenCall
from game.commands import AnswerQuestion, Bank, EnterThrow, StartMatch
from tests.mosquitto import needs_mosquitto
from tests.waiting import until

CALL = {
    "id": "1-0",
    "title": "Club cup",
    "names": ["Anna", "Ben"],
    "rules": "walnut-studiolo",
    "target": 5000,
}
FARKLE = (2, 3, 4, 4, 6, 6)


@pytest.fixture
def answers():
    return []


@pytest.fixture
def open_call(table, answers):
    return OpenCall(table, answers.append)


def receive(open_call, table, call=CALL):
    open_call.receive(json.dumps(call).encode())
    open_call.ask(table.snapshot())


def answer(table, label):
    (choice,) = (c for c in table.snapshot().choices if str(c.label).startswith(label))
    table.do(AnswerQuestion(choice.id))


def test_yes_starts_the_match(table, open_call, answers):
    receive(open_call, table)

    assert (
        str(table.snapshot().question)
        == "Club cup: Anna and Ben have been called to this tray. Start their match?"
    )
    answer(table, "Yes")
    assert [player.name for player in table.match.state.players] == ["Anna", "Ben"]
    assert table.match.rules.target == 5000
    assert answers == [CallAnswer("1-0", accepted=True)]


def test_no_is_reported_to_the_club_and_not_asked_again(table, open_call, answers):
    receive(open_call, table)
    answer(table, "No")
    assert answers == [CallAnswer("1-0", accepted=False)]
    receive(open_call, table)

    assert answers == [CallAnswer("1-0", accepted=False)] * 2
    assert table.snapshot().question is None


def play_to_the_end(table):
    for turn in count():
        if table.match.state.winner is not None:
            return
        table.do(EnterThrow((1, 1, 1, 2, 3, 4) if turn == 0 else FARKLE))
        if turn == 0:
            table.do(Bank())


def test_a_match_under_way_is_finished_before_the_question(table, open_call, answers):
    table.do(StartMatch(["Cleo", "Dan"], target=500))
    receive(open_call, table)
    assert table.snapshot().question is None
    play_to_the_end(table)
    open_call.ask(table.snapshot())

    assert "Anna and Ben have been called" in str(table.snapshot().question)
    assert answers == []


def test_players_are_not_asked_about_a_withdrawn_call(table, open_call):
    table.do(StartMatch(["Cleo", "Dan"]))
    receive(open_call, table)
    open_call.receive(b"")

    assert open_call._open is None


def test_calls_with_invalid_names_or_rules_are_declined(table, open_call, answers):
    receive(open_call, table, CALL | {"rules": "no such rules"})
    receive(open_call, table, CALL | {"id": "1-1", "names": ["Anna", "Anna"]})

    assert answers == [CallAnswer(call, accepted=False) for call in ("1-0", "1-1")]
    assert table.snapshot().question is None


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xff", b"[]", b"{}", b"9" * 5_000]
    + [json.dumps(CALL | {key: {"a": 1}}).encode() for key in CALL],
)
def test_an_invalid_message_is_not_a_call(payload):
    assert Call.of(payload) is None


@needs_mosquitto
def test_a_call_over_the_broker_is_answered(table, join, listener):
    join.stay()
    listener.say("traykeeper/t1/assign", json.dumps(CALL), retain=True)
    until(lambda: table.snapshot().question)
    answer(table, "Yes")
    (reply,) = until(lambda: listener.on("traykeeper/t1/assign/answer"))

    assert json.loads(reply) == {"id": "1-0", "accepted": True}


@needs_mosquitto
@pytest.mark.parametrize("label", ["Yes", "No"])
def test_an_answered_call_is_not_asked_again_after_a_restart(table, join, listener, label):
    call = CALL | {"target": 1000}
    listener.say("traykeeper/t1/assign", json.dumps(call), retain=True)
    with join():
        until(lambda: table.snapshot().question)
        answer(table, label)
        (reply,) = until(lambda: listener.on("traykeeper/t1/assign/answer"))
    if label == "Yes":
        play_to_the_end(table)
    with join():
        until(lambda: listener.on("traykeeper/t1/assign/answer") == [reply, reply])

        assert table.snapshot().question is None
        listener.say("traykeeper/t1/assign", json.dumps(call | {"id": "1-1"}), retain=True)
        until(lambda: table.snapshot().question)
