"""`traykeeper pin`: how a screen gets the pencil."""

from time import time

import click

from device.commands.options import settings_option, state_option
from device.files import state_folder
from device.settings import find, load
from device.storage.scorekeeper_file import secret_of
from web.access.pin import pin_at


@click.command()
@settings_option
@state_option
def pin(file: str | None, state: str | None) -> None:
    """Print the PIN with which a screen gets the pencil; it changes every five minutes.

    \b
    traykeeper pin
    sudo traykeeper pin     # where it runs as a service
    """
    settings = load(find(file))
    click.echo(pin_at(time(), secret_of(state_folder(state or settings.state))))
