"""One request to the receiver of the webhook."""

import http.client
import socket
import ssl
from contextlib import suppress
from threading import Lock, Timer
from time import time

from device.webhook.receiver import Receiver
from game.errors import TraykeeperError, reason
from game.message import Message

TIMEOUT_S = 10.0
"""How long one attempt may take in total, in seconds, whatever the receiver does in the meantime."""

MAX_ANSWER_BYTES = 1_000
"""How many bytes of an answer are read. Only its status matters."""

MAX_RETRY_AFTER_S = 3600.0


class DeliveryError(TraykeeperError):
    """Raised when the receiver of the webhook has not accepted a delivery.

    Attributes:
        retry_after_s: Seconds to wait before the next attempt, as requested by the receiver; 0 if it requests none.
    """

    def __init__(self, message: Message, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Courier:
    """A sender of requests to one receiver, one at a time. Another thread may abort the current request.

    Args:
        receiver: The program that receives the requests.
        timeout_s: How long one request may take, in seconds.
    """

    def __init__(self, receiver: Receiver, timeout_s: float = TIMEOUT_S) -> None:
        self._receiver, self._timeout_s = receiver, timeout_s
        self._context = ssl.create_default_context() if receiver.tls else None
        self._lock = Lock()
        self._connection: http.client.HTTPConnection | None = None
        self._is_closed = False

    def deliver(self, delivery_id: str, body: bytes) -> None:
        """Send one request, and wait for the receiver to accept it.

        Args:
            delivery_id: Id of the delivery, the same for each attempt.
            body: Body of the request, as JSON.

        Raises:
            DeliveryError: If the receiver does not accept the request.
        """
        connection = self._connect()
        deadline = Timer(self._timeout_s, self._break_off)
        deadline.daemon = True
        deadline.start()
        try:
            headers = self._receiver.headers(delivery_id, time(), body)
            connection.request("POST", self._receiver.path, body, headers)
            answer = connection.getresponse()
            answer.read(MAX_ANSWER_BYTES)
        except TimeoutError:
            raise self._timed_out() from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            if not deadline.is_alive():
                raise self._timed_out() from None
            raise DeliveryError(
                Message("it cannot be reached: %(why)s", why=reason(error))
            ) from None
        finally:
            deadline.cancel()
            connection.close()
        if not http.client.OK <= answer.status < http.client.MULTIPLE_CHOICES:
            raise DeliveryError(
                Message(
                    "it answered %(status)s", status=f"{answer.status} {answer.reason}".strip()
                ),
                _retry_after_s(answer),
            )

    def close(self) -> None:
        """Abort the current request, and send no further ones."""
        self._is_closed = True
        self._break_off()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._receiver.host, self._receiver.port
        connection = (
            http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=self._context)
            if self._context
            else http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        )
        with self._lock:
            self._connection = connection
        if self._is_closed:
            raise DeliveryError(Message("Traykeeper is stopping"))
        return connection

    def _break_off(self) -> None:
        with self._lock:
            sock = getattr(self._connection, "sock", None)
        if sock:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _timed_out(self) -> DeliveryError:
        return DeliveryError(
            Message("it did not answer within %(s)s seconds", s=round(self._timeout_s))
        )


def _retry_after_s(answer: http.client.HTTPResponse) -> float:
    """Return the seconds in the header `Retry-After`; 0 if the header is missing or contains a date."""
    wish = answer.headers.get("Retry-After", "")
    return min(float(wish), MAX_RETRY_AFTER_S) if wish.isascii() and wish.isdigit() else 0.0
