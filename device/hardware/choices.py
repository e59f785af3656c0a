"""The words and numbers by which a person says what is there.

The settings refuse others with their line, and whoever opens the hardware takes no others; so nothing
large is loaded here.
"""

from typing import Literal

from device.errors import UsageError
from game.errors import quoted

CameraKind = Literal["auto", "sim", "picamera2", "usb", "phone", "replay"]
Rotation = Literal[0, 90, 180, 270]
Mains = Literal[50, 60]
LampKind = Literal["rgb", "one", "none"]
CAMERAS = ("auto", "sim", "picamera2", "usb[:N]", "phone", "replay:PATH")
"""What a person can write, in the order in which it is said."""
CAMERA_CHOICES = f"{', '.join(CAMERAS[:-1])} or {CAMERAS[-1]}"


def as_camera(spec: str) -> tuple[CameraKind, str]:
    """A setting as a kind of camera, and which of them.

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
        f"no camera is called {quoted(spec)}: take {CAMERA_CHOICES}; phone is for play alone"
    )


def as_rotation(degrees: int) -> Rotation:
    """A setting as a rotation."""
    match degrees:
        case 0 | 90 | 180 | 270:
            return degrees
    raise UsageError(f"rotation is {degrees}: the camera's picture turns by 0, 90, 180 or 270")


def as_mains(frequency_hz: int) -> Mains:
    """A setting as a mains frequency."""
    match frequency_hz:
        case 50 | 60:
            return frequency_hz
    raise UsageError(f"mains_hz is {frequency_hz}: take 50, or 60 in the Americas")


def as_lamp(kind: str) -> LampKind:
    """A setting as a kind of lamp."""
    match kind:
        case "rgb" | "one" | "none":
            return kind
    raise UsageError(f"lamp is {quoted(kind)}: take rgb, one or none")
