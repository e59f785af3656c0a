"""The cameras, and the choice of a camera on the command line."""

from functools import partial

from device.cameras.controls import Tunable, Tuning
from device.cameras.picamera import Picamera2Camera, expects_pi_camera
from device.cameras.replay import ReplayCamera
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.stream_camera import StreamCamera
from device.cameras.usb import UsbCamera
from device.errors import UsageError
from device.hardware.choices import as_camera

__all__ = [
    "CameraOpener",
    "Picamera2Camera",
    "ReplayCamera",
    "SimulatedTray",
    "StreamCamera",
    "Tunable",
    "Tuning",
    "UsbCamera",
    "camera_opener",
    "is_hot_pluggable",
]

CameraOpener = (
    partial[SimulatedTray]
    | partial[Picamera2Camera]
    | partial[UsbCamera]
    | partial[StreamCamera]
    | partial[ReplayCamera]
)


def camera_opener(
    spec: str,
    *,
    seed: int | None = None,
    roll_s: float = 1.0,
    tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
) -> CameraOpener:
    """Return a function that opens the chosen camera each time it is called.

    The function raises `CameraError` if the camera cannot be opened.

    >>> camera_opener("sim")().name
    'simulated tray'

    Args:
        spec: "auto" for the camera of a Raspberry Pi or of another machine with picamera2, and for the simulated tray
            on all other machines; "sim" or "sim:LOOK"; "picamera2" or "picamera2:N"; "usb", "usb:N", "usb:NAME" or a path below
            /dev; the URL of a network camera; "replay:PATH".
        seed: Makes the simulated tray throw the same dice each time; None means different dice.
        roll_s: How long dice roll in the simulated tray, in seconds.
        tuning: Settings of a real camera, such as its rotation and exposure.

    Raises:
        UsageError: If `spec` is none of these.
    """
    kind, which = as_camera(spec)
    if kind == "auto":
        kind = "picamera2" if expects_pi_camera() else "sim"
    match kind:
        case "sim":
            return partial(_simulated, which or "green", seed, roll_s)
        case "picamera2":
            return partial(Picamera2Camera, tuning, int(which or 0))
        case "usb":
            return partial(UsbCamera, which, tuning)
        case "stream":
            return partial(StreamCamera, which, tuning)
        case "replay":
            return partial(ReplayCamera, which)
        case "phone":
            raise UsageError(
                "the camera `phone` works only in `traykeeper play`: "
                "use auto, sim, picamera2, usb, a URL or replay:PATH"
            )


def is_hot_pluggable(opener: CameraOpener) -> bool:
    """Return whether an opener is for a camera that may be plugged in or switched on during a match."""
    return opener.func in (Picamera2Camera, UsbCamera, StreamCamera)


def _simulated(look: str, seed: int | None, roll_s: float) -> SimulatedTray:
    try:
        return SimulatedTray(seed=seed, look=look, roll_s=roll_s)
    except ValueError as error:
        raise UsageError(str(error)) from error
