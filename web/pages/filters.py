"""What templates need beyond Jinja: numbers as people write them, seats, dice, the QR code."""

from collections.abc import Callable
from functools import lru_cache

import segno
from flask_babel import gettext
from jinja2 import Environment
from markupsafe import Markup

from game.match.events import Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match.match import Match
from game.stats.fairness import ENOUGH, ODD, VERY_ODD, Fairness
from web.i18n.languages import decimal, points
from web.i18n.languages import percent as in_percent
from web.i18n.translate import say
from web.pages import match_form
from web.pages.charts import score_curve, seat_colour, seat_shape, turn_bars, win_curve
from web.pages.timeline import TimelineRow

COUNT_WORDS = ("no dice", "one die", "two dice", "three dice", "four dice", "five dice", "six dice")

NEARLY = 0.01
"""A chance as small as this shows one digit more."""


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
        say=say,
        decimal=decimal,
    )
    templates.globals.update(
        score_curve=_markup(score_curve),
        turn_bars=_markup(turn_bars),
        win_curve=lambda match, review: Markup(win_curve(match, review)),  # noqa: S704 - numbers alone
    )
    templates.globals["qr_code"] = qr_code
    templates.globals["options"] = match_form


def percent(part: int, whole: int) -> float:
    """From 0 to 100, for the bars."""
    return round(min(max(100 * part / whole, 0), 100), 2)


def chance(value: float) -> str:
    """53.4 %, as people write it in the language now; two digits where it is nearly sure or nothing."""
    edge = min(value, 1 - value)
    return in_percent(value, 2 if 0 < edge < NEARLY else 1)


def change(value: float, *, percent: bool = False) -> str:
    """With its sign: of points, or of a chance."""
    shown = in_percent(abs(value), 1) if percent else points(abs(round(value)))
    rest = round(value, 3) if percent else round(value)
    return shown if not rest else f"{'+' if rest > 0 else '−'}{shown}"


def rounded(value: float) -> str:
    return points(round(value))


def n_dice(number: int) -> str:
    return say(COUNT_WORDS[number]) if number < len(COUNT_WORDS) else f"{number} dice"


def verdict(fair: Fairness) -> str:
    """Whether dice are fair, in words that a player understands."""
    if fair.p is None:
        return str(
            gettext(
                "%(n)s dice counted: %(enough)s are needed before it means anything.",
                n=points(fair.total),
                enough=points(ENOUGH),
            )
        )
    if fair.p >= ODD:
        said = gettext(
            "As even as fair dice fall: %(share)s of counts with fair dice are as uneven as this.",
            share=in_percent(fair.p),
        )
        return str(said)
    luck = (
        gettext("Unusual, but it happens.") if fair.p >= VERY_ODD else gettext("Hardly luck alone.")
    )
    often = gettext(
        "With fair dice one count of %(n)s is as uneven as this.", n=points(round(1 / fair.p))
    )
    which = gettext(
        "The %(face)s fell %(found)s times, where %(usual)s are usual.",
        face=fair.oddest,
        found=points(fair.counts[fair.oddest - 1]),
        usual=points(round(fair.usual)),
    )
    return f"{luck} {often} {which}"


@lru_cache(maxsize=4)
def qr_code(text: str) -> Markup:
    """The text as an SVG to set into the page."""
    svg = segno.make(text, error="m", boost_error=False).svg_inline(
        border=2, omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"
    )
    return Markup(svg)  # noqa: S704 - segno draws it, the text is not in it


def by_hand(entry: TimelineRow) -> str:
    """What was set by hand, in a sentence."""
    names = entry.names
    match entry.event:
        case ScoreSet(seat, score):
            said = gettext("%(name)s has %(points)s", name=names[seat], points=points(score))
        case TurnSet(seat, at_risk, n):
            said = gettext(
                "%(name)s is on turn with %(points)s at risk and %(dice)s",
                name=names[seat],
                points=points(at_risk),
                dice=n_dice(n),
            )
        case Joined(name):
            said = gettext("%(name)s joined", name=name)
        case Left(seat):
            said = gettext("%(name)s left", name=names[seat])
        case Renamed(_, name):
            said = gettext("A player is called %(name)s now", name=name)
        case Reordered(order):
            said = gettext("The order is %(names)s", names=", ".join(names[s] for s in order))
        case _:
            said = ""
    return str(said)


def _markup(draw: Callable[[Match], str]) -> Callable[[Match], Markup]:
    """The drawings hold numbers alone."""
    return lambda match: Markup(draw(match))  # noqa: S704
