"""`traykeeper doctor`: check the whole installation."""

import json
from pathlib import Path

import click

from device.commands.options import settings_option
from device.doctor.findings import Level
from device.doctor.report import pack_report
from device.doctor.run import as_text, examine
from device.doctor.system import open_system
from device.files import print_line


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--zip", "pack", metavar="FILE", help="Write a report without secrets to this zip file."
)
@click.option("--pictures", is_flag=True, help="Include pictures from the camera in the report.")
@settings_option
def doctor(as_json: bool, pack: str | None, pictures: bool, file: str | None) -> int:  # noqa: FBT001
    """Check camera, pins, disk, power, clock, network, name and port; exit 1 if a check fails.

    \b
    traykeeper doctor
    traykeeper doctor --zip report.zip
    """
    if pictures and not pack:
        raise click.UsageError("--pictures needs a report: add --zip report.zip")
    system = open_system(file)
    findings = examine(system)
    has_failed = any(found.level is Level.FAILED for found in findings.values())
    text = as_text(findings)
    if as_json:
        checks = [found.to_json(name) for name, found in findings.items()]
        click.echo(json.dumps({"ok": not has_failed, "checks": checks}, ensure_ascii=False))
    else:
        for line in text.splitlines():
            print_line(line)
    if pack is not None:
        pack_report(Path(pack), system, text, pictures=pictures)
        print_line(f"Wrote {pack}: check its contents before you send it.", err=True)
    return int(has_failed)
