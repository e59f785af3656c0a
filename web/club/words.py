"""What the board's templates say beyond those of the table: times, addresses and shares."""

import time

from jinja2 import Environment


def register(templates: Environment) -> None:
    templates.filters.update(clock=clock, day=day, when=day_and_clock)


def clock(at_s: float) -> str:
    """The board's own time of day, "20:41"."""
    return time.strftime("%H:%M", time.localtime(at_s))


def day(at_s: float) -> str:
    """Such as "21 Nov 2026"."""
    return time.strftime("%d %b %Y", time.localtime(at_s)).lstrip("0")


def day_and_clock(at_s: float) -> str:
    return f"{day(at_s)}, {clock(at_s)}"
