"""All checks of the doctor, and their findings as text."""

from collections.abc import Callable, Mapping

from device.doctor import check_hardware, check_network, check_pi, check_service
from device.doctor.findings import Finding, Level
from device.doctor.system import System

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
    "update": check_service.update,
    "network": check_network.network,
    "wifi": check_network.wifi,
    "name": check_network.name,
    "port": check_network.port,
    "broker": check_network.broker,
    "webhook": check_network.webhook,
}

MARKS = {Level.OK: "ok", Level.SKIPPED: "-", Level.WARNING: "!", Level.FAILED: "FAILED"}


def examine(system: System) -> dict[str, Finding]:
    """Run all checks and return their findings, keyed by the check's name."""
    return {name: check(system) for name, check in CHECKS.items()}


def as_text(findings: Mapping[str, Finding]) -> str:
    """Return one line for each finding, followed by a second line with the remedy if the check found a problem."""
    return "\n".join(_lines(name, found) for name, found in findings.items())


def _lines(name: str, found: Finding) -> str:
    line = f"{MARKS[found.level]:<7}{name:<10}{found.line}"
    return f"{line}\n{'':<17}-> {found.trouble.remedy}" if found.trouble else line
