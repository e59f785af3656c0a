"""Exports of a match: JSON for other programs, CSV for spreadsheets."""

import csv
import io
from collections.abc import Callable
from typing import Any

from flask import Response

from game.match.match import Match
from game.match.match_text import to_text
from game.match.timeline import TimelineRow, timeline_rows
from web.response import json_response
from web.route import Routes

COLUMNS = ("turn", "player", "ending", "points", "penalty", "score", "throws")


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
        return Response(match_csv(match(**of)), mimetype="text/csv")

    @routes.read(f"{path}.json", f"The turns of {which}, for other programs", errors=errors)
    def as_json(**of: Any) -> Response:
        return json_response(match_json(match(**of)))


def match_json(match: Match) -> dict[str, Any]:
    """Return a match and its turns as JSON."""
    state = match.state
    return {
        "rules": match.rules.name,
        "target": match.rules.target,
        "players": [{"name": p.name, "score": p.score, "team": p.team} for p in state.players],
        "winner": state.winner,
        "turns": [_turn_json(row) for row in timeline_rows(match) if row.turn],
    }


def _turn_json(row: TimelineRow) -> dict[str, Any]:
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
