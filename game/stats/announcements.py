"""What has just happened in a match: announcements for lights and sounds, and the highlight for the page.

The page shows a highlight until the next throw.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from game.match.match import Match
from game.match.state import State, Turn, TurnEnding
from game.message import Message
from game.stats.summary import at_risk


class AnnouncementKind(StrEnum):
    """The kinds of announcements. The values are part of the MQTT interface."""

    BEGUN = "match_begun"
    HOT_DICE = "hot_dice"
    BANKED = "banked"
    FARKLED = "farkled"
    LAST_ROUND = "last_round"
    WON = "won"
    SERIES_WON = "series_won"


class Announcement(TypedDict):
    """An announcement of something that happened in a match.

    Attributes:
        event_type: What happened, as a value of `AnnouncementKind`.
        player: Name of the player.
        points: Points at risk, banked or lost, or the winner's score. For a series, the number of matches won.
    """

    event_type: str
    player: str
    points: int


def announcements(before: Match | None, after: Match) -> Iterator[Announcement]:
    """Yield the announcements of one step. A step that undoes or changes earlier steps has none.

    Args:
        before: The match before the step. None if the match has just started.
        after: The match after the step.
    """
    if before is None:
        yield _announcement(AnnouncementKind.BEGUN, after.state.player.name, 0)
        return
    old, new = before.state, after.state
    if after.timeline[: len(before.timeline)] != before.timeline:
        return
    if len(new.turns) > len(old.turns):
        yield from _ended(old, new, new.turns[-1])
    elif len(new.turn.throws) > len(old.turn.throws) and _is_hot(new):
        yield _announcement(AnnouncementKind.HOT_DICE, new.player.name, at_risk(new))
    if new.closer is not None and old.closer is None and new.to_follow:
        closer = new.players[new.closer]
        yield _announcement(AnnouncementKind.LAST_ROUND, closer.name, closer.score)
    if new.winner is not None and new.winner != old.winner:
        winner = new.players[new.winner]
        yield _announcement(AnnouncementKind.WON, winner.name, winner.score)
        if new.series_winner is not None:
            wins = new.series_wins(new.winner)
            yield _announcement(AnnouncementKind.SERIES_WON, winner.name, wins)


def has_banked(before: Match | None, after: Match | None) -> bool:
    """Return whether a step ended a turn with a bank.

    Args:
        before: The match before the step.
        after: The match after the step.
    """
    happened = announcements(before, after) if after else ()
    return any(each["event_type"] == AnnouncementKind.BANKED.value for each in happened)


def _ended(old: State, new: State, turn: Turn) -> Iterator[Announcement]:
    name = new.players[turn.seat].name
    if turn.ending is TurnEnding.BANK:
        yield _announcement(AnnouncementKind.BANKED, name, turn.points)
    elif turn.ending is TurnEnding.FARKLE:
        yield _announcement(AnnouncementKind.FARKLED, name, turn.at_risk)
    elif turn.ending is TurnEnding.RESET:
        yield _announcement(
            AnnouncementKind.FARKLED, name, turn.at_risk + old.players[turn.seat].score
        )


def _is_hot(state: State) -> bool:
    last = state.turn.last
    keep = state.best_bank_keep if last and not last.keep else None
    return keep is not None and keep.hot


def _announcement(what: AnnouncementKind, player: str, points: int) -> Announcement:
    return {"event_type": what.value, "player": player, "points": points}


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
    return _of(state, HighlightKind.HOT, state.turn.seat, state.bank_points(keep))


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
    best = max((state.players[each].score for each in state.order if each not in mates), default=0)
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
