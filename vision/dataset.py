"""Labelled pictures, and the outcome of reading one: right, asked (unsure) or silent (wrong but sure).

A folder of labelled pictures contains `photos/`, `renders/` and `low_camera/`, each with a `labels.jsonl`. In a folder of
throws that people corrected at their tray, `labels.jsonl` is next to the pictures. `evenings/` has a folder for
each evening at one tray: the empty tray, throws from which the reader learns about the tray, and throws to read.
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

BOX_MARGIN = 0.2
"""The centre of a die may be this far outside its labelled box, as a share of the box."""

AMBIGUOUS_TILTS_DEG = ((9, 11), (24, 26))
AMBIGUOUS_VISIBLE_SHARE = (0.93, 0.98)
"""Ranges of the tilt, and of the visible share of the top face, in which it is a matter of opinion whether a die is
cocked, leaning or hidden. A picture with such a die is left out."""


HARD_PHOTO_KINDS = {
    "low camera": "photos, a low camera",
    "trap": "photos, hands, and dice that are cut off, stacked or in the air",
}
"""Categories of photographs whose dice nobody can be sure of, by the kind in their label."""

SIDE_VIEWS = ("tilted", "oblique", "low")
"""Views of a photograph in which the sides of the dice are plainly visible."""


class Outcome(StrEnum):
    """The result of comparing the reading of one picture with its label."""

    RIGHT = "right"
    """Sure, and all dice are right."""

    ASKED = "asked"
    """Not sure."""

    SILENT = "silent"
    """Sure, but wrong."""


@dataclass(frozen=True, slots=True)
class LabelledDie:
    """The labelled bounding box of a die.

    Attributes:
        x: Column of the left edge in pixels.
        y: Row of the top edge in pixels.
        w: Width in pixels.
        h: Height in pixels.
        value: Face from 1 to 6, or None if nobody could read it.
    """

    x: float
    y: float
    w: float
    h: float
    value: int | None

    def contains(self, die: Die) -> bool:
        """Check whether the centre of a die lies in the box or just outside it."""
        is_across = -BOX_MARGIN * self.w <= die.x - self.x <= (1 + BOX_MARGIN) * self.w
        return is_across and -BOX_MARGIN * self.h <= die.y - self.y <= (1 + BOX_MARGIN) * self.h


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled picture.

    Attributes:
        path: The image file.
        values: Faces in the tray in ascending order.
        boxes: Labelled dice.
        is_trap: Whether the picture shows a cocked or hidden die or a hand, so that no reading of it may be sure.
        kinds: Names of the categories in whose statistics the picture counts.
        tray: Floor of the tray in pixels, or None if it is not labelled.
    """

    path: Path
    values: tuple[int, ...]
    boxes: tuple[LabelledDie, ...]
    is_trap: bool
    kinds: tuple[str, ...]
    tray: Quad | None

    def outcome(self, reading: Reading) -> Outcome:
        """Compare a reading of the picture with the label."""
        if not reading.is_sure:
            return Outcome.ASKED
        is_right = reading.values == self.values and not self.is_trap
        return Outcome.RIGHT if is_right else Outcome.SILENT

    def true_value(self, die: Die) -> int | None:
        """Return the labelled face of a die, or None if there is no die or nobody could read it."""
        return next((box.value for box in self.boxes if box.contains(die)), None)


@dataclass(frozen=True, slots=True)
class Evening:
    """The pictures of an evening with one tray, camera, light and set of dice.

    Attributes:
        name: Name of the folder.
        tray: Floor of the tray in pixels.
        empty: Picture of the empty tray.
        earlier: Pictures of earlier throws, from which the reader learns about the tray.
        throws: Labelled pictures of throws to read.
    """

    name: str
    tray: Quad
    empty: Path
    earlier: tuple[Path, ...]
    throws: tuple[Case, ...]


def load_evenings(folder: Path) -> list[Evening]:
    """Load every evening in the folder's `evenings/`, which may be missing."""
    places = sorted(path.parent for path in (folder / "evenings").glob(f"*/{LABELS_FILE}"))
    return [_evening(place) for place in places]


def load_cases(folder: Path) -> list[Case]:
    """Load every labelled picture in a folder, except those of evenings.

    Raises:
        ImageError: If there are no labels, or a label is not valid.
    """
    forms = (
        (folder / "photos", _photos),
        (folder / "low_camera", _hard_photos),
        (folder / "renders", _renders),
        (folder, _corrected),
    )
    present = [(place, load) for place, load in forms if (place / LABELS_FILE).exists()]
    if not present:
        raise ImageError(f"{folder}: no labelled pictures: name a folder with a {LABELS_FILE}")
    try:
        return [case for place, load in present for case in load(place)]
    except (ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ImageError(f"{folder}: a line of {LABELS_FILE} is not valid ({why})") from None


def _evening(place: Path) -> Evening:
    labels = {role: [*rows] for role, rows in groupby(_labels(place), key=lambda row: row["role"])}
    throws = tuple(_render_case(place / Path(row["image"]).name, row) for row in labels["throw"])
    (empty,), earlier = labels["empty"], labels["learn"]
    return Evening(
        place.name,
        Quad.of(empty["tray_corners"]),
        place / Path(empty["image"]).name,
        tuple(place / Path(row["image"]).name for row in earlier),
        throws,
    )


def _photos(folder: Path) -> Iterator[Case]:
    for label in _labels(folder):
        boxes = tuple(LabelledDie(*box) for box in label["boxes"])
        values = tuple(sorted(label["values"]))
        kinds = tuple(_photo_kinds(label))
        yield Case(folder / label["file"], values, boxes, is_trap=False, kinds=kinds, tray=None)


def _photo_kinds(label: dict[str, Any]) -> Iterator[str]:
    yield "photos, all"
    complete = label.get("values_complete", True) and label["verified"]
    if label["view"] in SIDE_VIEWS and label["n_dice"] in range(1, 7) and complete:
        yield "photos from the side, 1 to 6 dice"
    if label["view"] == "overhead" and label["n_dice"] in range(1, 7) and complete:
        yield "photos from above, 1 to 6 dice"
        yield f"photos from above, {label['background']} ground"
        yield f"photos from above, light: {label['lighting']}"
        if label["touching"]:
            yield "photos from above, dice touching"


def _hard_photos(folder: Path) -> Iterator[Case]:
    """Yield photographs whose dice nobody can be sure of. Their values are not labelled."""
    for label in _labels(folder):
        kind = HARD_PHOTO_KINDS[label["kind"]]
        yield Case(folder / label["file"], (), (), is_trap=True, kinds=(kind,), tray=None)


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
        tray=Quad.of(label["tray_corners"]),
    )


def _render_box(die: dict[str, Any]) -> LabelledDie:
    left, top, right, bottom = die["bbox"]
    value = die["value"] if die["readable"] else None
    return LabelledDie(left, top, right - left, bottom - top, value)


def _render_kinds(
    label: dict[str, Any], dice: list[dict[str, Any]], *, is_trap: bool
) -> Iterator[str]:
    if any(_is_ambiguous(die) for die in dice):
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
        if label["objects"]:
            yield "renders, a foreign object"
        names = {
            "has_touching": "dice touching",
            "tiny": "tiny dice",
            "steep_camera": "steep camera",
        }
        yield from (f"renders, {names[tag]}" for tag in label["tags"] if tag in names)


def _is_ambiguous(die: dict[str, Any]) -> bool:
    low, high = AMBIGUOUS_VISIBLE_SHARE
    return any(low < die["tilt_deg"] < high for low, high in AMBIGUOUS_TILTS_DEG) or (
        low < die["top_visible_frac"] < high
    )


def _corrected(folder: Path) -> Iterator[Case]:
    """Yield the throws that players corrected, which `device.storage.misreads` saved."""
    for label in _labels(folder):
        tray = label["tray"]
        yield Case(
            folder / Path(label["file"]).name,
            tuple(sorted(label["values"])),
            tuple(LabelledDie(*box) for box in label["boxes"]),
            is_trap=False,
            kinds=tuple(_corrected_kinds(label)),
            tray=tray and Quad.of(tray),
        )


def _corrected_kinds(label: dict[str, Any]) -> Iterator[str]:
    yield "corrected throws, all"
    if not label["all_found"]:
        yield "corrected throws, a die added or left out"


def _labels(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / LABELS_FILE).read_text("utf-8").splitlines():
        yield json.loads(line)
