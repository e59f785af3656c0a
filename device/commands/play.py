"""`traykeeper play`: starts the companion."""

from dataclasses import asdict
from typing import Any

import click

from device import settings as settings_files
from device.app import PlayOptions, run
from device.commands.options import FiniteRange, rules_option
from device.errors import UsageError
from device.failed_starts import StartPart, StartRecord
from device.files import print_line, state_folder
from device.hardware.choices import CAMERAS
from device.safe_mode import KEPT, SafeMode, kept_settings, temporary_folder
from game.errors import GameError

SETTINGS_FILE, BAD_SETTINGS = "traykeeper.settings", "traykeeper.bad-settings"


def _from_settings(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Load the settings file and use its values as the defaults of all options."""
    path = settings_files.find(value)
    try:
        context.obj = settings_files.load(path)
    except (GameError, UsageError) as error:  # reported once the state folder is known
        context.obj, context.meta[BAD_SETTINGS] = kept_settings(path), error
    context.meta[SETTINGS_FILE] = path and str(path)
    context.default_map = asdict(context.obj)


@click.command()
@click.option(
    "--settings",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_from_settings,
    help="Settings file; options override it. `traykeeper settings` prints all settings.",
)
@click.option(
    "--camera",
    default="auto",
    show_default=True,
    metavar="|".join(CAMERAS),
    help="Source of the pictures; auto uses the Pi's camera, or a simulated tray on other machines; phone uses your phone.",
)
@rules_option
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104 - phones on the LAN are the point
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 uses any free port.",
)
@click.option("--state", type=click.Path(file_okay=False), help="Folder for the matches.")
@click.option(
    "--still",
    "still_s",
    type=FiniteRange(0.1, 5),
    default=0.4,
    show_default=True,
    help="Seconds for which the dice must be at rest before they are read.",
)
@click.option(
    "--roll",
    "roll_s",
    type=FiniteRange(0.1, 5),
    default=1.0,
    show_default=True,
    help="Seconds for which simulated dice roll.",
)
@click.option("--seed", type=int, help="Seed for the simulated dice, to repeat the same throws.")
@click.pass_obj
def play(settings: Any, /, **options: Any) -> None:
    """Start the companion and show the address for your phone.

    \b
    traykeeper play                       # use the Pi's camera; on other machines, simulate the dice
    traykeeper play --camera usb:0        # use a webcam
    traykeeper play --camera phone        # real dice without a camera: a phone takes the pictures
    traykeeper play --port 8080 --rules house.toml
    """
    meta = click.get_current_context().meta
    play_options = PlayOptions(**(asdict(settings) | options), settings_file=meta[SETTINGS_FILE])
    starts = StartRecord.of_service(state_folder(play_options.state))
    with starts.attempt():
        if starts.is_safe_mode_due:
            play_options = in_safe_mode(play_options, starts)
        elif error := meta.get(BAD_SETTINGS):
            raise error
        run(play_options, starts)


def in_safe_mode(options: PlayOptions, starts: StartRecord) -> PlayOptions:
    """Return the options for a start in safe mode.

    Args:
        options: The usual options, of which the address, the folder for the matches and the lamp are kept.
        starts: The record of the failed starts.
    """
    safe = SafeMode(starts.earlier, starts, options.state)
    print_line(f"traykeeper: {safe.reason}", err=True)
    kept = {name: getattr(options, name) for name in KEPT}
    if safe.blames(StartPart.JOURNAL):
        kept["state"] = temporary_folder()
    return PlayOptions(**kept, settings_file=options.settings_file, safe=safe)
