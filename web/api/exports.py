"""A match for other programs, and for a spreadsheet."""

import csv
import io
from typing import Any

from game.match.match import Match
from game.match.timeline import TimelineRow, timeline_rows


def as_json(match: Match) -> dict[str, Any]:
    """The match for other programs."""
    state = match.state
    return {
        "rules": match.rules.name,
        "target": match.rules.target,
        "players": [{"name": p.name, "score": p.score, "team": p.team} for p in state.players],
        "winner": state.winner,
        "turns": [_turn_json(entry) for entry in timeline_rows(match) if entry.turn],
    }


def _turn_json(entry: TimelineRow) -> dict[str, Any]:
    turn = entry.turn
    assert turn is not None  # noqa: S101 - asked by the caller
    return {
        "number": entry.number,
        "seat": turn.seat,
        "player": entry.names[turn.seat],
        "ending": str(turn.ending),
        "points": turn.points,
        "penalty": turn.penalty + sum(throw.penalty for throw in turn.throws),
        "score": entry.scores[turn.seat],
        "throws": [
            {"dice": list(t.dice), "kept": list(t.keep.dice) if t.keep else []} for t in turn.throws
        ],
    }


COLUMNS = ("turn", "player", "ending", "points", "penalty", "score", "throws")


def as_csv(match: Match) -> str:
    """A line for each turn; throws as `113335>3331`, one after the other."""
    out = io.StringIO()
    lines = csv.writer(out)
    lines.writerow(COLUMNS)
    for turn in as_json(match)["turns"]:
        throws = " ".join(f"{_digits(t['dice'])}>{_digits(t['kept'])}" for t in turn["throws"])
        cells = [turn["number"], _safe(turn["player"]), turn["ending"]]
        lines.writerow([*cells, turn["points"], turn["penalty"], turn["score"], throws])
    return out.getvalue()


def _digits(dice: list[int]) -> str:
    return "".join(map(str, dice))


def _safe(name: str) -> str:
    """A name that a spreadsheet would take for a formula is quoted for it."""
    return f"'{name}" if name[:1] in "=+-@" else name
