"""`traykeeper play`: the companion itself."""

from dataclasses import asdict
from typing import Any

import click

from device import settings as settings_files
from device.app import PlayOptions, run
from device.commands.options import FiniteRange, rules_option
from device.hardware.choices import CAMERAS

SETTINGS_FILE = "traykeeper.settings"


def _from_settings(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """The settings become the defaults of every option."""
    path = settings_files.find(value)
    context.obj = settings_files.load(path)
    context.meta[SETTINGS_FILE] = path and str(path)
    context.default_map = asdict(context.obj)


@click.command()
@click.option(
    "--settings",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_from_settings,
    help="Settings to play with; options here override them. `traykeeper settings` prints all.",
)
@click.option(
    "--camera",
    default="auto",
    show_default=True,
    metavar="|".join(CAMERAS),
    help="Where the pictures come from; auto takes the Pi's camera, else a simulated tray; phone: your own.",
)
@rules_option
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104 - phones on the LAN are the point
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 takes any that is free.",
)
@click.option("--state", type=click.Path(file_okay=False), help="Folder of the journal.")
@click.option(
    "--still",
    "still_s",
    type=FiniteRange(0.1, 5),
    default=0.4,
    show_default=True,
    help="Seconds the tray must be still before it is read.",
)
@click.option(
    "--roll",
    "roll_s",
    type=FiniteRange(0.1, 5),
    default=1.0,
    show_default=True,
    help="Seconds that simulated dice roll.",
)
@click.option("--seed", type=int, help="Makes the simulated dice fall the same way again.")
@click.pass_obj
def play(settings: Any, /, **options: Any) -> None:
    """Start the companion and show the address for your phone.

    \b
    traykeeper play                       # the Pi's camera, or a simulated tray
    traykeeper play --camera usb:0        # a webcam
    traykeeper play --camera phone        # real dice, without a camera: a phone takes the pictures
    traykeeper play --port 8080 --rules house.toml
    """
    file = click.get_current_context().meta[SETTINGS_FILE]
    run(PlayOptions(**(asdict(settings) | options), settings_file=file))
