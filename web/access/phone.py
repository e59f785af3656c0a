"""The phone that sends a request, and whether it has the permission that the route requires.

A phone is identified by a random number in a signed cookie, which scripts cannot read. Other people
see only its badge: a hash of that number.

The owner of the machine is the person who can read its terminal and may save or restore all matches. A phone proves
this with the PIN from `traykeeper pin` or with the link that `traykeeper play` prints. Being the scorekeeper is not
enough, because that role is passed around the table. The PIN on the scorekeeper's phone grants only that role.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2s, sha256
from secrets import token_hex
from threading import Lock
from time import monotonic

from flask import Flask, Response, g, request
from itsdangerous import BadSignature, Signer

from game.message import Message
from web.access.pin import OneTimeLink, PinChecker
from web.access.scorekeeper import Scorekeeper
from web.contracts import Snapshot, Table
from web.response import HttpProblem
from web.route import Permission, current_route, declared_routes

OWNER_S = 3600.0
"""How long a phone counts as the owner's, in seconds: enough to tidy up after an evening.

The link that `traykeeper play` prints is valid for just as long.
"""

MAX_OWNERS = 16

NO_OWNER = Message(
    "this needs the PIN of the machine at the tray: run `traykeeper pin` there and send the "
    "PIN to /api/v1/scorekeeper/owner"
)

COOKIE = "traykeeper_phone"
YEAR_S = 365 * 24 * 3600
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

ONLY_WATCHING = Message(
    "this phone only watches: ask to keep score on the page and press the button at the "
    "tray, or send the PIN to /api/v1/scorekeeper/pin"
)


def _badge(number: bytes) -> str:
    return blake2s(number, digest_size=6, person=b"badge").hexdigest()


class AccessControl:
    """The parts that decide what each phone may do. Any thread may call its methods.

    Args:
        secret: Secret of the table, 32 bytes.
        scorekeeper: Decides which phone may change the match.

        clock: Returns monotonic time in seconds.

    Attributes:
        scorekeeper: Decides which phone may change the match.
        pins: Checks PINs.
        link: The link that `traykeeper play` prints.
    """

    def __init__(
        self, secret: bytes, scorekeeper: Scorekeeper, clock: Callable[[], float] = monotonic
    ) -> None:
        self.scorekeeper = scorekeeper
        self.pins, self.link = PinChecker(secret), OneTimeLink()
        self._signer = Signer(secret, salt="traykeeper phone", digest_method=sha256)
        self._clock, self._lock = clock, Lock()
        self._owners_s: dict[str, float] = {}

    def badge(self, cookies: Mapping[str, str]) -> str:
        """Return the badge of the phone with these cookies, or "" if none of them is valid."""
        try:
            return _badge(self._signer.unsign(cookies.get(COOKIE, "")))
        except BadSignature:
            return ""

    def new_cookie(self) -> tuple[str, str]:
        """Return a cookie for a new phone, and the badge of that phone."""
        number = token_hex(16)
        return self._signer.sign(number).decode(), _badge(number.encode())

    def add_owner(self, phone: str) -> None:
        """Count a phone as the owner's for the next hour, because it has proved that."""
        with self._lock:
            self._owners_s.pop(phone, None)
            self._owners_s[phone] = self._clock()
            while len(self._owners_s) > MAX_OWNERS:
                del self._owners_s[next(iter(self._owners_s))]

    def is_owner(self, phone: str) -> bool:
        """Return whether a phone counts as the owner's."""
        at_s = self._owners_s.get(phone)
        return bool(phone) and at_s is not None and self._clock() - at_s < OWNER_S

    def require_owner(self) -> None:
        """Refuse the current request unless the owner's phone has sent it.

        Raises:
            HttpProblem: If another phone has sent it.
        """
        if not self.is_owner(g.phone):
            raise HttpProblem(403, NO_OWNER)

    def ensure_phone(self) -> str:
        """Return the badge of the phone that sent this request; a new phone gets a cookie."""
        if not g.phone:
            g.new_cookie, g.phone = self.new_cookie()
            self.scorekeeper.mark_seen(g.phone, request.user_agent.string)
        return str(g.phone)


def register(app: Flask, table: Table, access: AccessControl) -> None:
    """Identify the phone of each request and refuse requests without permission.

    Each request gets `g.phone`, the badge of its phone or "", and `g.is_scorekeeper`.

    Args:
        app: The app whose requests are checked.
        table: The table, which knows whose turn it is.
        access: Decides what each phone may do.
    """
    scorekeeper = access.scorekeeper

    def check_permission() -> None:
        g.phone = access.badge(request.cookies)
        g.is_scorekeeper = scorekeeper.is_held_by(g.phone)
        scorekeeper.mark_seen(g.phone, request.user_agent.string)
        route = current_route()
        if route and route.permission is Permission.OWNER:
            access.require_owner()
        elif route or request.method not in SAFE:
            refuse_watchers(route.permission if route else Permission.SCOREKEEPER)

    def refuse_watchers(permission: Permission) -> None:
        if request.url_rule is None or permission is Permission.ANYBODY or g.is_scorekeeper:
            return
        name = current_player(table.snapshot())
        is_players_right = permission is Permission.CURRENT_PLAYER and name
        if is_players_right and scorekeeper.may_act(g.phone, name):
            return
        raise HttpProblem(403, ONLY_WATCHING)

    def set_cookie(response: Response) -> Response:
        if cookie := g.get("new_cookie"):
            response.set_cookie(COOKIE, cookie, YEAR_S, httponly=True, samesite="Lax")
        return response

    def template_values() -> dict[str, object]:
        # A page brings the cookie, so that requests that it sends or repeats at the same time come from one phone.
        me = access.ensure_phone() if "phone" in g else ""
        return {
            "me": me,
            "is_scorekeeper": scorekeeper.is_held_by(me),
            "is_owner": access.is_owner(me),
        }

    app.context_processor(template_values)
    app.jinja_env.globals["own_turn_paths"] = _own_turn_paths
    app.jinja_env.globals["has_real_button"] = scorekeeper.has_button
    app.before_request(check_permission)
    app.after_request(set_cookie)


def _own_turn_paths() -> list[str]:
    """Return the paths that a player's own phone may use during that player's turn."""
    routes = declared_routes()
    return [route.path for route in routes if route.permission is Permission.CURRENT_PLAYER]


def current_player(snapshot: Snapshot) -> str:
    """Return the name of the current player, or "" if no match is in progress."""
    match = snapshot.match
    return "" if match is None or match.state.winner is not None else match.state.player.name
