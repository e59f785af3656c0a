"""`traykeeper settings`: prints all settings and their values."""

import click

from device.settings import as_text, find, load, show


@click.command()
@click.argument("file", required=False)
@click.option("--get", metavar="NAME", help="Print only the value of this setting.")
def settings(file: str | None, get: str | None) -> None:
    """Print the settings in use, or those in FILE, each with a description.

    \b
    traykeeper settings > settings.toml
    traykeeper settings --get port /etc/traykeeper/settings.toml
    """
    found = load(find(file))
    click.echo(show(found, get) if get else as_text(found), nl=bool(get))
