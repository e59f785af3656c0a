"""`traykeeper doctor`: checks the whole installation, or writes a report of it. `traykeeper cameras`: lists the cameras.

The report is a zip file with findings, settings and logs, without secrets. Pictures are included only on request. The
journal is never included, because it contains everybody's names.
"""

import errno
import json
import os
import platform
import re
import socket
import sys
import urllib.request
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import distributions
from ipaddress import ip_address
from pathlib import Path
from queue import Empty, Queue
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import click

from device import log_file
from device.addresses import NetworkAddress, reduce_urls
from device.cameras.base import CameraError
from device.cameras.picamera import expects_pi_camera, pi_cameras
from device.cameras.video_nodes import VideoNodes
from device.commands.options import settings_option
from device.doctor import checks, problems
from device.doctor.problems import Finding, Level, failed, not_readable, ok, skipped, warning
from device.doctor.system import HTTP_TIMEOUT_S, Machine, System, open_system
from device.errors import UsageError
from device.files import SERVICE, atomic_file, print_line, zip_member
from device.lan import own_address
from device.mqtt.client import RETRY_SUFFIX, BrokerClient, BrokerEvents, parse_address
from device.settings import Settings, as_text
from device.webhook import parse_receiver
from game.errors import GameError
from game.message import Message, Plural, Value, Verbatim
from web.server import create_socket

GUESTS = re.compile(r"guest|gast|gäste|invit|ospit|public|hotspot|hotel|visitor", re.IGNORECASE)
_AVAHI = ("org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn")

ANSWER_S = 8.0
"""How long to wait for the broker, in seconds: longer than the look-up of an unknown host name takes."""

MARKS = {Level.OK: "ok", Level.SKIPPED: "-", Level.WARNING: "!", Level.FAILED: "FAILED"}

SECRET = re.compile(
    r"((?:token|pin|password|passwd|pwd|auth|secret|psk|key)[\"']?\s*[=:]\s*[\"']?)"
    r"(?:(?<=\")[^\"]+|(?<=')[^']+|[^\s\"'&]+)",
    re.IGNORECASE,
)
MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
LOG_LINES = "500"

READABLE = 0o644
"""File mode of the report. It is often made with sudo and sent by another user."""


def network(system: System) -> Finding:
    """Check that this machine has an address that phones can reach."""
    addresses = _addresses(system.machine)
    if addresses is None:
        return skipped(Message("`ip` is not installed"))
    if not addresses:
        return failed(problems.NO_NETWORK)
    listed = ", ".join(addresses)
    if _is_elsewhere(system.settings.host, addresses):
        return failed(problems.HOST_ELSEWHERE, listed)
    if ":" in system.settings.host or any(":" not in address for address in addresses):
        return ok(Verbatim(listed))
    return failed(problems.ONLY_IPV6, listed)


def _is_elsewhere(host: str, addresses: list[str]) -> bool:
    """Return whether a host is a numeric address on the network that this machine does not have."""
    try:
        named = ip_address(host)
    except ValueError:
        return False
    is_local = named.is_unspecified or named.is_loopback or named.is_link_local
    return not is_local and named not in map(ip_address, addresses)


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
        match error.errno:
            case errno.EACCES:
                return _not_allowed(system, number)
            case errno.EADDRINUSE:
                return failed(problems.PORT_TAKEN, str(number))
            case errno.EADDRNOTAVAIL:
                return failed(problems.HOST_ELSEWHERE, system.settings.host)
            case _:
                return failed(problems.NO_NETWORK, str(number))


def _not_allowed(system: System, number: int) -> Finding:
    """Report a port that this user may not use, unless the installer has granted it to the service.

    The system refuses such a port before it checks whether another program uses it.
    """
    here = own_address(system.settings.host).strip("[]")
    with suppress(OSError), socket.create_connection((here, number), HTTP_TIMEOUT_S):
        return failed(problems.PORT_TAKEN, str(number))
    granted = system.machine.read("/etc/systemd/system/traykeeper.service.d/install.conf") or ""
    if "CAP_NET_BIND_SERVICE" in granted:
        return ok(Message("the service is allowed to use %(port)s", port=str(number)))
    return failed(problems.PORT_NOT_ALLOWED, str(number))


def broker(system: System) -> Finding:
    """Check the broker named in the settings by connecting to it once."""
    settings = system.settings
    if not settings.mqtt:
        return skipped(Message("none in the settings"))
    for file in filter(None, (settings.mqtt_secret, settings.mqtt_ca)):
        if found := checks.not_readable_by_service(system, Path(file)):
            return found
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
    secret = settings.webhook_secret
    if secret and (found := checks.not_readable_by_service(system, Path(secret))):
        return found
    try:
        receiver = parse_receiver(settings.webhook, secret=settings.webhook_secret)
    except (UsageError, GameError) as error:
        return failed(problems.BAD_WEBHOOK, str(error))
    if receiver.key:
        return ok(Message("steps go to %(host)s, signed", host=str(receiver)))
    return ok(Message("steps go to %(host)s, not signed: see `webhook_secret`", host=str(receiver)))


CHECKS: Mapping[str, Callable[[System], Finding]] = {
    "version": checks.version,
    "settings": checks.settings,
    "service": checks.service,
    "safe-mode": checks.safe_mode,
    "camera": checks.camera,
    "pins": checks.pins,
    "rights": checks.rights,
    "journal": checks.journal,
    "space": checks.space,
    "disk": checks.disk,
    "power": checks.power,
    "heat": checks.heat,
    "clock": checks.clock,
    "update": checks.update,
    "stick": checks.stick,
    "network": network,
    "wifi": wifi,
    "name": name,
    "port": port,
    "broker": broker,
    "webhook": webhook,
}

NEED_SETTINGS = (
    *("safe-mode", "camera", "pins", "journal", "space", "disk", "power"),
    *("network", "port", "broker", "webhook"),
)
"""Checks that would examine the wrong things without the settings."""


def examine(system: System, names: Collection[str] = ()) -> dict[str, Finding]:
    """Run checks and return their findings, keyed by the check's name.

    Args:
        system: The installation to check.
        names: Names of the checks to run; if it is empty, all are run.
    """
    return {name: _examine(system, name) for name in CHECKS if not names or name in names}


def _examine(system: System, name: str) -> Finding:
    if name in NEED_SETTINGS and (file := system.hidden_settings):
        return not_readable(file)
    return CHECKS[name](system)


def findings_as_text(findings: Mapping[str, Finding]) -> str:
    """Return one line for each finding, followed by a second line with the remedy if the check found a problem."""
    return "\n".join(_finding_lines(name, found) for name, found in findings.items())


def _finding_lines(name: str, found: Finding) -> str:
    line = f"{MARKS[found.level]:<7}{name:<10}{found.line}"
    return f"{line}\n{'':<17}-> {found.trouble.remedy}" if found.trouble else line


def pack_report(path: Path, system: System, found: str, *, pictures: bool) -> None:
    """Write the doctor's report; if that fails, leave no file behind.

    Args:
        path: The zip file to write.
        system: The installation, which provides settings and logs.
        found: The findings of all checks, as text.
        pictures: Whether to include pictures from the running companion.

    Raises:
        UsageError: If the file exists or cannot be written.
    """
    if path.exists():
        raise UsageError(f"{path}: this file exists: choose another name")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: the report cannot be written: the folder does not exist")
    try:
        with atomic_file(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as report:
            os.fchmod(file.fileno(), READABLE)
            for name, text in _texts(system, found):
                report.writestr(zip_member(name, ZIP_DEFLATED), redacted(text))
            for name, picture in _pictures(system) if pictures else ():
                report.writestr(zip_member(name), picture)
    except OSError as error:
        raise UsageError(f"{path}: the report cannot be written: {error.strerror}") from None


def redacted(text: str) -> str:
    """Return the text with every token, PIN and hardware address replaced by asterisks, and URLs reduced to their hosts.

    >>> redacted("http://den:8000/?pin=123 from dc:a6:32:01:02:03, token=abc")
    'http://den:8000 from **:**:**:**:**:**, token=***'
    """
    return MAC.sub("**:**:**:**:**:**", SECRET.sub(r"\1***", reduce_urls(text)))


def _texts(system: System, found: str) -> Iterator[tuple[str, str]]:
    machine = system.machine
    yield "doctor.txt", f"{found}\n"
    yield "settings.toml", as_text(_public(system.settings))
    yield "system.txt", "\n".join(_system(system))
    log = machine.run("journalctl", "--no-pager", "-o", "short-iso", "-u", SERVICE, "-n", LOG_LINES)
    yield "log.txt", log or "journalctl shows nothing: try sudo traykeeper doctor --zip ..."
    for path in log_file.files(system.folder):
        yield f"state/{path.name}", path.read_text("utf-8", "replace")
    yield "service.txt", machine.run("systemctl", "cat", SERVICE) or "not installed"


def _public(settings: Settings) -> Settings:
    """Return settings without the values that may be secrets and that `redacted` does not recognise as URLs."""
    hidden: dict[str, Any] = {
        name: "***"
        for name in ("mqtt", "webhook", "mqtt_secret", "webhook_secret")
        if (value := getattr(settings, name)) and NetworkAddress.parse(value) is None
    }
    return replace(settings, **hidden)


def _system(system: System) -> Iterator[str]:
    yield system.machine.read("/proc/device-tree/model") or platform.machine()
    yield f"{platform.system()} {platform.release()}, Python {sys.version}"
    yield system.machine.read("/etc/os-release") or ""
    yield system.machine.read("/proc/meminfo") or ""
    yield from sorted({f"{dist.name} {dist.version}" for dist in distributions()})


def _pictures(system: System) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and JPEG of the latest photo and of the camera's current view.

    Both come from the running companion; a picture that it cannot deliver is left out.
    """
    photo = (system.state or {}).get("photo") or {}
    for name, route in (("photo.jpg", f"photo/{photo.get('id')}.jpg"), ("view.jpg", "view.jpg")):
        url = f"{system.address}api/v1/{route}"
        with (
            suppress(OSError),
            urllib.request.urlopen(url, timeout=HTTP_TIMEOUT_S) as answer,  # noqa: S310 - our own page
        ):
            yield name, answer.read()


@click.command()
@click.argument("names", nargs=-1, metavar="[CHECK]...", type=click.Choice([*CHECKS]))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--zip", "pack", metavar="FILE", help="Write a report without secrets to this zip file."
)
@click.option("--pictures", is_flag=True, help="Include pictures from the camera in the report.")
@settings_option
def doctor(
    *, names: tuple[str, ...], as_json: bool, pack: str | None, pictures: bool, file: str | None
) -> int:
    """Check camera, pins, disk, power, clock, network, name and port; exit 1 if a check fails.

    \b
    traykeeper doctor
    traykeeper doctor camera broker       # only these checks
    traykeeper doctor --zip report.zip
    """
    if pictures and not pack:
        raise click.UsageError("--pictures needs a report: add --zip report.zip")
    system = open_system(file)
    findings = examine(system, names)
    has_failed = any(found.level is Level.FAILED for found in findings.values())
    text = findings_as_text(findings)
    if as_json:
        listed = [found.to_json(name) for name, found in findings.items()]
        click.echo(json.dumps({"ok": not has_failed, "checks": listed}, ensure_ascii=False))
    else:
        for line in text.splitlines():
            print_line(line)
    if pack is not None:
        pack_report(Path(pack), system, text, pictures=pictures)
        print_line(f"Wrote {pack}: check its contents before you send it.", err=True)
    return int(has_failed)


@dataclass(frozen=True, slots=True)
class ListedCamera:
    """A line of `traykeeper cameras`.

    Attributes:
        setting: Value of the setting `camera` that selects this camera; empty for a device node that delivers
            no pictures.
        name: Name of the camera.
        path: Its device node, such as `/dev/video0`; empty for a camera on a ribbon cable.
        by_id: Path that stays the same when the camera is plugged in again; empty if there is none, or if it could
            mean another camera of the same name.
        sizes: Width and height of its pictures in pixels, largest first; empty if they are not known.
    """

    setting: str
    name: str
    path: str = ""
    by_id: str = ""
    sizes: tuple[tuple[int, int], ...] = ()


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cameras(as_json: bool) -> int:  # noqa: FBT001
    """List the cameras of this machine and how to choose each; exit 1 if there is none.

    \b
    traykeeper cameras
    traykeeper play --camera "usb:HD Pro Webcam C920"
    """
    found = [*_on_ribbon_cables(), *webcams(VideoNodes())]
    if as_json:
        click.echo(json.dumps({"cameras": [asdict(camera) for camera in found]}, indent=1))
    else:
        for camera in found:
            for line in _lines(camera):
                print_line(line)
    has_any = any(camera.setting for camera in found)
    if not has_any and not as_json:
        print_line("No camera was found: plug one in, or use --camera URL for one on the network.")
    return int(not has_any)


def _on_ribbon_cables() -> Iterator[ListedCamera]:
    if not expects_pi_camera():
        return
    try:
        for camera in pi_cameras():
            yield ListedCamera(f"picamera2:{camera.number}", camera.model)
    except CameraError as error:
        print_line(f"Cameras on a ribbon cable cannot be listed: {error}", err=True)


def webcams(nodes: VideoNodes) -> Iterator[ListedCamera]:
    """Yield one line for each device node of a USB camera, including nodes that deliver no pictures.

    Args:
        nodes: The video device nodes of the machine.
    """
    best = nodes.webcams()
    for node in nodes.all():
        if node.device is None:
            continue
        twins = [twin for twin in best if node.name.casefold() in twin.name.casefold()]
        by_id = node.by_id if all(twin.by_id for twin in twins) else ""
        setting = ""
        if node in best and len(twins) == 1:
            setting = f"usb:{node.name}"
        elif node in best:
            setting = by_id or node.by_path or f"usb:{node.number}"
        yield ListedCamera(setting, node.name, node.path, by_id, node.sizes)


def _lines(camera: ListedCamera) -> Iterator[str]:
    if not camera.setting:
        yield f"({camera.path}: another device of {camera.name}, which sends no pictures)"
        return
    where = camera.path or "ribbon cable"
    sizes = ", ".join(f"{wide}x{high}" for wide, high in camera.sizes[:3])
    yield "  ".join(filter(None, (camera.setting, camera.name, where, sizes)))
    if camera.by_id:
        yield f"    or {camera.by_id}"
