"""The profile: all that calibration found out, as one versioned TOML file.

Everything in it is relative to the picture and the tray, so that it holds for pictures of any
size. It is read with care, since people mend it by hand, and written whole or not at all.
"""

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from calibration.outline import Outline, OutlineError

FORMAT = 1
"""Of the file. A newer one is refused; an older one is brought up step by step."""

FILE = "calibration.toml"
"""Its name in the state folder."""

Colour = tuple[float, float, float]
Data = dict[str, Any]

STEPS: Mapping[int, Callable[[Data], Data]] = {}
"""What turns the data of a format into those of the next; there is none before the first."""

AGAIN = "or calibrate again"


class ProfileError(ValueError):
    """A profile that does not hold: names the file, the key and the remedy, in one line."""


@dataclass(frozen=True, slots=True)
class HeldControls:
    """What the camera held when the profile was made; None is not known, or not to be set.

    Attributes:
        focus_dpt: lens position, 1 / metres.
        exposure_us, gain: set both, or none.
        red, blue: gains of these colours against green.
        white_k: colour temperature, where a USB camera balances by that.
    """

    focus_dpt: float | None = None
    exposure_us: int | None = None
    gain: float | None = None
    red: float | None = None
    blue: float | None = None
    white_k: int | None = None


@dataclass(frozen=True, slots=True)
class DiceSet:
    """The dice that are played with here.

    Attributes:
        edge: of a die's top face, in tray widths.
        spread: how much single dice differ from it, as a share of it.
        body, pip: colours as CIE Lab: lightness 0..100, two opponent colours around 0.
        tone: how far the bodies of single dice lie from `body`, in the same units.
        dice: how many were looked at.
    """

    edge: float
    spread: float
    body: Colour
    pip: Colour
    tone: float
    dice: int


@dataclass(frozen=True, slots=True)
class Mat:
    """What the printed mat told.

    Attributes:
        wide_mm, deep_mm: the tray's floor.
        bend: radial distortion of the lens, k1 and k2 of OpenCV's model.
        focal: in picture widths.
    """

    wide_mm: float
    deep_mm: float
    bend: tuple[float, float]
    focal: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one tray under one camera.

    Attributes:
        camera: its name, as `Camera.name` tells it.
        made: when, in the form of ISO 8601.
        tray: the floor of the tray.
        aside: where set-aside dice are laid; None where nothing is set aside.
        level: brightness of the floor, 0..1, against which the light is compared.
        sides: how the picture changes across each side of the tray; see `calibration.drift`.
        held: of the camera.
        dice: None while they were not learnt.
        mat: None where there was none.
    """

    camera: str
    made: str
    tray: Outline
    aside: Outline | None = None
    level: float | None = None
    sides: tuple[tuple[float, ...], ...] = ()
    held: HeldControls = HeldControls()
    dice: DiceSet | None = None
    mat: Mat | None = None


def load(path: Path) -> Profile | None:
    """The profile in this file; None where there is no file.

    One of an older format is brought up to date, and the old one kept beside it.

    Raises:
        ProfileError: it does not hold.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise ProfileError(f"{path}: cannot be read ({why}): mend it, {AGAIN}") from None
    data = _data(text, str(path))
    if (found := data.get("format")) in (FORMAT, None):
        return _profile(data, str(path))
    upgraded = migrated(data, str(path), STEPS)
    profile = _profile(upgraded, str(path))
    path.with_name(f"{path.name}.{found}.bak").write_text(text, "utf-8")
    save(profile, path)
    return profile


def save(profile: Profile, path: Path) -> None:
    """Write it whole: after a power cut there is the old one or the new one.

    Raises:
        OSError: the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        file.write(as_text(profile))
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def parse(text: str, where: str) -> Profile:
    """The profile in `text`; `where` is what error messages call it."""
    return _profile(_data(text, where), where)


def migrated(
    data: Data, where: str, steps: Mapping[int, Callable[[Data], Data]] = STEPS, to: int = FORMAT
) -> Data:
    """Data of an older format as those of the newest."""
    number = data.get("format")
    if not isinstance(number, int) or isinstance(number, bool):
        raise ProfileError(f"{where}: format must be {to}, not {number!r}: mend it, {AGAIN}")
    if number > to:
        raise ProfileError(
            f"{where}: format is {number}, made by a newer Traykeeper: update this one, {AGAIN}"
        )
    while number != to:
        if number not in steps:
            raise ProfileError(f"{where}: format must be {to}, not {number!r}: mend it, {AGAIN}")
        data = steps[number](data)
        number += 1
        data["format"] = number
    return data


def as_text(profile: Profile) -> str:
    """The file. What is not known is left out.

    >>> parse(as_text(profile), "here") == profile
    True
    """
    held, dice, mat = profile.held, profile.dice, profile.mat
    tables: dict[str, Mapping[str, object]] = {
        "tray": {"corners": profile.tray.corners, "level": profile.level, "sides": profile.sides},
        "aside": {"corners": profile.aside.corners} if profile.aside else {},
        "camera": {name: getattr(held, name) for name in HeldControls.__slots__},
        "dice": {name: getattr(dice, name) for name in DiceSet.__slots__} if dice else {},
        "mat": {name: getattr(mat, name) for name in Mat.__slots__} if mat else {},
    }
    lines = [
        "# What Traykeeper knows of this tray and this camera; `traykeeper calibrate` makes it.",
        "# Corners are shares of the picture's width and height.",
        *_lines({"format": FORMAT, "made": profile.made, "camera_name": profile.camera}),
    ]
    for name, table in tables.items():
        if inside := _lines(table):
            lines += ["", f"[{name}]", *inside]
    return "\n".join(lines) + "\n"


def _lines(table: Mapping[str, object]) -> list[str]:
    return [
        f"{key} = {json.dumps(_rounded(value), ensure_ascii=False)}"
        for key, value in table.items()
        if _set(value)
    ]


def _set(value: object) -> bool:
    return value is not None and value != ()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 5)
    return [_rounded(part) for part in value] if isinstance(value, tuple) else value


def _data(text: str, where: str) -> Data:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProfileError(f"{where}: not valid TOML ({error}): mend it, {AGAIN}") from None


def _profile(data: Data, where: str) -> Profile:
    top = _Table(migrated(data, where), where, "")
    top.only("format", "made", "camera_name", "tray", "aside", "camera", "dice", "mat")
    tray = top.table("tray", "corners", "level", "sides")
    if tray is None:
        raise ProfileError(f"{where}: [tray] is missing: mend it, {AGAIN}")
    aside = top.table("aside", "corners")
    return Profile(
        camera=top.text("camera_name"),
        made=top.text("made"),
        tray=tray.outline("corners"),
        aside=aside.outline("corners") if aside else None,
        level=tray.number("level", 0, 1),
        sides=tray.rows("sides"),
        held=_held(top.table("camera", *HeldControls.__slots__)),
        dice=_dice(top.table("dice", *DiceSet.__slots__)),
        mat=_mat(top.table("mat", *Mat.__slots__)),
    )


def _held(table: "_Table | None") -> HeldControls:
    if table is None:
        return HeldControls()
    exposure, gain = table.number("exposure_us", 1, 10_000_000), table.number("gain", 0, 100_000)
    if (exposure is None) != (gain is None):
        raise table.error("exposure_us", "set together with gain, or neither")
    white = table.number("white_k", 1_000, 30_000)
    return HeldControls(
        focus_dpt=table.number("focus_dpt", 0, 100),
        exposure_us=None if exposure is None else round(exposure),
        gain=gain,
        red=table.number("red", 0, 100),
        blue=table.number("blue", 0, 100),
        white_k=None if white is None else round(white),
    )


def _dice(table: "_Table | None") -> DiceSet | None:
    if table is None:
        return None
    return DiceSet(
        table.needed("edge", 0.001, 1),
        table.needed("spread", 0, 1),
        table.colour("body"),
        table.colour("pip"),
        table.needed("tone", 0, 400),
        round(table.needed("dice", 1, 100_000)),
    )


def _mat(table: "_Table | None") -> Mat | None:
    if table is None:
        return None
    bend = table.numbers("bend", 2)
    return Mat(
        table.needed("wide_mm", 10, 5_000),
        table.needed("deep_mm", 10, 5_000),
        (bend[0], bend[1]),
        table.needed("focal", 0.1, 100),
    )


class _Table:
    """One table of the file; every fault is an error that names the file and the key."""

    def __init__(self, data: Data, where: str, name: str) -> None:
        self._data, self._where, self._name = data, where, name

    def error(self, key: str, allowed: str) -> ProfileError:
        path = f"{self._name}.{key}" if self._name else key
        found = f" found {self._data[key]!r:.60}:" if key in self._data else ""
        return ProfileError(f"{self._where}: {path:.60}:{found} it must be {allowed}; {AGAIN[3:]}")

    def only(self, *known: str) -> None:
        for key in self._data:
            if key not in known:
                raise self.error(key, f"one of {', '.join(known)}")

    def table(self, key: str, *known: str) -> "_Table | None":
        value = self._data.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"a table, [{key}]")
        table = _Table(value, self._where, key)
        table.only(*known)
        return table

    def text(self, key: str) -> str:
        value = self._data.get(key)
        if not isinstance(value, str):
            raise self.error(key, "text in quotes")
        return value

    def number(self, key: str, low: float, high: float) -> float | None:
        if key not in self._data:
            return None
        value = self._data[key]
        if not _is_number(value) or not low <= value <= high:
            raise self.error(key, f"a number from {low:g} to {high:g}")
        return float(value)

    def needed(self, key: str, low: float, high: float) -> float:
        value = self.number(key, low, high)
        if value is None:
            raise self.error(key, f"a number from {low:g} to {high:g}")
        return value

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        value = self._data.get(key)
        if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
            raise self.error(key, f"a list of {count} numbers")
        return tuple(float(part) for part in value)

    def colour(self, key: str) -> Colour:
        lightness, a, b = self.numbers(key, 3)
        return lightness, a, b

    def rows(self, key: str) -> tuple[tuple[float, ...], ...]:
        value = self._data.get(key, [])
        if not isinstance(value, list) or not all(
            isinstance(row, list) and all(map(_is_number, row)) for row in value
        ):
            raise self.error(key, "lists of numbers")
        return tuple(tuple(float(part) for part in row) for row in value)

    def outline(self, key: str) -> Outline:
        value = self._data.get(key)
        try:
            a, b, c, d = ((_share(x), _share(y)) for x, y in value or ())
            return Outline((a, b, c, d))
        except (TypeError, ValueError) as error:
            why = f" ({error})" if isinstance(error, OutlineError) else ""
            raise self.error(key, f"four corners [x, y] as shares of the picture{why}") from None


def _share(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError("a corner is two numbers")
    return float(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
