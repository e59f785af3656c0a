"""The values that the settings for the hardware may have.

`device.settings` checks them with these functions, so this module imports no large libraries.
"""

import re
from typing import Literal

from device.addresses import HOW_TO_ENCODE, NetworkAddress
from device.errors import UsageError
from game.errors import quoted

CameraKind = Literal["auto", "sim", "picamera2", "usb", "stream", "phone", "replay"]
Rotation = Literal[0, 90, 180, 270]
Mains = Literal[50, 60]
LampKind = Literal["rgb", "one", "none"]
CAMERAS = ("auto", "sim", "picamera2[:N]", "usb[:N or NAME]", "URL", "phone", "replay:PATH")
"""The values of the setting `camera`, in the order in which messages list them."""
CAMERA_CHOICES = f"{', '.join(CAMERAS[:-1])} or {CAMERAS[-1]}"

STREAMS = ("http", "https", "rtsp", "rtsps")
"""Schemes of the addresses of network cameras."""

_NO_ADDRESS = (
    "this is not the address of a camera: write rtsp://USER:PASSWORD@HOST:PORT/PATH or "
    f"http://HOST:PORT/PATH; {HOW_TO_ENCODE}"
)

BUTTON_PIN = 17
"""BCM number of the button's pin: header pin 11, next to ground on pin 9."""

RED_PIN, GREEN_PIN, BLUE_PIN = 22, 23, 24
"""BCM numbers of the lamp's pins: header pins 15, 16 and 18."""

BUZZER_PIN = 12
"""BCM number of the usual pin for a buzzer: header pin 32, next to ground on pin 34. Used only if a buzzer is set."""

USB, NETWORK = "USB camera", "network camera"
"""How `Camera.name` begins for USB cameras and for network cameras."""


def as_camera(spec: str) -> tuple[CameraKind, str]:
    """Parse the setting `camera`: return the kind of camera, and which camera of that kind.

    An invalid value is not quoted in the error, because it may be an address that contains a password.

    >>> as_camera("usb:1")
    ('usb', '1')
    >>> as_camera("rtsp://10.0.0.7/live")
    ('stream', 'rtsp://10.0.0.7/live')
    """
    if NetworkAddress.parse(spec, STREAMS):
        return "stream", spec
    kind, _, which = ("usb", "", spec) if spec.startswith("/dev/") else spec.partition(":")
    if "://" in spec:
        raise UsageError(_NO_ADDRESS)
    match kind:
        case "sim":
            return kind, which
        case "auto" | "picamera2" | "phone" if not which or (
            kind == "picamera2" and which.isdecimal()
        ):
            return kind, which
        case "usb" if not which or (which.strip() and not which.startswith("-")):
            return kind, which
        case "replay" if which:
            return kind, which
    if "/" in spec or "@" in spec:
        raise UsageError(_NO_ADDRESS)
    raise UsageError(f"this is not a camera: use {CAMERA_CHOICES}; phone works only with play")


def camera_name(spec: str) -> str | None:
    """Return the name of the camera that a setting selects, or None if the name is not known until the camera is open.

    >>> camera_name("usb")
    'USB camera 0'
    >>> camera_name("http://me:secret@10.0.0.7:8080/video")
    'network camera http://10.0.0.7:8080'

    Args:
        spec: The value of the setting `camera`.
    """
    kind, which = as_camera(spec)
    if kind == "usb":
        found = re.fullmatch(r"/dev/(?:video|v4l/by-\w+/(?:usb-)?)(.+?)(?:-video-index0)?", which)
        return f"{USB} {found[1] if found else which or 0}"
    return f"{NETWORK} {NetworkAddress.parse(which)}" if kind == "stream" else None


def as_rotation(degrees: int) -> Rotation:
    """Return the value of the setting `rotation`, in degrees clockwise.

    Raises:
        UsageError: If the angle is not a multiple of 90 from 0 to 270.
    """
    match degrees:
        case 0 | 90 | 180 | 270:
            return degrees
    raise UsageError(f"rotation is {degrees}: use 0, 90, 180 or 270")


def as_mains(frequency_hz: int) -> Mains:
    """Return the value of the setting `mains_hz`, the mains frequency in Hz.

    Raises:
        UsageError: If the frequency is neither 50 nor 60.
    """
    match frequency_hz:
        case 50 | 60:
            return frequency_hz
    raise UsageError(f"mains_hz is {frequency_hz}: use 50, or 60 in the Americas")


def as_lamp(kind: str) -> LampKind:
    """Return the value of the setting `lamp`, the kind of lamp.

    Raises:
        UsageError: If there is no such kind of lamp.
    """
    match kind:
        case "rgb" | "one" | "none":
            return kind
    raise UsageError(f"lamp is {quoted(kind)}: use rgb, one or none")
