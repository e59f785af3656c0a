"""Exports of a match: JSON for other programs, CSV for spreadsheets."""

import csv
import io
from typing import Any

from game.match.match import Match
from game.match.timeline import TimelineRow, timeline_rows

COLUMNS = ("turn", "player", "ending", "points", "penalty", "score", "throws")


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
        cells = [turn["number"], _safe(turn["player"]), turn["ending"]]
        rows.writerow([*cells, turn["points"], turn["penalty"], turn["score"], throws])
    return out.getvalue()


def _digits(dice: list[int]) -> str:
    return "".join(map(str, dice))


def _safe(name: str) -> str:
    """Return a name, quoted if a spreadsheet would run it as a formula."""
    return f"'{name}" if name[:1] in "=+-@" else name
