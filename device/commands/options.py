"""Options that several verbs take."""

from math import isfinite
from typing import Any

import click

rules_option = click.option(
    "--rules",
    default="walnut-studiolo",
    show_default=True,
    metavar="NAME|FILE",
    help="A published rule set, or a TOML file of your own.",
)
settings_option = click.option("--settings", "file", metavar="FILE", help="The settings to go by.")
state_option = click.option(
    "--state", type=click.Path(file_okay=False), help="Another folder than in the settings."
)


class FiniteRange(click.FloatRange):
    """A number within bounds; what is none, as nan, is within no bounds."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number
