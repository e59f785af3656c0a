"""The pages of past matches: the list, and the review of one match."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TypeVar

from flask import Blueprint, Response, redirect, request
from flask_babel import format_date
from werkzeug.wrappers import Response as AnyResponse

from game.errors import JournalError
from game.journal.history import END_POSITION, History, PlayedMatch
from game.match.events import Thrown
from game.match.match import Match
from game.match.roll_ids import RollIds
from game.message import Message
from game.odds.review import Cause, Review, ReviewedMoment
from game.practice.mistakes import MistakeSum, mistakes
from game.rules.ruleset import Dice
from game.stats.awards import Award, awards
from game.stats.tally import tallies
from web.contracts.coach import Coach
from web.fields import QueryInteger
from web.pages.match_card import card
from web.pages.match_replay import frames
from web.problem import HttpProblem, required
from web.response import SVG, fresh, image_response

PAGE_SIZE = 30
MAX_MATCH_ID = 2**53
"""The largest whole number that is exact in JSON."""

BEFORE_POSITION = QueryInteger(0, END_POSITION, END_POSITION)
"""Parameter of the list: only matches before this position in the journal are shown."""

NOT_READY = Message("that is still being calculated: ask again in a second")
RETRY_AFTER_S = 1

T = TypeVar("T")

PictureAt = Callable[[int], bytes | None]
"""Returns the picture of the throw at a position in the journal, if the picture still exists."""


def no_pictures(position: int) -> bytes | None:  # noqa: ARG001 - a `PictureAt`
    """Return None, for a table that keeps no pictures."""
    return None


RenderPage = Callable[..., Response]
"""Renders a template with the current snapshot of the table and further values."""


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The moment that changed the chances of winning the most.

    Attributes:
        moment: The throw or decision, as the coach reviewed it.
        name: Name of the player.
        turn: Number of the turn, from 1.
        dice: The throw that made the difference; None if it was a decision.
    """

    moment: ReviewedMoment
    name: str
    turn: int
    dice: Dice | None


@dataclass(frozen=True, slots=True)
class LuckAndDecisions:
    """How much a player gained by luck and lost by decisions.

    Attributes:
        luck: Points and chance of winning gained by luck.
        decisions: Points and chance of winning lost by decisions; zero for perfect decisions.
        mistakes: The decisions that were not the best, by kind.
    """

    luck: tuple[float, float]
    decisions: tuple[float, float]
    mistakes: tuple[MistakeSum, ...] = ()


def create_match_pages(
    show: RenderPage, history: History | None, coach: Coach | None, picture: PictureAt = no_pictures
) -> Blueprint:
    """Create the blueprint of the pages of past matches.

    Args:
        show: Renders a template.
        history: The journal; if it is None, the list is empty.
        coach: Reviews a match; None leaves the review out.
        picture: Returns the picture of a throw.
    """
    pages = Blueprint("back", __name__)
    _add_list(pages, show, history)
    _add_match(pages, show, history, coach, picture)
    return pages


def _add_list(pages: Blueprint, show: RenderPage, history: History | None) -> None:
    @pages.get("/matches")
    def matches() -> Response:
        before = BEFORE_POSITION.read(request.args.get("before"))
        found = history.all_matches(before=before, limit=PAGE_SIZE + 1) if history else ()
        shown = found[:PAGE_SIZE]
        days = {each.id: _day(each) for each in shown if isinstance(each, PlayedMatch)}
        return show("matches.html", matches=shown, days=days, more=len(found) > PAGE_SIZE)

    @pages.get("/matches/last")
    def last() -> AnyResponse:
        found = history.matches(limit=1) if history else ()
        return redirect(f"/matches/{found[0].id}" if found else "/matches")


def _add_match(
    pages: Blueprint,
    show: RenderPage,
    history: History | None,
    coach: Coach | None,
    picture: PictureAt,
) -> None:
    @pages.get("/matches/<int:match_id>")
    def match(match_id: int) -> Response:
        played, found = find_match(history, match_id)
        looked = coach.review(match_id, played.steps) if coach else None
        given = awards(found, looked.review if looked else None)
        lucky = lucky_throw(given)
        seen = history and lucky and picture_of(history, match_id, lucky, picture)
        return show(
            "match.html",
            played=played,
            match=found,
            day=_day(played),
            looked=looked,
            point=_turning_point(found, looked.review) if looked and looked.solved else None,
            sums=luck_and_decisions(found, looked.review) if looked else None,
            awards=given,
            lucky=lucky if seen else None,
            frames=[asdict(frame) for frame in frames(found)],
            tallies=tallies(found),
            waits=coach is not None and (looked is None or looked.solving is not None),
        )

    @pages.get("/matches/<int:match_id>/card.svg")
    def share(match_id: int) -> Response:
        played, found = find_match(history, match_id)
        return fresh(card(found, _day(played)), SVG)

    @pages.get("/matches/<int:match_id>/luckiest.jpg")
    def luckiest(match_id: int) -> Response:
        """Send the picture of the luckiest throw."""
        played, found = find_match(history, match_id)
        looked = coach.review(match_id, played.steps) if coach else None
        lucky = lucky_throw(awards(found, looked.review if looked else None))
        jpeg = picture_of(history, match_id, lucky, picture) if history and lucky else None
        return image_response(jpeg, Message("there is no photo of that throw any more"))


def lucky_throw(given: Iterable[Award]) -> Award | None:
    """Return the award for the luckiest throw, if there is one."""
    return next((award for award in given if award.event is not None), None)


def picture_of(history: History, match_id: int, award: Award, picture: PictureAt) -> bytes | None:
    """Return the picture of the throw of an award, if it still exists.

    Args:
        history: The journal.
        match_id: Number of the match.
        award: An award for a throw.
        picture: Returns the picture of a throw.
    """
    if award.event is None:
        return None
    position = throw_positions(history, match_id).get(award.event)
    return picture(position) if position else None


def throw_positions(history: History, match_id: int) -> dict[int, int]:
    """Return where each throw of a match is in the journal, by the index of the throw in the timeline.

    A throw that was undone and redone, or corrected, keeps its position.

    Args:
        history: The journal.
        match_id: Number of the match.
    """
    start, *steps = history.steps(match_id)
    match, ids = start.start_match, RollIds()
    written: set[int] = set()
    by_places: dict[tuple[tuple[float, float], ...], int] = {}
    if match is None:
        return {}
    for entry in steps:
        ids, match = ids.push(str(entry.position), match, entry.actions)
        for throw in (action for action in entry.actions if isinstance(action, Thrown)):
            written.add(entry.position)
            if throw.seen_positions:
                by_places.setdefault(throw.seen_positions, entry.position)
    found = {}
    for index, (event, roll_id) in enumerate(zip(match.timeline, ids.ids, strict=True)):
        if isinstance(event, Thrown):
            position = int(roll_id.partition("-")[0])
            # A repair writes a throw again under a new id, but the dice are still in the same places.
            found[index] = position if position in written else by_places.get(event.seen_positions)
    return {index: position for index, position in found.items() if position}


def require_coach(coach: Coach | None) -> Coach:
    """Return the coach, which must exist.

    Raises:
        HttpProblem: If there is no coach.
    """
    return required(coach, Message("there is no coach, because this Traykeeper keeps no journal"))


def require_ready(found: T | None) -> T:
    """Return a finished result from the coach.

    Raises:
        HttpProblem: If the coach is still working on it.
    """
    if found is None:
        raise HttpProblem(503, NOT_READY, retry_after_s=RETRY_AFTER_S)
    return found


def find_match(history: History | None, match_id: int) -> tuple[PlayedMatch, Match]:
    """Return the summary of a match in the journal, and the match itself.

    Args:
        history: The journal.
        match_id: Number of the match.

    Raises:
        HttpProblem: If there is no such match.
    """
    if history is None or match_id > MAX_MATCH_ID:
        raise match_not_found(match_id)
    try:
        return history.played(match_id), history.match(match_id)
    except JournalError:
        raise match_not_found(match_id) from None


def match_not_found(match_id: int) -> HttpProblem:
    """Return the error for a number that is not the number of a match."""
    return HttpProblem(
        404,
        Message("there is no match %(n)s: GET /api/v1/matches lists all matches", n=str(match_id)),
    )


def _day(played: PlayedMatch) -> str:
    """Return the local date of a match, or "" if the clock was not set.

    Babel would convert a datetime to UTC, so the result is formatted from a date.
    """
    if played.begun_s is None:
        return ""
    return str(format_date(datetime.fromtimestamp(played.begun_s).astimezone().date(), "long"))


def _turning_point(match: Match, review: Review) -> TurningPoint | None:
    moment = review.turning_point
    if moment is None:
        return None
    event = match.timeline[moment.event]
    dice = (
        tuple(sorted(event.dice))
        if isinstance(event, Thrown) and moment.kind is Cause.LUCK
        else None
    )
    return TurningPoint(moment, match.state.players[moment.seat].name, moment.turn + 1, dice)


def luck_and_decisions(match: Match, review: Review) -> list[LuckAndDecisions]:
    """Return how much each seat gained by luck and lost by decisions.

    Args:
        match: The match.
        review: The coach's review of the match.
    """
    return [
        LuckAndDecisions(
            review.total(seat, Cause.LUCK),
            review.total(seat, Cause.DECISION),
            mistakes(review, seat),
        )
        for seat in range(len(match.state.players))
    ]
