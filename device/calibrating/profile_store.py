"""Where the profile is kept: read once, replaced whole, asked from any thread."""

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from calibration.dice_set import filter_reading
from calibration.profile import HeldControls, Profile
from device.calibrating import profile_file as profiles
from device.calibrating.profile_file import FILE, ProfileError
from device.cameras.controls import HeldLight, Tuning
from device.errors import UsageError
from device.files import as_owner_of, replace_file
from game.message import Message
from vision import Quad, Reading
from vision.reading import Lean

USB, NO_HARDWARE = "USB camera", ("simulated tray", "replay of ")


class ProfileStore:
    """The profile of this table.

    Args:
        file: where it is; None keeps it in memory only.

    Attributes:
        trouble: why the file does not hold, in a line; empty where it does. It is not touched then
            until a new profile is kept.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._profile: Profile | None = None
        self.trouble = ""
        self.reload()

    def reload(self) -> None:
        """Read the file again: it was put there by somebody else."""
        if self._file is None:
            return
        try:
            self._profile, self.trouble = profiles.load(self._file), ""
        except (ProfileError, OSError) as error:
            self.trouble = str(error)

    @property
    def notice(self) -> Message | None:
        """The same for the page."""
        if not self.trouble:
            return None
        return Message("The calibration cannot be used: %(why)s", why=self.trouble)

    @property
    def profile(self) -> Profile | None:
        return self._profile

    def profile_for(self, camera: str) -> Profile | None:
        """The profile, where it was made with the camera of this name."""
        profile = self._profile
        return profile if profile and profile.camera == camera else None

    def save(self, profile: Profile) -> None:
        """From now on it is this one. That of another camera, or a broken one, is put beside it.

        Raises:
            OSError: it cannot be written; the one before stands as it was.
        """
        if self._file is not None:
            with as_owner_of(self._file.parent):
                self._write(self._file, profile)
        self._profile, self.trouble = profile, ""

    def _write(self, file: Path, profile: Profile) -> None:
        other = self._profile is not None and self._profile.camera != profile.camera
        if self.trouble and file.exists():  # perhaps it cannot even be read
            new = file.with_name(f"{file.name}.new")
            profiles.save(profile, new)
            file.replace(file.with_name(f"{file.name}.bak"))
            new.replace(file)
        elif other:
            replace_file(file, profiles.as_text(profile).encode())
        else:
            profiles.save(profile, file)

    def resolve_camera(self, spec: str) -> str:
        """The camera that a person who named `spec` means: `auto` is what was calibrated here.

        So a cable that came loose is told, and never replaced by simulated dice.
        """
        profile = self._profile
        pi = profile is not None and _is_of(profile.camera, "picamera2")
        return "picamera2" if spec == "auto" and pi else spec

    def tuning_for(self, spec: str, usual: Tuning) -> Tuning:
        """How the camera named `spec` is opened: as it was when the profile was made.

        Args:
            spec: as on the command line: picamera2, usb:0, ...
            usual: what the settings say of rotation and mains.
        """
        profile = self._profile
        if profile is None or not _is_of(profile.camera, spec):
            return usual
        return replace(usual, focus_dpt=profile.held.focus_dpt, light=_light(profile.held))

    def leans_for(self, camera: str) -> tuple[Lean, ...]:
        """How dice lay when they were learnt under this camera."""
        profile = self.profile_for(camera)
        return profile.leans if profile else ()

    def filter_reading(self, reading: Reading, tray: Quad | None, camera: str) -> Reading:
        """The reading as these dice make it likely."""
        profile = self.profile_for(camera)
        if profile is None or profile.dice is None or tray is None:
            return reading
        return filter_reading(reading, tray, profile.dice)


def held(tuning: Tuning) -> HeldControls:
    """What of a camera's tuning goes into the profile."""
    light = tuning.light
    if light is None:
        return HeldControls(focus_dpt=tuning.focus_dpt)
    return HeldControls(
        tuning.focus_dpt, light.exposure_us, light.gain, light.red, light.blue, light.white_k
    )


def load_named_profile(path: Path) -> Profile:
    """The profile that a person named.

    Raises:
        UsageError: there is none, or it does not hold.
    """
    try:
        profile = profiles.load(path)
    except ProfileError as error:
        _fail(str(error))
    if profile is None:
        _fail(f"{path}: there is no such file: `traykeeper calibrate` makes one, {FILE}")
    return profile


def _fail(message: str) -> NoReturn:
    raise UsageError(message)


def _light(held: HeldControls) -> HeldLight | None:
    if held.exposure_us is None or held.gain is None:
        return None
    return HeldLight(held.exposure_us, held.gain, held.red, held.blue, held.white_k)


def _is_of(camera: str, spec: str) -> bool:
    """Whether what this spec opens is called so; the Pi's cameras are called by their sensor."""
    kind, _, number = spec.partition(":")
    if kind == "usb":
        return camera == f"{USB} {number or 0}"
    return kind in ("auto", "picamera2") and not camera.startswith((USB, *NO_HARDWARE))
