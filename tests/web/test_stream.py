"""Event streams over real HTTP."""

import json
import sqlite3
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from types import SimpleNamespace

import jsonschema_rs
import pytest

from game.commands import Bank, CorrectThrow, EnterThrow, SetJustDice, StartMatch, Undo
from game.errors import JournalError
from game.journal.history import Feed, History
from game.journal.journal import JOURNAL_FILE
from tests.device.mqtt.conftest import TapTable
from tests.waiting import PATIENCE_S, until
from tests.web.conftest import HttpClient, make_app
from web import stream as module
from web.server import Server
from web.stream import MAX_PER_ADDRESS, Streams, VersionCache


def test_function_runs_once_for_a_version_however_many_ask(table):
    made = []
    cache = VersionCache(lambda snapshot: made.append(snapshot.version) or snapshot.version)
    snapshot = table.snapshot()

    with ThreadPoolExecutor(16) as pool:
        answers = set(pool.map(cache, [snapshot] * 64))

    assert answers == {0}
    assert made == [0]


def test_function_runs_again_for_the_next_version(table):
    cache = VersionCache(lambda snapshot: snapshot.message)

    assert str(cache(table.snapshot())) == "Welcome"
    assert str(cache(table.show(message="Anna begins"))) == "Anna begins"


def test_old_snapshot_gets_the_newest_result(table):
    cache = VersionCache(lambda snapshot: snapshot.message)
    old = table.snapshot()
    cache(table.show(message="new"))

    assert str(cache(old)) == "new"


def next_event(stream):
    """Return name and data of the next event; a comment is ("", text)."""
    name, data = "", []
    while line := stream.readline().decode().rstrip("\n"):
        key, _, value = line.partition(": ")
        if key == "event":
            name = value
        else:
            data.append(value)
    return name, "\n".join(data)


def test_stream_starts_with_the_whole_state(http, table):
    table.do(StartMatch(("Anna", "Ben")))

    with http.get("/api/v1/events") as stream:
        name, data = next_event(stream)

    assert name == "state"
    assert json.loads(data) == json.load(http.get("/api/v1/state"))


def test_stream_sends_the_state_after_every_change(http, table):
    with http.get("/api/v1/events") as stream:
        next_event(stream)
        table.show(message="Anna threw")
        _, data = next_event(stream)

    assert json.loads(data)["message"] == "Anna threw"


def test_page_stream_sends_the_sections(http, table):
    with http.get("/live") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.headers["Cache-Control"] == "no-store"
        name, data = next_event(stream)

    assert name == "board"
    assert data == http.get("/sections").read().decode()


def test_heartbeat_is_sent_while_nothing_changes(table, serve, new_client):
    http = new_client(serve(table, heartbeat_s=0.1).port)

    with http.get("/api/v1/events") as stream:
        next_event(stream)
        assert next_event(stream) == ("", "still here")


def test_page_gets_the_heartbeat_as_an_event(table, serve, new_client):
    http = new_client(serve(table, heartbeat_s=0.1).port)

    with http.get("/live") as stream:
        next_event(stream)
        assert next_event(stream)[0] == "beat"


def test_stream_ends_after_its_maximum_duration(table, serve, new_client, monkeypatch):
    """Its clock goes on by a second each time it is asked."""
    ticks = count()
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: float(next(ticks))))
    http = new_client(serve(table, heartbeat_s=1, max_duration_s=20).port)

    with http.get("/api/v1/events") as stream:
        text = stream.read().decode()

    assert text.startswith("event: state")
    assert ": still here" in text


def test_stream_beyond_the_limit_is_refused_with_retry_after(table, serve, new_client):
    http = new_client(serve(table, limit=2).port, cookie="")
    streams = [http.get("/live"), http.get("/api/v1/events")]

    refused = http.get("/live")

    assert refused.status == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert "poll the state instead" in json.load(refused)["detail"]
    for stream in streams:
        stream.close()


def test_scorekeeper_gets_a_stream_however_many_watch(table, serve, new_client):
    server = serve(table, limit=1)
    watcher, scorekeeper = new_client(server.port, cookie=""), new_client(server.port)
    watched = watcher.get("/live")

    assert watcher.get("/live").status == 503
    played = [scorekeeper.get("/live"), scorekeeper.get("/api/v1/events")]
    assert {stream.status for stream in (watched, *played)} == {200}
    for stream in (watched, *played):
        stream.close()


def test_one_address_cannot_take_every_stream(client):
    guest = client.application.test_client()

    def opened(address):
        return guest.get("/live", environ_base={"REMOTE_ADDR": address})

    greedy = [opened("192.168.1.66") for _ in range(MAX_PER_ADDRESS)]
    assert opened("192.168.1.66").status_code == 503
    other = opened("192.168.1.7")
    greedy.pop().close()
    again = opened("192.168.1.66")

    assert {answer.status_code for answer in (*greedy, other, again)} == {200}
    for answer in (*greedy, other, again):
        answer.close()


def test_phone_that_hangs_up_frees_its_stream(table, serve, new_client):
    http = new_client(serve(table, limit=1).port, cookie="")
    http.get("/live").close()

    def is_open_again():
        with http.get("/live") as stream:
            return stream.status == 200

    until(is_open_again)


def test_head_request_opens_no_stream(table, client):
    answer = client.head("/live")

    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.mimetype == "text/event-stream"


def test_request_is_answered_beside_fifty_streams_that_all_get_the_event(http, table):
    table.do(StartMatch(("Anna", "Ben")))
    streams = [http.get("/live") for _ in range(50)]
    for stream in streams:
        next_event(stream)

    answer = http.post("/api/v1/dice", dice=[1, 1, 3, 3, 3, 5])
    events = [next_event(stream) for stream in streams]

    assert answer.status == 200
    assert all('id="keep-113335"' in data for _, data in events)
    for stream in streams:
        stream.close()


class JournaledTable:
    """A table with a journal and a server, which can be stopped and started again."""

    def __init__(self, folder):
        self._folder = folder
        self.start()

    def start(self):
        self._table = TapTable(self._folder)
        history = History(self._table.journal.path)
        self._server = Server(
            make_app(self._table, history=history, streams=Streams(check_s=0.1)), "127.0.0.1", 0
        )
        self._server.start()
        self.http = HttpClient(self._server.port)
        self.do = self._table.do

    def stop(self):
        self._server.stop()
        self._table.close()

    def events(self, last_id=None):
        """Open the event stream, as a browser does that has received an event with this id."""
        url = f"http://127.0.0.1:{self.http.port}/api/v1/events?steps=1"
        headers = {"Last-Event-ID": last_id} if last_id else {}
        request = urllib.request.Request(url, headers=headers)
        return urllib.request.build_opener().open(request, timeout=PATIENCE_S)


@pytest.fixture
def journaled(tmp_path):
    table = JournaledTable(tmp_path)
    table.do(StartMatch(("Anna", "Ben")))
    yield table
    table.stop()


def next_steps(stream, n):
    """Return the data of the next events called "step"."""
    found = []
    while len(found) < n:
        name, data = next_event(stream)
        found += [json.loads(data.rpartition("\n")[2])] if name == "step" else []
    return found


def test_stream_sends_each_step_on_request(journaled):
    with journaled.http.get("/api/v1/events?steps=1") as stream:
        assert next_event(stream)[0] == "state"
        journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
        journaled.do(Bank())
        steps = next_steps(stream, 6)

    assert [step["kind"] for step in steps] == [
        "rolled", "read", "wanted", "kept", "banked", "wanted",
    ]  # fmt: skip
    assert [step["seq"] for step in steps] == [1, 1, 1, 2, 2, 2]


def test_a_step_that_could_not_be_read_at_first_is_sent_later(journaled, monkeypatch):
    with journaled.events() as stream:
        assert next_event(stream)[0] == "state"
        _, last_id = next_event(stream)
        with monkeypatch.context() as locked:
            locked.setattr(Feed, "after", refuse_to_read)
            journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
            assert next_event(stream)[0] == "state"
        with journaled.events(last_id) as other:
            steps = next_steps(other, 3)

    assert [step["kind"] for step in steps] == ["rolled", "read", "wanted"]


def refuse_to_read(*_):
    """Fail like a journal that another program has locked."""
    raise JournalError("the journal is locked")


def test_stream_continues_after_the_last_event_that_a_program_has(journaled):
    with journaled.http.get("/api/v1/events?steps=1") as stream:
        next_event(stream)
        journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
        first, *_ = next_steps(stream, 1)
    journaled.do(Bank())
    with journaled.events(first["id"]) as stream:
        missed = next_steps(stream, 5)

    assert [step["kind"] for step in missed] == ["read", "wanted", "kept", "banked", "wanted"]


def test_a_program_gets_the_steps_that_it_missed_before_and_after_a_restart(journaled):
    with journaled.events() as stream:
        next_event(stream)
        journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
        first, *_ = next_steps(stream, 1)
    journaled.do(Bank())
    journaled.stop()
    journaled.start()
    journaled.do(EnterThrow((5, 2, 2, 3, 4, 6)))
    with journaled.events(first["id"]) as stream:
        missed = next_steps(stream, 8)
        journaled.do(Bank())
        missed += next_steps(stream, 1)

    assert [step["kind"] for step in missed] == [
        "read", "wanted", "kept", "banked", "wanted", "rolled", "read", "wanted", "kept",
    ]  # fmt: skip
    assert [step["seq"] for step in missed] == [1, 1, 2, 2, 2, 3, 3, 3, 4]


def test_a_program_that_has_had_no_step_yet_misses_none_during_a_restart(journaled):
    with journaled.events() as stream:
        assert next_event(stream)[0] == "state"
        _, last_id = next_event(stream)
    journaled.stop()
    journaled.start()
    journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    with journaled.events(last_id) as stream:
        missed = next_steps(stream, 3)

    assert [step["kind"] for step in missed] == ["rolled", "read", "wanted"]


def next_gap(stream):
    """Return the reason in the next event called "gap"."""
    while (event := next_event(stream))[0] != "gap":
        assert event[0] != "step"
    event_id, data = event[1].split("\n")
    return event_id, json.loads(data)["reason"]


@pytest.mark.parametrize(
    "last_id", ["dice-0badcafe-3", "90c1a5e2b7d3f468-3-5be0f1a2c3d4-1", "7", "--"]
)
def test_a_program_is_told_that_its_last_event_is_unknown_and_can_continue_from_there(
    journaled, last_id
):
    journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    with journaled.events(last_id) as stream:
        newest, reason = next_gap(stream)
    journaled.do(Bank())
    with journaled.events(newest) as stream:
        missed = next_steps(stream, 3)

    assert reason == "unknown id"
    assert [step["kind"] for step in missed] == ["kept", "banked", "wanted"]


def test_a_program_is_told_that_it_was_away_for_too_long(journaled, monkeypatch):
    monkeypatch.setattr("web.stream.MAX_EVENTS", 1)
    with journaled.events() as stream:
        next_event(stream)
        _, last_id = next_event(stream)
    journaled.stop()
    journaled.start()
    for _ in range(2):
        journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
        journaled.do(Bank())

    with journaled.events(last_id) as stream:
        assert next_gap(stream)[1] == "too many steps"


def test_a_program_is_told_that_a_backup_was_restored(journaled, tmp_path):
    with journaled.events() as stream:
        next_event(stream)
        with closing(sqlite3.connect(tmp_path / JOURNAL_FILE)) as db, db:
            db.execute("UPDATE about SET value = 'ffff' WHERE name = 'identity'")
        journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))

        assert next_gap(stream)[1] == "another journal"


def test_stream_sends_throws_without_a_match(http, table):
    table.do(SetJustDice(on=True))
    with http.get("/api/v1/events?steps=1") as stream:
        next_event(stream)
        table.do(EnterThrow((2, 6, 6)))
        steps = next_steps(stream, 2)
        table.do(CorrectThrow((2, 2, 6)))
        steps += next_steps(stream, 1)

    assert [step["kind"] for step in steps] == ["rolled", "read", "corrected"]
    assert len({step["roll"]["id"] for step in steps}) == 1
    assert steps[2]["roll"]["dice"] == [2, 2, 6]


def test_events_conform_to_the_schema_of_the_document(journaled):
    with journaled.http.get("/api/v1/events?steps=1") as stream:
        next_event(stream)
        journaled.do(EnterThrow((1, 1, 2, 3, 4, 6)))
        journaled.do(Undo())
        steps = next_steps(stream, 5)
    document = json.load(journaled.http.get("/api/v1/openapi.json"))
    body = {"type": "traykeeper.step", "version": 1, "tray": "den", "events": steps}
    schema = {
        **document["components"]["schemas"]["WebhookBody"],
        "components": document["components"],
    }

    jsonschema_rs.validate(schema, body)
    jsonschema_rs.validate(schema, {**body, "events": [{**steps[0], "kind": "of a newer version"}]})
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(schema, {**body, "events": [{**steps[0], "kind": 3}]})
    assert document["webhooks"]["step"]["post"]["requestBody"]
