"""The web server: waitress, in a thread of the process that owns the camera and the pins."""

import errno
import logging
import socket
import sys
from contextlib import suppress
from ipaddress import ip_address
from threading import Lock, Thread
from typing import Any, Self

import waitress
from flask import Flask
from waitress.channel import HTTPChannel
from waitress.task import ThreadedTaskDispatcher

from web.stream import Streams

REQUEST_THREADS = 16
"""Threads for short requests. Each open stream occupies one more thread."""

CONNECTION_LIMIT = 800
"""Largest number of connections: fewer than the 1,024 files that a process may open. A browser opens up to six."""

MAX_PER_ADDRESS = 256
"""Largest number of connections from one address: a few dozen phones behind one router, with up to
six each."""

IPV4_IN_IPV6 = "::ffff:"
"""A socket for both kinds of addresses shows an IPv4 address with this prefix."""

IP_FREEBIND = 15
"""Linux's option for a socket that listens on an address which no network card has yet, from ip(7)."""

IDLE_S = 60
MAX_PORT = 65_535

SEND_TIMEOUT_S = 20.0
"""A phone that acknowledges no data for this long has left or is asleep; its connection is closed."""

MAX_UNSENT_BYTES = 1 << 18
"""Data that may wait in memory for one slow phone before its stream pauses."""

MAX_HEADER_BYTES = 16_384
"""Longest header that is accepted. A browser sends about 1 kB."""

MAX_REQUEST_BYTES = 131_072
"""Largest request body: a part of a backup needs this much. Waitress keeps the body in memory, not on disk."""


class ServerError(OSError):
    """The server cannot listen on this address. The message says what to do."""


class Server:
    """A web server that runs from `start` to `stop`, or for the length of a `with` block.

    >>> with Server(app, port=0) as server:
    ...     print(server.port)

    Args:
        app: The application from `create_app`.
        host: The address to listen on; the default is every IPv4 address of this machine, and `::` is
            every address.
        port: The port to listen on; 0 means any free port.
        awaits_address: Whether to listen on a numeric host even if this machine does not have that address yet.
        send_timeout_s: How long a phone may go without acknowledging data before it is disconnected, in seconds.

    Attributes:
        app: The application.
        port: The port on which the server listens.

    Raises:
        ServerError: If the port is in use or forbidden, or the host is not on this machine.
    """

    def __init__(
        self,
        app: Flask,
        host: str = "0.0.0.0",  # noqa: S104
        port: int = 8080,
        *,
        awaits_address: bool = False,
        send_timeout_s: float = SEND_TIMEOUT_S,
    ) -> None:
        self._streams: Streams = app.extensions["traykeeper_streams"]
        self._socket = _listen(host, port, awaits_address=awaits_address)
        # Accepted connections inherit this option. The kernel closes a connection whose data is not
        # acknowledged for this long.
        timeout_ms = int(send_timeout_s * 1000)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout_ms)
        self.app = app
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._server = waitress.create_server(
            app,
            _dispatcher=GrowingThreads(REQUEST_THREADS, self._streams.max_open + REQUEST_THREADS),
            sockets=[self._socket],
            connection_limit=CONNECTION_LIMIT,
            channel_request_lookahead=1,  # lets a stream notice that its phone has hung up
            channel_timeout=IDLE_S,
            max_request_body_size=MAX_REQUEST_BYTES,
            max_request_header_size=MAX_HEADER_BYTES,
            outbuf_high_watermark=MAX_UNSENT_BYTES,
            asyncore_use_poll=True,  # select fails for file numbers above 1,024
            ident=None,
            log_socket_errors=False,  # a phone that goes to sleep is not an error
            clear_untrusted_proxy_headers=True,
        )
        self._server.channel_class = _accept
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
        """Start serving, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End the streams, wait for running requests and close every connection."""
        self._streams.close()
        self._server.task_dispatcher.shutdown()
        if self._thread.is_alive():
            with suppress(OSError):  # the loop may have ended already
                self._server.trigger.pull_trigger(self._close_all)
            self._thread.join()
        else:
            self._close_all()

    def _close_all(self) -> None:
        """Close every socket, on waitress's thread, whose loop ends when none is left."""
        self._server.asyncore.close_all(self._server._map)  # noqa: SLF001


class GrowingThreads(ThreadedTaskDispatcher):  # type: ignore[misc]  # waitress has no types
    """A pool of request threads that grows while all are busy, because streams last for minutes.

    Args:
        initial: How many threads run from the start.
        max_threads: How many threads may run.
    """

    def __init__(self, initial: int, max_threads: int) -> None:
        super().__init__()
        self.queue_logger.setLevel(logging.ERROR)  # a short wait in the queue needs no warning
        self._max_threads = max_threads
        self._growing = Lock()
        self.set_thread_count(initial)

    def add_task(self, task: Any) -> None:
        """Queue a request, and start one more thread if all are busy."""
        with self._growing:
            with self.lock:
                running = len(self.threads) - self.stop_count
                all_busy = len(self.queue) >= running - self.active_count
            if all_busy and running < self._max_threads:
                self.set_thread_count(running + 1)
        super().add_task(task)

    def shutdown(self, *, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """End all threads.

        Requests that arrive after this call start no thread: waitress counts how many threads have
        to end, and a new thread could end in place of a busy one.

        Args:
            cancel_pending: Whether to drop the requests that are still queued.
            timeout: How long to wait for the threads, in seconds.
        """
        with self._growing:
            self._max_threads = 0
        return bool(super().shutdown(cancel_pending, timeout))


def _listen(host: str, port: int, *, awaits_address: bool) -> socket.socket:
    if not 0 <= port <= MAX_PORT:
        raise ServerError(f"a port is a number from 0 to {MAX_PORT}, not {port}")
    try:
        return create_socket(host, port, awaits_address=awaits_address)
    except OSError as error:
        raise ServerError(_remedy(host, port, error)) from None


def create_socket(host: str, port: int, *, awaits_address: bool = False) -> socket.socket:
    """Return a socket that listens on an address of this machine.

    Args:
        host: An IPv4 or IPv6 address; `0.0.0.0` is every IPv4 address, and `::` is every address.
        port: The port, from 0 to 65,535; 0 means any free port.
        awaits_address: Whether to listen on a numeric host even if this machine does not have that address yet. Only
            Linux can do that.

    Raises:
        OSError: If the port is in use or forbidden, or the host is not on this machine.
    """
    is_ipv6 = ":" in host
    listener = socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_ipv6:
            is_dual = host == "::" and socket.has_dualstack_ipv6()
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not is_dual)
        if awaits_address and sys.platform == "linux" and _is_numeric(host):
            listener.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


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


def _accept(
    server: Any, sock: socket.socket, address: tuple[Any, ...], *args: Any, **kwargs: Any
) -> None:
    """Accept a connection from an address that does not have too many connections.

    Otherwise, close an idle connection from that address or, if none is idle, refuse the new one.
    """
    address = (address[0].removeprefix(IPV4_IN_IPV6), address[1])
    others = [c for c in server.active_channels.values() if c.addr[0] == address[0]]
    if len(others) >= MAX_PER_ADDRESS and not _close_oldest_idle(others):
        sock.close()
    else:
        HTTPChannel(server, sock, address, *args, **kwargs)


def _close_oldest_idle(channels: list[HTTPChannel]) -> bool:
    """Close the oldest connection that has no request and no unsent response; return whether there was one."""
    idle = [c for c in channels if not (c.requests or c.total_outbufs_len or c.will_close)]
    if idle:
        min(idle, key=lambda channel: float(channel.creation_time)).handle_close()
    return bool(idle)
