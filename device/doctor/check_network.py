"""Checks of the network, this machine's name and port, the broker and the webhook."""

import json
import os
import re
import socket
from errno import EACCES, EADDRINUSE
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from device.doctor import problems
from device.doctor.findings import Finding, failed, not_readable, ok, skipped, warning
from device.doctor.system import Machine, System
from device.errors import UsageError
from device.mqtt.address import parse_address
from device.mqtt.client import RETRY_SUFFIX, BrokerClient, BrokerEvents
from device.webhook.receiver import parse_receiver
from game.errors import GameError
from game.message import Message, Plural, Value, Verbatim
from web.server import create_socket

GUESTS = re.compile(r"guest|gast|gäste|invit|ospit|public|hotspot|hotel|visitor", re.IGNORECASE)
_AVAHI = ("org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn")


def network(system: System) -> Finding:
    """Check that this machine has an address that phones can reach."""
    addresses = _addresses(system.machine)
    if addresses is None:
        return skipped(Message("`ip` is not installed"))
    if not addresses:
        return failed(problems.NO_NETWORK)
    listed = ", ".join(addresses)
    if ":" in system.settings.host or any(":" not in address for address in addresses):
        return ok(Verbatim(listed))
    return failed(problems.ONLY_IPV6, listed)


def _addresses(machine: Machine) -> list[str] | None:
    """Return the machine's IPv4 and permanent IPv6 addresses; None if the command `ip` is missing."""
    found = _ip(machine, "addr", "show", "scope", "global", "up")
    if found is None:
        return None
    infos = [info for link in found for info in link.get("addr_info", []) if info]
    lasting = [info for info in infos if not (info.get("temporary") or info.get("deprecated"))]
    return [info["local"] for info in lasting]


def _ip(machine: Machine, *words: str) -> list[dict[str, Any]] | None:
    text = machine.run("ip", "-json", *words)
    try:
        data = json.loads(text or "[]") if text is not None else None
    except ValueError:
        return None
    return data if isinstance(data, list) else None


def wifi(system: System) -> Finding:
    """Check for a guest Wi-Fi, which lets phones reach the internet but not the Pi.

    The Pi cannot measure that, so this check looks at the name of the Wi-Fi and counts the devices seen.
    """
    ssid = system.machine.run("iwgetid", "--raw") or _ssid(system.machine)
    if not ssid:
        return skipped(Message("not on Wi-Fi"))
    if GUESTS.search(ssid):
        return warning(problems.GUEST_WIFI, ssid)
    others = _others(system.machine)
    seen = (
        Plural("one other device seen", "%(n)s other devices seen", n=others)
        if others
        else Message("no phone seen yet")
    )
    return ok(Message("%(wifi)s, %(seen)s", wifi=ssid, seen=seen))


def _ssid(machine: Machine) -> str | None:
    lines = (machine.run("nmcli", "-t", "-f", "ACTIVE,SSID", "device", "wifi") or "").splitlines()
    return next((line.partition(":")[2] for line in lines if line.startswith("yes:")), None)


def _others(machine: Machine) -> int:
    """Return the number of devices that this machine has recently communicated with, except the router."""
    routers = {route.get("gateway") for route in _ip(machine, "route", "show", "default") or []}
    seen = {
        entry["dst"]
        for entry in _ip(machine, "neigh") or []
        if entry.get("lladdr") and entry.get("dst") not in routers
    }
    return len(seen)


def name(system: System) -> Finding:
    """Check the host name that Avahi publishes. If another device has the same name, Avahi appends a number."""
    answer = system.machine.run("busctl", "--system", "call", *_AVAHI)
    if answer is None:
        return warning(problems.NO_NAME, f"{socket.gethostname()}.local")
    fqdn = answer.partition(" ")[2].strip('"')
    if fqdn.partition(".")[0].lower() != socket.gethostname().partition(".")[0].lower():
        return warning(problems.OTHER_NAME, fqdn)
    return ok(Verbatim(fqdn))


def port(system: System) -> Finding:
    """Check whether the page's port is free, or used by Traykeeper or by another program."""
    number = system.settings.port
    if system.state is not None:
        return ok(Message("Traykeeper answers at %(address)s", address=system.address))
    try:
        with create_socket(system.settings.host, number):
            return ok(Message("%(port)s is free", port=str(number)))
    except OSError as error:
        if error.errno == EACCES:
            return _not_allowed(system, number)
        return failed(
            problems.PORT_TAKEN if error.errno == EADDRINUSE else problems.NO_NETWORK, str(number)
        )


def _not_allowed(system: System, number: int) -> Finding:
    """Report a port that this user may not use, unless the installer has granted it to the service."""
    granted = system.machine.read("/etc/systemd/system/traykeeper.service.d/install.conf") or ""
    if "CAP_NET_BIND_SERVICE" in granted:
        return ok(Message("the service is allowed to use %(port)s", port=str(number)))
    return failed(problems.PORT_NOT_ALLOWED, str(number))


ANSWER_S = 8.0
"""How long to wait for the broker, in seconds: longer than the look-up of an unknown host name takes."""


def broker(system: System) -> Finding:
    """Check the broker named in the settings by connecting to it once."""
    settings = system.settings
    if not settings.mqtt:
        return skipped(Message("none in the settings"))
    secret = Path(settings.mqtt_secret)
    if settings.mqtt_secret and _is_unreadable(secret):
        return not_readable(secret)
    try:
        address = parse_address(settings.mqtt, secret=settings.mqtt_secret, ca=settings.mqtt_ca)
        outcome: Queue[str] = Queue()  # an empty text, or the problem
        events = BrokerEvents(
            on_connected=lambda: outcome.put(""),
            on_trouble=lambda line: outcome.put(line.removesuffix(RETRY_SUFFIX)),
        )
        client = BrokerClient(address, f"traykeeper-doctor-{os.getpid()}", events)
    except (UsageError, GameError) as error:
        return failed(problems.NO_BROKER, str(error))
    client.start()
    try:
        trouble: Value = outcome.get(timeout=ANSWER_S)
    except Empty:
        trouble = Message("%(broker)s is not answering", broker=str(address))
    finally:
        client.close()
    if trouble:
        return failed(problems.NO_BROKER, trouble)
    return ok(Message("connected to %(broker)s", broker=str(address)))


def webhook(system: System) -> Finding:
    """Check the webhook named in the settings and its secret, without sending anything."""
    settings = system.settings
    if not settings.webhook:
        return skipped(Message("no webhook is set"))
    secret = Path(settings.webhook_secret)
    if settings.webhook_secret and _is_unreadable(secret):
        return not_readable(secret)
    try:
        receiver = parse_receiver(settings.webhook, secret=settings.webhook_secret)
    except (UsageError, GameError) as error:
        return failed(problems.BAD_WEBHOOK, str(error))
    if receiver.key:
        return ok(Message("steps go to %(host)s, signed", host=str(receiver)))
    return ok(Message("steps go to %(host)s, not signed: see `webhook_secret`", host=str(receiver)))


def _is_unreadable(file: Path) -> bool:
    """Return whether the file exists but this user may not read it."""
    try:
        file.open().close()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False  # the caller reports why
    return False
