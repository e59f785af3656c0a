"""Whether phones can find the page: network, name and port."""

import json
import re
import socket
from errno import EACCES, EADDRINUSE
from typing import Any

from device.doctor.finding import Finding, failed, ok, skipped, warning
from device.doctor.machine import Machine
from device.doctor.patient import System
from device.doctor.troubles import (
    GUEST_WIFI,
    NO_NAME,
    NO_NETWORK,
    OTHER_NAME,
    PORT_NOT_ALLOWED,
    PORT_TAKEN,
)

GUESTS = re.compile(r"guest|gast|gäste|invit|ospit|public|hotspot|hotel|visitor", re.IGNORECASE)
_AVAHI = ("org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn")


def network(patient: System) -> Finding:
    """The addresses under which phones may reach this machine."""
    addresses = _addresses(patient.machine)
    if addresses is None:
        return skipped("`ip` is not installed")
    return ok(", ".join(addresses)) if addresses else failed(NO_NETWORK)


def _addresses(machine: Machine) -> list[str] | None:
    found = _ip(machine, "-4", "addr", "show", "scope", "global", "up")
    if found is None:
        return None
    return [info["local"] for link in found for info in link.get("addr_info", []) if info]


def _ip(machine: Machine, *words: str) -> list[dict[str, Any]] | None:
    text = machine.run("ip", "-json", *words)
    try:
        data = json.loads(text or "[]") if text is not None else None
    except ValueError:
        return None
    return data if isinstance(data, list) else None


def wifi(patient: System) -> Finding:
    """A Wi-Fi for guests lets phones into the internet, but not to the Pi.

    That cannot be measured from here: its name tells, and that nobody but the router was seen.
    """
    ssid = patient.machine.run("iwgetid", "--raw") or _ssid(patient.machine)
    if not ssid:
        return skipped("not on Wi-Fi")
    if GUESTS.search(ssid):
        return warning(GUEST_WIFI, ssid)
    others = _others(patient.machine)
    seen = {0: "no phone seen yet", 1: "one other device seen"}.get(
        others, f"{others} other devices seen"
    )
    return ok(f"{ssid}, {seen}")


def _ssid(machine: Machine) -> str | None:
    lines = (machine.run("nmcli", "-t", "-f", "ACTIVE,SSID", "device", "wifi") or "").splitlines()
    return next((line.partition(":")[2] for line in lines if line.startswith("yes:")), None)


def _others(machine: Machine) -> int:
    """Devices that this one has lately exchanged words with, the router left out."""
    routers = {route.get("gateway") for route in _ip(machine, "route", "show", "default") or []}
    seen = {
        entry["dst"]
        for entry in _ip(machine, "neigh") or []
        if entry.get("lladdr") and entry.get("dst") not in routers
    }
    return len(seen)


def name(patient: System) -> Finding:
    """What avahi made of the host name: it counts up where another device has it."""
    answer = patient.machine.run("busctl", "--system", "call", *_AVAHI)
    if answer is None:
        return warning(NO_NAME, f"{socket.gethostname()}.local")
    fqdn = answer.partition(" ")[2].strip('"')
    if fqdn.partition(".")[0].lower() != socket.gethostname().partition(".")[0].lower():
        return warning(OTHER_NAME, fqdn)
    return ok(fqdn)


def port(patient: System) -> Finding:
    """Ours, free, or somebody else's."""
    number = patient.settings.port
    if patient.state is not None:
        return ok(f"Traykeeper answers at {patient.address}")
    try:
        with socket.create_server((patient.settings.host, number)):
            return ok(f"{number} is free")
    except OSError as error:
        if error.errno == EACCES:
            return _not_allowed(patient, number)
        return failed(PORT_TAKEN if error.errno == EADDRINUSE else NO_NETWORK, str(number))


def _not_allowed(patient: System, number: int) -> Finding:
    """You may not listen there; the service may, where the install has granted it."""
    granted = patient.machine.read("/etc/systemd/system/traykeeper.service.d/install.conf") or ""
    if "CAP_NET_BIND_SERVICE" in granted:
        return ok(f"{number} is granted to the service")
    return failed(PORT_NOT_ALLOWED, str(number))
