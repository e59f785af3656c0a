"""A request that is sent twice is done once: a phone that lost the answer may ask again.

A `POST` with an `Idempotency-Key` is remembered with its answer; the same key from the same phone to
the same address gets that answer again, without anything being done.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Event, Lock

from flask import Flask, Response, g, request

from game.message import Message
from web.problem import HttpProblem

HEADER = "Idempotency-Key"
LONGEST = 100
REMEMBERED = 512
"""Answers of a few kB each: some minutes of all phones tapping at once."""

PATIENCE_S = 12.0
"""Longer than the companion takes for anything."""

Name = tuple[str, str, str]


@dataclass(slots=True)
class DoneRequest:
    """A request that was begun; its answer once there is one."""

    ready: Event = field(default_factory=Event)
    body: bytes = b""
    status: int = 0
    mimetype: str = ""

    def answer(self) -> Response:
        if not self.ready.wait(PATIENCE_S):
            raise HttpProblem(
                409, Message("that request is still being worked on: ask for the state")
            )
        return Response(self.body, self.status, mimetype=self.mimetype)


class IdempotencyKeys:
    """What was done lately, by phone, address and key."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._done: OrderedDict[Name, DoneRequest] = OrderedDict()

    def begin(self, name: Name) -> DoneRequest | None:
        """What was begun under this name before; None if this is the first time."""
        with self._lock:
            if earlier := self._done.get(name):
                return earlier
            self._done[name] = DoneRequest()
            while len(self._done) > REMEMBERED:
                self._done.popitem(last=False)[1].ready.set()
            return None

    def finish(self, name: Name, response: Response) -> None:
        with self._lock:
            done = self._done.get(name)
        if done:
            done.body, done.status = response.get_data(), response.status_code
            done.mimetype = response.mimetype or ""
            done.ready.set()


def register(app: Flask) -> None:
    """Before a request with a key is done, see whether it was done already."""
    repeats = IdempotencyKeys()

    def once() -> Response | None:
        key = request.headers.get(HEADER)
        if request.method != "POST" or key is None:
            return None
        if not 1 <= len(key) <= LONGEST:
            allowed = Message("1 to %(n)s characters", n=LONGEST)
            raise HttpProblem(400, Message("%(field)s: %(why)s", field=HEADER, why=allowed))
        name = (str(g.phone), request.path, key)
        if earlier := repeats.begin(name):
            return earlier.answer()
        g.request_name = name
        return None

    def remember(response: Response) -> Response:
        if name := g.pop("request_name", None):
            repeats.finish(name, response)
        return response

    app.before_request(once)
    app.after_request(remember)
