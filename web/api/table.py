"""The HTTP API, version 1: the state, its stream, and all that one can do at the table."""

from flask import Blueprint, Response, request

from game.match.roster import MAX_TEAM
from game.rules.rule_files import house_file
from game.rules.ruleset import Ruleset
from web.api.by_hand import MAX_INDEX, add_by_hand
from web.contracts.coach import Mode
from web.contracts.table import Snapshot, Table
from web.pages.match_form import values
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer, state_answer, state_text
from web.stream import Streams, event_text
from web.version_cache import VersionCache

MAX_HOLD_S = 10.0
"""Twice what the longest hold needs."""

MAX_PHOTO_DIE = 1_000
MAX_TARGET = 1_000_000


def create_api(table: Table, streams: Streams, rules: tuple[Ruleset, ...]) -> Blueprint:
    """The blueprint below /api/v1."""
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    _add_reading(api, table, streams, rules)
    _add_button(api, table)
    _add_moves(api, table)
    _add_match(api, table)
    add_by_hand(api, table)
    return api


def _add_reading(
    api: Blueprint, table: Table, streams: Streams, rules: tuple[Ruleset, ...]
) -> None:
    stream_event: VersionCache[Snapshot, str] = VersionCache(
        lambda snapshot: event_text("state", state_text(snapshot))
    )

    @api.get("/state")
    def state() -> Response:
        return state_answer(table.snapshot())

    @api.get("/events")
    def events() -> Response:
        return streams.open(table, stream_event)

    @api.get("/photo/<photo_id>.jpg")
    def photo(photo_id: str) -> Response:
        jpeg = table.photo(photo_id)
        if jpeg is None:
            raise HttpProblem(404, "only the last few photos are kept: the state names the newest")
        kept = {"Cache-Control": "private, max-age=86400, immutable"}
        return Response(jpeg, headers=kept, mimetype="image/jpeg")

    @api.get("/view.jpg")
    def view() -> Response:
        jpeg = table.view()
        if jpeg is None:
            raise HttpProblem(404, "there is no camera now: dice can be tapped in")
        return Response(jpeg, headers={"Cache-Control": "no-store"}, mimetype="image/jpeg")

    @api.get("/rules")
    def published() -> Response:
        return json_answer([_published(each) for each in rules])

    @api.get("/rules.toml")
    def house_rules() -> Response:
        match = table.snapshot().match
        text = house_file(match.rules if match else rules[0])
        headers = {"Content-Disposition": 'attachment; filename="house.toml"'}
        return Response(text, headers=headers, mimetype="application/toml")


def _published(rules: Ruleset) -> dict[str, object]:
    return {
        "name": rules.name,
        "title": rules.title,
        "target": rules.target,
        "options": values(rules),
    }


def _add_button(api: Blueprint, table: Table) -> None:
    @api.post("/press")
    def press() -> Response:
        RequestBody.of(request)
        return state_answer(table.press())

    @api.post("/hold")
    def hold() -> Response:
        body = RequestBody.of(request, "seconds")
        return state_answer(table.hold(body.number("seconds", 0, MAX_HOLD_S)))

    @api.post("/reread")
    def reread() -> Response:
        RequestBody.of(request)
        return state_answer(table.reread())

    @api.post("/button")
    def button() -> Response:
        body = RequestBody.of(request, "down")
        return state_answer(table.button(down=body.boolean("down")))

    @api.post("/throw")
    def throw() -> Response:
        RequestBody.of(request)
        return state_answer(table.throw())


def _add_moves(api: Blueprint, table: Table) -> None:
    @api.post("/dice")
    def dice() -> Response:
        return state_answer(table.dice(RequestBody.of(request, "dice").dice("dice")))

    @api.post("/keep")
    def keep() -> Response:
        return state_answer(table.keep(RequestBody.of(request, "dice").dice("dice")))

    @api.post("/bank")
    def bank() -> Response:
        body = RequestBody.of(request, "dice")
        return state_answer(table.bank(body.dice("dice") if "dice" in body else None))

    @api.post("/correct")
    def correct() -> Response:
        body = RequestBody.of(request, "dice", "index")
        index = body.integer("index", 0, MAX_INDEX) if "index" in body else None
        return state_answer(table.correct(body.dice("dice"), index))

    @api.post("/face")
    def face() -> Response:
        body = RequestBody.of(request, "photo", "die", "face")
        die, value = body.integer("die", 0, MAX_PHOTO_DIE), body.integer("face", 1, 6)
        return state_answer(table.face(body.text("photo"), die, value))

    @api.post("/answer")
    def answer() -> Response:
        return state_answer(table.answer(RequestBody.of(request, "choice").text("choice")))

    @api.post("/undo")
    def undo() -> Response:
        RequestBody.of(request)
        return state_answer(table.undo())

    @api.post("/redo")
    def redo() -> Response:
        RequestBody.of(request)
        return state_answer(table.redo())


def _add_match(api: Blueprint, table: Table) -> None:
    @api.post("/match")
    def new_match() -> Response:
        body = RequestBody.of(request, "names", "rules", "target", "options", "teams")
        rules = body.text("rules") if "rules" in body else None
        target = body.integer("target", 1, MAX_TARGET) if "target" in body else None
        teams = body.integers("teams", 0, MAX_TEAM) if "teams" in body else None
        options = body.fields("options") if "options" in body else None
        names = body.names("names")
        return state_answer(
            table.new_match(names, rules=rules, target=target, options=options, teams=teams)
        )

    @api.post("/coach")
    def coach() -> Response:
        mode = RequestBody.of(request, "mode").text("mode")
        if mode not in list(Mode):
            raise HttpProblem(400, f"mode: one of {', '.join(Mode)}")
        return state_answer(table.advise(Mode(mode)))

    @api.post("/rematch")
    def rematch() -> Response:
        RequestBody.of(request)
        return state_answer(table.rematch())
