"""The part of the API for what no camera sees: who plays, and all that is set by hand."""

from collections.abc import Callable

from flask import Blueprint, Response, request

from game.match.events import (
    Event,
    Farkled,
    Joined,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Skipped,
    TookOver,
    TurnSet,
)
from game.match.match import Match
from game.match.match_text import to_text
from game.match.roster import MAX_TEAM
from game.match.step import MAX_SCORE
from web.contracts.table import Table
from web.pages.timeline import as_csv, as_json
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer, state_answer

MAX_SEAT = 1_000
MAX_INDEX = 1_000_000


def add_by_hand(api: Blueprint, table: Table) -> None:
    """The routes that put one event into the match, and those that change its past."""
    for name, (fields, make) in _EVENTS.items():
        _add_event(api, table, name, fields, make)
    _add_past(api, table)
    _add_exports(api, table)


def _add_event(
    api: Blueprint,
    table: Table,
    name: str,
    fields: tuple[str, ...],
    make: Callable[[RequestBody], Event],
) -> None:
    def view() -> Response:
        return state_answer(table.by_hand(make(RequestBody.of(request, *fields))))

    api.add_url_rule(f"/{name}", name, view, methods=["POST"])


def _add_past(api: Blueprint, table: Table) -> None:
    @api.post("/insert")
    def insert() -> Response:
        body = RequestBody.of(request, "turn", "before")
        before = body.integer("before", 0, MAX_INDEX) if "before" in body else None
        return state_answer(table.insert(body.text("turn"), before))

    @api.post("/drop")
    def drop() -> Response:
        body = RequestBody.of(request, "start", "stop")
        start, stop = (body.integer(name, 0, MAX_INDEX) for name in ("start", "stop"))
        return state_answer(table.drop(start, stop))


def _add_exports(api: Blueprint, table: Table) -> None:
    def match() -> Match:
        match = table.snapshot().match
        if match is None:
            raise HttpProblem(404, "there is no match yet: set one up first")
        return match

    @api.get("/match.txt")
    def match_text() -> Response:
        return Response(to_text(match()), mimetype="text/plain")

    @api.get("/match.csv")
    def match_csv() -> Response:
        return Response(as_csv(match()), mimetype="text/csv")

    @api.get("/match.json")
    def match_json() -> Response:
        return json_answer(as_json(match()))


def _seat(body: RequestBody) -> int:
    return body.integer("seat", 0, MAX_SEAT)


def _joined(body: RequestBody) -> Event:
    team = body.integer("team", 0, MAX_TEAM) if "team" in body else None
    return Joined(body.text("name"), team)


def _score_set(body: RequestBody) -> Event:
    return ScoreSet(_seat(body), body.integer("score", -MAX_SCORE, MAX_SCORE))


def _turn_set(body: RequestBody) -> Event:
    points = body.integer("points", 0, MAX_SCORE)
    return TurnSet(_seat(body), points, body.integer("dice", 1, 6))


_EVENTS: dict[str, tuple[tuple[str, ...], Callable[[RequestBody], Event]]] = {
    "skip": ((), lambda _: Skipped()),
    "farkle": ((), lambda _: Farkled()),
    "takeover": ((), lambda _: TookOver()),
    "join": (("name", "team"), _joined),
    "leave": (("seat",), lambda body: Left(_seat(body))),
    "rename": (("seat", "name"), lambda body: Renamed(_seat(body), body.text("name"))),
    "order": (("seats",), lambda body: Reordered(body.integers("seats", 0, MAX_SEAT))),
    "score": (("seat", "score"), _score_set),
    "turn": (("seat", "points", "dice"), _turn_set),
}
"""Name of the route -> the fields of its body, and the event made of them."""
