"""Pictures whose dice are known, and how a reading of one ends: right, asked or silent.

A folder of them holds `photos/` and `renders/`, each with a `labels.jsonl`; or a `labels.jsonl` of
its own beside pictures of throws that people corrected at their table. `evenings/` has a folder for each
evening at one tray: the tray empty, throws to learn from, and throws to read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any

from vision.images import ImageError
from vision.reading import Die, Quad, Reading

LABELS_FILE = "labels.jsonl"

NEAR = 0.2
"""Of its box: so far outside it the centre of a die may be found."""
COCKED_DEG = (9, 11)
LEANING_DEG = (24, 26)
TOP_SEEN = (0.93, 0.98)
"""Between these a label is a judgement call: such a picture counts for nothing."""


class Outcome(StrEnum):
    """Of a picture."""

    RIGHT = "right"  # sure, and all dice as they are
    ASKED = "asked"  # not sure
    SILENT = "silent"  # sure and wrong


@dataclass(frozen=True, slots=True)
class LabelledDie:
    """A die as labelled; `value` is None where nobody could tell."""

    x: float
    y: float
    w: float
    h: float
    value: int | None

    def contains(self, die: Die) -> bool:
        across = -NEAR * self.w <= die.x - self.x <= (1 + NEAR) * self.w
        return across and -NEAR * self.h <= die.y - self.y <= (1 + NEAR) * self.h


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled picture: what is true of it, and the kinds it counts for.

    Of a trap (a cocked or hidden die, a hand) no reader may be sure.
    """

    path: Path
    values: tuple[int, ...]
    boxes: tuple[LabelledDie, ...]
    is_trap: bool
    kinds: tuple[str, ...]
    tray: Quad | None

    def outcome(self, reading: Reading) -> Outcome:
        if not reading.is_sure:
            return Outcome.ASKED
        is_right = reading.values == self.values and not self.is_trap
        return Outcome.RIGHT if is_right else Outcome.SILENT

    def true_value(self, die: Die) -> int | None:
        """What the die really shows; None where none lies or nobody could tell."""
        return next((box.value for box in self.boxes if box.contains(die)), None)


@dataclass(frozen=True, slots=True)
class Evening:
    """One tray, camera, light and set of dice: what a companion has seen of it, and the throws to read."""

    name: str
    tray: Quad
    empty: Path
    earlier: tuple[Path, ...]
    throws: tuple[Case, ...]


def load_evenings(folder: Path) -> list[Evening]:
    """Every evening of a folder; none where it has no `evenings/`."""
    places = sorted(path.parent for path in (folder / "evenings").glob(f"*/{LABELS_FILE}"))
    return [_evening(place) for place in places]


def _evening(place: Path) -> Evening:
    labels = {role: [*of] for role, of in groupby(_labels(place), key=lambda row: row["role"])}
    load_cases = tuple(
        _render_case(place / Path(row["image"]).name, row) for row in labels["throw"]
    )
    (empty,), learnt = labels["empty"], labels["learn"]
    return Evening(
        place.name,
        _quad(empty["tray_corners"]),
        place / Path(empty["image"]).name,
        tuple(place / Path(row["image"]).name for row in learnt),
        load_cases,
    )


def load_cases(folder: Path) -> list[Case]:
    """Every labelled picture of a folder.

    Raises:
        ImageError: there is none, or a label does not hold.
    """
    forms = ((folder / "photos", _photos), (folder / "renders", _renders), (folder, _corrected))
    there = [(place, read) for place, read in forms if (place / LABELS_FILE).exists()]
    if not there:
        raise ImageError(f"{folder}: no labelled pictures: name a folder with a {LABELS_FILE}")
    try:
        return [case for place, read in there for case in read(place)]
    except (ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ImageError(f"{folder}: a line of {LABELS_FILE} does not hold ({why})") from None


def _photos(folder: Path) -> Iterator[Case]:
    for label in _labels(folder):
        boxes = tuple(LabelledDie(*box) for box in label["boxes"])
        values = tuple(sorted(label["values"]))
        kinds = tuple(_photo_kinds(label))
        yield Case(folder / label["file"], values, boxes, is_trap=False, kinds=kinds, tray=None)


def _photo_kinds(label: dict[str, Any]) -> Iterator[str]:
    yield "photos, all"
    complete = label.get("values_complete", True) and label["verified"]
    if label["view"] == "overhead" and label["n_dice"] in range(1, 7) and complete:
        yield "photos from above, 1 to 6 dice"
        yield f"photos from above, {label['background']} ground"
        yield f"photos from above, light: {label['lighting']}"
        if label["touching"]:
            yield "photos from above, dice touching"


def _renders(folder: Path) -> Iterator[Case]:
    for label in _labels(folder):
        yield _render_case(folder / label["image"], label)


def _render_case(path: Path, label: dict[str, Any]) -> Case:
    dice = [die for die in label["dice"] if die["in_tray"]]
    trap = bool(label["hand"]) or not label["all_readable"]
    return Case(
        path,
        tuple(sorted(label["values"])),
        tuple(_render_box(die) for die in dice),
        is_trap=trap,
        kinds=tuple(_render_kinds(label, dice, is_trap=trap)),
        tray=_quad(label["tray_corners"]),
    )


def _render_box(die: dict[str, Any]) -> LabelledDie:
    left, top, right, bottom = die["bbox"]
    value = die["value"] if die["readable"] else None
    return LabelledDie(left, top, right - left, bottom - top, value)


def _render_kinds(
    label: dict[str, Any], dice: list[dict[str, Any]], *, is_trap: bool
) -> Iterator[str]:
    if any(_is_judgement(die) for die in dice):
        return
    yield "renders, all"
    if is_trap:
        yield "renders, traps"
        names = {"has_hand": "hand", "has_cocked": "cocked", "has_stacked": "stacked"}
        yield from (f"renders, traps: {names[tag]}" for tag in label["tags"] if tag in names)
    elif not label["all_legible"]:
        yield "renders, too dim or glaring to read"
    else:
        yield "renders, all dice readable"
        names = {
            "has_touching": "dice touching",
            "tiny": "tiny dice",
            "steep_camera": "steep camera",
        }
        yield from (f"renders, {names[tag]}" for tag in label["tags"] if tag in names)


def _is_judgement(die: dict[str, Any]) -> bool:
    tilt, seen = die["tilt_deg"], die["top_visible_frac"]
    return any(low < tilt < high for low, high in (COCKED_DEG, LEANING_DEG)) or (
        TOP_SEEN[0] < seen < TOP_SEEN[1]
    )


def _corrected(folder: Path) -> Iterator[Case]:
    """Throws that were put right at a table; see `device.storage.misreads`."""
    for label in _labels(folder):
        tray = label["tray"]
        yield Case(
            folder / Path(label["file"]).name,
            tuple(sorted(label["values"])),
            tuple(LabelledDie(*box) for box in label["boxes"]),
            is_trap=False,
            kinds=tuple(_corrected_kinds(label)),
            tray=tray and _quad(tray),
        )


def _corrected_kinds(label: dict[str, Any]) -> Iterator[str]:
    yield "corrected throws, all"
    if not label["all_found"]:
        yield "corrected throws, a die added or left out"


def _quad(corners: Any) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return Quad((a, b, c, d))


def _labels(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / LABELS_FILE).read_text("utf-8").splitlines():
        yield json.loads(line)
