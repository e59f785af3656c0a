"""Options that several verbs take."""

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
