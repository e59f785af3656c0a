"""The ways between two trays when they do not work: a host that answers slowly, and a broker that refuses messages."""

import socket
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPException
from threading import Event, Thread
from time import monotonic

import pytest

from device.addresses import NetworkAddress
from device.mqtt.client import parse_address
from device.shared_match import transports
from device.shared_match.transports import HostTransport, UnreachableError
from device.timed_request import TimedRequest
from game.commands import EnterThrow, StartMatch
from tests.device.shared_match.tables import open_table
from tests.mosquitto import mosquitto, needs_mosquitto
from tests.waiting import PATIENCE_S, until

N_DRIPS, DRIP_S = 60, 0.05
ANSWER = f"HTTP/1.1 200 OK\r\nContent-Length: {N_DRIPS}\r\n\r\n".encode()


class SlowHost:
    """A server that sends its answer byte by byte.

    Attributes:
        address: The address of the server.
        is_asked: Set once a request has arrived.
    """

    def __init__(self):
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}/"
        self.is_asked, self._closing = Event(), Event()
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        client, _ = self._server.accept()
        with client, suppress(OSError):
            client.recv(65_536)
            client.sendall(ANSWER)
            self.is_asked.set()
            for _ in range(N_DRIPS):
                client.sendall(b" ")
                if self._closing.wait(DRIP_S):
                    return

    def close(self):
        self._closing.set()
        self._thread.join()
        self._server.close()


@pytest.fixture
def slow_host():
    with closing(SlowHost()) as host:
        yield host


def test_an_answer_that_arrives_byte_by_byte_is_given_up(slow_host, monkeypatch):
    monkeypatch.setattr(transports, "TIMEOUT_S", 0.3)

    with pytest.raises(UnreachableError):
        HostTransport().send(slow_host.address, "{}")


def test_a_request_is_given_up_if_the_connection_takes_longer_than_its_limit(slow_host):
    host = NetworkAddress.parse(slow_host.address, ("http",))
    connection = HTTPConnection(host.host, host.port)

    def send():
        with TimedRequest(0.1).over(connection) as is_late:
            is_late.wait(PATIENCE_S)  # as during a slow look-up of the name
            connection.request("GET", "/")
            connection.getresponse().read()

    with pytest.raises((OSError, HTTPException)):
        send()


def test_a_table_closes_although_an_answer_is_still_arriving(slow_host, tmp_path):
    with open_table(tmp_path / "guest", clock=monotonic) as table:
        table.shared.join(f"{slow_host.address}shared#K7QM2-XRT9D", ("Ben",))
        table.shared.start(table)
        slow_host.is_asked.wait(PATIENCE_S)
        threads = table.shared._talker._threads
    slow_host.close()

    assert not any(thread.is_alive() for thread in threads)
    assert "No tray answers" in str(table.shared.view().trouble)


def open_pair(stack, folder, broker, secret=None):
    """Return two tables that meet over a broker, the guest with its own secret."""
    secrets = (broker.secret, secret or broker.secret)
    for name, path in zip(("host", "guest"), secrets, strict=True):
        address = parse_address(broker.url, secret=str(path))
        table = stack.enter_context(open_table(folder / name, broker=address, clock=monotonic))
        table.shared.start(table)
        yield table


def meet(host, guest):
    host.shared.invite(("Anna",), None, None, None)
    guest.shared.join(host.shared.invitation(""), ("Ben",))


def trouble(table):
    return str(table.snapshot().other_tray_trouble)


@needs_mosquitto
def test_both_trays_say_that_their_broker_users_lack_the_right(tmp_path):
    rights = "topic readwrite traykeeper/den/#"
    with mosquitto(tmp_path / "broker", rights=rights) as broker, ExitStack() as stack:
        host, guest = open_pair(stack, tmp_path, broker)
        meet(host, guest)
        until(lambda: all("`traykeeper/shared/#`" in trouble(table) for table in (host, guest)))

        assert len(host.troubles) == len(guest.troubles) == 1


@needs_mosquitto
def test_a_guest_says_that_its_broker_refuses_the_password(tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.touch(mode=0o600)
    wrong.write_text('user = "club"\npassword = "wrong"\n')
    with mosquitto(tmp_path / "broker") as broker, ExitStack() as stack:
        host, guest = open_pair(stack, tmp_path, broker, wrong)
        meet(host, guest)
        until(lambda: "refuses the user name or password" in trouble(guest))

        assert trouble(host) == "None"


@needs_mosquitto
@pytest.mark.parametrize("leaver", ["host", "guest"])
def test_a_tray_says_over_the_broker_that_it_has_left_the_match(tmp_path, leaver):
    with mosquitto(tmp_path / "broker") as broker, ExitStack() as stack:
        host, guest = open_pair(stack, tmp_path, broker)
        meet(host, guest)
        until(lambda: host.match and guest.match)
        host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        until(lambda: host.entries() == guest.entries())
        table, other = (host, guest) if leaver == "host" else (guest, host)
        table.do(StartMatch(("Carl", "Dora")))
        until(lambda: "is now playing another match" in trouble(other))
        until(lambda: not table.shared._talker._brokers)


@needs_mosquitto
def test_a_guest_learns_over_the_broker_that_its_name_is_taken(tmp_path):
    with mosquitto(tmp_path / "broker") as broker, ExitStack() as stack:
        host, guest = open_pair(stack, tmp_path, broker)
        host.shared.invite(("Ben",), None, None, None)
        guest.shared.join(host.shared.invitation(""), ("ben",))
        until(lambda: "has the same name" in trouble(guest))
