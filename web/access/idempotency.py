"""A request that is sent twice is done once: a phone that lost the answer may ask again.

A `POST` with an `Idempotency-Key` is remembered with its answer; the same key from the same phone to
the same address gets that answer again, without anything being done. Its mark is written with the
steps it leads to: asked again after a restart, they are not done again either.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2s
from threading import Event, Lock

from flask import Flask, Response, g, request

from game.message import Message
from web.problem import HttpProblem
from web.route import Who, current_route

HEADER = "Idempotency-Key"
LONGEST = 100

PHONES = 64
"""Three times the players there can be."""

REMEMBERED = 64
"""Of each phone: some minutes of tapping at once. Answers are a few kB each."""

PATIENCE_S = 12.0
"""Longer than the companion takes for anything but a restore."""

DIGEST_BYTES = 8

Name = tuple[str, str]
"""Phone and digest of address and key."""


@dataclass(slots=True)
class DoneRequest:
    """A request that was begun with this body; its answer once there is one."""

    sent: str
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
    """What was done lately, by phone, address and key: no phone makes another's be forgotten."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._phones: OrderedDict[str, OrderedDict[str, DoneRequest]] = OrderedDict()

    def begin(self, name: Name, sent: str) -> DoneRequest | None:
        """What was begun under this name before; None if this is the first time."""
        phone, key = name
        with self._lock:
            done = self._phones.setdefault(phone, OrderedDict())
            self._phones.move_to_end(phone)
            if earlier := done.get(key):
                return earlier
            done[key] = DoneRequest(sent)
            if len(done) > REMEMBERED:
                done.popitem(last=False)[1].ready.set()
            if len(self._phones) > PHONES:
                self._phones.popitem(last=False)
            return None

    def finish(self, name: Name, response: Response) -> None:
        phone, key = name
        with self._lock:
            done = self._phones.get(phone, OrderedDict[str, DoneRequest]()).get(key)
        if done:
            done.body, done.status = response.get_data(), response.status_code
            done.mimetype = response.mimetype or ""
            done.ready.set()


def register(app: Flask, marks: Callable[[], Sequence[str]], state: Callable[[], Response]) -> None:
    """Before a request with a key is done, see whether it was done already.

    Args:
        app: whose requests.
        marks: those of the newest steps, as they were before this program began.
        state: answers how the table stands now.
    """
    watchers, holders = IdempotencyKeys(), IdempotencyKeys()

    @cache
    def before() -> dict[str, str]:
        """Mark of what was asked -> digest of its body."""
        return {asked: sent for asked, _, sent in (mark.partition(".") for mark in marks())}

    def repeats() -> IdempotencyKeys:
        """What anybody may do is remembered apart."""
        route = current_route()
        if route:
            request.max_content_length = route.most_bytes
        return watchers if route and route.who is Who.ANYBODY else holders

    def once() -> Response | None:
        key = _key()
        g.request_mark = ""
        if key is None:
            return None
        phone, keys = str(g.phone), repeats()
        name, sent = _digest(phone, request.path, key), _digest(request.get_data())
        if earlier := keys.begin((phone, name), sent):
            _refuse_another(earlier.sent, sent)
            return earlier.answer()
        g.request_name, g.request_mark = (phone, name), f"{name}.{sent}"
        if known := before().get(name):
            _refuse_another(known, sent)
            return state()
        return None

    def remember(response: Response) -> Response:
        if name := g.pop("request_name", None):
            repeats().finish(name, response)
        return response

    app.before_request(once)
    app.after_request(remember)


def _key() -> str | None:
    """That of this request, if it has one."""
    key = request.headers.get(HEADER)
    if request.method != "POST" or key is None:
        return None
    if not 1 <= len(key) <= LONGEST:
        allowed = Message("1 to %(n)s characters", n=LONGEST)
        raise HttpProblem(400, Message("%(field)s: %(why)s", field=HEADER, why=allowed))
    return key


def _refuse_another(known: str, sent: str) -> None:
    if known != sent:
        raise HttpProblem(
            422,
            Message("this %(field)s came with another body: take a new one", field=HEADER),
        )


def _digest(*parts: str | bytes) -> str:
    """Of these parts, each by itself."""
    digest = blake2s(digest_size=DIGEST_BYTES)
    for part in parts:
        data = part.encode("utf-8", "replace") if isinstance(part, str) else part
        digest.update(b"%d " % len(data) + data)
    return digest.hexdigest()
