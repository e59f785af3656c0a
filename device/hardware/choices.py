"""The values that settings for the hardware may have.

The settings check them with these functions, so this module loads no large libraries.
"""

from typing import Literal

from device.errors import UsageError
from game.errors import quoted

CameraKind = Literal["auto", "sim", "picamera2", "usb", "phone", "replay"]
Rotation = Literal[0, 90, 180, 270]
Mains = Literal[50, 60]
LampKind = Literal["rgb", "one", "none"]
CAMERAS = ("auto", "sim", "picamera2", "usb[:N]", "phone", "replay:PATH")
"""The values of the setting `camera`, in the order in which messages list them."""
CAMERA_CHOICES = f"{', '.join(CAMERAS[:-1])} or {CAMERAS[-1]}"


def as_camera(spec: str) -> tuple[CameraKind, str]:
    """Return the kind of camera in a setting, and which camera of that kind.

    >>> as_camera("usb:1")
    ('usb', '1')
    """
    kind, _, which = spec.partition(":")
    match kind:
        case "sim":
            return kind, which
        case "auto" | "picamera2" | "phone" if not which:
            return kind, which
        case "usb" if not which or which.isdecimal():
            return kind, which
        case "replay" if which:
            return kind, which
    raise UsageError(
        f"{quoted(spec)} is not a camera: use {CAMERA_CHOICES}; phone works only with play"
    )


def as_rotation(degrees: int) -> Rotation:
    """Return the rotation in a setting, in degrees clockwise."""
    match degrees:
        case 0 | 90 | 180 | 270:
            return degrees
    raise UsageError(f"rotation is {degrees}: use 0, 90, 180 or 270")


def as_mains(frequency_hz: int) -> Mains:
    """Return the mains frequency in a setting, in Hz."""
    match frequency_hz:
        case 50 | 60:
            return frequency_hz
    raise UsageError(f"mains_hz is {frequency_hz}: use 50, or 60 in the Americas")


def as_lamp(kind: str) -> LampKind:
    """Return the kind of lamp in a setting."""
    match kind:
        case "rgb" | "one" | "none":
            return kind
    raise UsageError(f"lamp is {quoted(kind)}: use rgb, one or none")
