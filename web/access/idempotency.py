"""Idempotency keys: a request that a phone repeats because its response was lost runs only once.

The server remembers each `POST` with an `Idempotency-Key` together with its response. If the same
phone sends the same key to the same address, it gets that response again. The journal stores a mark
of the request with the steps it caused, so a request repeated after a restart does not run again
either.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2s
from threading import Event, Lock
from zlib import compress, decompress

from flask import Flask, Response, g, request

from game.message import Message
from web.response import HttpProblem
from web.route import Permission, current_route

HEADER = "Idempotency-Key"
MAX_KEY = 100

MAX_PHONES = 64
"""Largest number of phones whose requests are remembered: three times the number of players in a full match."""

MAX_REQUESTS = 64
"""Largest number of requests remembered for one phone: a few minutes of steady tapping. Each takes a few kB."""

MAX_WAIT_S = 12.0
"""How long a repeated request waits for the response to the first one, in seconds.

The companion takes less than this for everything except restoring a backup.
"""

DIGEST_BYTES = 8

Name = tuple[str, str]
"""The identity of a request: the phone's badge, and a digest of the address and the key."""


@dataclass(slots=True)
class RememberedRequest:
    """A request that has begun, and its response as soon as there is one.

    Attributes:
        body_digest: Digest of the request's body.
        is_ready: Set when the response is known.
        body: Body of the response, compressed, because the state of a long match takes 100 kB.
        status: HTTP status code of the response.
        mimetype: Media type of the response.
    """

    body_digest: str
    is_ready: Event = field(default_factory=Event)
    body: bytes = b""
    status: int = 0
    mimetype: str = ""

    def response(self) -> Response:
        """Wait for the response and return it.

        Raises:
            HttpProblem: If the request is still running after the wait, or is no longer remembered.
        """
        if not self.is_ready.wait(MAX_WAIT_S) or not self.status:
            raise HttpProblem(
                409, Message("that request is still being processed: get the state instead")
            )
        return Response(decompress(self.body), self.status, mimetype=self.mimetype)


class RequestMemory:
    """The latest requests of each phone. No phone can displace the requests of another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._phones: OrderedDict[str, OrderedDict[str, RememberedRequest]] = OrderedDict()

    def begin(self, name: Name, body_digest: str) -> RememberedRequest | None:
        """Return the earlier request with this name, or remember this one and return None.

        Args:
            name: The phone, and the digest of the address and the key.
            body_digest: Digest of the request's body.
        """
        phone, key = name
        with self._lock:
            requests = self._phones.setdefault(phone, OrderedDict())
            self._phones.move_to_end(phone)
            if earlier := requests.get(key):
                return earlier
            requests[key] = RememberedRequest(body_digest)
            if len(requests) > MAX_REQUESTS:
                requests.popitem(last=False)[1].is_ready.set()
            if len(self._phones) > MAX_PHONES:
                self._phones.popitem(last=False)
            return None

    def finish(self, name: Name, response: Response) -> None:
        """Remember the response to a request.

        Args:
            name: The phone, and the digest of the address and the key.
            response: The response.
        """
        phone, key = name
        with self._lock:
            requests = self._phones.get(phone, OrderedDict[str, RememberedRequest]())
            found = requests.get(key)
        if found:
            found.body, found.status = compress(response.get_data(), 1), response.status_code
            found.mimetype = response.mimetype or ""
            found.is_ready.set()


def register(app: Flask, marks: Callable[[], Sequence[str]], state: Callable[[], Response]) -> None:
    """Respond to a repeated request from memory instead of running it again.

    Args:
        app: The app whose requests are remembered.
        marks: Returns the marks, stored in the journal, of requests made before the program started.
        state: Returns a response with the state of the table.
    """
    open_requests, restricted_requests = RequestMemory(), RequestMemory()

    @cache
    def digests_before_start() -> dict[str, str]:
        """Return the body digests of requests made before the program started, by digest of address and key."""
        return {name: body for name, _, body in (mark.partition(".") for mark in marks())}

    def memory() -> RequestMemory:
        """Return the memory in which this request is remembered.

        Requests that anybody may send have a memory of their own, so they cannot
        displace requests that need permission.
        """
        route = current_route()
        if route:
            request.max_content_length = route.max_body_bytes
        is_open = route and route.permission is Permission.ANYBODY
        return open_requests if is_open else restricted_requests

    def respond_to_repeated() -> Response | None:
        key = _key()
        g.request_mark = ""
        if key is None:
            return None
        phone, remembered = str(g.phone), memory()
        name, body_digest = _digest(phone, request.path, key), _digest(request.get_data())
        if earlier := remembered.begin((phone, name), body_digest):
            _refuse_other_body(earlier.body_digest, body_digest)
            return earlier.response()
        g.request_name, g.request_mark = (phone, name), f"{name}.{body_digest}"
        if known := digests_before_start().get(name):
            _refuse_other_body(known, body_digest)
            return state()
        return None

    def remember(response: Response) -> Response:
        if name := g.pop("request_name", None):
            memory().finish(name, response)
        return response

    app.before_request(respond_to_repeated)
    app.after_request(remember)


def _key() -> str | None:
    """Return the idempotency key of this request, if it has one."""
    key = request.headers.get(HEADER)
    if request.method != "POST" or key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY:
        allowed = Message("1 to %(n)s characters", n=MAX_KEY)
        raise HttpProblem(400, Message("%(field)s: %(why)s", field=HEADER, why=allowed))
    return key


def _refuse_other_body(known: str, sent: str) -> None:
    if known != sent:
        raise HttpProblem(
            422,
            Message(
                "this %(field)s was already used for another request: send a new one", field=HEADER
            ),
        )


def _digest(*parts: str | bytes) -> str:
    """Return a digest of several texts that also depends on where each text ends."""
    digest = blake2s(digest_size=DIGEST_BYTES)
    for part in parts:
        data = part.encode("utf-8", "replace") if isinstance(part, str) else part
        digest.update(b"%d " % len(data) + data)
    return digest.hexdigest()
