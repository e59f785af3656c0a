"""The API of past matches: lists, reviews and exports, and the statistics over all matches."""

import csv
import io
from collections.abc import Callable, Collection
from typing import Any

from flask import Blueprint, Response

from game.errors import JournalError, OddsError
from game.journal.history import History, PlayedMatch
from game.match.match import Match, TimelineRow, timeline_rows
from game.match.match_text import to_text
from game.names import clean_name
from game.practice.drill import DrillPosition, drill
from game.stats.counts import DiceSetTotals, Tally
from web.contracts import Coach, ReviewedMatch
from web.fields import integer, text
from web.json_schema import (
    ClipJson,
    DiceSetJson,
    DrillJson,
    DrillPositionJson,
    FinishedTurnJson,
    LuckJson,
    MatchTurnsJson,
    PlayedMatchJson,
    ReviewJson,
    TallyJson,
)
from web.pages.matches import (
    BEFORE_POSITION,
    MAX_MATCH_ID,
    PLAYER_NAME,
    RenderPage,
    find_match,
    luck_and_decisions,
    match_not_found,
    require_coach,
    require_ready,
    reviewed_matches,
    spelled,
    throw_positions,
)
from web.response import BYTE_ORDER_MARK, HttpProblem, json_response
from web.route import Routes
from web.state_json import moment_json

COLUMNS = ("turn", "player", "ending", "points", "penalty", "score", "throws")

CLIPS = {"match": int, "clips": list[ClipJson]}
"""The shape of the answer that lists the recordings of a match."""

PAGE = 50
"""Largest number of matches in one response."""


def add_exports(
    routes: Routes, path: str, which: str, match: Callable[..., Match], *errors: int
) -> None:
    """Add a route for each format in which a match can be exported.

    Args:
        routes: The routes to add to.
        path: Path of the match, to which the suffix of the format is added.
        which: Which match that is, for the OpenAPI document.
        match: Returns the match, given the variable parts of the path.
        errors: HTTP status codes of the refusals.
    """

    @routes.read(
        f"{path}.txt", f"{which.capitalize()} as text", media_type="text/plain", errors=errors
    )
    def as_text(**of: Any) -> Response:
        return Response(to_text(match(**of)), mimetype="text/plain")

    @routes.read(
        f"{path}.csv", f"The turns of {which}, for a spreadsheet",
        media_type="text/csv", errors=errors,
    )  # fmt: skip
    def as_csv(**of: Any) -> Response:
        return Response(BYTE_ORDER_MARK + match_csv(match(**of)), mimetype="text/csv")

    @routes.read(
        f"{path}.json",
        f"The turns of {which}, for other programs",
        errors=errors,
        answers=MatchTurnsJson,
    )
    def as_json(**of: Any) -> Response:
        return json_response(match_json(match(**of)))


def match_json(match: Match) -> MatchTurnsJson:
    """Return a match and its turns as JSON."""
    state = match.state
    return {
        "rules": match.rules.name,
        "target": match.rules.target,
        "players": [{"name": p.name, "score": p.score, "team": p.team} for p in state.players],
        "winner": state.winner,
        "turns": [_turn_json(row) for row in timeline_rows(match) if row.turn],
    }


def _turn_json(row: TimelineRow) -> FinishedTurnJson:
    turn = row.turn
    assert turn is not None  # noqa: S101 - the caller has checked it
    return {
        "number": row.number,
        "seat": turn.seat,
        "player": row.names[turn.seat],
        "ending": str(turn.ending),
        "points": turn.points,
        "penalty": turn.penalty + sum(throw.penalty for throw in turn.throws),
        "score": row.scores[turn.seat],
        "throws": [
            {"dice": list(t.dice), "kept": list(t.keep.dice) if t.keep else []} for t in turn.throws
        ],
    }


def match_csv(match: Match) -> str:
    """Return the turns of a match as CSV, with one row for each turn. A throw is `dice>kept`, such as `113335>3331`."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    for turn in match_json(match)["turns"]:
        throws = " ".join(f"{_digits(t['dice'])}>{_digits(t['kept'])}" for t in turn["throws"])
        cells = [turn["number"], without_formula(turn["player"]), turn["ending"]]
        rows.writerow([*cells, turn["points"], turn["penalty"], turn["score"], throws])
    return out.getvalue()


def _digits(dice: list[int]) -> str:
    return "".join(map(str, dice))


def without_formula(name: str) -> str:
    """Return a name, quoted if a spreadsheet would run it as a formula."""
    return f"'{name}" if name[:1] in "=+-@" else name


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
        query={"before": BEFORE_POSITION}, errors=(503,), answers=list[PlayedMatchJson],
    )  # fmt: skip
    def matches(before: int) -> Response:
        found = history.matches(before=before, limit=PAGE) if history else ()
        return json_response([_summary_json(played) for played in found])

    _add_clips(routes, history, clip_positions)
    add_exports(
        routes, "/<int:match_id>", "one match",
        lambda match_id: find_match(history, match_id)[1], 404, 409, 503,
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
        "/<int:match_id>/clips",
        "The rolls of one match that were recorded",
        errors=(404, 409, 503),
        answers=CLIPS,
    )
    def clips(match_id: int) -> Response:
        return clips_json(match_id)

    @routes.read(
        "/last/clips",
        "The rolls of the newest match that were recorded",
        errors=(404, 409, 503),
        answers=CLIPS,
    )
    def last_clips() -> Response:
        newest = history.matches(limit=1) if history else ()
        return clips_json(newest[0].id if newest else 0)


def _add_review(routes: Routes, history: History | None, coach: Coach | None) -> None:
    @routes.read(
        "/<int:match_id>/review",
        "Luck and decisions in one match",
        errors=(404, 409, 503),
        answers=ReviewJson,
    )
    def review(match_id: int) -> Response:
        played, match = find_match(history, match_id)
        reviewed = require_ready(require_coach(coach).review(match_id, played.steps))
        return json_response(_review_json(match, reviewed))

    @routes.read(
        "/drill", "The decisions that cost a player the most in the latest matches, and what each choice costs",
        query={"name": PLAYER_NAME}, errors=(404, 409, 503), answers=DrillJson,
    )  # fmt: skip
    def drill_of(name: str) -> Response:
        latest = reviewed_matches(history, require_coach(coach), name)
        require_ready(None if latest.waits else latest)
        played = latest.played
        if latest.failure and not played:
            raise HttpProblem(409, latest.failure)
        positions = drill(latest.reviewed, name)
        return json_response(
            {
                "name": spelled(name, played[0]) if played else name,
                "positions": [_drill_json(played[each.match].id, each) for each in positions],
            }
        )

    @routes.command(
        "/solve", "Calculate the chances of winning under the rules of a match",
        {"match": integer(1, MAX_MATCH_ID)}, answers={"match": int},
    )  # fmt: skip
    def solve(match: int) -> Response:
        try:
            require_coach(coach).solve(match)
        except JournalError:
            raise match_not_found(match) from None
        return json_response({"match": match})


def _summary_json(played: PlayedMatch) -> PlayedMatchJson:
    result, series = played.result, played.series
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
        "series": {"best_of": series.best_of, "id": series.id} if series else None,
    }


def _review_json(match: Match, reviewed: ReviewedMatch) -> ReviewJson:
    review = reviewed.review
    sums = luck_and_decisions(match, review)

    def sum_json(points: float, win: float) -> LuckJson:
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


def _drill_json(match_id: int, position: DrillPosition) -> DrillPositionJson:
    state, moment = position.state, position.moment
    assert moment.done is not None  # noqa: S101 - the moment is a decision
    last = state.turn.last
    return {
        "match": match_id,
        "event": moment.event,
        "turn": moment.turn,
        "seat": moment.seat,
        "players": [{"name": p.name, "team": p.team, "score": p.score} for p in state.players],
        "at_risk": state.turn.locked_points,
        "dice": list(last.dice) if last else [],
        "by_chance": moment.win is not None,
        "done": {"dice": list(moment.done.dice), "bank": moment.done.bank},
        "choices": [
            {"dice": list(choice.dice), "bank": choice.bank, "points": at_risk, "cost": cost}
            for choice, at_risk, cost in position.choices
        ],
    }


def create_statistics_pages(show: RenderPage, coach: Coach | None) -> Blueprint:
    """Create the pages of the statistics.

    Args:
        show: Renders a page from a template.
        coach: Counts the matches; if it is None, the pages say that nothing is counted.
    """
    pages = Blueprint("statistics", __name__)

    def page(template: str) -> Response:
        counts, failure = None, None
        try:
            counts = coach.counts() if coach else None
        except OddsError as error:
            failure = error.message
        waits = coach and counts is None and failure is None
        return show(template, counts=counts, failure=failure, waits=waits)

    @pages.get("/players")
    def players() -> Response:
        return page("players.html")

    @pages.get("/dice")
    def dice() -> Response:
        return page("dice.html")

    return pages


def create_statistics(coach: Coach | None) -> Routes:
    """Create the routes for players and dice sets. If `coach` is None, every request is refused."""
    routes = Routes("counted")

    @routes.read(
        "/players",
        "What each player did in all matches",
        errors=(404, 409, 503),
        answers=list[TallyJson],
    )
    def players() -> Response:
        counts = require_ready(require_coach(coach).counts())
        return json_response([tally_json(name, tally) for name, tally in counts.players])

    @routes.read(
        "/dice-sets",
        "How often each face of each dice set came up",
        errors=(404, 409, 503),
        answers=list[DiceSetJson],
    )
    def dice_sets() -> Response:
        counts = require_ready(require_coach(coach).counts())
        return json_response([dice_set_json(each) for each in counts.sets])

    @routes.command(
        "/dice-sets/new",
        "Use another dice set from the next match",
        {"name": text()},
        answers={"name": str},
    )
    def new_set(name: str) -> Response:
        cleaned = clean_name(name)
        require_coach(coach).start_dice_set(cleaned)
        return json_response({"name": cleaned})

    return routes


def tally_json(name: str, tally: Tally) -> TallyJson:
    """Return one player's totals as JSON."""
    return {
        "name": name,
        "matches": tally.matches,
        "won": tally.won,
        "turns": tally.turns,
        "banks": tally.banks,
        "average_bank": tally.average_bank,
        "average_turn": tally.average_turn,
        "throws": tally.throws,
        "farkles": tally.farkles,
        "farkle_rate": tally.farkle_rate,
        "expected_rate": tally.expected_rate,
        "hot_dice": tally.hot,
        "best_turn": tally.best_turn,
        "comeback": tally.comeback,
        "rating": tally.ratings[-1][0] if tally.ratings else None,
        "rating_error": tally.ratings[-1][1] if tally.ratings else None,
    }


def dice_set_json(totals: DiceSetTotals) -> DiceSetJson:
    """Return the totals of one dice set as JSON."""
    return {
        "name": totals.dice.name,
        "matches": totals.matches,
        "faces": list(totals.fairness.counts),
        "chi_square": totals.fairness.chi_square,
        "p": totals.fairness.p,
        "verdict": str(totals.fairness),
        "read": totals.read,
        "corrected": totals.corrected,
    }
