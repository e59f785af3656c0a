"""A limit on how many expensive requests run at once."""

from collections.abc import Callable
from functools import wraps
from threading import BoundedSemaphore
from typing import TypeVar

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from game.message import Message
from web.response import HttpProblem

RETRY_AFTER_S = 5
MAX_WAIT_S = 2.0
"""How long a request may wait for its turn, in seconds. The limited pages take less time than this."""

SAFE = frozenset({"GET", "HEAD"})

B = TypeVar("B", bound=Blueprint)
R = TypeVar("R", bound=Response)


class ConcurrencyLimit:
    """Lets a few requests run and a few more wait briefly; refuses all others with status 503.

    limit = ConcurrencyLimit(3, max_waiting=8)
    app.register_blueprint(limit.limit_blueprint(create_evening(...)))

    Args:
        max_running: How many requests run at once.
        max_waiting: How many more may wait. Each of them occupies a thread of the server.
    """

    def __init__(self, max_running: int, *, max_waiting: int = 0) -> None:
        self._admitted = BoundedSemaphore(max_running + max_waiting)
        self._running = BoundedSemaphore(max_running)

    def limit_blueprint(self, blueprint: B) -> B:
        """Limit the `GET` requests of a blueprint, and return the blueprint."""

        def enter() -> None:
            if request.method not in SAFE:
                return
            self._enter()
            g.leave_limit = self._leave

        def leave(_: object) -> None:
            g.pop("leave_limit", lambda: None)()

        blueprint.before_request(enter)
        blueprint.teardown_request(leave)
        return blueprint

    def limit_download(self, view: Callable[..., R]) -> Callable[..., R]:
        """Limit a view; a request counts as running until its response is sent or the phone hangs up."""

        @wraps(view)
        def limited(*args: object, **kwargs: object) -> R:
            self._enter()
            try:
                response = view(*args, **kwargs)
            except BaseException:
                self._leave()
                raise
            response.call_on_close(self._leave)
            return response

        return limited

    def _enter(self) -> None:
        if self._admitted.acquire(blocking=False):
            if self._running.acquire(timeout=MAX_WAIT_S):
                return
            self._admitted.release()
        raise HttpProblem(
            503,
            Message("too many requests at once: try again in %(n)s seconds", n=RETRY_AFTER_S),
            retry_after_s=RETRY_AFTER_S,
        )

    def _leave(self) -> None:
        self._running.release()
        self._admitted.release()
