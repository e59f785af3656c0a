"""Announcements of special events in a step of a match, for lights, sounds and speech."""

from collections.abc import Iterator
from enum import StrEnum
from typing import TypedDict

from game.match.match import Match
from game.match.state import State, Turn, TurnEnding
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
        yield _moment(AnnouncementKind.BEGUN, after.state.player.name, 0)
        return
    old, new = before.state, after.state
    if after.timeline[: len(before.timeline)] != before.timeline:
        return
    if len(new.turns) > len(old.turns):
        yield from _ended(old, new, new.turns[-1])
    elif len(new.turn.throws) > len(old.turn.throws) and _is_hot(new):
        yield _moment(AnnouncementKind.HOT_DICE, new.player.name, at_risk(new))
    if new.closer is not None and old.closer is None and new.to_follow:
        closer = new.players[new.closer]
        yield _moment(AnnouncementKind.LAST_ROUND, closer.name, closer.score)
    if new.winner is not None and old.winner is None:
        winner = new.players[new.winner]
        yield _moment(AnnouncementKind.WON, winner.name, winner.score)
        if new.series_winner is not None:
            wins = new.series_wins(new.winner)
            yield _moment(AnnouncementKind.SERIES_WON, winner.name, wins)


def has_banked(before: Match | None, after: Match | None) -> bool:
    """Return whether a step ended a turn with a bank.

    Args:
        before: The match before the step.
        after: The match after the step.
    """
    happened = announcements(before, after) if after else ()
    return any(moment["event_type"] == AnnouncementKind.BANKED.value for moment in happened)


def _ended(old: State, new: State, turn: Turn) -> Iterator[Announcement]:
    name = new.players[turn.seat].name
    if turn.ending is TurnEnding.BANK:
        yield _moment(AnnouncementKind.BANKED, name, turn.points)
    elif turn.ending is TurnEnding.FARKLE:
        yield _moment(AnnouncementKind.FARKLED, name, turn.at_risk)
    elif turn.ending is TurnEnding.RESET:
        yield _moment(AnnouncementKind.FARKLED, name, turn.at_risk + old.players[turn.seat].score)


def _is_hot(state: State) -> bool:
    last = state.turn.last
    keep = state.best_bank_keep if last and not last.keep else None
    return keep is not None and keep.hot


def _moment(what: AnnouncementKind, player: str, points: int) -> Announcement:
    return {"event_type": what.value, "player": player, "points": points}
