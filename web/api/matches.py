"""The matches of the journal: their list, each as text, and going on with an older one."""

from typing import Any

from flask import Blueprint, Response, request

from game.errors import JournalError
from game.journal.history import NEWEST, History, Played
from game.match.match_text import to_text
from web.contracts.table import Table
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer, state_answer

PAGE = 50
HIGHEST = 2**53
"""Beyond it numbers in JSON are no longer exact."""


def create_records(table: Table, history: History | None) -> Blueprint:
    """The blueprint over the journal; without a history there is nothing to see."""
    records = Blueprint("records", __name__, url_prefix="/api/v1")

    @records.get("/matches")
    def matches() -> Response:
        before = request.args.get("before", NEWEST, type=int)
        found = history.matches(before=min(before, NEWEST), limit=PAGE) if history else ()
        return json_answer([as_json(played) for played in found])

    @records.get("/matches/<int:match_id>.txt")
    def text(match_id: int) -> Response:
        if history is None or match_id > HIGHEST:
            raise _lost(match_id)
        try:
            match = history.match(match_id)
        except JournalError:
            raise _lost(match_id) from None
        return Response(to_text(match), mimetype="text/plain")

    @records.post("/reopen")
    def reopen() -> Response:
        body = RequestBody.of(request, "match")
        return state_answer(table.reopen(body.integer("match", 1, HIGHEST)))

    return records


def as_json(played: Played) -> dict[str, Any]:
    """One match of the list."""
    result = played.result
    seats = zip(result.names, result.teams, result.scores, strict=True)
    return {
        "id": played.id,
        "key": played.key,
        "position": played.position,
        "rules": {"name": played.rules.name, "title": played.rules.title},
        "target": played.rules.target,
        "players": [{"name": name, "team": team, "score": score} for name, team, score in seats],
        "winner": result.winner,
        "turns": result.turns,
        "begun_s": played.begun_s,
        "last_s": played.last_s,
    }


def _lost(match_id: int) -> HttpProblem:
    return HttpProblem(404, f"there is no match {match_id}: GET /api/v1/matches lists all")
