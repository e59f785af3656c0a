"""Highlights of a match, such as hot dice or a farkle. The page shows each until the next throw."""

from dataclasses import dataclass
from enum import StrEnum

from game.match.match import Match
from game.match.state import State, Turn, TurnEnding
from game.message import Message


class HighlightKind(StrEnum):
    """The kinds of highlights, most important first."""

    WON = "won"
    LAST_ROUND = "last round"
    FARKLE = "farkle"
    OPENED = "on the board"
    LEAD = "lead"
    HOT = "hot dice"


@dataclass(frozen=True, slots=True)
class Highlight:
    """Something that has just happened in a match and deserves a comment.

    Attributes:
        kind: What happened.
        seat: Seat of the player.
        points: Points lost, points at risk, or the new score, depending on the kind.
        words: The comment.
    """

    kind: HighlightKind
    seat: int
    points: int
    words: Message


def highlight(match: Match) -> Highlight | None:
    """Return the highlight of the turn that just ended or of the current throw, or None if neither has one."""
    state = match.state
    if state.winner is not None:
        return _of(state, HighlightKind.WON, state.winner, state.players[state.winner].score)
    if state.turn.last:
        return _of_throw(state)
    return _of_turn(state, state.turns[-1]) if state.turns else None


def _of_throw(state: State) -> Highlight | None:
    last = state.turn.last
    keep = (last.keep or state.best_bank_keep) if last else None
    if keep is None or not keep.hot:
        return None
    return _of(state, HighlightKind.HOT, state.turn.seat, state.locked_points + keep.score)


def _of_turn(state: State, turn: Turn) -> Highlight | None:
    score = state.players[turn.seat].score
    if state.closer == turn.seat and state.to_follow:
        return _of(state, HighlightKind.LAST_ROUND, turn.seat, score)
    if turn.ending is TurnEnding.FARKLE:
        return _of(state, HighlightKind.FARKLE, turn.seat, turn.at_risk)
    if turn.ending is TurnEnding.RESET:
        words = Message("%(name)s is back to zero", name=state.players[turn.seat].display_name)
        return Highlight(HighlightKind.FARKLE, turn.seat, score, words)
    if turn.ending is not TurnEnding.BANK or not turn.points:
        return None
    return _of_bank(state, turn, score)


def _of_bank(state: State, turn: Turn, score: int) -> Highlight | None:
    before = score - turn.points
    mates = {turn.seat, *state.team_seats(turn.seat)}
    best = max((p.score for seat, p in enumerate(state.players) if seat not in mates), default=0)
    earlier = any(each.seat in mates and each.points > 0 for each in state.turns[:-1])
    opened = state.players[turn.seat].opened and not earlier
    if before <= 0 and state.rules.opening and opened:
        return _of(state, HighlightKind.OPENED, turn.seat, score)
    if best > 0 and before <= best < score:
        return _of(state, HighlightKind.LEAD, turn.seat, score)
    return None


def _of(state: State, kind: HighlightKind, seat: int, points: int) -> Highlight:
    return Highlight(kind, seat, points, _words(state, kind, seat, points))


def _words(state: State, kind: HighlightKind, seat: int, points: int) -> Message:  # noqa: PLR0911 - one per kind
    name = state.players[seat].display_name
    match kind:
        case HighlightKind.WON:
            return Message("%(name)s wins!", name=name)
        case HighlightKind.LAST_ROUND:
            return Message("Last round: %(name)s has %(points)s", name=name, points=points)
        case HighlightKind.FARKLE if points:
            return Message("Farkle! %(name)s loses %(points)s", name=name, points=points)
        case HighlightKind.FARKLE:
            return Message("Farkle, %(name)s!", name=name)
        case HighlightKind.OPENED:
            return Message("%(name)s is on the board", name=name)
        case HighlightKind.LEAD:
            return Message("%(name)s takes the lead", name=name)
        case HighlightKind.HOT:
            return Message("Hot dice! Throw them all again")
