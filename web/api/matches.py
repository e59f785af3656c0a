"""The matches of the journal: their list, each as text and data, and what the coach makes of one."""

from typing import Any

from flask import Response

from game.errors import JournalError
from game.journal.history import History, PlayedMatch
from game.match.match import Match
from game.match.match_text import to_text
from web.api.exports import as_csv, as_json
from web.contracts.coach import Coach, ReviewedMatch
from web.fields import Whole
from web.pages.matches import (
    BEFORE_POSITION,
    MAX_MATCH_ID,
    find_match,
    luck_and_decisions,
    match_not_found,
    require_coach,
    require_ready,
)
from web.response import json_response
from web.route import Routes
from web.state.coach_json import moment_json

PAGE = 50


def create_matches(history: History | None, coach: Coach | None) -> Routes:
    """The routes of /api/v1/matches; without a history there is nothing to see."""
    routes = Routes("matches", "/api/v1/matches")

    @routes.reads(
        "",
        "The matches of the journal, the newest first",
        asked={"before": BEFORE_POSITION},
        refused=(503,),
    )
    def matches(before: int) -> Response:
        found = history.matches(before=before, limit=PAGE) if history else ()
        return json_response([_played_json(played) for played in found])

    _add_exports(routes, history)
    _add_review(routes, history, coach)
    return routes


def _add_exports(routes: Routes, history: History | None) -> None:
    @routes.reads(
        "/<int:match_id>.txt", "One of them as text", kind="text/plain", refused=(404, 503)
    )
    def text(match_id: int) -> Response:
        return Response(to_text(find_match(history, match_id)[1]), mimetype="text/plain")

    @routes.reads(
        "/<int:match_id>.csv", "Its turns for a spreadsheet", kind="text/csv", refused=(404, 503)
    )
    def spreadsheet(match_id: int) -> Response:
        return Response(as_csv(find_match(history, match_id)[1]), mimetype="text/csv")

    @routes.reads("/<int:match_id>.json", "Its turns for programs", refused=(404, 503))
    def data(match_id: int) -> Response:
        return json_response(as_json(find_match(history, match_id)[1]))


def _add_review(routes: Routes, history: History | None, coach: Coach | None) -> None:
    @routes.reads("/<int:match_id>/review", "Luck and decisions in it", refused=(404, 503))
    def review(match_id: int) -> Response:
        played, match = find_match(history, match_id)
        looked = require_ready(require_coach(coach).review(match_id, played.steps))
        return json_response(_review_json(match, looked))

    @routes.does(
        "/solve", "Work out chances to win under the rules of that match",
        {"match": Whole(1, MAX_MATCH_ID)},
    )  # fmt: skip
    def solve(match: int) -> Response:
        try:
            require_coach(coach).solve(match)
        except JournalError:
            raise match_not_found(match) from None
        return json_response({"match": match})


def _played_json(played: PlayedMatch) -> dict[str, Any]:
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


def _review_json(match: Match, looked: ReviewedMatch) -> dict[str, Any]:
    review = looked.review
    players = zip(match.state.players, luck_and_decisions(match, review), strict=True)
    return {
        "solved": looked.solved,
        "of_two": review.of_two,
        "players": [
            {
                "name": player.name,
                "luck": {"points": sums.luck[0], "win": sums.luck[1] if looked.solved else None},
                "decisions": {
                    "points": sums.decisions[0],
                    "win": sums.decisions[1] if looked.solved else None,
                },
            }
            for player, sums in players
        ],
        "curve": [{"event": s.event, "seat": s.seat, "win": s.win} for s in review.curve],
        "moments": [{**moment_json(m), "turn": m.turn, "seat": m.seat} for m in review.moments],
    }
