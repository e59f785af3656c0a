"""Checks of the camera and the pins, and of the service's right to use them."""

import grp
import pwd
import re
from importlib.util import find_spec

from device.cameras.base import SIMULATED_CAMERA
from device.doctor.findings import (
    CAMERA_LOST,
    NO_CAMERA,
    NO_LGPIO,
    NO_PICAMERA2,
    NO_PINS,
    NOT_ALLOWED,
    Finding,
    failed,
    ok,
    skipped,
    warning,
)
from device.doctor.system import Machine, System
from device.files import SERVICE_USER
from game.message import Message, Verbatim, join_with_and

GROUPS = ("video", "gpio")
SENSOR = re.compile(r"((?:imx|ov)\w+)")


def camera(system: System) -> Finding:
    """Check the camera: ask the running companion, or else the kernel."""
    kind = system.settings.camera.partition(":")[0]
    if system.state is not None and kind != "phone":
        name = system.state.get("camera")
        if name == SIMULATED_CAMERA and kind == "auto" and is_pi(system.machine):
            return failed(NO_CAMERA)
        return ok(Verbatim(str(name))) if name else failed(CAMERA_LOST)
    match kind:
        case "sim" | "replay" | "phone":
            return ok(Message("not needed: %(camera)s", camera=system.settings.camera))
        case "usb":
            usb = _usb(system.machine)
            return ok(Verbatim(f"USB: {usb}")) if usb else failed(NO_CAMERA, "USB")
        case "auto" if not is_pi(system.machine):
            return skipped(Message("no Raspberry Pi: the dice are simulated"))
        case _:
            return _ribbon_camera(system.machine)


def _ribbon_camera(machine: Machine) -> Finding:
    sensor = _sensor(machine)
    if sensor is None:
        return failed(NO_CAMERA)
    return ok(Verbatim(sensor)) if find_spec("picamera2") else failed(NO_PICAMERA2, sensor)


def _sensor(machine: Machine) -> str | None:
    """Return the name of the image sensor on the ribbon cable, from its driver."""
    files = machine.glob("/sys/class/video4linux/v4l-subdev*/name")
    names = (path.read_text("utf-8", "replace").strip() for path in files)
    return next((found[1] for name in names if (found := SENSOR.match(name))), None)


def _usb(machine: Machine) -> str | None:
    for path in machine.glob("/sys/class/video4linux/video*/device"):
        if "/usb" in str(path.resolve()):
            return (path.parent / "name").read_text().strip()
    return None


def pins(system: System) -> Finding:
    """Check the chip of the pins and its driver."""
    chips = [path.name for path in system.machine.glob("/dev/gpiochip*")]
    none = Message("no Raspberry Pi: no pins")
    if not chips:
        return warning(NO_PINS) if is_pi(system.machine) else skipped(none)
    if find_spec("lgpio") is None:
        return failed(NO_LGPIO, chips[0]) if is_pi(system.machine) else skipped(none)
    settings = system.settings
    lamp = f"{settings.red_pin}, {settings.green_pin}, {settings.blue_pin}"
    wired = Message(
        "%(chip)s: button GPIO%(button)s, lamp GPIO%(lamp)s",
        chip=chips[0],
        button=settings.button_pin,
        lamp=lamp,
    )
    return ok(wired)


def is_pi(machine: Machine) -> bool:
    """Whether this is a Raspberry Pi."""
    return "Raspberry Pi" in (machine.read("/proc/device-tree/model") or "")


def rights(system: System) -> Finding:
    """Check that the service's user is in the groups that may use camera and pins."""
    if not system.installed:
        return skipped(Message("the service is not installed: it is your own rights that count"))
    missing = [name for name in GROUPS if not _is_member(SERVICE_USER, name)]
    if missing:
        return failed(NOT_ALLOWED, Message("not in %(groups)s", groups=join_with_and(missing)))
    return ok(
        Message("user %(user)s, in %(groups)s", user=SERVICE_USER, groups=join_with_and(GROUPS))
    )


def _is_member(user: str, group: str) -> bool:
    try:
        found, home = grp.getgrnam(group), pwd.getpwnam(user)
    except KeyError:
        return False
    return user in found.gr_mem or home.pw_gid == found.gr_gid
