"""Prepare real photographs for training: python -m training.learning.samples.photographs FOLDER PLACES.

FOLDER contains images, and `labels.jsonl` with a box around the pips of each top face. For training, the networks need
the centre, edge and rotation of each face, so this command finds them and writes them to the JSON file PLACES. A fifth
of the photographs is never used for training and serves as a test set.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectify import GAMMA
from training.learning.samples.tray_views import UNKNOWN_PART, TrayView, TrueDice
from vision.face_reader import Closeup, query_second_network, read_faces
from vision.finder import COARSE_PX, FRAME_PX, TRAY_PX, find_dice
from vision.images import ImagePyramid

Floats = NDArray[np.float32]
SINGLE_DIE_BOX = "the picture is one die"
"""The `box_kind` in the label of an image that was cropped to one die."""
MAX_BOX_OFFSET = 0.5
"""Largest distance between the centres of a box and of its die, in die edges."""
EDGE_RANGE = (0.75, 3.5)
"""Smallest and largest edge of a die, as a share of the longer side of the box around its pips."""
EDGE_RANGE_OF_ONE = (0.75, 6.0)
"""Smallest and largest edge of a die that shows a 1, whose box is around a single pip."""
BORDER_SHARE = 0.9
"""Width of the border that is added around a crop, as a share of its longer side."""
EDGE_RANGE_CROPPED = (0.45, 1.1)
"""Smallest and largest edge of a die in a crop, as a share of the longer side of the crop."""


class PhotoSplit(Enum):
    """Whether photographs are used for training, or are kept out as a test set."""

    TAUGHT = "taught"
    KEPT_OUT = "kept_out"


@dataclass(frozen=True)
class Photographs:
    """Photographs, with the position, size, rotation and value of each die."""

    folder: Path
    rows: tuple[Mapping[str, Any], ...]

    @classmethod
    def load(cls, places: Path, share: PhotoSplit) -> "Photographs":
        """Load the photographs for training, or those for tests.

        Args:
            places: The JSON file that this module writes.
            share: Which photographs to load.
        """
        located = json.loads(places.read_text())
        rows = (row for row in located["pictures"] if split_of(row["file"]) is share)
        return cls(Path(located["folder"]), tuple(rows))

    def view(self, number: int, *, whole: bool) -> TrayView:
        """Return a photograph in the form of a rendered view.

        Args:
            number: Number of the photograph. After the last one, numbering starts again with the first.
            whole: Whether to leave out photographs that were cropped to one die.
        """
        rows = [row for row in self.rows if not (whole and row["single"])]
        return _view(self.folder, rows[number % len(rows)])


def split_of(file: str) -> PhotoSplit:
    """Return whether a photograph is for training or for tests, which depends only on its file name."""
    return PhotoSplit.KEPT_OUT if crc32(file.encode()) % 5 == 0 else PhotoSplit.TAUGHT


def _view(folder: Path, row: Mapping[str, Any]) -> TrayView:
    picture = _picture(folder, row)
    light = ((picture / np.float32(255)) ** np.float32(GAMMA)).astype(np.float32)
    places = np.array(row["places"], float).reshape(-1, 5)
    shape = light.shape[:2]
    # All dice on the desk lie flat. Some dice of the crops are tilted, but the labels do not say which.
    tilt = np.nan if row["single"] else 0.0
    return TrayView(
        row["file"], light, None, np.full(shape, UNKNOWN_PART, np.uint8), np.full(shape, -1, np.int16),
        _dice(places, tilt), None, 0.0, np.array([0, 0, 1], np.float32),
    )  # fmt: skip


def _dice(places: NDArray[np.float64], tilt_deg: float) -> TrueDice:
    count = len(places)
    x, y, edge, turn, value = places.T
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
    c, s = np.cos(turn), np.sin(turn)
    axes = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], 1)  # (n, 2, 2)
    quads = np.einsum("kj,njc->nkc", corners, axes) * edge[:, None, None]
    quads += np.stack([x, y], -1)[:, None]
    f = np.float32
    return TrueDice(
        quads.astype(f), np.full((count, 2), np.nan, f), value.astype(np.int64), np.full(count, tilt_deg, f),
        np.ones(count, f), np.full(count, 100, f), np.zeros(count, bool), np.zeros(count, bool),
    )  # fmt: skip


def _picture(folder: Path, row: Mapping[str, Any]) -> NDArray[np.uint8]:
    picture = cv2.imread(str(folder / row["file"]))
    if picture is None:
        raise FileNotFoundError(
            f"{folder / row['file']} is not an image; check the folder in the file of places"
        )
    return (
        add_border(np.asarray(picture, np.uint8))
        if row["single"]
        else np.asarray(picture, np.uint8)
    )


def add_border(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image of one die with plain ground around it, because the networks' patches are larger than a die."""
    height, width = picture.shape[:2]
    add = round(BORDER_SHARE * max(height, width))
    rim = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]]).astype(
        np.float32
    )
    size = (height + 2 * add, width + 2 * add, 3)
    rng = np.random.default_rng(crc32(picture.tobytes()))
    ground = np.median(rim, axis=0) + rng.normal(0, 3, size)
    inside = np.zeros(size[:2], np.float32)
    inside[add + 1 : add + height - 1, add + 1 : add + width - 1] = 1
    soft = cv2.GaussianBlur(inside, (0, 0), 1.0)[..., None]
    wide = cv2.copyMakeBorder(picture, add, add, add, add, cv2.BORDER_REPLICATE)
    return np.asarray((wide * soft + ground * (1 - soft)).clip(0, 255), np.uint8)


def locate_dice(folder: Path) -> dict[str, Any]:
    """Find the dice in a folder of labelled photographs.

    Return, as a JSON object, the x, y, edge, rotation and value of each die in each photograph in which all dice were
    found.
    """
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    pictures = []
    for row in rows:
        single = row["box_kind"] == SINGLE_DIE_BOX
        picture = _picture(folder, {"file": row["file"], "single": single})
        places = _places(picture, row["boxes"], single=single)
        if len(places) == len(row["boxes"]):
            pictures.append({"file": row["file"], "single": single, "places": places})
    return {"folder": str(folder.resolve()), "pictures": pictures, "of": len(rows)}


def _places(
    picture: NDArray[np.uint8], boxes: list[list[float]], *, single: bool
) -> list[list[float]]:
    widths_px = (COARSE_PX, COARSE_PX // 2) if single else (FRAME_PX, TRAY_PX)
    pyramid = ImagePyramid(picture)
    detections = [one for width in widths_px for one in find_dice(pyramid, width).detections]
    seen = query_second_network(picture, read_faces(picture, detections, None), None)
    out = []
    for x, y, wide, high, value in boxes:
        side = max(wide, high)
        if single:
            at, sizes = np.array(picture.shape[1::-1]) / 2, EDGE_RANGE_CROPPED
        else:
            at, sizes = (
                np.array([x + wide / 2, y + high / 2]),
                EDGE_RANGE_OF_ONE if value == 1 else EDGE_RANGE,
            )
        fitting = [one for one in seen if _fits(one, at, side, sizes)]
        if fitting:
            best = max(
                fitting, key=lambda one: one.detection.probability * (1 - one.face.no_die)
            ).detection
            out.append(
                [round(float(v), 3) for v in (best.x, best.y, best.edge, best.turn)] + [int(value)]
            )
    return out


def _fits(one: Closeup, at: NDArray[np.float64], side: float, sizes: tuple[float, float]) -> bool:
    """Return whether a detection fits a labelled box.

    `at` is the centre of the box, `side` its longer side, and `sizes` the smallest and largest edge of the die relative
    to `side`.
    """
    detection = one.detection
    away = float(np.hypot(detection.x - at[0], detection.y - at[1]))
    return (
        away < MAX_BOX_OFFSET * detection.edge
        and sizes[0] * side < detection.edge < sizes[1] * side
    )


def main() -> None:
    """Locate the dice in all photographs of a folder, and write their places."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of photographs with labels.jsonl")
    parser.add_argument("places", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    located = locate_dice(options.folder)
    options.places.write_text(json.dumps(located))
    print(
        f"{options.places}: found all dice in {len(located['pictures'])} of {located['of']} photographs"
    )


if __name__ == "__main__":
    main()
