"""Every check, one line each; and what `traykeeper doctor` prints."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from device.doctor import check_hardware, check_network, check_pi, check_service
from device.doctor.check_network import broker
from device.doctor.findings import Finding, Level
from device.doctor.report import pack_report
from device.doctor.system import System, admit
from device.files import print_line

CHECKS: Mapping[str, Callable[[System], Finding]] = {
    "version": check_service.version,
    "settings": check_service.settings,
    "service": check_service.service,
    "camera": check_hardware.camera,
    "pins": check_hardware.pins,
    "rights": check_hardware.rights,
    "journal": check_service.journal,
    "space": check_pi.space,
    "disk": check_pi.disk,
    "power": check_pi.power,
    "heat": check_pi.heat,
    "clock": check_pi.clock,
    "network": check_network.network,
    "wifi": check_network.wifi,
    "name": check_network.name,
    "port": check_network.port,
    "broker": broker,
}

MARKS = {Level.OK: "ok", Level.SKIPPED: "-", Level.WARNING: "!", Level.FAILED: "FAILED"}


def examine(system: System) -> dict[str, Finding]:
    """What every check found, by its name."""
    return {name: check(system) for name, check in CHECKS.items()}


def visit(*, as_json: bool, pack: str | None, pictures: bool, file: str | None) -> int:
    """Examine this machine and say what was found; 1 if a check failed."""
    system = admit(file)
    findings = examine(system)
    text = as_text(findings)
    if as_json:
        click.echo(as_json_text(findings))
    else:
        for line in text.splitlines():
            print_line(line)
    if pack is not None:
        pack_report(Path(pack), system, text, pictures=pictures)
        print_line(f"Packed into {pack}: look inside before you send it.", err=True)
    return int(any(found.level is Level.FAILED for found in findings.values()))


def as_json_text(findings: Mapping[str, Finding]) -> str:
    """For programs."""
    good = all(found.level is not Level.FAILED for found in findings.values())
    checks = [found.to_json(name) for name, found in findings.items()]
    return json.dumps({"ok": good, "checks": checks}, ensure_ascii=False)


def as_text(findings: Mapping[str, Finding]) -> str:
    """One line for each check, and one for each remedy."""
    return "\n".join(_lines(name, found) for name, found in findings.items())


def _lines(name: str, found: Finding) -> str:
    line = f"{MARKS[found.level]:<7}{name:<10}{found.line}"
    return f"{line}\n{'':<17}-> {found.trouble.remedy}" if found.trouble else line
