"""The pencil's part of the HTTP API: asking, proving, handing over, and whose phone is whose."""

from collections.abc import Callable

from flask import Response, g, request

from game.message import Message
from web.access.attempts import Attempts
from web.access.owner import OWNER_S, Owners
from web.access.phone import Phones, ensure_phone
from web.access.pin import PERIOD_S, Pin, TooManyTriesError
from web.access.scorekeeper import Scorekeeper
from web.contracts.table import ScorekeeperView, Table
from web.fields import Text, Yes
from web.problem import HttpProblem
from web.response import json_response
from web.route import Routes, Who

WRONG_PIN = Message(
    "that is not the PIN now: `traykeeper pin` says it, and so does the holder's phone"
)
NOT_MACHINES = Message("that is not the machine's own PIN now: `traykeeper pin` says it there")
OLD_LINK = Message("that link was used or is too old: ask for the pencil, or use the PIN")


ASKS, ALL_ASKS, ASKS_S = 4, 100, 600.0
"""From one address: who walks to the button needs one or two; a script that goes on has a fifth of the time."""

SEATS, ALL_SEATS = 20, 200
"""In the same time: eight players behind one router who change their minds need ten."""


def create_pencil(
    table: Table, scorekeeper: Scorekeeper, pin: Pin, phones: Phones, owners: Owners
) -> Routes:
    """The routes of /api/v1/pencil."""
    routes = Routes("pencil", "/api/v1/pencil")
    asks = Attempts(ASKS, ALL_ASKS, ASKS_S)

    def answer() -> Response:
        return json_response(_mine(scorekeeper.view()))

    @routes.reads("", "Where the pencil is, seen from here")
    def mine() -> Response:
        if g.is_scorekeeper:
            asks.forgive(str(request.remote_addr))
        return answer()

    @routes.does("/ask", "Ask for the pencil", who=Who.ANYBODY, refused=(429,))
    def ask() -> Response:
        phone = ensure_phone(phones)
        if scorekeeper.view().asking in ("", phone) and not scorekeeper.is_held_by(phone):
            _refuse_often(asks.wait_s(str(request.remote_addr)), _asked_often)
            asks.note(str(request.remote_addr))
        scorekeeper.ask(phone)
        return answer()

    @routes.does("/give", "Hand it to who asks, or keep it", {"yes": Yes()})
    def give(yes: bool) -> Response:  # noqa: FBT001 - a field of the body
        scorekeeper.answer(give=yes)
        return answer()

    @routes.does("/lay-down", "Nobody holds it any more")
    def lay_down() -> Response:
        scorekeeper.release()
        return answer()

    @routes.does("/own-turn", "Players' own phones may act in their turns", {"on": Yes()})
    def own_turn(on: bool) -> Response:  # noqa: FBT001 - a field of the body
        scorekeeper.players.allow_own_turns(on=on)
        return answer()

    _add_proofs(routes, scorekeeper, pin, phones, owners)
    _add_players(routes, table, scorekeeper, phones)
    return routes


def _refuse_often(wait_s: float, why: Callable[[int], Message]) -> None:
    if wait_s:
        raise HttpProblem(429, why(round(wait_s)), headers={"Retry-After": f"{wait_s:.0f}"})


def _asked_often(seconds: int) -> Message:
    return Message("asked too often without an answer: wait %(n)s s, or use the PIN", n=seconds)


def _sat_often(seconds: int) -> Message:
    return Message("whose phone this is was said too often: wait %(n)s s", n=seconds)


def _add_proofs(
    routes: Routes, scorekeeper: Scorekeeper, pin: Pin, phones: Phones, owners: Owners
) -> None:
    def check(told: str, *, machines: bool) -> None:
        try:
            right = pin.is_right(told.replace(" ", ""), str(request.remote_addr), machines=machines)
        except TooManyTriesError as error:
            wait_s = f"{error.wait_s:.0f}"
            raise HttpProblem(429, error.message, headers={"Retry-After": wait_s}) from None
        if not right:
            raise HttpProblem(403, NOT_MACHINES if machines else WRONG_PIN)

    @routes.does("/pin", "Prove it by the PIN", {"pin": Text()}, who=Who.ANYBODY, refused=(429,))
    def prove_by_pin(pin: str) -> Response:
        check(pin, machines=False)
        scorekeeper.prove(ensure_phone(phones))
        return json_response(_mine(scorekeeper.view()))

    @routes.does(
        "/owner", "Prove the machine's own PIN: it lets backups come and go", {"pin": Text()},
        who=Who.ANYBODY, refused=(429,),
    )  # fmt: skip
    def own(pin: str) -> Response:
        check(pin, machines=True)
        owners.prove(ensure_phone(phones))
        return json_response({"seconds": OWNER_S})

    _add_link(routes, scorekeeper, pin, phones, owners)

    @routes.reads("/pin", "The PIN now, for the holder", who=Who.HOLDER, refused=(403,))
    def show_pin() -> Response:
        return json_response({"pin": pin.now(), "seconds": PERIOD_S})


def _add_link(
    routes: Routes, scorekeeper: Scorekeeper, pin: Pin, phones: Phones, owners: Owners
) -> None:
    @routes.does("/link", "Prove it by the link", {"token": Text()}, who=Who.ANYBODY)
    def prove_by_link(token: str) -> Response:
        if not pin.is_link(token):
            raise HttpProblem(403, OLD_LINK)
        if scorekeeper.prove(ensure_phone(phones)):
            pin.use_up()
        owners.prove(g.phone)
        return json_response(_mine(scorekeeper.view()))


def _add_players(routes: Routes, table: Table, scorekeeper: Scorekeeper, phones: Phones) -> None:
    seats = Attempts(SEATS, ALL_SEATS, ASKS_S)

    def limit(phone: str, name: str) -> None:
        """The holder may help all; who says the same again changes nothing."""
        said = dict(scorekeeper.view().players).get(phone, "")
        if said != name and not scorekeeper.is_held_by(phone):
            _refuse_often(seats.wait_s(str(request.remote_addr)), _sat_often)
            seats.note(str(request.remote_addr))

    @routes.does("/sit", "Whose phone this is", {"name": Text()}, who=Who.ANYBODY, refused=(429,))
    def sit(name: str) -> Response:
        match = table.snapshot().match
        if name and (match is None or name not in [p.name for p in match.state.players]):
            raise HttpProblem(
                409,
                Message(
                    "nobody called %(name)s plays here: the state names the players",
                    name=repr(name),
                ),
            )
        phone = ensure_phone(phones)
        limit(phone, name)
        scorekeeper.players.assign(phone, name)
        return json_response(_mine(scorekeeper.view()))

    @routes.does("/free", "No phone is any player's")
    def free() -> Response:
        scorekeeper.players.clear()
        return json_response(_mine(scorekeeper.view()))


def _mine(view: ScorekeeperView) -> dict[str, object]:
    """Where the pencil is, seen from the phone that asks."""
    return {
        "me": g.phone,
        "mine": bool(g.phone) and view.holder == g.phone,
        "taken": bool(view.holder),
        "asking": bool(g.phone) and view.asking == g.phone,
        "by_button": view.by_button,
        "by_holder": view.by_holder,
        "asker": view.asker if view.holder == g.phone else "",
        "own_turn": view.own_turn,
        "player": dict(view.players).get(g.phone),
    }
