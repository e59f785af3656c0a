"""What happened in a match, one entry after the other: for the list of turns, curves and exports."""

import csv
import io
from dataclasses import dataclass
from typing import Any

from game.match.events import Event, Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match.match import Match
from game.match.state import State, Turn
from game.match.step import step

BY_HAND = ScoreSet | TurnSet | Joined | Left | Renamed | Reordered


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A finished turn, or what somebody set by hand, and the scores of all seats after it.

    Attributes:
        number: of the turn, counted from 1; 0 for what was set by hand.
        turn: the turn, or None.
        event: what was set by hand, or None.
        names: of all players at that time.
        scores: after it.
    """

    number: int
    turn: Turn | None
    event: Event | None
    names: tuple[str, ...]
    scores: tuple[int, ...]


def story(match: Match) -> list[TimelineRow]:
    """All entries in order; the turn being played is not among them."""
    entries: list[TimelineRow] = []
    state = match.start_state
    for event in match.timeline:
        before, state = state, step(state, event)
        for turn in state.turns[len(before.turns) :]:
            number = sum(1 for entry in entries if entry.turn) + 1
            entries.append(_entry(number, turn, None, state))
        if isinstance(event, BY_HAND):
            entries.append(_entry(0, None, event, state))
    return entries


def _entry(number: int, turn: Turn | None, event: Event | None, state: State) -> TimelineRow:
    names = tuple(player.name for player in state.players)
    return TimelineRow(number, turn, event, names, tuple(player.score for player in state.players))


def scores_by_turn(match: Match) -> list[tuple[int, ...]]:
    """The scores of all seats, at first and after each entry; who joined later had none."""
    n = len(match.state.players)
    start = tuple(player.score for player in match.start_state.players)
    rows = [start, *(entry.scores for entry in story(match))]
    return [(*row, *[0] * (n - len(row))) for row in rows]


def as_json(match: Match) -> dict[str, Any]:
    """The match for other programs."""
    state = match.state
    return {
        "rules": match.rules.name,
        "target": match.rules.target,
        "players": [{"name": p.name, "score": p.score, "team": p.team} for p in state.players],
        "winner": state.winner,
        "turns": [_turn_json(entry) for entry in story(match) if entry.turn],
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
