"""A limit for the total time of an HTTP request, whatever the other program does in the meantime."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from threading import Event, Lock, Thread

REPEAT_S = 0.1
"""Pause between attempts to abort a request, in seconds. There may be no connection yet when the time is over."""


class TimedRequest:
    """The HTTP request that one thread sends now. Any other thread may abort it.

    A socket's own timeout starts again with each byte that arrives, so it does not limit the request.

    Args:
        limit_s: How long a request may take in total, in seconds. Looking up the name of the other machine and
            connecting to it are not interrupted, but if they take longer, the request is aborted after them.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s, self._lock = limit_s, Lock()
        self._connection: HTTPConnection | None = None

    @contextmanager
    def over(self, connection: HTTPConnection) -> Iterator[Event]:
        """Within the block, abort the request when its time is over; then close the connection.

        Yields an event that is set when the time is over.

        Args:
            connection: The connection over which the request is sent.
        """
        with self._lock:
            self._connection = connection
        is_late, is_done = Event(), Event()
        Thread(target=self._limit, args=(connection, is_late, is_done), daemon=True).start()
        try:
            yield is_late
        finally:
            is_done.set()
            connection.close()

    def abort(self) -> None:
        """Abort the request, which then fails with an `OSError` or an `HTTPException`."""
        with self._lock:
            connection = self._connection
        if connection:
            _shut_down(connection)

    def _limit(self, connection: HTTPConnection, is_late: Event, is_done: Event) -> None:
        wait_s = self._limit_s
        while not is_done.wait(wait_s):
            is_late.set()
            _shut_down(connection)
            wait_s = REPEAT_S


def _shut_down(connection: HTTPConnection) -> None:
    if sock := connection.sock:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
