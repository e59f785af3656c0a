"""The API of past matches: their list, their exports, and the coach's review of each."""

from collections.abc import Callable, Collection
from typing import Any

from flask import Response

from game.errors import JournalError
from game.journal.history import History, PlayedMatch
from game.match.match import Match
from web.api.exports import add_exports
from web.contracts.coach import Coach, ReviewedMatch
from web.fields import integer
from web.pages.matches import (
    BEFORE_POSITION,
    MAX_MATCH_ID,
    find_match,
    luck_and_decisions,
    match_not_found,
    require_coach,
    require_ready,
    throw_positions,
)
from web.response import json_response
from web.route import Routes
from web.state.coach_json import moment_json

PAGE = 50
"""Largest number of matches in one response."""


def create_matches(
    history: History | None,
    coach: Coach | None,
    clip_positions: Callable[[], Collection[int]] = tuple,
) -> Routes:
    """Create the routes under /api/v1/matches.

    Args:
        history: The matches of the journal; None if there is no journal.
        coach: Reviews a match; if it is None, requests for reviews are refused.
        clip_positions: Returns the positions in the journal of all throws that have a clip.
    """
    routes = Routes("matches", "/api/v1/matches")

    @routes.read(
        "", "The matches of the journal, newest first",
        query={"before": BEFORE_POSITION}, errors=(503,),
    )  # fmt: skip
    def matches(before: int) -> Response:
        found = history.matches(before=before, limit=PAGE) if history else ()
        return json_response([_summary_json(played) for played in found])

    _add_clips(routes, history, clip_positions)
    add_exports(
        routes, "/<int:match_id>", "one match",
        lambda match_id: find_match(history, match_id)[1], 404, 503,
    )  # fmt: skip
    _add_review(routes, history, coach)
    return routes


def _add_clips(
    routes: Routes, history: History | None, clip_positions: Callable[[], Collection[int]]
) -> None:
    def clips_json(match_id: int) -> Response:
        played, _ = find_match(history, match_id)
        kept = clip_positions()
        positions = throw_positions(history, played.id) if history else {}
        found = [
            {"throw": index, "url": f"/api/v1/frame/{position}.mjpeg"}
            for index, position in positions.items()
            if position in kept
        ]
        return json_response({"match": played.id, "clips": found})

    @routes.read(
        "/<int:match_id>/clips", "The rolls of one match that were recorded", errors=(404, 503)
    )
    def clips(match_id: int) -> Response:
        return clips_json(match_id)

    @routes.read(
        "/last/clips", "The rolls of the newest match that were recorded", errors=(404, 503)
    )
    def last_clips() -> Response:
        newest = history.matches(limit=1) if history else ()
        return clips_json(newest[0].id if newest else 0)


def _add_review(routes: Routes, history: History | None, coach: Coach | None) -> None:
    @routes.read("/<int:match_id>/review", "Luck and decisions in one match", errors=(404, 503))
    def review(match_id: int) -> Response:
        played, match = find_match(history, match_id)
        reviewed = require_ready(require_coach(coach).review(match_id, played.steps))
        return json_response(_review_json(match, reviewed))

    @routes.command(
        "/solve", "Calculate the chances of winning under the rules of a match",
        {"match": integer(1, MAX_MATCH_ID)},
    )  # fmt: skip
    def solve(match: int) -> Response:
        try:
            require_coach(coach).solve(match)
        except JournalError:
            raise match_not_found(match) from None
        return json_response({"match": match})


def _summary_json(played: PlayedMatch) -> dict[str, Any]:
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


def _review_json(match: Match, reviewed: ReviewedMatch) -> dict[str, Any]:
    review = reviewed.review
    sums = luck_and_decisions(match, review)

    def sum_json(points: float, win: float) -> dict[str, float | None]:
        return {"points": points, "win": win if reviewed.solved else None}

    return {
        "solved": reviewed.solved,
        "of_two": review.of_two,
        "players": [
            {
                "name": player.name,
                "luck": sum_json(*own.luck),
                "decisions": sum_json(*own.decisions),
            }
            for player, own in zip(match.state.players, sums, strict=True)
        ],
        "curve": [{"event": s.event, "seat": s.seat, "win": s.win} for s in review.curve],
        "moments": [{**moment_json(m), "turn": m.turn, "seat": m.seat} for m in review.moments],
    }
