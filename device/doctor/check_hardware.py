"""Checks of the camera and the GPIO pins, and of the service's permission to use them."""

import grp
import pwd
import re
import socket
from importlib.util import find_spec
from urllib.parse import urlsplit

from device.cameras.base import SIMULATED_CAMERA, CameraError
from device.cameras.video_nodes import VideoNodes
from device.doctor import problems
from device.doctor.findings import Finding, failed, ok, skipped, warning
from device.doctor.system import Machine, System
from device.files import SERVICE_USER
from device.hardware.choices import CameraKind, as_camera, camera_name
from game.message import Message, Verbatim, join_with_and

GROUPS = ("video", "gpio")
PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322}
CONNECT_TIMEOUT_S = 3
SENSOR = re.compile(r"((?:imx|ov)\w+)")


def camera(system: System) -> Finding:
    """Check the camera: ask the running companion, or the kernel if none is running."""
    kind, which = as_camera(system.settings.camera)
    if system.state is not None and kind != "phone":
        name = system.state.get("camera")
        if name == SIMULATED_CAMERA and kind == "auto" and is_pi(system.machine):
            return failed(problems.NO_CAMERA)
        return ok(Verbatim(str(name))) if name else failed(problems.CAMERA_LOST)
    return _camera_of_settings(system, kind, which)


def _camera_of_settings(system: System, kind: CameraKind, which: str) -> Finding:
    """Check, without opening it, the camera in the settings: camera `which` of this kind."""
    match kind:
        case "sim" | "replay" | "phone":
            return ok(Message("not needed: %(camera)s", camera=system.settings.camera))
        case "usb":
            return _usb_camera(system.machine, which)
        case "stream":
            return _network_camera(which)
        case "auto" if not is_pi(system.machine):
            return skipped(Message("not a Raspberry Pi, so the dice are simulated"))
        case _:
            return _ribbon_camera(system.machine, int(which or 0))


def _ribbon_camera(machine: Machine, number: int) -> Finding:
    sensors = _sensors(machine)
    if not sensors:
        return failed(problems.NO_CAMERA)
    if number >= len(sensors):
        return failed(problems.OTHER_CAMERA, f"picamera2:{number}")
    sensor = sensors[number]
    return ok(Verbatim(sensor)) if find_spec("picamera2") else failed(problems.NO_PICAMERA2, sensor)


def _sensors(machine: Machine) -> list[str]:
    """Return the names of the image sensors on ribbon cables, from their drivers."""
    files = machine.glob("/sys/class/video4linux/v4l-subdev*/name")
    names = (path.read_text("utf-8", "replace").strip() for path in files)
    return [found[1] for name in names if (found := SENSOR.match(name))]


def _usb_camera(machine: Machine, which: str) -> Finding:
    try:
        node = VideoNodes(machine.root).find(which)
    except CameraError as error:
        return failed(problems.OTHER_CAMERA, error.message)
    return ok(Verbatim(f"USB: {node.name}, {node.path}"))


def _network_camera(url: str) -> Finding:
    """Check that the address of a network camera accepts connections."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    try:
        socket.create_connection((host, port), CONNECT_TIMEOUT_S).close()
    except OSError as error:
        why = Verbatim(f"{host}:{port}: {error.strerror or error}")
        return failed(problems.OTHER_CAMERA, why)
    return ok(Verbatim(camera_name(url) or host))


def pins(system: System) -> Finding:
    """Check the chip that drives the GPIO pins, and its driver."""
    chips = [path.name for path in system.machine.glob("/dev/gpiochip*")]
    none = Message("not a Raspberry Pi, so there are no pins")
    if not chips:
        return warning(problems.NO_PINS) if is_pi(system.machine) else skipped(none)
    if find_spec("lgpio") is None:
        return failed(problems.NO_LGPIO, chips[0]) if is_pi(system.machine) else skipped(none)
    settings = system.settings
    lamp = f"{settings.red_pin}, {settings.green_pin}, {settings.blue_pin}"
    wired = Message(
        "%(chip)s: button GPIO%(button)s, lamp GPIO%(lamp)s",
        chip=chips[0],
        button=settings.button_pin,
        lamp=lamp,
    )
    return warning(problems.BUTTON_DOWN, wired) if _is_button_down(system) else ok(wired)


def _is_button_down(system: System) -> bool:
    """Return whether the button's pin is low although the running companion pulls it up."""
    state = system.machine.run("pinctrl", "get", str(system.settings.button_pin)) or ""
    return bool(re.search(r"\bip\b.*\bpu\b.*\blo\b", state))


def is_pi(machine: Machine) -> bool:
    """Return whether this machine is a Raspberry Pi."""
    return "Raspberry Pi" in (machine.read("/proc/device-tree/model") or "")


def rights(system: System) -> Finding:
    """Check that the service's user is in the groups that may use the camera and the pins."""
    if not system.installed:
        return skipped(Message("the service is not installed, so your own permissions apply"))
    missing = [name for name in GROUPS if not _is_member(SERVICE_USER, name)]
    if missing:
        return failed(
            problems.NOT_ALLOWED, Message("not in %(groups)s", groups=join_with_and(missing))
        )
    return ok(
        Message("user %(user)s, in %(groups)s", user=SERVICE_USER, groups=join_with_and(GROUPS))
    )


def _is_member(user: str, group: str) -> bool:
    try:
        found, home = grp.getgrnam(group), pwd.getpwnam(user)
    except KeyError:
        return False
    return user in found.gr_mem or home.pw_gid == found.gr_gid
