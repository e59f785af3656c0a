"""What templates need: filters and functions, addresses of static files, the sides of a match, and a cache of compiled code.

A side is a player, or a team whose players share one score, colour and shape.
"""

import marshal
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import blake2s, sha256
from importlib.util import cache_from_source
from pathlib import Path

import segno
from flask import url_for
from jinja2 import Environment
from jinja2.bccache import Bucket, BytecodeCache, bc_magic
from markupsafe import Markup, escape

from game import wording
from game.dice_log import MIN_DICE, ODD, VERY_ODD, Fairness
from game.journal.entry import Result
from game.match.events import Event, Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match.match import Match, TimelineRow, describe_head_starts
from game.match.state import LENGTHS
from game.message import Message, Paragraph, Plural, Value, join_with_commas
from game.names import default_name, display_name
from game.rules.ruleset import Ruleset
from game.stats.counts import BOT_RATINGS
from game.stats.summary import MatchSummary
from web.i18n import decimal, match_length, percent, player_name, points, translate, translate_text
from web.json_schema import LeftOverJson, PlayerJson, StateJson
from web.pages import match_form
from web.pages.charts import (
    rating_curve,
    score_curve,
    seat_colour,
    seat_shape,
    turn_bars,
    win_curve,
)

YEAR_S = 365 * 24 * 3600

TEMPLATES, STATIC = (Path(__file__).parents[1] / name for name in ("templates", "static"))
DIGEST_BYTES = sha256().digest_size

SIZES = ((5, "short"), (8, "middling"), (12, "long"))
"""Largest number of characters for each size: "1,550", "10,300", "Bartholomäus". A name has at most 24."""

FACES_IN_TEXT = re.compile(
    r"(?<![\d,./] )(?<!\d: )(?<![\w,.])([1-6](?: [1-6])+)(?![\w,.]*\d)([\u00a0\u202f]?[:;,.!?])?"
)
"""Two or more faces of dice in a text, such as "1 1 5", and the punctuation after them."""

SMALL_CHANCE, MIN_CHANCE = 0.01, 0.0001
"""A chance below the first number is shown with one more digit; below the second, only a bound is shown."""


def asset(name: str) -> str:
    """Return the address of a file in `static`."""
    return url_for("static", filename=name, v=_digest(name))


@cache
def _digest(name: str) -> str:
    return blake2s((STATIC / name).read_bytes(), digest_size=5).hexdigest()


@cache
def build() -> str:
    """Return a digest of all templates and static files, by which an open page notices that Traykeeper was updated."""
    whole = blake2s(digest_size=5)
    for path in sorted((*TEMPLATES.rglob("*.html"), *STATIC.iterdir())):
        whole.update(path.read_bytes())
    return whole.hexdigest()


class CompiledTemplates(BytecodeCache):
    """Jinja's bytecode cache in the `__pycache__` of the templates.

    A template is compiled again if its entry is damaged, out of date, or written by another version of Jinja or Python.

    Args:
        templates: The folder of the templates.
    """

    def __init__(self, templates: Path) -> None:
        self._folder = Path(cache_from_source(str(templates / "_.py"))).parent

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a compiled template, if its entry is still valid."""
        with suppress(OSError):
            entry = self._path(bucket).read_bytes()
            digest, code = entry[:DIGEST_BYTES], entry[DIGEST_BYTES:]
            if digest == _entry_digest(bucket, code):
                bucket.code = marshal.loads(code)  # noqa: S302 - as trusted as a module next to it

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a compiled template, if the folder is writable."""
        if sys.dont_write_bytecode:
            return
        code = marshal.dumps(bucket.code)
        with suppress(OSError):  # without write access templates are compiled at each start
            self._folder.mkdir(parents=True, exist_ok=True)
            self._path(bucket).write_bytes(_entry_digest(bucket, code) + code)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{sys.implementation.cache_tag}.jinja"


def _entry_digest(bucket: Bucket, code: bytes) -> bytes:
    """Return a digest of the template, the code, and the versions of Jinja and Python."""
    return sha256(bc_magic + bucket.checksum.encode("ascii") + code).digest()


Teams = Sequence[int | None]
"""Team of each seat, or None for a player without a team."""


@dataclass(frozen=True, slots=True)
class Side:
    """A player or a team.

    Attributes:
        seat: The first seat. Its colour and shape mark the whole side.
        seats: Seats of all players.
        names: Names of these players.
        score: Points of the side.
        on_turn: Seat of the current player, or None if it is another side's turn.
        has_won: Whether the side has won.
    """

    seat: int
    seats: tuple[int, ...]
    names: tuple[str, ...]
    score: int
    on_turn: int | None = None
    has_won: bool = False

    @property
    def players(self) -> tuple[tuple[int, str], ...]:
        """Seat and name of each player."""
        return tuple(zip(self.seats, self.names, strict=True))


def side_seat(seat: int, teams: Teams) -> int:
    """Return the seat whose colour and shape a player has: the first one of the team.

    Args:
        seat: Seat of the player.
        teams: Team of each seat.
    """
    team = teams[seat]
    return seat if team is None else teams.index(team)


def sides(players: Sequence[PlayerJson], *, with_left: bool = False) -> list[Side]:
    """Return the sides in the order of their seats.

    Args:
        players: The players of the match.
        with_left: Whether players who have left are included.
    """
    teams = [player["team"] for player in players]
    present = [player["seat"] for player in players if player["here"] or with_left]
    return [_side(players, seat, seats) for seat, seats in _grouped(present, teams).items()]


def _side(players: Sequence[PlayerJson], seat: int, seats: tuple[int, ...]) -> Side:
    names = tuple(players[each]["name"] for each in seats)
    on_turn = next((each for each in seats if players[each]["on_turn"]), None)
    return Side(seat, seats, names, players[seats[0]]["score"], on_turn)


def standings(result: Result) -> list[Side]:
    """Return the sides of a match by score, the winner first."""
    grouped = _grouped(range(len(result.names)), result.teams)
    found = [
        Side(
            seat,
            seats,
            tuple(result.names[each] for each in seats),
            result.scores[seat],
            has_won=result.has_won(seat),
        )
        for seat, seats in grouped.items()
    ]
    return sorted(found, key=lambda side: (not side.has_won, -side.score))


def summary_sides(match: MatchSummary) -> list[Side]:
    """Return the sides of a summarised match: by score once the match is won, and by seat until then.

    A side whose players have all left without points is left out.
    """
    players, turn = match["players"], match["turn"]
    result = Result(
        tuple(player["name"] for player in players),
        tuple(player["team"] for player in players),
        tuple(player["score"] for player in players),
        match["winner"],
        match["turns"],
    )
    found = standings(result)
    if match["winner"] is None:
        found = sorted(
            (
                replace(each, on_turn=turn["seat"] if turn and turn["seat"] in each.seats else None)
                for each in found
            ),
            key=lambda side: side.seat,
        )
    return [
        each for each in found if each.score or any(players[seat]["here"] for seat in each.seats)
    ]


def side_name(side: Side) -> str:
    """Return the name of a player, or the names of all players of a team: "Anna + Ben"."""
    return " + ".join(map(player_name, side.names))


def _grouped(seats: Sequence[int], teams: Teams) -> dict[int, tuple[int, ...]]:
    """Return the seats of each side by the seat that marks it."""
    found: dict[int, tuple[int, ...]] = {}
    for seat in seats:
        mark = side_seat(seat, teams)
        found[mark] = (*found.get(mark, ()), seat)
    return found


def register_filters(templates: Environment) -> None:
    """Add the filters and functions to an environment."""
    templates.filters.update(
        points=points,
        seat_colour=seat_colour,
        seat_shape=seat_shape,
        bar_percent=bar_percent,
        bar_maximum=bar_maximum,
        percent=percent,
        chance=chance,
        signed=signed,
        rounded=rounded,
        fairness=fairness,
        n_dice=n_dice,
        may_take_over=may_take_over,
        manual_change=manual_change,
        translate=translate,
        translate_text=translate_text,
        player_name=player_name,
        nameless=default_name,
        decimal=decimal,
        side_seat=side_seat,
        sides=sides,
        side_name=side_name,
        summary_sides=summary_sides,
        standings=standings,
        result=Result.of,
        capitalised=capitalised,
        with_code=with_code,
        with_dice=with_dice,
        clock_time=clock_time,
        size=size,
        has_same_score=has_same_score,
        series_length=series_length,
        head_starts=describe_head_starts,
    )
    templates.globals.update(
        score_curve=_markup(score_curve),
        turn_bars=_markup(turn_bars),
        rating_curve=lambda ratings, bots: Markup(rating_curve(ratings, bots)),  # noqa: S704 - names are escaped
        bot_ratings=BOT_RATINGS,
        series_lengths=LENGTHS,
        win_curve=lambda match, review: Markup(win_curve(match, review)),  # noqa: S704 - only numbers
    )
    templates.globals["qr_code"] = qr_code
    templates.globals["match_length"] = match_length
    templates.globals["options"] = match_form


def with_dice(text: str) -> Markup:
    """Return a text as HTML in which the faces of dice, such as "1 1 5", are small dice."""

    def drawn(faces: re.Match[str]) -> str:
        each = (
            f'<use href="#d{face}" x="{108 * i}" width="100" height="100"/>'
            for i, face in enumerate(faces[1].split())
        )
        width = 108 * len(faces[1].split()) - 8
        return (
            f'<span class="in-text"><svg role="img" aria-label="{faces[1]}" viewBox="0 0 {width} 100" '
            f'width="{width / 100:.2f}em" height="1em">{"".join(each)}</svg>{faces[2] or ""}</span>'
        )

    return Markup(FACES_IN_TEXT.sub(drawn, str(escape(text))))  # noqa: S704 - the text is escaped


def with_code(text: str) -> Markup:
    """Return a text as HTML in which words between backticks, such as commands, are code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


def capitalised(text: str) -> str:
    """Make the first letter a capital and leave the others unchanged: "Heiße Würfel"."""
    return text[:1].upper() + text[1:]


def clock_time(time_s: float) -> str:
    """Return a time (in seconds since 1970) as local time at the tray: "20:15:07"."""
    return datetime.fromtimestamp(time_s, UTC).astimezone().strftime("%H:%M:%S")


def size(text: str) -> str:
    """Return the CSS class for the length of a text; longer texts are written smaller."""
    return next((name for most, name in SIZES if len(text) <= most), "longest")


def has_same_score(player: PlayerJson, other: PlayerJson) -> bool:
    """Return whether two players share a score, that is, are in the same team.

    Args:
        player: A player.
        other: Another player.
    """
    return player["team"] is not None and player["team"] == other["team"]


def bar_maximum(state: StateJson, rules: Ruleset) -> int:
    """Return the score that fills a bar: the target, or the best score if there is no target.

    Args:
        state: State of the match.
        rules: The rules of the match.
    """
    if rules.has_target:
        return rules.target
    on_turn = [
        player["score"] + state["at_risk"] for player in state["players"] if player["on_turn"]
    ]
    return max(1, *on_turn, *(player["score"] for player in state["players"]))


def bar_percent(part: int, whole: int) -> float:
    """Return the width of a bar, from 0 to 100.

    Args:
        part: The value of the bar.
        whole: The value of a full bar.
    """
    return round(min(max(100 * part / whole, 0), 100), 2)


def chance(value: float) -> str:
    """Return a chance as text, such as 53.4 %. Only an impossible event has 0 %, and only a certain one 100 %."""
    edge = min(value, 1 - value)
    if 0 < edge < MIN_CHANCE:
        if value < SMALL_CHANCE:
            return f"<{percent(MIN_CHANCE, 2)}"
        return f">{percent(1 - MIN_CHANCE, 2)}"
    return percent(value, 2 if 0 < edge < SMALL_CHANCE else 1 if edge else 0)


def signed(value: float, *, is_chance: bool = False) -> str:
    """Return a difference as text, with its sign. Chances differ by percentage points, which are not per cent.

    Args:
        value: The difference, in points or, for chances, from -1 to 1.
        is_chance: Whether it is a difference of chances.
    """
    text = decimal(100 * abs(value)) if is_chance else points(abs(round(value)))
    rest = round(value, 3) if is_chance else round(value)
    return text if not rest else f"{'+' if rest > 0 else '−'}{text}"


def rounded(value: float) -> str:
    """Return a number of points as text, without decimals."""
    return points(round(value))


def n_dice(number: int) -> str:
    """Return a number of dice in words."""
    return translate(wording.dice_count(number))


def may_take_over(left_over: LeftOverJson) -> str:
    """Return what the current player may take over as a phrase without the player's name."""
    dice = wording.dice_count(left_over["dice"])
    return translate(
        Message("may take over %(points)s with %(dice)s", points=left_over["points"], dice=dice)
    )


def series_length(best_of: int, n_sides: int) -> str:
    """Return the length of a series in words; `n_sides` is the number of players or teams."""
    return translate(wording.series_length(best_of, n_sides))


def fairness(fair: Fairness) -> str:
    """Return a sentence that tells a player whether dice are fair."""
    return translate(_fairness(fair))


def _fairness(fair: Fairness) -> Message:
    if fair.p is None:
        return Plural(
            "One die counted so far. It takes %(enough)s for a result.",
            "%(n)s dice counted so far. It takes %(enough)s for a result.",
            n=fair.total,
            enough=MIN_DICE,
        )
    if fair.p >= ODD:
        return Message(
            "That looks fair: with perfectly fair dice, the faces differ at least this much "
            "%(n)s times out of 100.",
            n=round(100 * fair.p),
        )
    unusual = Message("Unusual, but it happens.")
    return Paragraph(
        unusual if fair.p >= VERY_ODD else Message("That can hardly be just luck."),
        Message("With fair dice only one count in %(n)s is this uneven.", n=round(1 / fair.p)),
        Message(
            "The %(face)s came up %(found)s times; about %(usual)s would be normal.",
            face=fair.oddest,
            found=fair.counts[fair.oddest - 1],
            usual=round(fair.usual),
        ),
    )


@lru_cache(maxsize=4)
def qr_code(text: str) -> Markup:
    """Return the QR code of a text as inline SVG."""
    svg = segno.make(text, error="m", boost_error=False).svg_inline(
        border=2, omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"
    )
    return Markup(svg)  # noqa: S704 - drawn by segno, without the text


def manual_change(entry: TimelineRow) -> str:
    """Describe what somebody changed by hand, or return "" for any other entry."""
    message = _manual_change(entry.event, [display_name(name) for name in entry.names])
    return translate(message) if message else ""


def _manual_change(event: Event | None, names: Sequence[Value]) -> Message | None:
    match event:
        case ScoreSet(seat, score):
            return Message("%(name)s has %(points)s", name=names[seat], points=score)
        case TurnSet(seat, at_risk, n):
            return Message(
                "It is %(name)s's turn with %(points)s at risk and %(dice)s to throw",
                name=names[seat],
                points=at_risk,
                dice=wording.dice_count(n),
            )
    return _roster_change(event, names)


def _roster_change(event: Event | None, names: Sequence[Value]) -> Message | None:
    match event:
        case Joined(name):
            return Message("%(name)s joined", name=display_name(name))
        case Left(seat):
            return Message("%(name)s has left", name=names[seat])
        case Renamed(_, name):
            return Message("A player is now called %(name)s", name=display_name(name))
        case Reordered(order):
            return Message(
                "The order is now %(names)s", names=join_with_commas([names[s] for s in order])
            )
    return None


def _markup(draw: Callable[[Match], str]) -> Callable[[Match], Markup]:
    return lambda match: Markup(draw(match))  # noqa: S704 - only numbers
