"""`traykeeper club`: the club board, which shows every tray on a broker on one screen."""

from typing import Any

import click

from device.club_board import ClubOptions, run


@click.command()
@click.option(
    "--broker", required=True, metavar="URL", help="mqtt://HOST[:PORT], or mqtts:// with TLS."
)
@click.option(
    "--secret",
    default="",
    metavar="FILE",
    help="File with the user name and password, as in the setting `mqtt_secret`.",
)
@click.option(
    "--ca",
    default="",
    metavar="FILE",
    help="Certificate of the authority that signed the broker's certificate.",
)
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104 - a screen on the LAN is the point
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    help="Port of the board; 0 uses any free port.",
)
@click.option(
    "--state", default="", type=click.Path(file_okay=False), help="Folder for the club's history."
)
@click.option(
    "--hosts",
    default="",
    metavar="NAMES",
    help="Additional host names under which the board may be opened.",
)
def club(**options: Any) -> None:
    """Show every tray on a broker on one screen, and keep the club's standings and records.

    \b
    traykeeper club --broker mqtt://pub.local
    traykeeper club --broker mqtts://pub.local --secret /etc/traykeeper/mqtt.toml
    """
    run(ClubOptions(**options))
