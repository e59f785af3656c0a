"""The cameras, and how one is named on the command line."""

from functools import partial

from device.cameras.base import Camera
from device.cameras.controls import Tunable, Tuning
from device.cameras.picamera import Picamera2Camera, has_pi_camera
from device.cameras.replay import ReplayCamera
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.usb import UsbCamera
from device.errors import UsageError
from device.hardware.choices import as_camera

__all__ = [
    "CameraOpener",
    "Picamera2Camera",
    "ReplayCamera",
    "SimulatedTray",
    "Tunable",
    "Tuning",
    "UsbCamera",
    "camera_opener",
    "is_hot_pluggable",
    "open_camera",
]

CameraOpener = (
    partial[SimulatedTray] | partial[Picamera2Camera] | partial[UsbCamera] | partial[ReplayCamera]
)


def open_camera(
    spec: str = "auto",
    *,
    seed: int | None = None,
    roll_s: float = 1.0,
    tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
) -> Camera:
    """Open the camera that a person named.

    >>> open_camera("sim").name
    'simulated tray'

    Args:
        spec: "auto" is a Raspberry Pi camera where there is one, else the simulated tray;
            "sim" or "sim:LOOK"; "picamera2"; "usb" or "usb:N"; "replay:PATH".
        seed: for the simulated tray: the same dice each time.
        roll_s: for the simulated tray: how long dice roll.
        tuning: how a real camera is turned and set.

    Raises:
        UsageError: there is no such camera to choose.
        CameraError: the camera cannot be opened.
    """
    return camera_opener(spec, seed=seed, roll_s=roll_s, tuning=tuning)()


def camera_opener(
    spec: str,
    *,
    seed: int | None = None,
    roll_s: float = 1.0,
    tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
) -> CameraOpener:
    """What opens the camera of this name, as often as it is called; see `open_camera`."""
    kind, which = as_camera(spec)
    match kind:
        case "auto":
            there = has_pi_camera()
            return camera_opener(
                "picamera2" if there else "sim", seed=seed, roll_s=roll_s, tuning=tuning
            )
        case "sim":
            return partial(_simulated, which or "green", seed, roll_s)
        case "picamera2":
            return partial(Picamera2Camera, tuning)
        case "usb":
            return partial(UsbCamera, int(which or 0), tuning)
        case "replay":
            return partial(ReplayCamera, which)
        case "phone":
            raise UsageError(
                "phones take pictures in play only: "
                "take auto, sim, picamera2, usb[:N] or replay:PATH"
            )


def is_hot_pluggable(opener: CameraOpener) -> bool:
    """Whether it opens hardware, which may be plugged in while the match goes on."""
    return opener.func in (Picamera2Camera, UsbCamera)


def _simulated(look: str, seed: int | None, roll_s: float) -> SimulatedTray:
    try:
        return SimulatedTray(seed=seed, look=look, roll_s=roll_s)
    except ValueError as error:
        raise UsageError(str(error)) from error
