"""The store that holds the calibration profile, which is read once and replaced as a whole, so that any thread may use it."""

import re
from dataclasses import asdict, replace
from pathlib import Path

from calibration.dice_set import filter_reading
from calibration.profile import HeldControls, Profile
from device.calibrating import profile_file as profiles
from device.calibrating.profile_file import FILE, ProfileError
from device.cameras.base import Camera, TrayZones, zones_of
from device.cameras.controls import HeldLight, Tuning
from device.errors import UsageError
from device.files import as_owner_of, replace_file
from device.hardware.choices import NETWORK, USB, as_camera, camera_name
from game.message import Message
from vision import Quad, Reading
from vision.reading import Lean

NO_HARDWARE = ("simulated tray", "replay of ")
"""The beginnings of `Camera.name` for cameras without hardware."""


class ProfileStore:
    """The store that holds the calibration profile of this tray.

    Args:
        file: Path of the file; None keeps the profile in memory only.

    Attributes:
        trouble: Why the file cannot be used, in one line; "" if it can. A file that cannot be used
            stays as it is until a new profile is saved.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._profile: Profile | None = None
        self.trouble = ""
        self.reload()

    def reload(self) -> None:
        """Read the file again, because a restored backup may have replaced it."""
        if self._file is None:
            return
        try:
            self._profile, self.trouble = profiles.load(self._file), ""
        except (ProfileError, OSError) as error:
            self.trouble = str(error)

    @property
    def notice(self) -> Message | None:
        """A message for the page saying why the profile cannot be used; None if it can."""
        if not self.trouble:
            return None
        return Message("The calibration cannot be used: %(why)s", why=self.trouble)

    @property
    def profile(self) -> Profile | None:
        """The saved profile, even if it was made with another camera."""
        return self._profile

    def profile_for(self, camera: str) -> Profile | None:
        """Return the profile if it was made with the camera of this name, otherwise None."""
        profile = self._profile
        return profile if profile and profile.camera == camera else None

    def save(self, profile: Profile) -> None:
        """Save a profile. A broken file, or the profile of another camera, is kept under another name.

        Raises:
            OSError: If the file cannot be written; the profile then stays as it was.
        """
        if self._file is not None:
            with as_owner_of(self._file.parent):
                self._write(self._file, profile)
        self._profile, self.trouble = profile, ""

    def _write(self, file: Path, profile: Profile) -> None:
        other = self._profile is not None and self._profile.camera != profile.camera
        if self.trouble and file.exists():  # the file may be unreadable, so it is moved, not copied
            new = file.with_name(f"{file.name}.new")
            profiles.save(profile, new)
            file.replace(file.with_name(f"{file.name}.bak"))
            new.replace(file)
        elif other:
            replace_file(file, profiles.as_text(profile).encode())
        else:
            profiles.save(profile, file)

    def resolve_camera(self, spec: str) -> str:
        """Return the camera to open: "auto" becomes "picamera2" if the Pi's camera was calibrated here.

        A loose cable is then reported, instead of simulated dice taking the place of real ones.
        """
        profile = self._profile
        pi = profile is not None and _matches(profile.camera, "picamera2")
        return "picamera2" if spec == "auto" and pi else spec

    def tuning_for(self, spec: str, usual: Tuning) -> Tuning:
        """Return the settings for opening a camera, with focus and exposure as they were during calibration.

        Args:
            spec: The camera, as named on the command line: picamera2, usb:0, ...
            usual: The settings to use for a camera that was not calibrated.
        """
        profile = self._profile
        if profile is None or not _matches(profile.camera, spec):
            return usual
        held = profile.held
        return replace(
            usual, focus_dpt=held.focus_dpt, focus_steps=held.focus_steps, light=_light(held)
        )

    def zones_of(self, camera: Camera, frame_px: tuple[int, int]) -> TrayZones:
        """Return where a camera sees its tray: from the profile or, if there is none, from the camera.

        Args:
            camera: The camera.
            frame_px: Width and height of its full frames in pixels.
        """
        profile = self.profile_for(camera.name)
        if profile is None:
            return zones_of(camera, frame_px)
        aside = profile.aside.in_px(*frame_px) if profile.aside else None
        return TrayZones(profile.tray.in_px(*frame_px), aside)

    def leans_for(self, camera: str) -> tuple[Lean, ...]:
        """Return how far dice seemed to lean in the frames of this camera during calibration.

        The leans reveal the camera's position and lens. The result is empty if that camera was not
        calibrated.
        """
        profile = self.profile_for(camera)
        return profile.leans if profile else ()

    def filter_reading(self, reading: Reading, tray: Quad | None, camera: str) -> Reading:
        """Return a reading corrected with what calibration has learnt about the dice.

        Args:
            reading: The uncorrected reading.
            tray: Corners of the tray's floor in pixels of the frame; None leaves the reading as it
                is.
            camera: Name of the camera that took the frame.
        """
        profile = self.profile_for(camera)
        if profile is None or profile.dice is None or tray is None:
            return reading
        return filter_reading(reading, tray, profile.dice)


def held_controls(tuning: Tuning) -> HeldControls:
    """Return the part of a camera's settings that is stored in the profile."""
    light = asdict(tuning.light) if tuning.light else {}
    return HeldControls(focus_dpt=tuning.focus_dpt, focus_steps=tuning.focus_steps, **light)


def load_named_profile(path: Path) -> Profile:
    """Load the profile from a file that was named on the command line.

    Raises:
        UsageError: If the file does not exist or cannot be used.
    """
    try:
        profile = profiles.load(path)
    except ProfileError as error:
        raise UsageError(str(error)) from None
    if profile is None:
        raise UsageError(
            f"{path}: the file does not exist: `traykeeper calibrate` makes one, {FILE}"
        )
    return profile


def _light(held: HeldControls) -> HeldLight | None:
    if held.exposure_us is None or held.gain is None:
        return None
    return HeldLight(held.exposure_us, held.gain, held.red, held.blue, held.white_k)


def _is_pi_camera_name(name: str, number: int) -> bool:
    # All names but the first end with the number of the camera, as in "imx708 (1)".
    found = re.search(r" \((\d+)\)$", name)
    return int(found[1] if found else 0) == number


def _matches(camera: str, spec: str) -> bool:
    """Return whether a camera with this name is the one that `spec` opens.

    Args:
        camera: Name of the camera. The Pi's own cameras are named after their sensors.
        spec: The camera, as named on the command line: picamera2, usb:0, ...
    """
    if name := camera_name(spec):
        return camera == name
    kind, which = as_camera(spec)
    if kind not in ("auto", "picamera2") or camera.startswith((USB, NETWORK, *NO_HARDWARE)):
        return False
    return _is_pi_camera_name(camera, int(which or 0))
