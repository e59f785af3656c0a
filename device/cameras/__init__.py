"""The cameras, and how one is named on the command line."""

from device.camera import Camera
from device.cameras.picamera import Picamera2Camera, pi_camera_there
from device.cameras.replay import ReplayCamera
from device.cameras.simulated import SimulatedTray
from device.cameras.usb import UsbCamera
from device.errors import UsageError

__all__ = ["Picamera2Camera", "ReplayCamera", "SimulatedTray", "UsbCamera", "open_camera"]

_CHOICE = "take auto, sim, picamera2, usb[:N] or replay:PATH"


def open_camera(spec: str = "auto", *, seed: int | None = None, roll_s: float = 1.0) -> Camera:
    """Open the camera that a person named.

    >>> open_camera("sim").name
    'simulated tray'

    Args:
        spec: "auto" is a Raspberry Pi camera where there is one, else the simulated tray;
            "sim" or "sim:LOOK"; "picamera2"; "usb" or "usb:N"; "replay:PATH".
        seed: for the simulated tray: the same dice each time.
        roll_s: for the simulated tray: how long dice roll.

    Raises:
        UsageError: there is no such camera to choose.
        CameraError: the camera cannot be opened.
    """
    kind, _, detail = spec.partition(":")
    match kind:
        case "auto" if not detail:
            return (
                Picamera2Camera() if pi_camera_there() else SimulatedTray(seed=seed, roll_s=roll_s)
            )
        case "sim":
            return _simulated(detail or "green", seed, roll_s)
        case "picamera2" if not detail:
            return Picamera2Camera()
        case "usb" if not detail or detail.isdecimal():
            return UsbCamera(int(detail or 0))
        case "replay" if detail:
            return ReplayCamera(detail)
    raise UsageError(f"no camera is called {spec!r}: {_CHOICE}")


def _simulated(look: str, seed: int | None, roll_s: float) -> SimulatedTray:
    try:
        return SimulatedTray(seed=seed, look=look, roll_s=roll_s)
    except ValueError as error:
        raise UsageError(str(error)) from error
