"""The history of a match as rows of a table: finished turns, and changes made by hand."""

from dataclasses import dataclass

from game.match.events import Event, ManualEvent
from game.match.match import Match, replay
from game.match.state import State, Turn


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A finished turn or a change made by hand.

    Attributes:
        number: Number of the turn, from 1; 0 for a change made by hand.
        turn: The turn, or None for a change made by hand.
        event: The change made by hand, or None for a turn.
        names: Names of all players afterwards, by seat.
        scores: Scores of all players afterwards, by seat.
    """

    number: int
    turn: Turn | None
    event: Event | None
    names: tuple[str, ...]
    scores: tuple[int, ...]


def timeline_rows(match: Match) -> list[TimelineRow]:
    """Return all rows of a match in order. The current turn is not included."""
    entries: list[TimelineRow] = []
    for before, event, state in replay(match):
        for turn in state.turns[len(before.turns) :]:
            number = sum(1 for entry in entries if entry.turn) + 1
            entries.append(_entry(number, turn, None, state))
        if isinstance(event, ManualEvent):
            entries.append(_entry(0, None, event, state))
    return entries


def _entry(number: int, turn: Turn | None, event: Event | None, state: State) -> TimelineRow:
    names = tuple(player.name for player in state.players)
    return TimelineRow(number, turn, event, names, tuple(player.score for player in state.players))


def scores_by_turn(match: Match) -> list[tuple[int, ...]]:
    """Return the scores of all seats, at the start of a match and after each row of `timeline_rows`.

    A player who has not joined yet has 0.
    """
    n = len(match.state.players)
    start = tuple(player.score for player in match.start_state.players)
    rows = [start, *(entry.scores for entry in timeline_rows(match))]
    return [(*row, *[0] * (n - len(row))) for row in rows]
