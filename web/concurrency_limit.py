"""What costs much is done for a few at once; who comes to a full house is told when to come again."""

from collections.abc import Callable
from functools import wraps
from threading import BoundedSemaphore
from typing import TypeVar

from flask import Blueprint, g, request
from werkzeug.wrappers import Response

from game.message import Message
from web.problem import HttpProblem

RETRY_AFTER_S = 5
PATIENCE_S = 2.0
"""How long those wait for whom there is room to wait: a page is worked out in less."""

SAFE = frozenset({"GET", "HEAD"})

B = TypeVar("B", bound=Blueprint)
R = TypeVar("R", bound=Response)


class ConcurrencyLimit:
    """Lets so many in, and so many more wait at the door for a moment.

    limit = ConcurrencyLimit(3, waiting=8)
    app.register_blueprint(limit.limit_blueprint(create_evening(...)))

    Args:
        most: at once.
        waiting: beside them: each holds a thread of the server.
    """

    def __init__(self, most: int, *, waiting: int = 0) -> None:
        self._house = BoundedSemaphore(most + waiting)
        self._seats = BoundedSemaphore(most)

    def limit_blueprint(self, pages: B) -> B:
        """The blueprint, whose every page is read by so many at once; what changes something waits for nobody."""

        def enter() -> None:
            if request.method not in SAFE:
                return
            self._enter()
            g.leave = self._leave

        def leave(_: object) -> None:
            g.pop("leave", lambda: None)()

        pages.before_request(enter)
        pages.teardown_request(leave)
        return pages

    def limit_download(self, view: Callable[..., R]) -> Callable[..., R]:
        """A view whose answer is sent for minutes: its place is free when the phone has all of it, or has gone."""

        @wraps(view)
        def bounded(*args: object, **named: object) -> R:
            self._enter()
            try:
                response = view(*args, **named)
            except BaseException:
                self._leave()
                raise
            response.call_on_close(self._leave)
            return response

        return bounded

    def _enter(self) -> None:
        if self._house.acquire(blocking=False):
            if self._seats.acquire(timeout=PATIENCE_S):
                return
            self._house.release()
        raise HttpProblem(
            503,
            Message("too many ask for that at once: try again in %(n)s seconds", n=RETRY_AFTER_S),
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )

    def _leave(self) -> None:
        self._seats.release()
        self._house.release()
