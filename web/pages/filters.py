"""What templates need beyond Jinja: numbers as people write them, seats, dice, the QR code."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import segno
from jinja2 import Environment
from markupsafe import Markup

from game import wording
from game.match.events import Event, Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match.match import Match
from game.match.timeline import TimelineRow
from game.message import Message, Paragraph, Percentage, Plural, Value, join_with_commas
from game.names import default_name, display_name
from game.stats.fairness import MIN_DICE, ODD, VERY_ODD, Fairness
from web.i18n.languages import decimal, points
from web.i18n.languages import percent as in_percent
from web.i18n.translate import match_length, player_name, translate, translate_text
from web.pages import match_form
from web.pages.charts import score_curve, seat_colour, seat_shape, turn_bars, win_curve
from web.pages.phone_summary import sides
from web.state.json_schema import PlayerJson, StateJson

SIZES = ((5, "short"), (8, "middling"), (12, "long"))
"""Up to so many characters: "1,550", "10,300", "Bartholomäus"; 24 are the most of a name."""

NEARLY, LEAST = 0.01, 0.0001
"""A chance as small as the first shows one digit more; one that is smaller than the other is only bounded."""


def register(templates: Environment) -> None:
    templates.filters.update(
        points=points,
        seat_colour=seat_colour,
        seat_shape=seat_shape,
        percent=percent,
        chance=chance,
        change=change,
        rounded=rounded,
        share=in_percent,
        verdict=verdict,
        n_dice=n_dice,
        by_hand=by_hand,
        translate=translate,
        published=translate_text,
        problem=translate_text,
        called=player_name,
        full=full,
        nameless=default_name,
        decimal=decimal,
        sides=sides,
        sentence=sentence,
        long=long,
        mate=mate,
    )
    templates.globals.update(
        score_curve=_markup(score_curve),
        turn_bars=_markup(turn_bars),
        win_curve=lambda match, review: Markup(win_curve(match, review)),  # noqa: S704 - numbers alone
    )
    templates.globals["qr_code"] = qr_code
    templates.globals["match_length"] = match_length
    templates.globals["options"] = match_form


def sentence(text: str) -> str:
    """With a capital in front; all others as they are: "Heiße Würfel"."""
    return text[:1].upper() + text[1:]


def long(text: str) -> str:
    """A class for how much room the text needs: what is long is written smaller."""
    return next((name for most, name in SIZES if len(text) <= most), "longest")


def mate(player: PlayerJson, other: PlayerJson) -> bool:
    """Whether the two have one score."""
    return player["team"] is not None and player["team"] == other["team"]


def full(state: StateJson) -> int:
    """The score that fills a bar: the target or, where none is played for, the best there is."""
    rules = state["rules"]
    if rules and not rules["rounds"]:
        return rules["target"]
    on_turn = [
        player["score"] + state["at_risk"] for player in state["players"] if player["on_turn"]
    ]
    return max(1, *on_turn, *(player["score"] for player in state["players"]))


def percent(part: int, whole: int) -> float:
    """From 0 to 100, for the bars."""
    return round(min(max(100 * part / whole, 0), 100), 2)


def chance(value: float) -> str:
    """53.4 %, as people write it in the language now; what is nearly sure or nothing is never called so."""
    edge = min(value, 1 - value)
    if 0 < edge < LEAST:
        return f"<{in_percent(LEAST, 2)}" if value < NEARLY else f">{in_percent(1 - LEAST, 2)}"
    return in_percent(value, 2 if 0 < edge < NEARLY else 1 if edge else 0)


def change(value: float, *, percent: bool = False) -> str:
    """With its sign: of points, or of a chance."""
    shown = in_percent(abs(value), 1) if percent else points(abs(round(value)))
    rest = round(value, 3) if percent else round(value)
    return shown if not rest else f"{'+' if rest > 0 else '−'}{shown}"


def rounded(value: float) -> str:
    return points(round(value))


def n_dice(number: int) -> str:
    return translate(wording.dice_count(number))


def verdict(fair: Fairness) -> str:
    """Whether dice are fair, in words that a player understands."""
    return translate(_judged(fair))


def _judged(fair: Fairness) -> Message:
    if fair.p is None:
        return Plural(
            "One die counted: %(enough)s are needed before it means anything.",
            "%(n)s dice counted: %(enough)s are needed before it means anything.",
            n=fair.total,
            enough=MIN_DICE,
        )
    if fair.p >= ODD:
        return Message(
            "As even as fair dice fall: %(share)s of counts with fair dice are as uneven as this.",
            share=Percentage(fair.p),
        )
    unusual = Message("Unusual, but it happens.")
    return Paragraph(
        unusual if fair.p >= VERY_ODD else Message("Hardly luck alone."),
        Message("With fair dice one count of %(n)s is as uneven as this.", n=round(1 / fair.p)),
        Message(
            "The %(face)s fell %(found)s times, where %(usual)s are usual.",
            face=fair.oddest,
            found=fair.counts[fair.oddest - 1],
            usual=round(fair.usual),
        ),
    )


@lru_cache(maxsize=4)
def qr_code(text: str) -> Markup:
    """The text as an SVG to set into the page."""
    svg = segno.make(text, error="m", boost_error=False).svg_inline(
        border=2, omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"
    )
    return Markup(svg)  # noqa: S704 - segno draws it, the text is not in it


def by_hand(entry: TimelineRow) -> str:
    """What was set by hand, in a sentence."""
    told = _set_by_hand(entry.event, [display_name(name) for name in entry.names])
    return translate(told) if told else ""


def _set_by_hand(event: Event | None, names: Sequence[Value]) -> Message | None:
    match event:
        case ScoreSet(seat, score):
            return Message("%(name)s has %(points)s", name=names[seat], points=score)
        case TurnSet(seat, at_risk, n):
            return Message(
                "%(name)s is on turn with %(points)s at risk and %(dice)s",
                name=names[seat],
                points=at_risk,
                dice=wording.dice_count(n),
            )
    return _set_in_the_roster(event, names)


def _set_in_the_roster(event: Event | None, names: Sequence[Value]) -> Message | None:
    match event:
        case Joined(name):
            return Message("%(name)s joined", name=display_name(name))
        case Left(seat):
            return Message("%(name)s left", name=names[seat])
        case Renamed(_, name):
            return Message("A player is called %(name)s now", name=display_name(name))
        case Reordered(order):
            return Message(
                "The order is %(names)s", names=join_with_commas([names[s] for s in order])
            )
    return None


def _markup(draw: Callable[[Match], str]) -> Callable[[Match], Markup]:
    """The drawings hold numbers alone."""
    return lambda match: Markup(draw(match))  # noqa: S704
