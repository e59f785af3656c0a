"""The pencil's part of the HTTP API: asking, proving, handing over, and whose phone is whose."""

from flask import Blueprint, Response, g, request

from web.access.pencil import Pencil
from web.access.phone import Phones, known_phone
from web.access.pin import PERIOD_S, Pin, TooManyTriesError
from web.contracts.table import Holding, Table
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer

WRONG_PIN = "that is not the PIN now: `traykeeper pin` says it, and so does the holder's phone"
OLD_LINK = "that link was used or is too old: ask for the pencil, or use the PIN"


def create_handing(table: Table, pencil: Pencil, pin: Pin, phones: Phones) -> Blueprint:
    """The blueprint of /api/v1/pencil."""
    handing = Blueprint("pencil", __name__, url_prefix="/api/v1/pencil")

    def answer() -> Response:
        return json_answer(_mine(pencil.view()))

    @handing.get("")
    def mine() -> Response:
        return answer()

    @handing.post("/ask")
    def ask() -> Response:
        RequestBody.of(request)
        pencil.ask(known_phone(phones))
        return answer()

    @handing.post("/give")
    def give() -> Response:
        pencil.answer(give=RequestBody.of(request, "yes").boolean("yes"))
        return answer()

    @handing.post("/lay-down")
    def lay_down() -> Response:
        RequestBody.of(request)
        pencil.lay_down()
        return answer()

    @handing.post("/own-turn")
    def own_turn() -> Response:
        pencil.let_own_turns(on=RequestBody.of(request, "on").boolean("on"))
        return answer()

    _add_proofs(handing, pencil, pin, phones)
    _add_players(handing, table, pencil, phones)
    return handing


def _add_proofs(handing: Blueprint, pencil: Pencil, pin: Pin, phones: Phones) -> None:
    @handing.post("/pin")
    def prove_by_pin() -> Response:
        told = RequestBody.of(request, "pin").text("pin")
        try:
            if not pin.is_right(told.replace(" ", "")):
                raise HttpProblem(403, WRONG_PIN)
        except TooManyTriesError as error:
            wait_s = f"{error.wait_s:.0f}"
            raise HttpProblem(429, str(error), headers={"Retry-After": wait_s}) from None
        pencil.prove(known_phone(phones))
        return json_answer(_mine(pencil.view()))

    @handing.post("/link")
    def prove_by_link() -> Response:
        token = RequestBody.of(request, "token").text("token")
        if not pin.is_link(token):
            raise HttpProblem(403, OLD_LINK)
        if pencil.prove(known_phone(phones)):
            pin.use_up()
        return json_answer(_mine(pencil.view()))

    @handing.get("/pin")
    def show_pin() -> Response:
        if not pencil.holds(g.phone):
            raise HttpProblem(403, "only the phone that holds the pencil is told the PIN")
        return json_answer({"pin": pin.now(), "seconds": PERIOD_S})


def _add_players(handing: Blueprint, table: Table, pencil: Pencil, phones: Phones) -> None:
    @handing.post("/sit")
    def sit() -> Response:
        """Whose phone this is."""
        name = RequestBody.of(request, "name").text("name")
        match = table.snapshot().match
        if name and (match is None or name not in [p.name for p in match.state.players]):
            raise HttpProblem(
                409, f"nobody called {name!r} plays here: the state names the players"
            )
        pencil.sit(known_phone(phones), name)
        return json_answer(_mine(pencil.view()))

    @handing.post("/free")
    def free() -> Response:
        RequestBody.of(request)
        pencil.free()
        return json_answer(_mine(pencil.view()))


def _mine(view: Holding) -> dict[str, object]:
    """Where the pencil is, seen from the phone that asks."""
    return {
        "me": g.phone,
        "mine": bool(g.phone) and view.holder == g.phone,
        "taken": bool(view.holder),
        "asking": bool(g.phone) and view.asking == g.phone,
        "by_button": view.by_button,
        "by_holder": view.by_holder,
        "own_turn": view.own_turn,
        "player": dict(view.players).get(g.phone),
    }
