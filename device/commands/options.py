"""Options that several commands share."""

from math import isfinite
from typing import Any

import click

rules_option = click.option(
    "--rules",
    default="walnut-studiolo",
    show_default=True,
    metavar="NAME|FILE",
    help="Published rule set, or your own TOML file.",
)
settings_option = click.option("--settings", "file", metavar="FILE", help="Settings file to use.")
state_option = click.option(
    "--state",
    type=click.Path(file_okay=False),
    help="Folder with the matches, instead of the one in the settings.",
)


class FiniteRange(click.FloatRange):
    """A number range that rejects NaN and infinity."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or refuse it if it is not finite."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
