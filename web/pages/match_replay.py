"""The throws of a match, for stepping through it on a phone."""

from dataclasses import dataclass

from game.match.match import Match
from game.match.state import TurnEnding
from game.match.timeline import timeline_rows


@dataclass(frozen=True, slots=True)
class ReplayFrame:
    """One throw of a finished turn.

    Attributes:
        index: Timeline index of the throw.
        seat: Seat of the player.
        turn: Number of the turn, from 1.
        dice: All dice of the throw, sorted.
        kept: The dice set aside, sorted; empty if there were none.
        points: Points of the turn if this throw ended it, otherwise None.
        ending: How the turn ended if this throw ended it, otherwise None.
        scores: Scores of all seats after the throw.
    """

    index: int
    seat: int
    turn: int
    dice: tuple[int, ...]
    kept: tuple[int, ...]
    points: int | None
    ending: TurnEnding | None
    scores: tuple[int, ...]


def frames(match: Match) -> list[ReplayFrame]:
    """Return the throws of all finished turns in order."""
    found: list[ReplayFrame] = []
    scores = tuple(player.score for player in match.start_state.players)
    for entry in timeline_rows(match):
        if (turn := entry.turn) is None:
            scores = entry.scores
            continue
        for throw in turn.throws:
            is_last = throw is turn.throws[-1]
            found.append(
                ReplayFrame(
                    throw.index,
                    turn.seat,
                    entry.number,
                    tuple(sorted(throw.dice)),
                    throw.keep.dice if throw.keep else (),
                    turn.points if is_last else None,
                    turn.ending if is_last else None,
                    entry.scores if is_last else scores,
                )
            )
        scores = entry.scores
    return found
