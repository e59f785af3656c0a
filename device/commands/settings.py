"""`traykeeper settings`: what can be set, and is."""

import click

from device.settings import as_text, find, load, show


@click.command()
@click.argument("file", required=False)
@click.option("--get", metavar="NAME", help="Print this one setting alone.")
def settings(file: str | None, get: str | None) -> None:
    """Print the settings in force here, or those of FILE, each with what it does.

    \b
    traykeeper settings > settings.toml
    traykeeper settings --get port /etc/traykeeper/settings.toml
    """
    found = load(find(file))
    click.echo(show(found, get) if get else as_text(found), nl=bool(get))
