"""The server: addresses, stopping, threads and connections."""

import json
import socket
import sys
import threading
import urllib.request
from contextlib import ExitStack
from importlib.metadata import version

import pytest
from flask import request

from tests.waiting import PATIENCE_S
from web.app import create_app
from web.server import CONNECTION_LIMIT, MAX_PER_ADDRESS, GrowingThreads, Server, ServerError


def test_port_0_is_any_free_port(table):
    with Server(create_app(table), "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.port}/healthz"
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            assert json.load(answer) == {"status": "ok", "version": version("traykeeper")}
        assert repr(server) == f"<web.Server on 127.0.0.1:{server.port}, running>"

    assert repr(server).endswith("stopped>")


@pytest.mark.parametrize(("host", "client"), [("::", "127.0.0.1"), ("::", "::1"), ("::1", "::1")])
def test_the_server_answers_on_ipv6_and_sees_ipv4_addresses_as_such(table, host, client):
    app = create_app(table)
    seen = []
    app.before_request(lambda: seen.append(request.remote_addr))
    with Server(app, host, 0) as server:
        name = f"[{client}]" if ":" in client else client
        with urllib.request.urlopen(
            f"http://{name}:{server.port}/healthz", timeout=PATIENCE_S
        ) as answer:
            assert answer.status == 200

    assert seen == [client]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do this")
@pytest.mark.parametrize("host", ["203.0.113.9", "2001:db8::9"])
def test_the_server_listens_on_an_address_that_this_machine_does_not_have_yet(table, host):
    """The network of a Pi may become available after the start."""
    with Server(create_app(table), host, 0, awaits_address=True) as server:
        assert server.port


def test_port_in_use_is_an_error_with_the_remedy(table, serve):
    port = serve(table).port

    with pytest.raises(ServerError) as found:
        Server(create_app(table), "127.0.0.1", port)

    assert str(found.value) == (
        f"port {port} is in use, perhaps by another Traykeeper: "
        f"stop that, or choose another with --port {port + 1}"
    )
    assert isinstance(found.value, OSError)


@pytest.mark.parametrize(
    ("host", "port", "detail"),
    [
        ("no.such.host.invalid", 0, "cannot listen on no.such.host.invalid:0"),
        ("203.0.113.9", 0, "cannot listen on 203.0.113.9:0"),
        ("127.0.0.1", 70_000, "a port is a number from 0 to 65535, not 70000"),
    ],
)
def test_impossible_address_is_an_error_in_one_line(table, host, port, detail):
    with pytest.raises(ServerError, match=detail):
        Server(create_app(table), host, port)


def test_stop_ends_streams_and_threads_and_frees_the_port(table, monkeypatch):
    """The stop is given time enough for a busy machine."""
    patient = {"cancel_pending": True, "timeout": PATIENCE_S}
    monkeypatch.setattr(GrowingThreads.shutdown, "__kwdefaults__", patient)
    before = threading.active_count()
    server = Server(create_app(table), "127.0.0.1", 0)
    server.start()
    stream = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/live", timeout=PATIENCE_S)

    server.stop()

    stream.read()
    stream.close()
    assert threading.active_count() == before
    Server(create_app(table), "127.0.0.1", server.port).stop()


class Task:
    """A request that runs until an event is set."""

    def __init__(self, until):
        self._until = until

    def service(self):
        self._until.wait()

    def cancel(self):
        pass


def test_request_during_the_stop_does_not_delay_it():
    answered, threads = threading.Event(), GrowingThreads(1, 8)
    threads.add_task(Task(answered))
    threads.shutdown(cancel_pending=False, timeout=0)
    threads.add_task(Task(answered))
    answered.set()

    with threads.lock:
        assert threads.thread_exit_cv.wait_for(lambda: not threads.threads, timeout=PATIENCE_S)


def test_server_that_never_started_stops_as_well(table):
    Server(create_app(table), "127.0.0.1", 0).stop()


def test_unfinished_requests_give_way_to_complete_ones(table):
    assert MAX_PER_ADDRESS * 3 <= CONNECTION_LIMIT
    with ExitStack() as stack, Server(create_app(table), "127.0.0.1", 0) as server:
        for _ in range(MAX_PER_ADDRESS + 40):
            unfinished = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
            stack.enter_context(unfinished)
            unfinished.sendall(b"GET / HTTP/1.1\r\nHos")
        with urllib.request.urlopen(
            f"http://127.0.0.1:{server.port}/api/v1/state", timeout=PATIENCE_S
        ) as answer:
            assert answer.status == 200
        assert len(server._server.active_channels) <= MAX_PER_ADDRESS + 1
