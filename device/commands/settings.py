"""`traykeeper settings`: prints all settings and their values."""

import click

from device.settings import as_text, find, load, show


@click.command()
@click.argument("file", required=False)
@click.option(
    "--get",
    metavar="NAME",
    multiple=True,
    help="Print only the value of this setting; several are printed one a line.",
)
def settings(file: str | None, get: tuple[str, ...]) -> None:
    """Print the settings in use, or those in FILE, each with a description.

    \b
    traykeeper settings > settings.toml
    traykeeper settings --get port /etc/traykeeper/settings.toml
    """
    found = load(find(file))
    for name in get:
        click.echo(show(found, name))
    if not get:
        click.echo(as_text(found), nl=False)
