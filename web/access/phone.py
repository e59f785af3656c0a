"""Which phone a request comes from, and whether that phone may do what it asks.

A phone is known by a random number in a signed cookie that no script can read; others see only its
badge, which is made of it and does not lead back.
"""

from collections.abc import Mapping
from hashlib import blake2s, sha256
from secrets import token_hex

from flask import Flask, Response, g, request
from itsdangerous import BadSignature, Signer

from game.message import Message
from web.access.owner import Owners
from web.access.scorekeeper import Scorekeeper
from web.contracts.table import Snapshot, Table
from web.problem import HttpProblem
from web.route import Who, current_route, declared_routes

COOKIE = "traykeeper_phone"
YEAR_S = 365 * 24 * 3600

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

WATCHING = Message(
    "this phone only watches: ask for the pencil on the page and press the tray's button, "
    "or send the PIN to /api/v1/pencil/pin"
)


class Phones:
    """Signs the cookies of phones, and reads them.

    Args:
        secret: of this table; 32 bytes.
    """

    def __init__(self, secret: bytes) -> None:
        self._signer = Signer(secret, salt="traykeeper phone", digest_method=sha256)

    def badge(self, cookies: Mapping[str, str]) -> str:
        """The badge of the phone with these cookies; "" if they are none of ours."""
        try:
            return _badge(self._signer.unsign(cookies.get(COOKIE, "")))
        except BadSignature:
            return ""

    def cookie(self) -> tuple[str, str]:
        """A cookie for a new phone, and its badge."""
        number = token_hex(16)
        return self._signer.sign(number).decode(), _badge(number.encode())


def _badge(number: bytes) -> str:
    return blake2s(number, digest_size=6, person=b"badge").hexdigest()


def register(
    app: Flask, table: Table, scorekeeper: Scorekeeper, phones: Phones, owners: Owners
) -> None:
    """Before each request `g.phone` is the badge of the phone that sent it, or "".

    And `g.is_scorekeeper` is whether that one holds the pencil.
    """

    def recognise() -> None:
        g.phone = phones.badge(request.cookies)
        g.is_scorekeeper = scorekeeper.is_held_by(g.phone)
        scorekeeper.mark_seen(g.phone)
        route = current_route()
        if route and route.who is Who.OWNER:
            owners.require()
        elif route or request.method not in SAFE:
            refuse_watchers(route.who if route else Who.HOLDER)

    def refuse_watchers(who: Who) -> None:
        if request.url_rule is None or who is Who.ANYBODY or g.is_scorekeeper:
            return
        on_turn = player_on_turn(table.snapshot())
        if who is Who.OWN_TURN and on_turn and scorekeeper.players.may_act(g.phone, on_turn):
            return
        raise HttpProblem(403, WATCHING)

    def hand_out(response: Response) -> Response:
        if cookie := g.get("new_cookie"):
            response.set_cookie(COOKIE, cookie, YEAR_S, httponly=True, samesite="Lax")
        return response

    def seen_from_here() -> dict[str, object]:
        me = g.get("phone", "")
        return {
            "me": me,
            "is_scorekeeper": scorekeeper.is_held_by(me),
            "is_owner": owners.has(me),
            "has_real_button": scorekeeper.has_button,
        }

    app.context_processor(seen_from_here)
    app.jinja_env.globals["own_turn_paths"] = _own_turn_paths
    app.before_request(recognise)
    app.after_request(hand_out)


def _own_turn_paths() -> list[str]:
    """What a player's own phone may ask in that player's turn."""
    return [route.path for route in declared_routes() if route.who is Who.OWN_TURN]


def ensure_phone(phones: Phones) -> str:
    """The badge of this phone; one that comes for the first time gets a cookie."""
    if not g.phone:
        g.new_cookie, g.phone = phones.cookie()
    return str(g.phone)


def player_on_turn(snapshot: Snapshot) -> str:
    """The name, or "" where nobody is on turn."""
    match = snapshot.match
    return "" if match is None or match.state.winner is not None else match.state.player.name
