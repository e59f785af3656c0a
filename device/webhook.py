"""The webhook: each step of a match is sent to another program over HTTP.

The journal is the queue, as for the MQTT broker; docs/events.md describes the requests,
and docs/decisions/events.md explains the choice.

Signatures follow https://www.standardwebhooks.com, so that receivers can check them with the libraries offered there.
"""

import hmac
import http.client
import json
import logging
import socket
import ssl
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event, Lock, Thread
from time import time

from device.addresses import HOW_TO_ENCODE, NetworkAddress
from device.errors import UsageError
from device.files import read_secret_file
from device.settings import Settings
from device.threads import DistinctReports, new_snapshots
from device.timed_request import TimedRequest
from game.errors import GameError, TraykeeperError, reason
from game.journal.history import Feed, FeedLine, FeedProgress, JournalFollower
from game.journal.journal import JOURNAL_FILE
from game.message import Message, Verbatim
from game.stats.step_events import WebhookBody, step_events
from web.contracts import DeliveryAttempt, Snapshot, Table, WebhookReport

log = logging.getLogger(__name__)

PREFIX = "whsec_"
MIN_KEY_BYTES = 24
"""Length of the shortest key that the specification allows, in bytes."""

EXAMPLE = "http://homeserver.local:8080/dice, or https://example.org/dice"
HOW_TO_MAKE_ONE = 'printf \'secret = "whsec_%s"\\n\' "$(openssl rand -base64 32)"'

MAX_ATTEMPTS = 20
"""Number of attempts that are shown; the steps themselves are in the journal."""

TIMEOUT_S = 10.0
"""How long one attempt may take in total, in seconds, whatever the receiver does in the meantime."""

MAX_ANSWER_BYTES = 1_000
"""How many bytes of an answer are read. Only its status matters."""

MAX_RETRY_AFTER_S = 3600.0
WEBHOOK_FILE = "webhook.json"

LISTEN_S = 1.0
"""Longest wait for a change of the match, in seconds; the thread ends at most this late."""

FIRST_RETRY_S, MAX_RETRY_S = 1.0, 300.0
"""First and longest pause after a failed attempt, in seconds. The pause doubles each time."""

HEAD_START_S = 0.1
"""Pause before a step is sent, in seconds, so that phones show it first."""


@dataclass(frozen=True, slots=True)
class Receiver(NetworkAddress):
    """A program that receives the steps of matches.

    Attributes:
        key: Key that signs the requests; None sends unsigned requests.
        secret: File with the key; "" if there is none.
    """

    key: bytes | None = field(default=None, repr=False)
    secret: str = ""

    @property
    def fingerprint(self) -> str:
        """A digest of the address, which does not reveal it."""
        return sha256(f"{self} {self.path}".encode()).hexdigest()[:16]

    def headers(self, delivery_id: str, time_s: float, body: bytes) -> dict[str, str]:
        """Return the headers of a request to the receiver, including its signature if there is a key.

        Args:
            delivery_id: Id of the delivery, the same for each attempt.
            time_s: Time of the attempt, in seconds since 1970.
            body: The body of the request.
        """
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Traykeeper",
            "webhook-id": delivery_id,
            "webhook-timestamp": f"{time_s:.0f}",
        }
        if self.key:
            signed = f"{delivery_id}.{time_s:.0f}.".encode() + body
            digest = b64encode(hmac.digest(self.key, signed, "sha256")).decode()
            headers["webhook-signature"] = f"v1,{digest}"
        return headers


def parse_receiver(url: str, *, secret: str = "") -> Receiver:
    """Parse the URL of a receiver, and read the key that signs the requests.

    Args:
        url: `http://HOST[:PORT][/PATH]`, or the same with `https`.
        secret: File with the key; empty sends unsigned requests.

    Raises:
        UsageError: If the URL or the file `secret` is not valid.
    """
    found = NetworkAddress.parse(url, ("http", "https"))
    if found is None or not found.path.isascii():
        raise UsageError(f"webhook is not an address: write {EXAMPLE}; {HOW_TO_ENCODE}")
    if found.has_user:
        raise UsageError("webhook contains a user name: use webhook_secret, or a secret path")
    key = _read_key(secret) if secret else None
    return Receiver(found.scheme, found.host, found.port, found.path, key=key, secret=secret)


def _read_key(path: str) -> bytes:
    """Read the key from a file with the line `secret = "whsec_..."`."""
    expected = f'one line, secret = "whsec_..."; make it with {HOW_TO_MAKE_ONE}'
    line = read_secret_file(path, "webhook_secret", expected).line("secret")
    try:
        key = b64decode(line.removeprefix(PREFIX), validate=True)
    except ValueError:
        key = b""
    if not line.startswith(PREFIX) or len(key) < MIN_KEY_BYTES:
        raise UsageError(f"{path}: write {expected}")
    return key


class DeliveryLog:
    """The latest attempts to deliver a step to the webhook. Thread-safe.

    Args:
        receiver: The program that receives the steps; None if the settings name none that can be used.
        trouble: Why the settings cannot be used; None if they can.
    """

    def __init__(self, receiver: Receiver | None, trouble: Message | None = None) -> None:
        self._receiver, self._lock = receiver, Lock()
        self._attempts: deque[DeliveryAttempt] = deque(maxlen=MAX_ATTEMPTS)
        self._trouble, self._is_gone = trouble, False

    def add(self, step: str, trouble: Message | None = None, wait_s: float = 0.0) -> None:
        """Record an attempt.

        Args:
            step: The kinds of events in the step that was sent, separated by commas.
            trouble: Why the receiver did not accept the step; None if it did.
            wait_s: Seconds until the next attempt; 0 if there will be none.
        """
        attempt = DeliveryAttempt(time(), step, trouble, wait_s)
        with self._lock:
            self._trouble, self._is_gone = trouble, trouble is not None and wait_s == 0
            self._attempts.appendleft(attempt)

    def report(self) -> WebhookReport:
        """Return the latest attempts, newest first, with the name of the receiver and its last problem."""
        with self._lock:
            host = str(self._receiver) if self._receiver else ""
            return WebhookReport(host, tuple(self._attempts), self._trouble, self._is_gone)


class DeliveryError(TraykeeperError):
    """Raised when the receiver of the webhook has not accepted a delivery.

    Attributes:
        retry_after_s: Seconds to wait before the next attempt, as requested by the receiver; 0 if it requests none.
        is_gone: Whether the receiver wants no further requests (status 410).
    """

    def __init__(
        self, message: Message, retry_after_s: float = 0.0, *, is_gone: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after_s, self.is_gone = retry_after_s, is_gone


class Courier:
    """A sender of requests to one receiver, one at a time. Another thread may abort the current request.

    Args:
        receiver: The program that receives the requests.
        timeout_s: How long one request may take, in seconds.
    """

    def __init__(self, receiver: Receiver, timeout_s: float = TIMEOUT_S) -> None:
        self._receiver, self._timeout_s = receiver, timeout_s
        self._context = ssl.create_default_context() if receiver.scheme == "https" else None
        self._request = TimedRequest(timeout_s)
        self._is_closed = False

    def deliver(self, delivery_id: str, body: bytes) -> None:
        """Send one request, and wait for the receiver to accept it.

        Args:
            delivery_id: Id of the delivery, the same for each attempt.
            body: Body of the request, as JSON.

        Raises:
            DeliveryError: If the receiver does not accept the request.
        """
        receiver, connection = self._with_current_key(), self._new_connection()
        with self._request.over(connection) as is_late:
            if self._is_closed:
                raise DeliveryError(Message("Traykeeper is stopping"))
            try:
                headers = receiver.headers(delivery_id, time(), body)
                connection.request("POST", self._receiver.path, body, headers)
                answer = connection.getresponse()
                answer.read(MAX_ANSWER_BYTES)
            except TimeoutError:
                raise self._timed_out() from None
            except (OSError, http.client.HTTPException, ValueError) as error:
                if is_late.is_set():
                    raise self._timed_out() from None
                if not isinstance(error, OSError):  # its text may repeat what was sent
                    raise DeliveryError(Message("its answer is not valid HTTP")) from None
                raise DeliveryError(
                    Message("it cannot be reached: %(why)s", why=reason(error))
                ) from None
        if not http.client.OK <= answer.status < http.client.MULTIPLE_CHOICES:
            phrase = http.client.responses.get(answer.status, "")  # not the answer's own words
            status = f"{answer.status} {phrase}".strip()
            raise DeliveryError(
                Message("it answered %(status)s", status=status),
                _retry_after_s(answer),
                is_gone=answer.status == http.client.GONE,
            )

    def _with_current_key(self) -> Receiver:
        """Return the receiver with the key that is in its file now, so that a new secret needs no restart."""
        secret = self._receiver.secret
        try:
            return replace(self._receiver, key=_read_key(secret)) if secret else self._receiver
        except (UsageError, GameError) as error:
            raise DeliveryError(Verbatim(str(error))) from None

    def close(self) -> None:
        """Abort the current request, and send no further ones."""
        self._is_closed = True
        self._request.abort()

    def _new_connection(self) -> http.client.HTTPConnection:
        host, port = self._receiver.host, self._receiver.port
        return (
            http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=self._context)
            if self._context
            else http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        )

    def _timed_out(self) -> DeliveryError:
        return DeliveryError(
            Message("it did not answer within %(s)s seconds", s=round(self._timeout_s))
        )


def _retry_after_s(answer: http.client.HTTPResponse) -> float:
    """Return the seconds in the header `Retry-After`; 0 if the header is missing or contains a date."""
    wish = answer.headers.get("Retry-After", "")
    return min(float(wish), MAX_RETRY_AFTER_S) if wish.isascii() and wish.isdigit() else 0.0


@dataclass(frozen=True, slots=True)
class Delivered(FeedProgress):
    """The last entry that a receiver has accepted.

    Attributes:
        receiver: Fingerprint of the receiver's address.
    """

    receiver: str


class Webhook:
    """A thread that sends the entries of a journal to another program, between `start` and `close`.

    Without earlier progress, the thread begins with the latest match.

    Args:
        table: The companion, which announces each change of the match.
        feed: The entries of the companion's journal.
        receiver: The program that receives the entries.
        folder: The state folder.
        first_retry_s: Pause after the first failed attempt, in seconds.
        timeout_s: How long one attempt may take, in seconds; None uses the usual time.

    Attributes:
        deliveries: The latest attempts.
    """

    def __init__(
        self,
        table: Table,
        feed: Feed,
        receiver: Receiver,
        folder: Path,
        *,
        first_retry_s: float = FIRST_RETRY_S,
        timeout_s: float | None = None,
    ) -> None:
        self._table, path = table, folder / WEBHOOK_FILE
        before, new = Delivered.read(path), Delivered(receiver.fingerprint)
        done = before if before and before.receiver == new.receiver else new
        self._follower = JournalFollower(feed, path, done)
        self._courier = Courier(receiver, timeout_s) if timeout_s else Courier(receiver)
        self._first_retry_s = first_retry_s
        self._tray = socket.gethostname()
        self.deliveries = DeliveryLog(receiver)
        self._is_gone = self._has_failed = False
        self._report = DistinctReports(partial(log.warning, "the webhook is waiting: %s"))
        self._closing = Event()
        self._thread = Thread(target=self._run, name="webhook", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Abort the current request, end the thread, and save the progress."""
        self._closing.set()
        self._courier.close()
        self._thread.join()
        self._follower.save()

    def _run(self) -> None:
        shown: Snapshot | None = None
        for later in new_snapshots(self._table, self._closing, LISTEN_S):
            if later is None or shown is None or later.match is not shown.match:
                if later:
                    self._closing.wait(HEAD_START_S)
                self._deliver_without_errors()
            self._follower.save_if_due()
            shown = later or shown

    def _deliver_without_errors(self) -> None:
        try:
            self._deliver_all()
        except GameError as error:
            self._report(str(error))
        except Exception:
            self._has_failed = True
            log.exception("the webhook failed; the match continues")

    def _deliver_all(self) -> None:
        """Deliver every entry of the journal that the receiver has not accepted yet."""
        if self._is_gone:
            return
        if self._follower.is_restored or self._has_failed:
            self._follower.rewind()
            self._has_failed = False
        for line in self._follower.unread():
            if not self._deliver(line):
                return
            self._follower.accept(line.entry)
            self._follower.save_if_due()

    def _deliver(self, line: FeedLine) -> bool:
        """Keep sending an entry until it is accepted.

        Return False if the webhook is closed first, or the receiver wants no more entries. It is asked again after the
        next start.
        """
        entry, events = line.entry, step_events(line)
        body: WebhookBody = {
            "type": "traykeeper.step",
            "version": 1,
            "tray": self._tray,
            "events": events,
        }
        text = json.dumps(body, separators=(",", ":")).encode()
        kinds = ", ".join(event["kind"] for event in events)
        wait_s = self._first_retry_s
        while not self._closing.is_set():
            try:
                self._courier.deliver(f"{entry.match}-{entry.seq}-{entry.chain}", text)
            except DeliveryError as trouble:
                self._is_gone = trouble.is_gone
                pause_s = 0.0 if self._is_gone else max(wait_s, trouble.retry_after_s)
                self.deliveries.add(kinds, trouble.message, pause_s)
                self._follower.save_if_due()
                if self._is_gone:
                    return False
                self._closing.wait(pause_s)
                wait_s = min(wait_s * 2, MAX_RETRY_S)
            else:
                self.deliveries.add(kinds)
                return True
        return False


@contextmanager
def send_to_webhook(
    settings: Settings, table: Table, folder: Path, warn: Callable[[str], object]
) -> Iterator[DeliveryLog | None]:
    """Within the block, send the steps of matches to the address in the settings, if one is set.

    Yields the log of the deliveries, which also says why the address cannot be used; None if no address is set.

    Args:
        settings: The settings, which name the receiver.
        table: The companion.
        folder: The state folder.
        warn: Called with one line about each problem.
    """
    if not settings.webhook:
        yield None
        return
    try:
        receiver = parse_receiver(settings.webhook, secret=settings.webhook_secret)
    except (UsageError, GameError) as error:
        warn(f"traykeeper: {error}; playing without the webhook")
        yield DeliveryLog(None, Verbatim(str(error)))
        return
    webhook = Webhook(table, Feed(folder / JOURNAL_FILE), receiver, folder)
    webhook.start()
    try:
        yield webhook.deliveries
    finally:
        webhook.close()
