"""The pages of past matches: the list, the review of one match, its replay, and its result as a picture to share."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

from flask import Blueprint, Response, redirect, request
from flask_babel import format_date, gettext, ngettext
from werkzeug.wrappers import Response as AnyResponse

from game.errors import IllegalStepError, JournalError, OddsError
from game.journal.entry import Entry, Result
from game.journal.history import History, PlayedMatch, RollIds, UnreadableMatch
from game.journal.schema import END_POSITION
from game.match.events import Thrown
from game.match.match import Match, scores_by_turn, timeline_rows
from game.match.state import TurnEnding
from game.message import Message
from game.names import MAX_NAME
from game.odds.match_odds import left_out_of_match
from game.odds.review import Cause, MistakeSum, Review, ReviewedMoment, mistakes
from game.practice.drill import drill
from game.rules.ruleset import Dice
from game.stats.awards import Award, awards
from game.stats.counts import tallies
from web.contracts import Coach, ReviewedMatch
from web.fields import QueryInteger, QueryText
from web.i18n import match_length, player_name, points, translate
from web.pages.charts import N_COLOURS, max_score, side_seats
from web.pages.templates import Side, standings
from web.response import SVG, HttpProblem, fresh, image_response, required

WIDE, HIGH = 1200, 630
"""Size of the picture in pixels. Messengers do not crop a preview of this size."""

COLOURS = (
    "#b0361b", "#1d5aa6", "#6d40a8", "#0d6a73", "#a52c68",
    "#855500", "#4b5867", "#566410", "#3b47a8", "#774732",
)  # fmt: skip
"""The seat colours of board.css on a light background."""

PAPER, CARD, INK, SOFT, LINE, FELT = (
    "#f4efe6",
    "#fffdf8",
    "#221d17",
    "#665b4d",
    "#e2d9c9",
    "#0e6b4f",
)
FONT = "ui-rounded, 'SF Pro Rounded', 'Segoe UI', Roboto, 'Noto Sans', system-ui, sans-serif"

MAX_ROWS = 8
"""How many players fit on the card, the best first. If there are more, the last row says how many are left out."""

LEFT, TOP, BOTTOM, MAX_ROW_HEIGHT = 72, 220, 528, 58

NAME_WIDTH = 376
"""Width of a row between the side's coloured disc and its points."""

WIDTH_PER_SIZE = 0.6
"""Width of an average bold letter as a share of the font size, in the widest common fonts."""

CURVE_LEFT, CURVE_RIGHT, CURVE_TOP, CURVE_BOTTOM = 700, 1128, 236, 516
PAGE_SIZE = 30

MAX_MATCH_ID = 2**53
"""The largest whole number that is exact in JSON."""

BEFORE_POSITION = QueryInteger(0, END_POSITION, END_POSITION)
"""Parameter of the list: only matches before this position in the journal are shown."""

PLAYER_NAME = QueryText(MAX_NAME)
"""Parameter of a drill: the name of the person."""

MAX_SEARCHED, MAX_DRILLED = 200, 20
"""Number of newest matches that are searched for matches of a person, and of those from which a drill is taken."""

MAX_ASKED = 2
"""For how many reviews a drill asks at a time. The coach computes no more at once."""

NOT_READY = Message("that is still being calculated: ask again in a second")
RETRY_AFTER_S = 1
T = TypeVar("T")

MAX_ANSWERS = 64
"""Number of answers to keep: enough for an evening of twenty matches with their steps, and a few pages of the list."""


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


def card(match: Match, when: str) -> str:
    """Return the card that shows the result of a match, as SVG.

    Args:
        match: The match.
        when: The date in words, or "".
    """
    frame = (
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>'
        f'<rect x="36" y="36" width="{WIDE - 72}" height="{HIGH - 72}" rx="36" fill="{CARD}" '
        f'stroke="{LINE}" stroke-width="2"/>'
    )
    title, below = _title(match), _below(match, when)
    parts = [
        frame,
        _text(LEFT, 132, title, size=_fitting(title, 64, WIDE - 2 * LEFT), weight=800),
        _text(LEFT, 182, below, size=_fitting(below, 26, WIDE - 2 * LEFT), colour=SOFT),
        *_draw_rows(_card_rows(standings(Result.of(match)))),
        _curve(match),
        _text(LEFT, HIGH - 68, "Traykeeper", size=26, weight=750, colour=FELT),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" '
        f'height="{HIGH}" font-family="{FONT}" role="img">{"".join(parts)}</svg>'
    )


def _title(match: Match) -> str:
    state = match.state
    if state.winner is None:
        return str(gettext("The match so far"))
    return str(gettext("%(name)s wins", name=player_name(state.players[state.winner].name)))


def _below(match: Match, when: str) -> str:
    length = match_length(match.rules)
    turns = ngettext("one turn", "%(num)s turns", len(match.state.turns))
    return " · ".join(filter(None, (length, str(turns), when)))


@dataclass(frozen=True, slots=True)
class CardRow:
    """A row of the picture, with the name of one player.

    Attributes:
        side: The player, or the player's team; it decides the colour and weight of the row.
        name: Name of the player.
        is_first: Whether this is the first row of its side, which also shows the side's coloured disc and score.
        leads: Whether the side has won or leads.
    """

    side: Side
    name: str
    is_first: bool
    leads: bool


def _card_rows(ranked: Sequence[Side]) -> list[CardRow]:
    return [
        CardRow(side, player_name(name), is_first=not i, leads=side.has_won or side is ranked[0])
        for side in ranked
        for i, name in enumerate(side.names)
    ]


def _draw_rows(rows: Sequence[CardRow]) -> list[str]:
    """Return the rows as SVG elements of one size. If there are too many, the last row says how many are left out."""
    shown = rows if len(rows) <= MAX_ROWS else rows[: MAX_ROWS - 1]
    height = min(MAX_ROW_HEIGHT, (BOTTOM - TOP) / min(len(rows), MAX_ROWS))
    longest = max((row.name for row in shown), key=len)
    size = _fitting(longest, round(0.6 * height), NAME_WIDTH)
    drawn = [_draw_row(row, TOP + (i + 0.5) * height, height, size) for i, row in enumerate(shown)]
    if rest := len(rows) - len(shown):
        more = str(gettext("and %(n)s more", n=rest))
        y = TOP + (len(shown) + 0.5) * height
        drawn.append(_text(LEFT, y + 0.36 * size, more, size=size, colour=SOFT))
    return drawn


def _draw_row(row: CardRow, y: float, height: float, size: int) -> str:
    """Return the SVG elements of a row whose middle is at `y`."""
    radius, weight = 0.36 * height, 800 if row.leads else 600
    base = y + 0.36 * size
    name = _text(LEFT + 2 * radius + 16, base, row.name, size=size, weight=weight)
    if not row.is_first:
        return name
    score = points(row.side.score)
    colour, initial = COLOURS[row.side.seat % N_COLOURS], round(1.1 * radius)
    return (
        f'<circle cx="{LEFT + radius:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>'
        + _text(
            LEFT + radius,
            y + 0.36 * initial,
            row.name[:1].upper(),
            size=initial,
            colour="#fff",
            anchor="middle",
        )
        + name
        + _text(CURVE_LEFT - 60, base, score, size=size, weight=weight, anchor="end")
    )


def _curve(match: Match) -> str:
    """Return SVG elements that draw every player's score over the turns as a curve."""
    rows = scores_by_turn(match)
    top = max_score(match, rows)
    step = (CURVE_RIGHT - CURVE_LEFT) / max(len(rows) - 1, 1)

    def y(score: int) -> float:
        return CURVE_BOTTOM - (CURVE_BOTTOM - CURVE_TOP) * max(score, 0) / top

    lines = [f'<path d="M{CURVE_LEFT} {y(0):.1f}H{CURVE_RIGHT}" stroke="{LINE}" stroke-width="2"/>']
    for seat in side_seats(match):
        path = "L".join(
            f"{CURVE_LEFT + i * step:.1f} {y(row[seat]):.1f}" for i, row in enumerate(rows)
        )
        lines.append(
            f'<path d="M{path}" fill="none" stroke="{COLOURS[seat % N_COLOURS]}" '
            'stroke-width="6" stroke-linejoin="round" stroke-linecap="round"/>'
        )
    return "".join(lines)


def _fitting(text: str, size: int, width: int) -> int:
    """Return the font size, or a smaller one at which the text fits the width."""
    return min(size, int(width / (WIDTH_PER_SIZE * max(len(text), 1))))


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int,
    weight: int = 500,
    colour: str = INK,
    anchor: str = "start",
) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )


EVENING_S = 12 * 3600.0
"""Matches that ended less than this many seconds before the newest one belong to the same evening."""

MAX_OF_EVENING = 200
"""Largest number of matches in one evening, enough for a table that is in use all day."""

MAX_SHOWN = 20
"""How many of the newest matches are shown with their awards."""

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
    _add_practice(pages, show, history, coach)
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
        looked, failure = _review(coach, played)
        given = awards(found, looked.review if looked else None)
        lucky = lucky_throw(given)
        seen = history and lucky and picture_of(history, match_id, lucky, picture)
        return show(
            "match.html",
            played=played,
            match=found,
            day=_day(played),
            looked=looked,
            failure=failure,
            left_out=[translate(each) for each in left_out_of_match(found.rules)],
            point=_turning_point(found, looked.review) if looked and looked.solved else None,
            sums=luck_and_decisions(found, looked.review) if looked else None,
            awards=given,
            lucky=lucky if seen else None,
            frames=[asdict(frame) for frame in frames(found)],
            tallies=tallies(found),
            waits=looked.solving is not None if looked else coach is not None and failure is None,
        )

    @pages.get("/matches/<int:match_id>/card.svg")
    def share(match_id: int) -> Response:
        played, found = find_match(history, match_id)
        return fresh(card(found, _day(played)), SVG)

    @pages.get("/matches/<int:match_id>/luckiest.jpg")
    def luckiest(match_id: int) -> Response:
        """Send the picture of the luckiest throw."""
        played, found = find_match(history, match_id)
        looked, _ = _review(coach, played)
        lucky = lucky_throw(awards(found, looked.review if looked else None))
        jpeg = picture_of(history, match_id, lucky, picture) if history and lucky else None
        return image_response(jpeg, Message("there is no photo of that throw any more"))


def _review(
    coach: Coach | None, played: PlayedMatch
) -> tuple[ReviewedMatch | None, Message | None]:
    """Return the review of a match, or None if there is none yet, and why there will be none."""
    try:
        return coach.review(played.id, played.steps) if coach else None, None
    except OddsError as error:
        return None, error.message


def _add_practice(
    pages: Blueprint, show: RenderPage, history: History | None, coach: Coach | None
) -> None:
    @pages.get("/practice")
    def practice() -> AnyResponse:
        """Ask what a person would keep in the positions in which their own decisions cost the most."""
        name = PLAYER_NAME.read(request.args.get("name"))
        if not name:
            return redirect("/players")
        latest = reviewed_matches(history, coach, name)
        return show(
            "practice.html",
            name=spelled(name, latest.played[0]) if latest.played else name,
            latest=latest,
            positions=() if latest.waits else drill(latest.reviewed, name),
        )


@dataclass(frozen=True, slots=True)
class LatestMatches:
    """A person's newest matches, without those that cannot be replayed or reviewed.

    Attributes:
        played: The matches in the journal, the newest first.
        n_ready: Number of these matches that the coach has reviewed.
        reviewed: Each of these matches with its review; incomplete while reviews are missing.
        failure: Why the coach cannot review another match; None if it can review all of them.
    """

    played: list[PlayedMatch]
    n_ready: int
    reviewed: list[tuple[Match, Review]]
    failure: Message | None

    @property
    def waits(self) -> bool:
        """Whether reviews are missing."""
        return self.n_ready < len(self.played)


def reviewed_matches(history: History | None, coach: Coach | None, name: str) -> LatestMatches:
    """Return a person's newest matches with their reviews.

    While reviews are missing, the coach is asked for the next ones, and no other match is replayed, because pages and
    programs ask again every second or two.

    Args:
        history: The journal; None if there is none.
        coach: Reviews a match; None leaves out all matches.
        name: Name of the person. Upper and lower case count as the same.
    """
    if history is None or coach is None:
        return LatestMatches([], 0, [], None)
    listed = history.matches(limit=MAX_SEARCHED)
    found: list[PlayedMatch] = []
    n_ready, failure = 0, None
    for played in [played for played in listed if spelled(name, played)][:MAX_DRILLED]:
        if coach.has_review(played.id, played.steps):
            n_ready += 1
        elif len(found) - n_ready < MAX_ASKED:
            try:
                history.match(played.id)
                coach.review(played.id, played.steps)
            except JournalError:
                continue  # this version cannot replay the match
            except OddsError as error:
                failure = error.message
                continue
        found.append(played)
    if n_ready < len(found):
        return LatestMatches(found, n_ready, [], failure)
    reviewed = []
    for played in found:
        if looked := coach.review(played.id, played.steps):
            with suppress(JournalError):  # a backup without this match has just been restored
                reviewed.append((history.match(played.id), looked.review))
    return LatestMatches(found, len(reviewed), reviewed, failure)


def spelled(name: str, played: PlayedMatch) -> str | None:
    """Return the name of a player as it is written in a match, or None if the player is not in that match."""
    names = played.result.names
    return next((each for each in names if each.casefold() == name.casefold()), None)


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
    start, *steps = history.match_entries(match_id)
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
        HttpProblem: If there is no such match, or if this version cannot read it.
    """
    if history is None or match_id > MAX_MATCH_ID:
        raise match_not_found(match_id)
    try:
        return history.played(match_id), history.match(match_id)
    except IllegalStepError as error:
        raise HttpProblem(409, error.message) from None
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
        found = _of_newest_evening(history.matches(limit=MAX_OF_EVENING)) if history else []
        shown = _with_awards(history, coach, found[:MAX_SHOWN], picture) if history else []
        return show(
            "evening.html",
            matches=shown,
            players=evening_players(found),
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
    looked, failure = _review(coach, played)
    given = awards(match, looked.review if looked else None)
    lucky = lucky_throw(given)
    jpeg = lucky and picture_of(history, played.id, lucky, picture)
    return EveningMatch(
        played, given, bool(jpeg), waits=coach is not None and looked is None and failure is None
    )


def evening_players(matches: Iterable[PlayedMatch]) -> list[EveningPlayer]:
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


class CachedHistory(History):
    """A history that keeps its last answers until the journal changes or is replaced.

    Args:
        path: The journal.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lock = Lock()
        self._answers: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._as_of: tuple[str, int] | None = None

    def matches(self, *, before: int = END_POSITION, limit: int = 50) -> tuple[PlayedMatch, ...]:
        """Return past matches, from the cache if possible."""
        read = partial(super().matches, before=before, limit=limit)
        return self._once(("matches", before, limit), read)

    def all_matches(
        self, *, before: int = END_POSITION, limit: int = 50
    ) -> tuple[PlayedMatch | UnreadableMatch, ...]:
        """Return past matches, including those that cannot be read."""
        read = partial(super().all_matches, before=before, limit=limit)
        return self._once(("all_matches", before, limit), read)

    def match(self, match_id: int) -> Match:
        """Return a match, from the cache if possible."""
        return self._once(("match", match_id), partial(super().match, match_id))

    def played(self, match_id: int) -> PlayedMatch:
        """Return the summary of a match, from the cache if possible."""
        return self._once(("played", match_id), partial(super().played, match_id))

    def match_entries(self, match_id: int) -> tuple[Entry, ...]:
        """Return the steps of a match, from the cache if possible."""
        return self._once(("entries", match_id), partial(super().match_entries, match_id))

    def _once(self, question: tuple[object, ...], read: Callable[[], T]) -> T:
        with self._lock:
            as_of = self.version
            if as_of != self._as_of:
                self._answers.clear()
                self._as_of = as_of
            if question not in self._answers:
                self._answers[question] = read()
            self._answers.move_to_end(question)
            while len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
            return cast(T, self._answers[question])
