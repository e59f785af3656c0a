"""What templates need beyond Jinja: numbers as people write them, seats, dice, the QR code."""

from functools import lru_cache

import segno
from jinja2 import Environment
from markupsafe import Markup

N_COLOURS = 10
"""Colours and shapes each: told apart by both, twenty seats never look alike."""

COUNT_WORDS = ("no dice", "one die", "two dice", "three dice", "four dice", "five dice", "six dice")


def register(templates: Environment) -> None:
    templates.filters.update(
        points=points,
        seat_colour=seat_colour,
        seat_shape=seat_shape,
        percent=percent,
        n_dice=n_dice,
    )
    templates.globals["qr_code"] = qr_code


def points(number: int) -> str:
    return f"{number:,}".replace("-", "−")


def seat_colour(seat: int) -> int:
    return seat % N_COLOURS


def seat_shape(seat: int) -> int:
    """Shifted by one in the second ten, so that no colour meets the same shape twice."""
    return (seat + seat // N_COLOURS) % N_COLOURS


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
