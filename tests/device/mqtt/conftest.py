"""A table without a tray over a real journal, a real broker, and a subscriber."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Condition

import pytest

from device.mqtt import publisher
from device.mqtt.publisher import publish_to_broker
from device.session.live_match import LiveMatch
from device.session.session import Session
from device.settings import Settings
from game.journal.journal import JOURNAL_FILE, Journal
from game.message import Message
from game.rules import rule_files
from tests.mosquitto import Listener, mosquitto
from tests.tray_reader import FakeTrayReader
from web.contracts import Lamp, Snapshot

RULES = replace(rule_files.load("walnut-studiolo"), opening=0, target=2_000)


class TapTable:
    """The part of a `web.contracts.Table` that is published; dice are entered by hand."""

    def __init__(self, folder):
        self.journal = Journal.open(folder / JOURNAL_FILE)
        live_match = LiveMatch(self.journal)
        live_match.reload()
        self.session = Session(live_match, RULES, FakeTrayReader())
        self._changed = Condition()
        self._snapshot = self._draw(1)

    def close(self):
        self.journal.close()

    def _draw(self, version):
        state = self.session.table
        return Snapshot(
            version,
            state.situation,
            state.message,
            Lamp("#2aa866", 0.0, Message("Press to read the throw")),
            match=state.match,
            question=getattr(state.overlay, "question", None),
            choices=state.choices,
        )

    def reload(self):
        self.session.reload()
        self._publish()

    def do(self, command):
        self.session.do(command)
        self._publish()

    def _publish(self):
        with self._changed:
            self._snapshot = self._draw(self._snapshot.version + 1)
            self._changed.notify_all()

    @property
    def match(self):
        return self.session.live_match.match

    def snapshot(self):
        return self._snapshot

    def wait(self, after, timeout_s):
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version > after, timeout_s)
            return self._snapshot if self._snapshot.version > after else None


@pytest.fixture
def table(tmp_path):
    table = TapTable(tmp_path)
    yield table
    table.close()


@pytest.fixture
def broker(tmp_path):
    with mosquitto(tmp_path / "broker") as broker:
        yield broker


@pytest.fixture
def listener(broker):
    listener = Listener(broker)
    yield listener
    listener.close()


@pytest.fixture
def troubles():
    return []


@pytest.fixture
def join(table, broker, tmp_path, troubles, monkeypatch):
    """Connect the table to the broker, with any settings, until the end of the test or earlier."""
    monkeypatch.setattr(publisher, "LISTEN_S", 0.05)  # so that the thread ends soon

    @contextmanager
    def joined(**settings):
        wanted = Settings(**({"mqtt_tray": "t1"} | broker.settings() | settings))
        with publish_to_broker(wanted, table, tmp_path, troubles.append):
            yield

    with ExitStack() as stack:
        joined.stay = lambda **settings: stack.enter_context(joined(**settings))
        yield joined
