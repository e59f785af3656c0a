"""The HTTP API, version 1: the state, its stream, and all that one can do at the table."""

import json
from typing import Any

from flask import Blueprint, Response, request

from game.ruleset import Ruleset
from web.body import Body
from web.once import OncePerVersion
from web.problem import Problem
from web.stream import Streams, event_text
from web.table import Snapshot, Table
from web.view import state_json

MAX_HOLD_S = 60.0
MAX_TARGET = 1_000_000
MAX_INDEX = 1_000_000


def create_api(table: Table, streams: Streams, rules: tuple[Ruleset, ...]) -> Blueprint:
    """The blueprint below /api/v1."""
    api = Blueprint("api", __name__, url_prefix="/api/v1")
    _add_reading(api, table, streams, rules)
    _add_button(api, table)
    _add_moves(api, table)
    _add_match(api, table)
    return api


def _add_reading(
    api: Blueprint, table: Table, streams: Streams, rules: tuple[Ruleset, ...]
) -> None:
    stream_event = OncePerVersion(lambda snapshot: event_text("state", _text(snapshot)))

    @api.get("/state")
    def state() -> Response:
        return _state(table.snapshot())

    @api.get("/events")
    def events() -> Response:
        return streams.open(table, stream_event)

    @api.get("/photo/<photo_id>.jpg")
    def photo(photo_id: str) -> Response:
        jpeg = table.photo(photo_id)
        if jpeg is None:
            raise Problem(404, "only the last few photos are kept: the state names the newest")
        kept = {"Cache-Control": "private, max-age=86400, immutable"}
        return Response(jpeg, headers=kept, mimetype="image/jpeg")

    @api.get("/view.jpg")
    def view() -> Response:
        jpeg = table.view()
        if jpeg is None:
            raise Problem(404, "there is no camera now: dice can be tapped in")
        return Response(jpeg, headers={"Cache-Control": "no-store"}, mimetype="image/jpeg")

    @api.get("/rules")
    def published() -> Response:
        return _json([{"name": r.name, "title": r.title, "target": r.target} for r in rules])


def _add_button(api: Blueprint, table: Table) -> None:
    @api.post("/press")
    def press() -> Response:
        Body.of(request)
        return _state(table.press())

    @api.post("/hold")
    def hold() -> Response:
        body = Body.of(request, "seconds")
        return _state(table.hold(body.number("seconds", 0, MAX_HOLD_S)))

    @api.post("/button")
    def button() -> Response:
        body = Body.of(request, "down")
        return _state(table.button(down=body.boolean("down")))

    @api.post("/throw")
    def throw() -> Response:
        Body.of(request)
        return _state(table.throw())


def _add_moves(api: Blueprint, table: Table) -> None:
    @api.post("/dice")
    def dice() -> Response:
        return _state(table.dice(Body.of(request, "dice").dice("dice")))

    @api.post("/keep")
    def keep() -> Response:
        return _state(table.keep(Body.of(request, "dice").dice("dice")))

    @api.post("/bank")
    def bank() -> Response:
        body = Body.of(request, "dice")
        return _state(table.bank(body.dice("dice") if "dice" in body else None))

    @api.post("/correct")
    def correct() -> Response:
        body = Body.of(request, "dice", "index")
        index = body.integer("index", 0, MAX_INDEX) if "index" in body else None
        return _state(table.correct(body.dice("dice"), index))

    @api.post("/answer")
    def answer() -> Response:
        return _state(table.answer(Body.of(request, "choice").text("choice")))

    @api.post("/undo")
    def undo() -> Response:
        Body.of(request)
        return _state(table.undo())

    @api.post("/redo")
    def redo() -> Response:
        Body.of(request)
        return _state(table.redo())


def _add_match(api: Blueprint, table: Table) -> None:
    @api.post("/match")
    def new_match() -> Response:
        body = Body.of(request, "names", "rules", "target")
        rules = body.text("rules") if "rules" in body else None
        target = body.integer("target", 1, MAX_TARGET) if "target" in body else None
        return _state(table.new_match(body.names("names"), rules=rules, target=target))

    @api.post("/rename")
    def rename() -> Response:
        body = Body.of(request, "seat", "name")
        return _state(table.rename(body.integer("seat", 0, MAX_INDEX), body.text("name")))


def _text(snapshot: Snapshot) -> str:
    return json.dumps(state_json(snapshot), separators=(",", ":"))


def _state(snapshot: Snapshot) -> Response:
    return _json_text(_text(snapshot))


def _json(value: Any) -> Response:
    return _json_text(json.dumps(value))


def _json_text(text: str) -> Response:
    kept = {"Cache-Control": "no-store"}
    return Response(text + "\n", headers=kept, mimetype="application/json")
