"""What templates need beyond Jinja: numbers as people write them, seats, dice, the QR code."""

from collections.abc import Callable
from functools import lru_cache

import segno
from flask_babel import gettext
from jinja2 import Environment
from markupsafe import Markup

from game.events import Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match import Match
from web.curve import score_curve, turn_bars
from web.languages import points, say
from web.seats import seat_colour, seat_shape
from web.story import Entry

COUNT_WORDS = ("no dice", "one die", "two dice", "three dice", "four dice", "five dice", "six dice")


def register(templates: Environment) -> None:
    templates.filters.update(
        points=points,
        seat_colour=seat_colour,
        seat_shape=seat_shape,
        percent=percent,
        n_dice=n_dice,
        by_hand=by_hand,
        say=say,
    )
    templates.globals.update(score_curve=_markup(score_curve), turn_bars=_markup(turn_bars))
    templates.globals["qr_code"] = qr_code


def percent(part: int, whole: int) -> float:
    """From 0 to 100, for the bars."""
    return round(min(max(100 * part / whole, 0), 100), 2)


def n_dice(number: int) -> str:
    return say(COUNT_WORDS[number]) if number < len(COUNT_WORDS) else f"{number} dice"


@lru_cache(maxsize=4)
def qr_code(text: str) -> Markup:
    """The text as an SVG to set into the page."""
    svg = segno.make(text, error="m", boost_error=False).svg_inline(
        border=2, omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff"
    )
    return Markup(svg)  # noqa: S704 - segno draws it, the text is not in it


def by_hand(entry: Entry) -> str:
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
