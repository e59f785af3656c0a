"""Lists of pictures to read: one JSON object per line, with the known facts about the picture."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from device.errors import UsageError
from game.file_io import read_text
from vision import Quad

N_CORNERS = 4
MIN_AREA_PX, MAX_AREA_PX = 16.0, 1e9
"""Smallest and largest area of a tray in a picture, in square pixels."""


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


def read(path: Path) -> Iterator[Picture]:
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
            '"tray": four corners [[x, y], ...] in the picture, '
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
    points = [(float(x), float(y)) for x, y in corners]
    area = abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*points, *points[:1]]))) / 2
    if len(points) != N_CORNERS or not MIN_AREA_PX < area < MAX_AREA_PX:
        raise ValueError(f"no tray: {corners}")
    return Quad((points[0], points[1], points[2], points[3]))
