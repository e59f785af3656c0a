"""The stored profile: its file format, and the profile that belongs to the camera in use."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from calibration.dice_set import filter_reading
from calibration.drift import ROW_LENGTH, SIDES, Row
from calibration.mat import TRAY_MM
from calibration.outline import Outline
from calibration.profile import Colour, DiceLook, DiceSet, HeldControls, Mat, Profile
from device.cameras.base import Camera, TrayZones, zones_of
from device.cameras.controls import EXPOSURE_US, FOCUS_STEPS, GAIN, WHITE_K, HeldLight, Tuning
from device.errors import UsageError
from device.files import as_owner_of, read_bounded, replace_file, write_atomically
from device.hardware.choices import NETWORK, USB, as_camera, camera_name
from game import toml_table
from game.file_io import sync_folder
from game.message import Message
from game.toml_table import TomlTable, is_number
from vision import Quad, Reading
from vision.reading import Lean

FORMAT = 2
"""Number of the format. A newer format is refused."""

MAX_LEANS_IN_FILE = 1_000
"""Largest number of leans in a file, more than are ever saved."""

MAX_LEAN = 10.0
"""Largest value of a lean: nothing in a frame is this far away, neither in frame widths nor in die edges."""

MAX_FORMAT = 1_000

MAX_BYTES = 1_048_576
"""Largest size of the file. A profile takes about 5 kB."""

PROFILE_FILE = "calibration.toml"
"""Name of the file in the state folder."""

REMEDY = "correct it, or calibrate again"

LISTS = Message("lists of numbers")

NO_HARDWARE = ("simulated tray", "replay of ")
"""The beginnings of `Camera.name` for cameras without hardware."""


class ProfileError(ValueError):
    """Raised for a profile that cannot be used; the message names the file, the key and what to do, in one line."""


def load(path: Path) -> Profile | None:
    """Load the profile from a file; return None if the file does not exist.

    Raises:
        ProfileError: If the file cannot be used.
    """
    try:
        text = read_bounded(path, MAX_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise ProfileError(f"{path}: cannot be read ({why}): {REMEDY}") from None
    table = toml_table.parse(text, str(path), _fault)
    return _profile(table)


def save(profile: Profile, path: Path) -> None:
    """Write a profile atomically: after a power cut, the file is either the old one or the new one.

    Args:
        profile: The profile.
        path: Path of the file.

    Raises:
        OSError: If the file cannot be written.
    """
    write_atomically(path, as_text(profile))


def parse(text: str, where: str) -> Profile:
    """Parse a profile from the text of a file.

    Args:
        text: The text of the file.
        where: The name of the file in error messages.

    Raises:
        ProfileError: If the profile cannot be used.
    """
    return _profile(toml_table.parse(text, where, _fault))


def _fault(what: Message) -> ProfileError:
    return ProfileError(f"{what}: {REMEDY}")


def as_text(profile: Profile) -> str:
    """Return the text of the file for a profile. Values that are not known are left out.

    >>> parse(as_text(profile), "here") == profile
    True
    """
    held, dice, mat = profile.held, profile.dice, profile.mat
    tables: dict[str, Mapping[str, object]] = {
        "tray": {"corners": profile.tray.corners, "level": profile.level, "sides": profile.sides},
        "aside": {"corners": profile.aside.corners} if profile.aside else {},
        "camera": {name: getattr(held, name) for name in HeldControls.__slots__},
        "dice": _look_keys(dice.looks[0]) if dice else {},
        "mat": {name: getattr(mat, name) for name in Mat.__slots__} if mat else {},
    }
    leans = tuple((lean.x, lean.y, lean.right, lean.down, lean.edge) for lean in profile.leans)
    tables["seen"] = {"leans": leans}
    lines = [
        "# What Traykeeper knows about this tray and camera, written by `traykeeper calibrate`.",
        "# Corners are fractions of the frame's width and height.",
        *_lines({"format": FORMAT, "made": profile.made, "camera_name": profile.camera}),
    ]
    for name, table in tables.items():
        if inside := _lines(table):
            lines += ["", f"[{name}]", *inside]
    for look in dice.looks[1:] if dice else ():
        lines += ["", "[[dice.more]]", *_lines(_look_keys(look))]
    return "\n".join(lines) + "\n"


def _look_keys(look: DiceLook) -> dict[str, object]:
    return {name: getattr(look, name) for name in DiceLook.__slots__}


def _lines(table: Mapping[str, object]) -> list[str]:
    return [
        f"{key} = {json.dumps(_rounded(value), ensure_ascii=False)}"
        for key, value in table.items()
        if _is_known(value)
    ]


def _is_known(value: object) -> bool:
    return value is not None and value != ()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5)
    return [_rounded(part) for part in value] if isinstance(value, tuple) else value


def _profile(top: TomlTable) -> Profile:
    if (number := top.integer("format", 1, MAX_FORMAT)) > FORMAT:
        newer = Message("is %(n)s, from a newer version: update this Traykeeper", n=str(number))
        raise replace(top, make_error=ProfileError).error("format", newer)
    _refuse_other_keys(
        top, "format", "made", "camera_name", "tray", "aside", "camera", "dice", "seen", "mat"
    )
    tray = _sub_table(top, "tray", "corners", "level", "sides")
    aside = _sub_table(top, "aside", "corners")
    if tray is None:
        raise top.error("[tray]", Message("is missing"))
    return Profile(
        camera=top.line("camera_name"),
        made=top.line("made"),
        tray=_outline(tray),
        aside=_outline(aside) if aside else None,
        level=_optional_number(tray, "level", 0, 1),
        sides=_sides(tray),
        held=_held(_sub_table(top, "camera", *HeldControls.__slots__)),
        dice=_dice(_sub_table(top, "dice", *DiceLook.__slots__, "more")),
        leans=_leans(_sub_table(top, "seen", "leans")),
        mat=_mat(_sub_table(top, "mat", *Mat.__slots__)),
    )


def _sides(table: TomlTable) -> tuple[Row, ...]:
    rows = _rows(table, "sides")
    if len(rows) % SIDES or any(len(row) != ROW_LENGTH for row in rows):
        raise table.invalid("sides", LISTS)
    return rows


def _held(table: TomlTable | None) -> HeldControls:
    if table is None:
        return HeldControls()
    if ("exposure_us" in table.data) != ("gain" in table.data):
        raise table.error("exposure_us", Message("must be set together with `gain`, or not at all"))
    exposure = _optional_number(table, "exposure_us", *EXPOSURE_US)
    white = _optional_number(table, "white_k", *WHITE_K)
    focus = _optional_number(table, "focus_steps", *FOCUS_STEPS)
    return HeldControls(
        focus_dpt=_optional_number(table, "focus_dpt", 0, 100),
        exposure_us=None if exposure is None else round(exposure),
        gain=_optional_number(table, "gain", *GAIN),
        red=_optional_number(table, "red", 0, 100),
        blue=_optional_number(table, "blue", 0, 100),
        white_k=None if white is None else round(white),
        focus_steps=None if focus is None else round(focus),
    )


def _dice(table: TomlTable | None) -> DiceSet | None:
    if table is None:
        return None
    more = table.tables("more")
    for look in more:
        _refuse_other_keys(look, *DiceLook.__slots__)
    return DiceSet(tuple(map(_look, (table, *more))))


def _look(table: TomlTable) -> DiceLook:
    return DiceLook(
        table.number("edge", 0.001, 1),
        table.number("spread", 0, 1),
        _colour(table, "body"),
        _colour(table, "pip"),
        table.number("tone", 0, 400),
        round(table.number("dice", 1, 100_000)),
    )


def _leans(table: TomlTable | None) -> tuple[Lean, ...]:
    if table is None:
        return ()
    rows = _rows(table, "leans")
    if len(rows) > MAX_LEANS_IN_FILE or not all(map(_is_valid_lean, rows)):
        raise table.invalid("leans", LISTS)
    return tuple(Lean(*row) for row in rows)


def _is_valid_lean(row: tuple[float, ...]) -> bool:
    return len(row) == len(fields(Lean)) and max(map(abs, row)) <= MAX_LEAN and 0 < row[-1] <= 1


def _mat(table: TomlTable | None) -> Mat | None:
    if table is None:
        return None
    k1, k2 = table.numbers("bend", 2)
    return Mat(
        table.number("wide_mm", *TRAY_MM),
        table.number("deep_mm", *TRAY_MM),
        (k1, k2),
        table.number("focal", 0.1, 100),
    )


def _refuse_other_keys(table: TomlTable, *known: str) -> None:
    table.check_keys(known, Message("is not a known key"))


def _sub_table(top: TomlTable, name: str, *known: str) -> TomlTable | None:
    if table := top.table(name):
        _refuse_other_keys(table, *known)
    return table


def _optional_number(table: TomlTable, key: str, low: float, high: float) -> float | None:
    return table.number(key, low, high) if key in table.data else None


def _colour(table: TomlTable, key: str) -> Colour:
    lightness, a, b = table.numbers(key, 3)
    return lightness, a, b


def _rows(table: TomlTable, key: str) -> tuple[tuple[float, ...], ...]:
    value = table.data.get(key, [])
    if not isinstance(value, list) or not all(
        isinstance(row, list) and all(map(is_number, row)) for row in value
    ):
        raise table.invalid(key, LISTS)
    return tuple(tuple(float(part) for part in row) for row in value)


def _outline(table: TomlTable) -> Outline:
    try:
        a, b, c, d = ((_share(x), _share(y)) for x, y in table.data.get("corners", ()))
        return Outline((a, b, c, d))
    except (TypeError, ValueError) as error:
        allowed = Message("four corners [x, y] as fractions of the picture")
        if "corner" in str(error):
            allowed = Message("%(allowed)s (%(why)s)", allowed=allowed, why=str(error))
        raise table.invalid("corners", allowed) from None


def _share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError("a corner is two numbers")
    return float(value)


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
            self._profile, self.trouble = load(self._file), ""
        except (ProfileError, OSError) as error:
            self._profile, self.trouble = None, str(error)

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
            save(profile, new)
            file.replace(file.with_name(f"{file.name}.bak"))
            new.replace(file)
            sync_folder(file.parent)
        elif other:
            replace_file(file, as_text(profile).encode())
        else:
            save(profile, file)

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
        profile = load(path)
    except ProfileError as error:
        raise UsageError(str(error)) from None
    if profile is None:
        raise UsageError(
            f"{path}: the file does not exist: `traykeeper calibrate` makes one, {PROFILE_FILE}"
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
