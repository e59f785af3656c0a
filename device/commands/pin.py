"""`traykeeper pin`: prints a PIN that makes a phone the scorekeeper."""

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
    """Print the PIN that makes a phone the scorekeeper. It changes every five minutes.

    \b
    traykeeper pin
    sudo traykeeper pin     # if Traykeeper runs as a service
    """
    settings = load(find(file))
    click.echo(pin_at(time(), secret_of(state_folder(state or settings.state))))
