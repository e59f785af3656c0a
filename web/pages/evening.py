"""An evening of several matches: who won what, and what each is remembered by."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from flask import Blueprint, Response

from game.errors import JournalError
from game.journal.history import History, PlayedMatch
from game.stats.awards import Award, awards
from web.contracts.coach import Coach
from web.pages.matches import PictureAt, RenderPage, lucky_throw, no_pictures, picture_of

EVENING_S = 12 * 3600.0
"""Matches that were last played so long before the newest belong to it."""

MOST = 200
"""Matches of one evening: those of a table that is played by turns all day."""

SHOWN = 20
"""The newest of them, each with what it is remembered by."""


@dataclass(frozen=True, slots=True)
class EveningMatch:
    """One of them, with its awards, and whether the luckiest throw's picture is still kept.

    `waits`: who was lucky is still being worked out.
    """

    played: PlayedMatch
    awards: tuple[Award, ...]
    pictured: bool
    waits: bool


@dataclass(frozen=True, slots=True)
class EveningPlayer:
    """What one player did in all of them; names count, as people change seats.

    `matches` are those that somebody has won.
    """

    name: str
    won: int
    matches: int
    points: int


def create_evening(
    show: RenderPage, history: History | None, coach: Coach | None, picture: PictureAt = no_pictures
) -> Blueprint:
    """The blueprint of the page of the newest evening."""
    page = Blueprint("evening", __name__)

    @page.get("/evening")
    def evening() -> Response:
        found = _of_one_evening(history.matches(limit=MOST)) if history else []
        told = _all_told(history, coach, found[:SHOWN], picture) if history else []
        return show(
            "evening.html",
            matches=told,
            players=players(found),
            waits=any(each.waits for each in told),
            older=found[SHOWN - 1] if len(found) > SHOWN else None,
        )

    return page


def _of_one_evening(newest_first: Sequence[PlayedMatch]) -> list[PlayedMatch]:
    """Those of the evening on which somebody played last."""
    return [played for played in newest_first if _same_evening(newest_first[0], played)]


def _same_evening(newest: PlayedMatch, played: PlayedMatch) -> bool:
    """Without a clock that was set nobody knows; one that was set later may have run ahead."""
    if newest.last_s is None or played.last_s is None:
        return played is newest
    return abs(newest.last_s - played.last_s) < EVENING_S


def _all_told(
    history: History, coach: Coach | None, matches: Iterable[PlayedMatch], picture: PictureAt
) -> list[EveningMatch]:
    """Those of them that this version can play again; of one that was won the result is kept."""
    told = []
    for played in matches:
        with suppress(JournalError):
            told.append(_told(history, coach, played, picture))
    return told


def _told(
    history: History, coach: Coach | None, played: PlayedMatch, picture: PictureAt
) -> EveningMatch:
    match = history.match(played.id)
    looked = coach.review(played.id, played.steps) if coach else None
    given = awards(match, looked.review if looked else None)
    lucky = lucky_throw(given)
    seen = lucky and picture_of(history, played.id, match, lucky, picture)
    return EveningMatch(played, given, pictured=bool(seen), waits=bool(coach) and looked is None)


def players(matches: Iterable[PlayedMatch]) -> list[EveningPlayer]:
    """Who won most comes first, then who has most points."""
    sums: dict[str, EveningPlayer] = {}
    for played in matches:
        for seat, name in enumerate(played.result.names):
            before = sums.get(name.casefold(), EveningPlayer(name, 0, 0, 0))
            sums[name.casefold()] = EveningPlayer(
                before.name,
                before.won + played.result.has_won(seat),
                before.matches + played.ended,
                before.points + played.result.scores[seat],
            )
    return sorted(sums.values(), key=lambda each: (-each.won, -each.points))
