"""The application behind waitress, in a thread of its own: one process owns camera and pins."""

import errno
import logging
import socket
from contextlib import suppress
from threading import Lock, Thread
from typing import Any, Self

import waitress
from flask import Flask
from waitress.channel import HTTPChannel
from waitress.task import ThreadedTaskDispatcher

from web.stream import Streams

SPARE_THREADS = 16
"""From the start, and beyond the streams, which hold a thread each: the requests of all phones are short."""

CONNECTION_LIMIT = 800
"""A browser opens up to six; below the 1,024 files a process may have open."""

OF_ONE_ADDRESS = 256
"""Of one address; a browser opens up to six, and a hall behind one router has some dozen phones."""

IDLE_S = 60
MAX_PORT = 65_535

PATIENCE_S = 20.0
"""A phone that takes nothing of what is sent for so long has gone, or sleeps: it is dropped."""

WAITING_BYTES = 1 << 18
"""What may wait for one slow phone in memory, before its stream waits for it."""

MAX_HEAD = 16_384
"""A browser sends about one kB."""

MAX_BODY = 131_072
"""A part of a backup is the largest thing that is sent here. It waits in memory, never on the disk."""


class ServerError(OSError):
    """The page cannot be served there; the message says what to do."""


class Server:
    """Serves the app from `start` to `stop`, or within a `with`.

    >>> with Server(app, port=0) as server:
    ...     print(server.port)

    Args:
        app: what `create_app` made.
        host: the address to listen on; the default is every one of this machine.
        port: 0 takes any free one.
        patience_s: see `PATIENCE_S`.

    Attributes:
        app: the same.
        port: where it listens.

    Raises:
        ServerError: the port is in use or not allowed, or the host is not of this machine.
    """

    def __init__(
        self,
        app: Flask,
        host: str = "0.0.0.0",  # noqa: S104
        port: int = 8080,
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._streams: Streams = app.extensions["traykeeper_streams"]
        self._socket = _listen(host, port)
        # Each connection has this from here; the kernel then gives up on what is not taken.
        patience_ms = int(patience_s * 1000)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience_ms)
        self.app = app
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._server = waitress.create_server(
            app,
            _dispatcher=GrowingThreads(SPARE_THREADS, self._streams.most + SPARE_THREADS),
            sockets=[self._socket],
            connection_limit=CONNECTION_LIMIT,
            channel_request_lookahead=1,  # tells a stream that its phone has hung up
            channel_timeout=IDLE_S,
            max_request_body_size=MAX_BODY,
            max_request_header_size=MAX_HEAD,
            outbuf_high_watermark=WAITING_BYTES,
            asyncore_use_poll=True,  # select knows no file above 1,024
            ident=None,
            log_socket_errors=False,  # a phone that falls asleep is no error
            clear_untrusted_proxy_headers=True,
        )
        self._server.channel_class = _accepted
        self._thread = Thread(target=self._server.run, name="web", daemon=True)

    def __repr__(self) -> str:
        state = "running" if self._thread.is_alive() else "stopped"
        return f"<web.Server on {self.host}:{self.port}, {state}>"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the streams, waits for the requests under way and closes every connection."""
        self._streams.close()
        self._server.task_dispatcher.shutdown()
        if self._thread.is_alive():
            with suppress(OSError):  # another thread's pull may have run it already
                self._server.trigger.pull_trigger(self._close_all)
            self._thread.join()
        else:
            self._close_all()

    def _close_all(self) -> None:
        """On waitress's own thread, whose loop ends once nothing is left to listen to."""
        self._server.asyncore.close_all(self._server._map)  # noqa: SLF001


class GrowingThreads(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """As many threads as are busy, and one that waits; a stream holds one for minutes."""

    def __init__(self, first: int, most: int) -> None:
        super().__init__()
        self.queue_logger.setLevel(logging.ERROR)  # that some wait a moment is nobody's worry
        self._most = most
        self._growing = Lock()
        self.set_thread_count(first)

    def add_task(self, task: Any) -> None:
        with self._growing:
            with self.lock:
                running = len(self.threads) - self.stop_count
                short = len(self.queue) >= running - self.active_count
            if short and running < self._most:
                self.set_thread_count(running + 1)
        super().add_task(task)

    def shutdown(self, *, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """What is asked from here on starts no thread: that would end in the place of another."""
        with self._growing:
            self._most = 0
        return bool(super().shutdown(cancel_pending, timeout))


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= MAX_PORT:
        raise ServerError(f"a port is a number from 0 to {MAX_PORT}, not {port}")
    try:
        return socket.create_server((host, port), backlog=128)
    except OSError as error:
        raise ServerError(_remedy(host, port, error)) from None


def _remedy(host: str, port: int, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"port {port} is in use, perhaps by another Traykeeper: "
                f"stop that, or choose another with --port {port + 1 if port < MAX_PORT else 0}"
            )
        case errno.EACCES:
            return f"port {port} needs root's rights: choose one above 1023, such as --port 8080"
        case _:
            return f"cannot listen on {host}:{port}: {error}"


def _accepted(
    server: Any, sock: socket.socket, address: tuple[str, int], *more: Any, **named: Any
) -> None:
    """The oldest connection of an address that asks nothing gives way to its newest."""
    others = [c for c in server.active_channels.values() if c.addr[0] == address[0]]
    if len(others) >= OF_ONE_ADDRESS and not _one_let_go(others):
        sock.close()
    else:
        HTTPChannel(server, sock, address, *more, **named)


def _one_let_go(channels: list[HTTPChannel]) -> bool:
    """Whether one of them neither asked nor was still being answered."""
    idle = [c for c in channels if not (c.requests or c.total_outbufs_len or c.will_close)]
    if idle:
        min(idle, key=lambda channel: float(channel.creation_time)).handle_close()
    return bool(idle)
