"""The page of an evening: who won how often, and the awards of each match."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from flask import Blueprint, Response

from game.errors import JournalError
from game.journal.history import History, PlayedMatch
from game.stats.awards import Award, awards
from web.contracts import Coach
from web.pages.matches import PictureAt, RenderPage, lucky_throw, no_pictures, picture_of

EVENING_S = 12 * 3600.0
"""Matches that ended less than this many seconds before the newest one belong to the same evening."""

MAX_MATCHES = 200
"""Largest number of matches in one evening, enough for a table that is in use all day."""

MAX_SHOWN = 20
"""How many of the newest matches are shown with their awards."""


@dataclass(frozen=True, slots=True)
class EveningMatch:
    """A match of the evening.

    Attributes:
        played: The match in the journal.
        awards: The awards of that match.
        has_picture: Whether the picture of the luckiest throw still exists.
        waits: Whether the coach is still working out who was lucky.
    """

    played: PlayedMatch
    awards: tuple[Award, ...]
    has_picture: bool
    waits: bool


@dataclass(frozen=True, slots=True)
class EveningPlayer:
    """The results of a player, who is identified by name because people change seats.

    Attributes:
        name: Name of the player.
        won: Number of matches won.
        matches: Number of matches that have a winner.
        points: Points in all matches.
    """

    name: str
    won: int
    matches: int
    points: int


def create_evening(
    show: RenderPage,
    history: History | None,
    coach: Coach | None,
    picture: PictureAt = no_pictures,
) -> Blueprint:
    """Create the blueprint of the page of the newest evening.

    Args:
        show: Renders a template.
        history: The journal; if it is None, the page is empty.
        coach: Works out who was lucky.
        picture: Returns the picture of a throw.
    """
    page = Blueprint("evening", __name__)

    @page.get("/evening")
    def evening() -> Response:
        found = _of_newest_evening(history.matches(limit=MAX_MATCHES)) if history else []
        shown = _with_awards(history, coach, found[:MAX_SHOWN], picture) if history else []
        return show(
            "evening.html",
            matches=shown,
            players=players(found),
            waits=any(each.waits for each in shown),
            older=found[MAX_SHOWN - 1] if len(found) > MAX_SHOWN else None,
        )

    return page


def _of_newest_evening(newest_first: Sequence[PlayedMatch]) -> list[PlayedMatch]:
    return [played for played in newest_first if _is_same_evening(newest_first[0], played)]


def _is_same_evening(newest: PlayedMatch, played: PlayedMatch) -> bool:
    """Return whether two matches belong to one evening, even if the clock was ahead during the earlier one."""
    if newest.last_s is None or played.last_s is None:  # the clock was never set
        return played is newest
    return abs(newest.last_s - played.last_s) < EVENING_S


def _with_awards(
    history: History, coach: Coach | None, matches: Iterable[PlayedMatch], picture: PictureAt
) -> list[EveningMatch]:
    """Return matches with their awards. Matches that this version cannot replay are left out."""
    found = []
    for played in matches:
        with suppress(JournalError):
            found.append(_evening_match(history, coach, played, picture))
    return found


def _evening_match(
    history: History, coach: Coach | None, played: PlayedMatch, picture: PictureAt
) -> EveningMatch:
    match = history.match(played.id)
    looked = coach.review(played.id, played.steps) if coach else None
    given = awards(match, looked.review if looked else None)
    lucky = lucky_throw(given)
    jpeg = lucky and picture_of(history, played.id, lucky, picture)
    return EveningMatch(played, given, bool(jpeg), waits=bool(coach) and looked is None)


def players(matches: Iterable[PlayedMatch]) -> list[EveningPlayer]:
    """Return the players: most wins first, then most points."""
    totals: dict[str, EveningPlayer] = {}
    for played in matches:
        for seat, name in enumerate(played.result.names):
            before = totals.get(name.casefold(), EveningPlayer(name, 0, 0, 0))
            totals[name.casefold()] = EveningPlayer(
                before.name,
                before.won + played.result.has_won(seat),
                before.matches + played.ended,
                before.points + played.result.scores[seat],
            )
    return sorted(totals.values(), key=lambda each: (-each.won, -each.points))
