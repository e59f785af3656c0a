"""`traykeeper read`: reads the dice in photos."""

import json
import os.path
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

from calibration.dice_set import filter_reading
from calibration.outline import Outline, OutlineError, OutlineFault, is_convex
from calibration.profile import Profile
from device.calibrating.drift_watch import check_for_move
from device.calibrating.profile_file import load_named_profile
from device.cameras.base import Image
from device.errors import BAD_INPUT, UsageError
from device.files import print_line, printable
from device.session import messages
from game.file_io import read_text
from game.wording import format_dice
from vision import Quad, Reading
from vision import read as read_picture
from vision.annotate import annotate as draw_reading
from vision.images import ImageError, load
from vision.known_tray import UNKNOWN_TRAY, KnownTray

N_CORNERS = 4
MIN_AREA_PX, MAX_AREA_PX = 16.0, 1e9
"""Smallest and largest area of a tray in a picture, in square pixels."""

MIN_FOR_PROGRESS = 5

MAX_TABLES = 4
"""Number of trays whose images are cached, at a few MB each. In a list, the pictures of one tray usually follow each
other."""


@dataclass(frozen=True, slots=True)
class TablePictures:
    """Pictures that show the appearance of a tray and its dice.

    Attributes:
        empty: A picture of the empty tray; None if there is none.
        throws: Pictures of throws of the same dice in the same tray; the faces need not be known.
    """

    empty: Path | None = None
    throws: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to read.

    Attributes:
        name: Name of the picture in the output.
        path: Path of the picture.
        tray: Corners of the tray in the picture, in pixels; None reads the whole picture.
        table: Further pictures of the same tray; None if there are none.
        drawn: Where to save a copy with the reading drawn on it; None draws nothing.
    """

    name: str
    path: Path
    tray: Quad | None = None
    table: TablePictures | None = None
    drawn: Path | None = None


def listed_pictures(path: Path) -> Iterator[Picture]:
    """Yield the pictures named in a list file. Their paths are relative to the folder of the list.

    Raises:
        UsageError: If a line of the list is not valid.
    """
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield _picture(path, number, line)


def _picture(path: Path, number: int, line: str) -> Picture:
    try:
        data = json.loads(line)
        tray, table = data.get("tray"), data.get("table")
        return Picture(
            data["file"],
            path.parent / data["file"],
            None if tray is None else _quad(tray),
            None if table is None else _table(path.parent, table),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise UsageError(
            f'--list {path}, line {number}: write {{"file": "a.jpg"}}, and optionally '
            '"tray": four corners [[x, y], ...] in the picture, in order around the tray, '
            '"table": {"empty": "b.jpg", "throws": ["c.jpg", ...]}'
        ) from None


def _table(folder: Path, table: dict[str, Any]) -> TablePictures:
    empty, throws = table.get("empty"), table.get("throws", [])
    if not isinstance(throws, list) or not table.keys() <= {"empty", "throws"}:
        raise ValueError(f"no table: {table}")
    return TablePictures(
        None if empty is None else folder / empty, tuple(folder / throw for throw in throws)
    )


def _quad(corners: Any) -> Quad:
    quad = Quad.of(corners)
    points = quad.corners
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*points, points[0]]))) / 2
    if not is_convex(np.array(points)) or not MIN_AREA_PX < area < MAX_AREA_PX:
        raise ValueError(f"no tray: {corners}")
    return quad


@click.command()
@click.argument("images", nargs=-1, metavar="IMAGE...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per picture.")
@click.option(
    "--list",
    "listed",
    metavar="FILE",
    help='File of lines {"file": ..., "tray": [[x, y] x 4], "table": {"empty": ..., "throws": [...]}}; '
    "only `file` is required.",
)
@click.option(
    "--annotate",
    metavar="DIR",
    help="Write each picture to this folder with the reading drawn on it.",
)
@click.option(
    "--profile", metavar="FILE", help="Profile with the tray, set-aside area and dice to look for."
)
def read(
    images: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    listed: str | None,
    annotate: str | None,
    profile: str | None,
) -> int:
    """Read the dice in photos.

    \b
    traykeeper read throw.jpg
    traykeeper read --json *.jpg
    traykeeper read --annotate seen/ throw.jpg
    """
    if not images and listed is None:
        raise click.UsageError("name at least one picture: traykeeper read throw.jpg")
    pictures = [Picture(image, Path(image)) for image in images]
    if listed is not None:
        pictures += listed_pictures(Path(listed))
    if annotate is not None:
        pictures = _with_drawings(pictures, _make_folder(annotate))
    known = None if profile is None else load_named_profile(Path(profile))
    were_read = [_read_one(each, known, as_json=as_json) for each in _with_progress(pictures)]
    return 0 if all(were_read) else BAD_INPUT


def _read_one(picture: Picture, known: Profile | None, *, as_json: bool) -> bool:
    try:
        image = load(picture.path)
        reading = _reading(image, picture, None if picture.tray else known)
    except ImageError as error:
        print_line(f"traykeeper: {error}", err=True)
        if as_json:
            click.echo(json.dumps(_unread(picture.name, str(error))))
        return False
    click.echo(_json_line(picture.name, reading) if as_json else _line(picture, reading))
    return picture.drawn is None or _write(picture.drawn, draw_reading(image, reading))


@lru_cache(MAX_TABLES)
def _known_table(pictures: TablePictures, tray: Quad | None) -> KnownTray:
    """Return what a companion would know about a tray after seeing these pictures of it, empty and with throws."""
    empty = load(pictures.empty) if pictures.empty else None
    alone = KnownTray(empty)
    throws = [read_picture(load(throw), tray, known=alone) for throw in pictures.throws]
    return KnownTray.of(empty, throws)


def _reading(image: Image, picture: Picture, known: Profile | None) -> Reading:
    """Read an image, using what the profile and the list of pictures say about its tray.

    Raises:
        ImageError: If the list says that the tray is outside the picture.
    """
    height, width = image.shape[:2]
    if picture.tray:
        _check_is_in_view(picture, picture.tray, width, height)
    tray = known.tray.in_px(width, height) if known else picture.tray
    aside = known.aside.in_px(width, height) if known and known.aside else None
    table = KnownTray(leans=known.leans) if known else UNKNOWN_TRAY
    if picture.table:
        table = _known_table(picture.table, tray)
    reading = read_picture(image, tray, aside=aside, known=table)
    if known and known.dice and tray:
        reading = filter_reading(reading, tray, known.dice)
    return check_for_move(reading, image, known) if known else reading


def _check_is_in_view(picture: Picture, tray: Quad, width_px: int, height_px: int) -> None:
    try:
        Outline.of(tray, width_px, height_px)
    except OutlineError as error:
        if error.fault is OutlineFault.OUTSIDE:
            raise ImageError(
                f"{picture.path}: the tray is outside this picture of {width_px} x {height_px} pixels: correct "
                '"tray" in the list'
            ) from None


def _write(path: Path, image: Image) -> bool:
    if cv2.imwrite(str(path), image):
        return True
    print_line(f"traykeeper: {path}: cannot be written: is the folder full or read-only?", err=True)
    return False


def _json_line(name: str, reading: Reading) -> str:
    return json.dumps({"file": name} | reading.to_json())


def _unread(name: str, reason: str) -> dict[str, Any]:
    nothing = Reading().to_json()
    return {"file": name} | nothing | {"sure": False, "problems": [reason]}


def _line(picture: Picture, reading: Reading) -> str:
    seen = format_dice(reading.values) or "no dice"
    if reading.is_sure:
        return f"{printable(picture.name)}: {seen}"
    lines = [f"{printable(picture.name)}: {seen}, not sure.", *map(str, messages.advice(reading))]
    if picture.drawn is None and any(die.problem for die in reading.dice_in_tray):
        lines.append("(--annotate DIR writes a picture with the ring.)")
    return " ".join(lines)


def _with_progress(pictures: list[Picture]) -> Iterator[Picture]:
    """Yield the pictures, and show a progress bar if there are many and the output does not go to the terminal."""
    if len(pictures) < MIN_FOR_PROGRESS or sys.stdout.isatty() or not sys.stderr.isatty():
        yield from pictures
        return
    with click.progressbar(pictures, label="Reading", file=sys.stderr) as bar:
        yield from bar


def _make_folder(folder: str) -> Path:
    if not folder:
        raise UsageError("--annotate: name a folder, such as --annotate seen/")
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError):
        raise UsageError(f"--annotate {folder}: the folder cannot be created") from None
    return path


def _with_drawings(pictures: list[Picture], folder: Path) -> list[Picture]:
    """Return the pictures, each with the path of its own drawing in the folder.

    Raises:
        UsageError: If a drawing would overwrite a picture that is to be read.
    """
    originals = {os.path.abspath(picture.path) for picture in pictures}  # noqa: PTH100 - normal
    drawn: list[Path] = []
    for picture in pictures:
        path = _free(folder, picture.path.stem, drawn)
        if os.path.abspath(path) in originals:  # noqa: PTH100 - normal
            raise UsageError(
                f"--annotate {folder}: {path} would be overwritten: name another folder"
            )
        drawn.append(path)
    return [replace(picture, drawn=path) for picture, path in zip(pictures, drawn, strict=True)]


def _free(folder: Path, stem: str, taken: list[Path]) -> Path:
    """Return the path `stem.jpg` in a folder, or `stem-2.jpg` and so on if that path is already taken.

    Args:
        folder: The folder.
        stem: The name of the file without its extension.
        taken: Paths that other drawings already use.
    """
    names = chain([f"{stem}.jpg"], (f"{stem}-{n}.jpg" for n in count(2)))
    return next(path for name in names if (path := folder / name) not in taken)
