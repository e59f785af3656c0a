"""What systemd hears, over a real socket."""

import os
import socket
from threading import Event

import pytest

from device.companion.inbox import Inbox, InboxLoop, Refresh
from device.hardware import systemd as systemd_words
from device.hardware.systemd import Heartbeat, notify, watchdog_s


@pytest.fixture
def systemd(tmp_path):
    """A socket as systemd's, and the environment that names it."""
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(path))
        ear.setblocking(False)
        yield ear, {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "4000000"}


def heard(ear):
    said = []
    while True:
        try:
            said.append(ear.recv(4096).decode())
        except BlockingIOError:
            return said


def test_words_arrive_in_one_datagram(systemd):
    ear, environ = systemd

    assert notify("READY=1", "STATUS=Serving", environ=environ)
    assert heard(ear) == ["READY=1\nSTATUS=Serving"]


def test_a_name_of_linux_own_is_found_too():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0traykeeper-{os.getpid()}")

        assert notify("READY=1", environ={"NOTIFY_SOCKET": f"@traykeeper-{os.getpid()}"})


@pytest.mark.parametrize("address", ["", "nowhere", "/nowhere/at/all"])
def test_nobody_there_is_no_trouble(address):
    assert not notify("READY=1", environ={"NOTIFY_SOCKET": address})


def test_the_watchdog_of_another_process_is_not_ours():
    assert watchdog_s({"WATCHDOG_USEC": "4000000"}) == 4
    assert watchdog_s({"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}) is None
    assert watchdog_s({}) is None
    assert watchdog_s({"WATCHDOG_USEC": "soon"}) is None


def test_a_beat_at_every_quarter_of_the_limit_however_often_the_loop_turns(systemd):
    ear, environ = systemd
    now = [0.0]
    beat = Heartbeat(environ, clock=lambda: now[0])
    for tenth in range(31):
        now[0] = tenth / 10
        beat()

    assert heard(ear) == ["WATCHDOG=1"] * 4  # at 0, 1, 2 and 3 s


def test_a_loop_that_stands_still_is_not_heard(systemd):
    ear, environ = systemd
    Heartbeat(environ)

    assert heard(ear) == []


class HangingWorker:
    """Hangs in the first note, until it is told to go on."""

    def __init__(self):
        self.is_hanging, self.may_go_on = Event(), Event()

    def handle(self, note):
        self.is_hanging.set()
        self.may_go_on.wait(20)

    def perform(self, task, request):
        pass

    def publish(self):
        return None

    def has_news(self):
        return False


def test_the_companions_loop_beats_while_it_runs_and_not_while_it_hangs():
    beats, inbox, worker = [], Inbox(), HangingWorker()
    loop = InboxLoop(inbox, worker, lambda: beats.append(1))
    loop.start()
    inbox.changed()
    assert worker.is_hanging.wait(10)
    before = len(beats)
    worker.may_go_on.wait(1.5)
    assert len(beats) == before
    worker.may_go_on.set()
    loop.ask(Refresh())
    assert len(beats) > before
    loop.close()


def test_what_may_take_long_is_no_hang_until_it_takes_too_long(monkeypatch):
    monkeypatch.setattr(systemd_words, "BEAT_S", 0.005)
    beats, three = [], Event()

    def alive():
        beats.append(1)
        if len(beats) == 3:
            three.set()

    with systemd_words.keep_alive(alive, most_s=60):
        assert three.wait(10)
    stopped = len(beats)
    with systemd_words.keep_alive(alive, most_s=0):
        Event().wait(0.05)

    assert len(beats) == stopped
