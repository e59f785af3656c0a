"""Every check, one line each; and what `traykeeper doctor` prints."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from device.doctor import board, keeping, lan, parts
from device.doctor.broker import broker
from device.doctor.finding import Finding, Level
from device.doctor.patient import System, admit
from device.doctor.report import pack_report

CHECKS: Mapping[str, Callable[[System], Finding]] = {
    "settings": keeping.settings,
    "service": keeping.service,
    "camera": parts.camera,
    "pins": parts.pins,
    "rights": parts.rights,
    "journal": keeping.journal,
    "space": board.space,
    "disk": board.disk,
    "power": board.power,
    "heat": board.heat,
    "clock": board.clock,
    "network": lan.network,
    "wifi": lan.wifi,
    "name": lan.name,
    "port": lan.port,
    "broker": broker,
}

MARKS = {Level.OK: "ok", Level.SKIPPED: "-", Level.WARNING: "!", Level.FAILED: "FAILED"}


def examine(patient: System) -> dict[str, Finding]:
    """What every check found, by its name."""
    return {name: check(patient) for name, check in CHECKS.items()}


def visit(*, as_json: bool, pack: str | None, pictures: bool, file: str | None) -> int:
    """Examine this machine and say what was found; 1 if a check failed."""
    patient = admit(file)
    findings = examine(patient)
    text = as_text(findings)
    click.echo(as_json_text(findings) if as_json else text)
    if pack is not None:
        pack_report(Path(pack), patient, text, pictures=pictures)
        click.echo(f"Packed into {pack}: look inside before you send it.", err=True)
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
