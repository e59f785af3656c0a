"""Render evenings under small, bright lamps and glare: python -m training.learning.lamp_evenings DIR.

An evening at one tray has an empty-tray image, two throws from which the reader learns about the dice, three throws
without difficulties, one with foreign objects, and four that often have a cocked or stacked die. Every third evening
shows kinds of dice and surroundings that are kept out of training. None of these images is used for training;
`judge_evenings` reads them. The command resumes where it stopped.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.glare import add_glare
from training.rendering.judged_labels import label_row
from training.rendering.own_settings import (
    TRACED_SCALE,
    PlannedThrow,
    Setting,
    draw_setting,
    resized_camera,
    stage_throw,
)
from training.rendering.picture_files import auto_exposure
from training.rendering.ray_caster import cast_picture
from training.rendering.sensor import drift_style, take_picture
from training.scenes.hard_light import draw_hard_light
from training.scenes.kept_out import Purpose
from training.scenes.world import World

FIRST_SEED = 9_000_000
STRANGE_EVERY = 3
"""One in this many evenings shows kinds that are kept out of training."""
HARD_LIGHT_CHANCE, GLARE_CHANCE = 0.7, 0.3
ROOM_EXPONENT = (0.0, 1.2)
"""How many times brighter a room is than in the hard light of training views, as a range of powers of ten."""
MAX_DICE = 6
THROWS, OBJECT_THROW, FIRST_TRICKY_THROW = 8, 4, 5
"""Number of throws to read, and the numbers of the throw with foreign objects and of the first one with a die that should be
cocked or stacked. All later ones should have such a die as well."""


def main() -> None:
    """Render the evenings that do not exist yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0, help="number of the first evening")
    parser.add_argument("--evenings", type=int, default=60)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for number in range(options.first, options.first + options.evenings):
        make_evening(options.folder, number)
        print(f"\revening {number} done", end="", flush=True)
    print()


def make_evening(folder: Path, number: int) -> None:
    """Render one evening, unless it already exists.

    Args:
        folder: Folder for all evenings.
        number: Number of the evening. The same number gives the same evening.
    """
    name = f"{'strange' if _is_strange(number) else 'plain'}_{number:03d}"
    place = folder / name
    if (place / "labels.jsonl").exists():
        return
    place.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([number, 77])
    here = _setting(rng, number)
    has_glare = rng.random() < GLARE_CHANCE
    factor, rows = 0.0, []
    for k, (stem, throw) in enumerate(_plan(rng)):
        world = stage_throw(here, throw, here.seed + 10 + k)
        shot, row, factor = _photograph(here, world, factor, number if has_glare else None)
        cv2.imwrite(str(place / f"{stem}.jpg"), shot, [cv2.IMWRITE_JPEG_QUALITY, 92])
        rows.append(json.dumps({"file": f"{stem}.jpg", **row}))
    (place / "labels.jsonl").write_text("\n".join(rows) + "\n")


def _is_strange(number: int) -> bool:
    return number % STRANGE_EVERY == STRANGE_EVERY - 1


def _setting(rng: Generator, number: int) -> Setting:
    purpose = Purpose.KEPT_OUT if _is_strange(number) else Purpose.ORDINARY
    here = draw_setting(FIRST_SEED + 1000 * number, purpose)
    if rng.random() >= HARD_LIGHT_CHANCE:
        return here
    width = float(np.ptp(here.tray.outline, axis=0).max())
    light = draw_hard_light(here.chooser, width, here.camera.at)
    room = light.room * np.float32(10 ** rng.uniform(*ROOM_EXPONENT))
    return replace(here, light=replace(light, room=room))


def _plan(rng: Generator) -> list[tuple[str, PlannedThrow]]:
    counts = [int(rng.integers(1, MAX_DICE + 1)) for _ in range(3 + THROWS)][3:]
    plan = [("empty", PlannedThrow(0))]
    plan += [(f"learn_{k}", PlannedThrow(MAX_DICE, apart=True)) for k in (1, 2)]
    for k, count in enumerate(counts, 1):
        throw = PlannedThrow(count, things=k == OBJECT_THROW, tricky=k >= FIRST_TRICKY_THROW)
        plan.append((f"throw_{k:02d}", throw))
    return plan


def _photograph(
    here: Setting, world: World, factor: float, glare_of: int | None
) -> tuple[NDArray[np.uint8], dict[str, Any], float]:
    """Return the image of a scene, its label, and the exposure factor of the evening.

    `factor` is the exposure factor so far, or 0 for the first image. `glare_of` is the number of the evening if it has
    glare, otherwise None.
    """
    rng = np.random.default_rng(world.seed + 5)
    camera = resized_camera(world.camera, 1 / TRACED_SCALE)
    size = (camera.width, camera.height)
    shown = cast_picture(world, empty=False)
    light = np.asarray(cv2.resize(shown.light, size, interpolation=cv2.INTER_CUBIC), np.float32)
    part = np.asarray(cv2.resize(shown.part, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    factor = factor or auto_exposure(light.clip(0), rng)
    light = light.clip(0) * np.float32(factor)
    if glare_of is not None:  # the same lamps are reflected all evening
        light, _ = add_glare(np.random.default_rng([glare_of, 78]), light, None, part)
    style = drift_style(replace(here.sensor, quality=0), rng)
    picture = np.ascontiguousarray(take_picture(light, style, rng)[..., ::-1])
    row = label_row(replace(world, camera=camera), picture, "", {})
    return picture, row, factor


if __name__ == "__main__":
    main()
