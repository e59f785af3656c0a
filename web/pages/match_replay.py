"""A match throw by throw, to be gone through again on a phone."""

from dataclasses import dataclass

from game.match.match import Match
from game.match.state import TurnEnding
from game.match.timeline import timeline_rows


@dataclass(frozen=True, slots=True)
class ReplayFrame:
    """One throw.

    Attributes:
        turn: counted from 1.
        dice, kept: all of the throw, and those set aside, sorted; `kept` is empty where none were.
        points, ending: of the turn, once it ended with this throw; None before.
        scores: of all seats, after it.
    """

    seat: int
    turn: int
    dice: tuple[int, ...]
    kept: tuple[int, ...]
    points: int | None
    ending: TurnEnding | None
    scores: tuple[int, ...]


def frames(match: Match) -> list[ReplayFrame]:
    """Of all finished turns, in order."""
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
