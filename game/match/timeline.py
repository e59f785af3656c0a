"""What happened in a match, one entry after the other: finished turns, and what was set by hand."""

from dataclasses import dataclass

from game.match.events import Event, Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match.match import Match
from game.match.state import State, Turn
from game.match.step import step

MANUAL_EVENTS = ScoreSet | TurnSet | Joined | Left | Renamed | Reordered


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


def timeline_rows(match: Match) -> list[TimelineRow]:
    """All entries in order; the turn being played is not among them."""
    entries: list[TimelineRow] = []
    state = match.start_state
    for event in match.timeline:
        before, state = state, step(state, event)
        for turn in state.turns[len(before.turns) :]:
            number = sum(1 for entry in entries if entry.turn) + 1
            entries.append(_entry(number, turn, None, state))
        if isinstance(event, MANUAL_EVENTS):
            entries.append(_entry(0, None, event, state))
    return entries


def _entry(number: int, turn: Turn | None, event: Event | None, state: State) -> TimelineRow:
    names = tuple(player.name for player in state.players)
    return TimelineRow(number, turn, event, names, tuple(player.score for player in state.players))


def scores_by_turn(match: Match) -> list[tuple[int, ...]]:
    """The scores of all seats, at first and after each entry; who joined later had none."""
    n = len(match.state.players)
    start = tuple(player.score for player in match.start_state.players)
    rows = [start, *(entry.scores for entry in timeline_rows(match))]
    return [(*row, *[0] * (n - len(row))) for row in rows]
