"""The outcome of the latest deliveries to the webhook, for the health page."""

from collections import deque
from threading import Lock
from time import time

from device.webhook.receiver import Receiver
from game.message import Message
from web.contracts import DeliveryAttempt, WebhookReport

MAX_ATTEMPTS = 20
"""Number of attempts that are shown; the steps themselves are in the journal."""


class DeliveryLog:
    """The latest attempts to deliver a step to the webhook. Thread-safe.

    Args:
        receiver: The program that receives the steps.
    """

    def __init__(self, receiver: Receiver) -> None:
        self._receiver, self._lock = receiver, Lock()
        self._attempts: deque[DeliveryAttempt] = deque(maxlen=MAX_ATTEMPTS)
        self._trouble: Message | None = None

    def add(self, step: str, trouble: Message | None = None, wait_s: float = 0.0) -> None:
        """Record an attempt.

        Args:
            step: The kinds of events in the step that was sent, separated by commas.
            trouble: Why the receiver did not accept the step; None if it did.
            wait_s: Seconds until the next attempt; 0 after a success.
        """
        attempt = DeliveryAttempt(time(), step, trouble, wait_s)
        with self._lock:
            self._trouble = trouble
            self._attempts.appendleft(attempt)

    def report(self) -> WebhookReport:
        """Return the latest attempts, newest first, with the name of the receiver and its last problem."""
        with self._lock:
            return WebhookReport(str(self._receiver), tuple(self._attempts), self._trouble)
