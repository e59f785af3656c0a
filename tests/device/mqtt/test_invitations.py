"""A match that the club calls to a tray begins only if somebody there says yes."""

import json
from itertools import count

import pytest

from device.mqtt.invitations import Invitation, Invitations
from game.commands import AnswerQuestion, Bank, EnterThrow, StartMatch
from tests.mosquitto import needs_mosquitto, until

CALL = {
    "id": "1-0",
    "title": "Club cup",
    "names": ["Anna", "Ben"],
    "rules": "walnut-studiolo",
    "target": 5000,
}
FARKLE = (2, 3, 4, 4, 6, 6)


@pytest.fixture
def said():
    return []


@pytest.fixture
def inviting(table, said):
    return Invitations(table, lambda call, accepted: said.append((call, accepted)))


def heard(inviting, table, call=CALL):
    inviting.heard(json.dumps(call).encode())
    inviting.look(table.snapshot())


def answer(table, label):
    (choice,) = (c for c in table.snapshot().choices if str(c.label).startswith(label))
    table.do(AnswerQuestion(choice.id))


def test_yes_begins_the_match(table, inviting, said):
    heard(inviting, table)

    assert (
        str(table.snapshot().question)
        == "Club cup calls Anna and Ben to this tray. Begin their match?"
    )
    answer(table, "Yes")
    assert [player.name for player in table.match.state.players] == ["Anna", "Ben"]
    assert table.match.rules.target == 5000
    assert said == [("1-0", True)]


def test_no_tells_the_club_and_it_is_not_asked_again(table, inviting, said):
    heard(inviting, table)
    answer(table, "No")
    heard(inviting, table)

    assert said == [("1-0", False)]
    assert table.snapshot().question is None


def test_a_match_under_way_is_never_cut_short(table, inviting, said):
    table.do(StartMatch(["Cleo", "Dan"], target=500))
    heard(inviting, table)
    assert table.snapshot().question is None
    for turn in count():
        if table.match.state.winner is not None:
            break
        table.do(EnterThrow((1, 1, 1, 2, 3, 4) if turn == 0 else FARKLE))
        if turn == 0:
            table.do(Bank())
    inviting.look(table.snapshot())

    assert "calls Anna and Ben" in str(table.snapshot().question)
    assert said == []


def test_a_call_that_was_taken_back_is_not_asked(table, inviting):
    table.do(StartMatch(["Cleo", "Dan"]))
    heard(inviting, table)
    inviting.heard(b"")

    assert inviting._open is None


def test_names_or_rules_that_no_match_can_have_are_declined(table, inviting, said):
    heard(inviting, table, CALL | {"rules": "no such rules"})
    heard(inviting, table, CALL | {"id": "1-1", "names": ["Anna", "Anna"]})

    assert said == [("1-0", False), ("1-1", False)]
    assert table.snapshot().question is None


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xff", b"[]", b"{}", b"9" * 5_000]
    + [json.dumps(CALL | {key: {"a": 1}}).encode() for key in CALL],
)
def test_nonsense_is_no_invitation(payload):
    assert Invitation.of(payload) is None


@needs_mosquitto
def test_over_the_broker(table, join, listener):
    join.stay()
    listener.say("traykeeper/t1/assign", json.dumps(CALL), retain=True)
    until(lambda: table.snapshot().question)
    answer(table, "Yes")
    (told,) = until(lambda: listener.on("traykeeper/t1/assign/answer"))

    assert json.loads(told) == {"id": "1-0", "accepted": True}
