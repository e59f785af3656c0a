"""What became of the newest deliveries, for the health page."""

from collections import deque
from threading import Lock
from time import time

from device.webhook.receiver import Receiver
from game.message import Message
from web.contracts.maintenance import DeliveryAttempt, WebhookReport

MAX_ATTEMPTS = 20
"""Attempts that are shown; the journal holds the steps themselves."""


class DeliveryLog:
    """The newest attempts. Any thread may read it.

    Args:
        receiver: Where the steps are sent.
    """

    def __init__(self, receiver: Receiver) -> None:
        self._receiver, self._lock = receiver, Lock()
        self._attempts: deque[DeliveryAttempt] = deque(maxlen=MAX_ATTEMPTS)
        self._trouble: Message | None = None

    def add(self, step: str, trouble: Message | None = None, wait_s: float = 0.0) -> None:
        """Record an attempt.

        Args:
            step: The kinds of events that were sent.
            trouble: Why the receiver did not accept them; None if it did.
            wait_s: How long the next attempt is away, in seconds.
        """
        attempt = DeliveryAttempt(time(), step, trouble, wait_s)
        with self._lock:
            self._trouble = trouble
            self._attempts.appendleft(attempt)

    def report(self) -> WebhookReport:
        """Return the newest attempts, the newest first."""
        with self._lock:
            return WebhookReport(str(self._receiver), tuple(self._attempts), self._trouble)
