"""The API of the scorekeeper: asking, proving, handing over, and which phone belongs to whom."""

from collections.abc import Callable

from flask import Response, g, request

from game.message import Message
from web.access.phone import OWNER_S, AccessControl
from web.access.pin import PERIOD_S, RateLimit, TooManyTriesError
from web.access.scorekeeper import Scorekeeper
from web.contracts import ScorekeeperView, Table
from web.fields import boolean, optional, text
from web.i18n import translate
from web.json_schema import PhoneJson
from web.response import HttpProblem, json_response
from web.route import Permission, Routes
from web.state_json import plain

WRONG_PIN = Message(
    "that PIN is wrong or out of date: `traykeeper pin` shows the current one, and so does "
    "the scorekeeper's phone"
)
WRONG_MACHINE_PIN = Message(
    "that is not the current PIN of the machine: run `traykeeper pin` there to see it"
)
INVALID_LINK = Message(
    "that link was already used or has expired: ask to keep score, or use the PIN"
)

MAX_ASKS, MAX_TOTAL_ASKS = 4, 100
"""Requests to become the scorekeeper, per address and from all addresses, in `PERIOD_OF_ASKS_S`.

Somebody who walks to the button needs one or two. A script that keeps asking blocks the queue for a
fifth of the time at most.
"""

PERIOD_OF_ASKS_S = 600.0

MAX_SEATINGS, MAX_TOTAL_SEATINGS = 20, 200
"""How often phones may change their player in the same period, per address and in total.

Eight players behind one router may need ten changes.
"""


def create_scorekeeper(table: Table, access: AccessControl) -> Routes:
    """Create the routes under /api/v1/scorekeeper.

    Args:
        table: The companion.
        access: Decides what each phone may do.
    """
    scorekeeper = access.scorekeeper
    routes = Routes("scorekeeper", "/api/v1/scorekeeper")
    asks = RateLimit(MAX_ASKS, MAX_TOTAL_ASKS, PERIOD_OF_ASKS_S)

    @routes.read("", "Who the scorekeeper is, from this phone's point of view", answers=PhoneJson)
    def status() -> Response:
        if g.is_scorekeeper:
            asks.forgive(str(request.remote_addr))
        return _status(scorekeeper)

    @routes.command(
        "/ask",
        "Ask to become the scorekeeper",
        permission=Permission.ANYBODY,
        errors=(429,),
        answers=PhoneJson,
    )
    def ask() -> Response:
        phone = access.ensure_phone()
        if scorekeeper.view().asking in ("", phone) and not scorekeeper.is_held_by(phone):
            _limit(asks, _too_many_asks)
        scorekeeper.ask(phone)
        return _status(scorekeeper)

    @routes.command(
        "/give",
        "Hand over to the phone that asks, or refuse it",
        {"yes": boolean(), "phone": optional(text())},
        answers=PhoneJson,
    )
    def give(yes: bool, phone: str | None) -> Response:  # noqa: FBT001 - a field of the body
        scorekeeper.answer(phone, give=yes)
        return _status(scorekeeper)

    @routes.command("/lay-down", "Stop being the scorekeeper", answers=PhoneJson)
    def lay_down() -> Response:
        scorekeeper.release()
        return _status(scorekeeper)

    _add_proofs(routes, access)
    _add_players(routes, table, access)
    return routes


def _limit(attempts: RateLimit, refusal: Callable[[int], Message]) -> None:
    """Count an attempt from the address of this request, or refuse the request if that address has to wait."""
    address = str(request.remote_addr)
    if wait_s := attempts.wait_s(address):
        raise HttpProblem(429, refusal(round(wait_s)), retry_after_s=wait_s)
    attempts.record(address)


def _too_many_asks(seconds: int) -> Message:
    return Message("this phone has asked too often: wait %(n)s s, or use the PIN", n=seconds)


def _too_many_seatings(seconds: int) -> Message:
    return Message(
        "the player assigned to this phone has changed too often: wait %(n)s s", n=seconds
    )


def _add_proofs(routes: Routes, access: AccessControl) -> None:
    scorekeeper, pins, link = access.scorekeeper, access.pins, access.link

    def check(pin: str, *, machine_only: bool) -> str:
        digits, address = pin.replace(" ", ""), str(request.remote_addr)
        try:
            is_right = pins.is_right(digits, address, machine_only=machine_only)
        except TooManyTriesError as error:
            raise HttpProblem(429, error.message, retry_after_s=error.wait_s) from None
        if not is_right:
            raise HttpProblem(403, WRONG_MACHINE_PIN if machine_only else WRONG_PIN)
        return digits

    @routes.command(
        "/pin", "Become the scorekeeper with the PIN", {"pin": text()}, Permission.ANYBODY,
        errors=(429,), answers=PhoneJson
    )  # fmt: skip
    def prove_by_pin(pin: str) -> Response:
        digits = check(pin, machine_only=False)
        is_agreed = pins.use_agreement(digits, scorekeeper.view().holder)
        scorekeeper.prove(access.ensure_phone(), is_agreed=is_agreed)
        return _status(scorekeeper)

    @routes.command(
        "/owner", "Prove the machine's own PIN, which allows saving and restoring backups",
        {"pin": text()}, Permission.ANYBODY, errors=(429,), answers={"seconds": float}
    )  # fmt: skip
    def prove_owner(pin: str) -> Response:
        check(pin, machine_only=True)
        access.add_owner(access.ensure_phone())
        return json_response({"seconds": OWNER_S})

    @routes.read(
        "/pin", "The current PIN",
        permission=Permission.SCOREKEEPER, errors=(403,), answers={"pin": str, "seconds": float}
    )  # fmt: skip
    def show_pin() -> Response:
        return json_response({"pin": pins.shown_to_scorekeeper(g.phone), "seconds": PERIOD_S})

    @routes.command(
        "/link",
        "Become the scorekeeper with the link",
        {"token": text()},
        Permission.ANYBODY,
        answers=PhoneJson,
    )
    def prove_by_link(token: str) -> Response:
        if not link.is_valid(token):
            raise HttpProblem(403, INVALID_LINK)
        if scorekeeper.prove(access.ensure_phone()):
            link.use_up()
        access.add_owner(g.phone)
        return _status(scorekeeper)


def _add_players(routes: Routes, table: Table, access: AccessControl) -> None:
    scorekeeper = access.scorekeeper
    seatings = RateLimit(MAX_SEATINGS, MAX_TOTAL_SEATINGS, PERIOD_OF_ASKS_S)

    @routes.command(
        "/sit",
        "Set whose phone this is",
        {"name": text()},
        Permission.ANYBODY,
        errors=(429,),
        answers=PhoneJson,
    )
    def sit(name: str) -> Response:
        match = table.snapshot().match
        if name and (match is None or name not in [p.name for p in match.state.players]):
            raise HttpProblem(
                409,
                Message(
                    "nobody called %(name)s plays in this match: the state lists the players",
                    name=repr(name),
                ),
            )
        phone = access.ensure_phone()
        is_change = dict(scorekeeper.view().players).get(phone, "") != name
        if is_change and not scorekeeper.is_held_by(phone):
            _limit(seatings, _too_many_seatings)
        scorekeeper.assign_player(phone, name)
        return _status(scorekeeper)

    @routes.command("/free", "Forget which phone belongs to which player", answers=PhoneJson)
    def free() -> Response:
        scorekeeper.forget_players()
        return _status(scorekeeper)

    @routes.command(
        "/own-turn", "Set whether players may act on their own phones in their turns",
        {"on": boolean()}, answers=PhoneJson
    )  # fmt: skip
    def own_turn(on: bool) -> Response:  # noqa: FBT001 - a field of the body
        scorekeeper.allow_own_turns(on=on)
        return _status(scorekeeper)


def _status(scorekeeper: Scorekeeper) -> Response:
    """Return who the scorekeeper is, from the point of view of the phone that sent this request."""
    view: ScorekeeperView = scorekeeper.view()
    me = str(g.phone)
    answer: PhoneJson = {
        "me": me,
        "mine": bool(me) and view.holder == me,
        "taken": bool(view.holder),
        "asking": bool(me) and view.asking == me,
        "asking_phone": view.asking,
        "by_button": view.by_button,
        "by_holder": view.by_holder,
        "asker": plain(view.asker, translate) if me in (view.holder, view.asking) and me else "",
        "own_turn": view.own_turn,
        "player": dict(view.players).get(me),
    }
    return json_response(answer)
