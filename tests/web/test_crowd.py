"""Too many phones, and phones that read nothing, do not disturb the others."""

import contextlib
import socket
from itertools import count

import pytest

from game.commands import EnterThrow, StartMatch
from tests.waiting import PATIENCE_S, until
from web.app import create_app
from web.server import Server
from web.stream import Streams

SEND_TIMEOUT_S = 1.5
STREAM = b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n"


def connect(port, *, buffer_bytes=None, address="127.0.0.1"):
    """Connect a phone from this address, with a receive buffer of this size."""
    phone = socket.socket()
    if buffer_bytes:
        phone.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    phone.settimeout(PATIENCE_S)
    phone.bind((address, 0))
    phone.connect(("127.0.0.1", port))
    return phone


def read_up_to(stream, words):
    """Read a stream up to the line with these words."""
    while words not in (line := stream.readline()):
        assert line, "the stream has ended"


def status(phone):
    return int(phone.recv(12).split()[1])


def test_phone_that_never_reads_is_dropped_and_the_others_get_every_event(table):
    table.do(StartMatch(("Anna", "Ben")))
    streams = Streams(limit=2, check_s=0.1)
    app = create_app(table, streams=streams)
    with Server(app, "127.0.0.1", 0, send_timeout_s=SEND_TIMEOUT_S) as server:
        slow, quick = connect(server.port, buffer_bytes=2048), connect(server.port)
        slow.sendall(STREAM)
        until(lambda: streams.number == 1)
        quick.sendall(STREAM)
        read = quick.makefile("rb")
        assert b"200" in read.readline()
        numbers = count()

        def one_is_free_after_a_change():
            number = next(numbers)
            table.show(message=f"change {number}: " + "x" * 5000)
            read_up_to(read, f"change {number}:".encode())
            return streams.number == 1

        for _ in range(400):
            one_is_free_after_a_change()
        until(one_is_free_after_a_change)
        slow.close()
        quick.close()


def test_five_hundred_phones_at_once_are_served_or_refused(table):
    table.do(StartMatch(("Anna", "Ben")))
    streams = Streams(limit=64, check_s=0.5)
    with (
        contextlib.ExitStack() as open_phones,
        Server(create_app(table, streams=streams), "127.0.0.1", 0) as server,
    ):
        phones = []
        for number in range(500):
            phone = connect(server.port, address=f"127.0.0.{2 + number % 5}")
            phones.append(open_phones.enter_context(phone))
            phones[-1].sendall(STREAM)
        found = [status(phone) for phone in phones]
        assert (found.count(200), found.count(503)) == (64, 436)

        one_more = open_phones.enter_context(connect(server.port))
        one_more.sendall(b"GET /api/v1/state HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert status(one_more) == 200
        table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        read_up_to(phones[found.index(200)].makefile("rb"), b"1,000")


@pytest.mark.parametrize("length", ["99999999999", "131073"])
def test_overlong_body_is_refused_before_it_is_read(table, length):
    with Server(create_app(table), "127.0.0.1", 0) as server, connect(server.port) as phone:
        head = f"POST /api/v1/keep HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
        phone.sendall(head.encode())

        assert status(phone) == 413


def test_silent_phones_keep_nobody_out(table):
    """Each phone sends half a request and then nothing."""
    with contextlib.ExitStack() as open_phones, Server(create_app(table), "127.0.0.1", 0) as server:
        for _ in range(300):
            phone = open_phones.enter_context(connect(server.port))
            phone.sendall(b"POST /api/v1/keep HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        one_more = open_phones.enter_context(connect(server.port))
        one_more.sendall(b"GET /api/v1/state HTTP/1.1\r\nHost: x\r\n\r\n")

        assert status(one_more) == 200
