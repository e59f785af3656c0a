"""Measure how well whole trays are read: python -m training.learning.judge_reading OUT --rests DIR.

The command renders trays of kinds that are never used for training, reads them with the networks in `vision`, and
prints how many readings are right, how many ask (unsure) and how many are silent errors (wrong but sure): first when
only the corners of the tray are known, then when the empty tray is known as well. A trap is a tray with a cocked,
stacked or hidden die, for which only an unsure reading is correct. The images stay in OUT, so that other networks can
be tested on the same images.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count as count_from
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.learning.samples.camera_shots import take_shot
from training.learning.samples.tray_views import TrayView, cast_view
from training.learning.samples.view_source import split_trouble
from training.scenes.kept_out import Purpose
from training.scenes.staging import SceneRequest, stage_world
from training.scenes.throws.rest_library import TEACHING_FILE, RestLibrary, load_rests
from training.scenes.truth import COCKED_DEG, MIN_SEEN
from training.scenes.world import Part
from vision import read
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Quad

SIZE_PX = (960, 720)
"""Size of the images, in which dice are as large as in the frames of a real camera."""
LIGHTS: Mapping[str, Mapping[str, float]] = {
    "any light": {"stack_chance": 0.2},
    "single lamp": {"single_lamp_chance": 1.0},
    "glare": {"glare": 1.0},
}
"""The features that make the images hard to read, for each set of trays."""
FIRST_VIEW = 8_000
"""Number of the first view. The views are used neither for training nor in another test."""
MAX_DICE = 8
MIN_DIE_PX = 18.0
MIN_CONTRAST = 8.0
"""Smallest contrast of pips in units of CIE L*a*b*. Dice with a lower contrast cannot be read."""
SLACK_PX = 15.0
"""How far a corner of the tray may lie outside the image, in pixels."""
OUTCOMES = ("right", "asked", "silent")


def main() -> None:
    """Render the sets of trays that are missing, read all sets, and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder that keeps the images")
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--trays", type=int, default=60, help="number of trays in each set")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    library = load_rests(options.rests / TEACHING_FILE)
    for name, trouble in LIGHTS.items():
        folder = options.out / name.replace(" ", "_")
        make_set(library, trouble, options.trays, folder)
        judge_set(name, folder)


def make_set(library: RestLibrary, trouble: Mapping[str, float], count: int, folder: Path) -> None:
    """Render trays into a folder until it has enough of them.

    Args:
        library: Simulated throws after the dice have come to rest.
        trouble: Probability of each feature that makes images hard to read, by name.
        count: Number of trays.
        folder: Folder for the images.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = len(list(folder.glob("*.json")))
    if done >= count:
        return  # skipping the finished trays would render them again
    for view in islice(_suitable(library, trouble), done, count):
        _save(view, folder / f"{done:04d}.png")
        done += 1
        print(f"\r{folder.name}: {done} of {count} trays", end="", flush=True)
    print()


def _suitable(library: RestLibrary, trouble: Mapping[str, float]) -> Iterator[TrayView]:
    staged, surprises = split_trouble(trouble)
    request = SceneRequest("table", hand_chance=0.0, size=SIZE_PX, **staged)
    for number in count_from(FIRST_VIEW):
        one = stage_world(number, Purpose.KEPT_OUT, library, request)
        # Composing a scene is cheap, so most unsuitable scenes are dropped before they are rendered.
        if one.tray is None or one.tray.corners is None or not 1 <= len(one.dice) <= MAX_DICE:
            continue
        if any(solid.part > Part.DIE for solid in one.solids):
            continue
        view = cast_view(number, Purpose.KEPT_OUT, library, request, surprises, empty=True)
        if view.tray is None or view.empty is None:
            continue
        limits = np.array(view.part.shape[::-1]) + SLACK_PX
        if (view.tray > -SLACK_PX).all() and (view.tray < limits).all() and _is_readable(view):
            yield view


def _is_readable(view: TrayView) -> bool:
    """Return whether all dice in a view are in the tray, large enough and of sufficient contrast."""
    edges = np.linalg.norm(view.dice.quads[:, 0] - view.dice.quads[:, 1], axis=1)
    is_legible = (edges > MIN_DIE_PX).all() and (view.dice.contrast > MIN_CONTRAST).all()
    return bool(is_legible and _are_in_tray(view).all())


def _corners(view: TrayView) -> NDArray[np.float32]:
    assert view.tray is not None  # noqa: S101 - `_suitable` takes no other views
    return view.tray


def _are_in_tray(view: TrayView) -> NDArray[np.bool_]:
    """Return whether each die (n,) stands in the tray."""
    outline = _corners(view)
    inside = [cv2.pointPolygonTest(outline, (float(x), float(y)), False) > 0 for x, y in view.dice.foot]  # fmt: skip
    return np.array(inside, bool)


def _save(view: TrayView, path: Path) -> None:
    """Write an image of a view, an image of the empty tray from the same camera, and the true labels."""
    rng = np.random.default_rng([int(view.name), 12])
    unchanged = np.eye(2, 3, dtype=np.float32)
    shot = take_shot(view, unchanged, view.part.shape[::-1], rng)
    while shot.empty is None:
        shot = take_shot(view, unchanged, view.part.shape[::-1], rng)
    dice = view.dice
    is_flat = (dice.tilt_deg <= COCKED_DEG) & ~dice.stacked & (dice.seen >= MIN_SEEN)
    cv2.imwrite(str(path), shot.picture)
    cv2.imwrite(str(path.with_suffix(".empty.png")), shot.empty)
    truth = {
        "values": sorted(dice.value.tolist()), "is_trap": bool(not is_flat.all()),
        "tray": _corners(view).round(2).tolist(), "view": view.name,
    }  # fmt: skip
    path.with_suffix(".json").write_text(json.dumps(truth))


def judge_set(name: str, folder: Path) -> None:
    """Read the trays in a folder and print the outcomes.

    Args:
        name: Name of the set of trays, to be printed.
        folder: Folder with the images.
    """
    counts: dict[tuple[bool, bool], Counter[str]] = {}
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        picture, empty = (cv2.imread(str(path.with_suffix(s))) for s in (".png", ".empty.png"))
        a, b, c, d = ((float(x), float(y)) for x, y in truth["tray"])
        for is_known in (False, True):
            known = KnownTray(np.asarray(empty, np.uint8)) if is_known else UNKNOWN_TRAY
            reading = read(np.asarray(picture, np.uint8), Quad((a, b, c, d)), known=known)
            is_right = list(reading.values) == truth["values"] and not truth["is_trap"]
            outcome = "asked" if not reading.is_sure else "right" if is_right else "silent"
            counts.setdefault((truth["is_trap"], is_known), Counter())[outcome] += 1
    for (is_trap, is_known), outcomes in sorted(counts.items()):
        what = f"{name}, {'traps' if is_trap else 'flat dice'}, {'empty tray' if is_known else 'corners'} known"
        shares = " / ".join(f"{outcomes[k] / outcomes.total():.1%}" for k in OUTCOMES)
        print(f"{what} ({outcomes.total()}): {' / '.join(OUTCOMES)} {shares}", flush=True)


if __name__ == "__main__":
    main()
