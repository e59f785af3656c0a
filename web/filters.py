"""What templates need beyond Jinja: numbers as people write them, seats, dice, the QR code."""

from collections.abc import Callable
from functools import lru_cache

import segno
from jinja2 import Environment
from markupsafe import Markup

from game.events import Joined, Left, Renamed, Reordered, ScoreSet, TurnSet
from game.match import Match
from web.curve import score_curve, turn_bars
from web.numbers import points, seat_colour, seat_shape
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
    )
    templates.globals.update(score_curve=_markup(score_curve), turn_bars=_markup(turn_bars))
    templates.globals["qr_code"] = qr_code


def percent(part: int, whole: int) -> float:
    """From 0 to 100, for the bars."""
    return round(min(max(100 * part / whole, 0), 100), 2)


def n_dice(number: int) -> str:
    return COUNT_WORDS[number] if number < len(COUNT_WORDS) else f"{number} dice"


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
            said = f"{names[seat]} has {points(score)}"
        case TurnSet(seat, at_risk, n):
            said = f"{names[seat]} is on turn with {points(at_risk)} at risk and {n_dice(n)}"
        case Joined(name):
            said = f"{name} joined"
        case Left(seat):
            said = f"{names[seat]} left"
        case Renamed(_, name):
            said = f"A player is called {name} now"
        case Reordered(order):
            said = f"The order is {', '.join(names[seat] for seat in order)}"
        case _:
            said = ""
    return said


def _markup(draw: Callable[[Match], str]) -> Callable[[Match], Markup]:
    """The drawings hold numbers alone."""
    return lambda match: Markup(draw(match))  # noqa: S704
