"""A limit for the total time of an HTTP request, whatever the other program does in the meantime."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from threading import Lock, Timer


class TimedRequest:
    """The HTTP request that one thread sends now. Any other thread may abort it.

    A socket's own timeout starts again with each byte that arrives, so it does not limit the request.

    Args:
        limit_s: How long a request may take in total, in seconds.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s, self._lock = limit_s, Lock()
        self._connection: HTTPConnection | None = None

    @contextmanager
    def over(self, connection: HTTPConnection) -> Iterator[Timer]:
        """Within the block, abort the request when its time is over; then close the connection.

        Yields the timer, which is alive until then.

        Args:
            connection: The connection over which the request is sent.
        """
        with self._lock:
            self._connection = connection
        deadline = Timer(self._limit_s, self.abort)
        deadline.daemon = True
        deadline.start()
        try:
            yield deadline
        finally:
            deadline.cancel()
            connection.close()

    def abort(self) -> None:
        """Abort the request, which then fails with an `OSError` or an `HTTPException`."""
        with self._lock:
            sock = getattr(self._connection, "sock", None)
        if sock:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
