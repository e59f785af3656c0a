"""`traykeeper doctor`: is everything as it should be?"""

import click

from device.doctor.run import visit


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--zip", "pack", metavar="FILE", help="Pack a report, without secrets, to send along."
)
@click.option("--pictures", is_flag=True, help="Put what the camera sees into the report too.")
@click.option("--settings", "file", metavar="FILE", help="The settings to go by.")
def doctor(as_json: bool, pack: str | None, pictures: bool, file: str | None) -> int:  # noqa: FBT001
    """Check camera, pins, disk, power, clock, network, name and port; exit 1 if one failed.

    \b
    traykeeper doctor
    traykeeper doctor --zip report.zip
    """
    if pictures and not pack:
        raise click.UsageError("--pictures go into a report: add --zip report.zip")
    return visit(as_json=as_json, pack=pack, pictures=pictures, file=file)
