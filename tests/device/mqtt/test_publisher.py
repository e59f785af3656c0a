"""A tray on a real Mosquitto: its messages, their order, and what happens after problems."""

import json
from contextlib import ExitStack
from threading import Event

import paho.mqtt.client as mqtt
import pytest

from game.commands import Bank, EnterThrow, KeepDice, Redo, StartMatch, Undo
from game.journal.entry import WireEntry
from game.journal.history import Feed, History
from game.journal.journal import JOURNAL_FILE
from game.stats.summary import summary
from tests.mosquitto import Listener, mosquitto, needs_mosquitto
from tests.waiting import PATIENCE_S, until

pytestmark = needs_mosquitto

EVENT, STATE = "traykeeper/t1/event", "traykeeper/t1/state"
FARKLE = (2, 3, 4, 4, 6, 6)


def received(listener):
    """Return every entry once, in the order of its first arrival."""
    entries = {}
    for payload in listener.on(EVENT):
        entry = WireEntry.from_json(json.loads(payload))
        entries.setdefault((entry.match, entry.seq), entry)
    return list(entries.values())


def states(listener):
    return [json.loads(payload) for payload in listener.on(STATE)]


def recorded(tmp_path):
    feed = Feed(tmp_path / JOURNAL_FILE)
    return [line.entry for number, *_ in feed.match_sizes() for line in feed.whole(number)]


def test_every_step_arrives_in_order_and_the_state_is_retained(table, join, listener, tmp_path):
    join.stay()
    table.do(StartMatch(["Anna", "Ben"]))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    table.do(Undo())
    table.do(EnterThrow((1, 5, 2, 3, 4, 6)))
    table.do(Bank())
    message = str(table.snapshot().message)
    until(lambda: received(listener) == recorded(tmp_path))
    state = until(lambda: next((s for s in states(listener)[-1:] if s["message"] == message), None))

    assert [entry.seq for entry in received(listener)] == [0, 1, 2, 3, 4]
    assert {key: state[key] for key in summary(table.match)} == summary(table.match)
    assert state["seq"] == 4
    assert state["chain"] == received(listener)[-1].chain


def test_a_later_subscriber_finds_the_state_and_the_availability(table, join, broker, listener):
    join.stay()
    table.do(StartMatch(["Anna", "Ben"]))
    until(lambda: b"Anna" in b"".join(listener.on(STATE)))
    late = Listener(broker)
    try:
        state = until(lambda: [s for t, s, kept in late.heard if kept and t == STATE])
        here = until(lambda: late.on("traykeeper/t1/availability"))
    finally:
        late.close()

    assert json.loads(state[0])["players"][0]["name"] == "Anna"
    assert here == [b"online"]


def test_moments_are_published_as_they_happen(table, join, listener):
    join.stay()
    until(lambda: listener.on(STATE))
    table.do(StartMatch(["Anna", "Ben"]))
    table.do(EnterThrow((1, 1, 1, 5, 5, 5)))
    table.do(Bank())
    table.do(EnterThrow(FARKLE))
    heard = until(lambda: (m := listener.on("traykeeper/t1/moment"))[3:] and m)

    assert [json.loads(m)["event_type"] for m in heard] == [
        "match_begun",
        "hot_dice",
        "banked",
        "farkled",
    ]
    assert json.loads(heard[1]) == {"event_type": "hot_dice", "player": "Anna", "points": 1500}


def test_a_clean_end_publishes_offline(table, join, listener):
    with join():
        until(lambda: listener.on("traykeeper/t1/availability") == [b"online"])
    until(lambda: listener.on("traykeeper/t1/availability") == [b"online", b"offline"])


@pytest.fixture
def may_return(join, monkeypatch):
    """An event without which the tray does not reconnect: a listener who is not back yet would miss messages."""
    may_return, reconnect = Event(), mqtt.Client.reconnect
    may_return.set()

    def reconnect_later(client):
        if client._client_id == b"traykeeper-t1":
            may_return.wait(PATIENCE_S)
        return reconnect(client)

    monkeypatch.setattr(mqtt.Client, "reconnect", reconnect_later)
    join.stay()
    return may_return


def test_nothing_is_lost_when_the_broker_dies_in_the_middle_of_a_turn(
    table, may_return, broker, listener, tmp_path
):
    table.do(StartMatch(["Anna", "Ben"]))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    until(lambda: received(listener))
    may_return.clear()
    broker.kill()
    table.do(KeepDice((1, 1)))
    for _ in range(
        30
    ):  # together with the earlier entries, more than may be unacknowledged at once
        table.do(Undo())
        table.do(Redo())
    table.do(EnterThrow(FARKLE[:4]))
    moments = len(listener.on("traykeeper/t1/moment"))
    until(lambda: not listener.listening.is_set())
    broker.start()
    until(listener.listening.is_set)
    may_return.set()
    until(lambda: received(listener) == recorded(tmp_path))
    state = until(lambda: [s for s in map(json.loads, listener.on(STATE)) if s["seq"] == 63])

    assert state[-1]["turn"]["player"] == "Ben"
    assert len(listener.on("traykeeper/t1/moment")) == moments


def test_a_tray_that_was_off_continues_after_the_last_acknowledged_entry(
    table, join, listener, tmp_path
):
    with join():
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: received(listener))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    table.do(Bank())
    with join():
        until(lambda: received(listener) == recorded(tmp_path))

    # The first entry arrives twice if the tray was switched off before its acknowledgement.
    assert len(listener.on(EVENT)) in {3, 4}


@pytest.mark.parametrize("stays", [True, False], ids=["while connected", "between connections"])
def test_a_restored_journal_is_published_from_where_it_continues(
    table, join, listener, tmp_path, stays
):
    with ExitStack() as stack:
        stack.enter_context(join())
        table.do(StartMatch(["Anna", "Ben"]))
        copy = History(tmp_path / JOURNAL_FILE).copy()
        table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
        until(lambda: len(received(listener)) == 2)
        if not stays:
            stack.pop_all().close()
        table.journal.restore(copy)
        table.reload()
        listener.heard.clear()
        table.do(EnterThrow((5, 5, 5, 2, 3, 4)))
        if not stays:
            stack.enter_context(join())
        until(lambda: recorded(tmp_path)[-1] in received(listener))


def test_missed_entries_are_replayed_on_request(table, join, listener, tmp_path):
    join.stay()
    table.do(StartMatch(["Anna", "Ben"]))
    table.do(EnterThrow(FARKLE))
    table.do(StartMatch(["Cleo", "Dan"]))
    until(lambda: len(received(listener)) == 3)
    listener.say("traykeeper/t1/replay", '{"to": "b1", "from": 0}')
    (index,) = until(lambda: listener.on("traykeeper/t1/replay/b1"))
    first = json.loads(index)["matches"][0][0]
    ask = {"to": "b1", "match": first, "after": -1}
    listener.say("traykeeper/t1/replay", json.dumps(ask))
    _, entries = until(lambda: (a := listener.on("traykeeper/t1/replay/b1"))[1:] and a)

    assert [steps for _, steps in json.loads(index)["matches"]] == [1, 0]
    assert [WireEntry.from_json(e) for e in json.loads(entries)["entries"]] == recorded(tmp_path)[
        :2
    ]


def test_invalid_messages_are_ignored(table, join, listener, tmp_path, troubles):
    join.stay()
    until(lambda: listener.on(STATE))
    for nonsense in (b"", b"\xff\xfe", b"[]", b'{"to": "../x", "from": 0}', b"9" * 5_000):
        listener.say("traykeeper/t1/replay", nonsense)
    listener.say("traykeeper/t1/replay", '{"to": "b1", "match": "0123456789abcdef", "after": -1}')
    answer = until(lambda: listener.on("traykeeper/t1/replay/b1"))
    table.do(StartMatch(["Anna", "Ben"]))
    until(lambda: received(listener) == recorded(tmp_path))

    assert [json.loads(a)["entries"] for a in answer] == [[]]
    assert troubles == []


def test_steps_arrive_over_tls_with_a_password(table, join, tmp_path):
    with mosquitto(tmp_path / "tls", tls=True) as broker, join(**broker.settings()):
        listener = Listener(broker)
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: received(listener) == recorded(tmp_path))
        listener.close()
