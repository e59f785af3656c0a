"""Notifications to systemd, over a real socket."""

import os
import socket
from threading import Event

import pytest

from device.hardware import systemd as systemd_words
from device.hardware.systemd import Heartbeat, notify, watchdog_s
from tests.waiting import PATIENCE_S


@pytest.fixture
def systemd(tmp_path):
    """Return a socket like systemd's, and the environment that names it."""
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.setblocking(False)
        yield listener, {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "4000000"}


def received(listener):
    datagrams = []
    while True:
        try:
            datagrams.append(listener.recv(4096).decode())
        except BlockingIOError:
            return datagrams


def test_assignments_arrive_in_one_datagram(systemd):
    listener, environ = systemd

    assert notify("READY=1", "STATUS=Serving", environ=environ)
    assert received(listener) == ["READY=1\nSTATUS=Serving"]


def test_an_abstract_socket_is_found():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0traykeeper-{os.getpid()}")

        assert notify("READY=1", environ={"NOTIFY_SOCKET": f"@traykeeper-{os.getpid()}"})


@pytest.mark.parametrize("address", ["", "nowhere", "/nowhere/at/all"])
def test_a_missing_socket_is_not_an_error(address):
    assert not notify("READY=1", environ={"NOTIFY_SOCKET": address})


def test_the_watchdog_of_another_process_is_ignored():
    assert watchdog_s({"WATCHDOG_USEC": "4000000"}) == 4
    assert watchdog_s({"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}) is None
    assert watchdog_s({}) is None
    assert watchdog_s({"WATCHDOG_USEC": "soon"}) is None


def test_the_watchdog_is_notified_four_times_per_timeout(systemd):
    listener, environ = systemd
    now = [0.0]
    beat = Heartbeat(environ, clock=lambda: now[0])
    for tenth in range(31):
        now[0] = tenth / 10
        beat()

    assert received(listener) == ["WATCHDOG=1"] * 4  # at 0, 1, 2 and 3 s


def test_a_loop_that_hangs_sends_no_notifications(systemd):
    listener, environ = systemd
    Heartbeat(environ)

    assert received(listener) == []


def test_a_long_task_is_kept_alive_only_for_a_limited_time(monkeypatch):
    monkeypatch.setattr(systemd_words, "BEAT_S", 0.005)
    beats, three = [], Event()

    def alive():
        beats.append(1)
        if len(beats) == 3:
            three.set()

    with systemd_words.keep_alive(alive, max_s=PATIENCE_S):
        assert three.wait(PATIENCE_S)
    stopped = len(beats)
    with systemd_words.keep_alive(alive, max_s=0):
        Event().wait(0.05)

    assert len(beats) == stopped
