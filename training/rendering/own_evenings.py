"""Render test images that are never used for training: python -m training.rendering.own_evenings DIR.

The command makes evenings at one tray (the empty tray, three throws from which the reader learns about the dice, and
sixteen throws to read) and single renders, in the format that `vision.dataset` reads. Every other evening shows
objects that people usually own, of kinds that are used for training. The remaining evenings show kinds that are kept
out of training. The command resumes where it stopped.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training.rendering.judged_labels import label_row
from training.rendering.own_settings import (
    TRACED_SCALE,
    PlannedThrow,
    draw_setting,
    resized_camera,
    stage_throw,
)
from training.rendering.path_tracer import TraceOptions, trace_picture
from training.rendering.picture_files import auto_exposure
from training.rendering.sensor import CameraStyle, drift_style, take_picture
from training.scenes.kept_out import Purpose
from training.scenes.world import World

TRACE_OPTIONS = TraceOptions(samples=5, dents=True, guided=True)
LEARNING_THROWS, THROWS = 3, 16
HAND_THROW, OBJECT_THROWS = 9, (3, 7, 12)
"""The throw with a hand, and the throws with foreign objects in the tray."""
FIRST_SEED = 7_000_000


def make_labelled_picture(  # noqa: PLR0917 - all properties of an image
    world: World,
    path: Path,
    name: str,
    sensor: CameraStyle,
    factor: float | None,
    more: dict[str, Any],
) -> float:
    """Render a scene, write the image and its label, and return the exposure factor.

    Args:
        world: The scene to show.
        path: The image file to write.
        name: Name of the image in its label.
        sensor: The camera.
        factor: Exposure factor of the evening, or None to let the camera choose one.
        more: Further fields of the label, by name.
    """
    rng = np.random.default_rng(world.seed + 5)
    lit = trace_picture(world, TRACE_OPTIONS)
    full = replace(world, camera=resized_camera(world.camera, 1 / TRACED_SCALE))
    lit = cv2.resize(
        lit, (full.camera.width, full.camera.height), interpolation=cv2.INTER_CUBIC
    ).clip(0)
    factor = factor or auto_exposure(lit, rng)
    style = drift_style(replace(sensor, gain=sensor.gain * factor, quality=0), rng)
    picture = take_picture(np.asarray(lit, np.float32), style, rng)[..., ::-1]
    cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    label = label_row(full, np.ascontiguousarray(picture), name, more)
    path.with_suffix(".json").write_text(json.dumps(label))
    return factor


def make_evening(folder: Path, number: int) -> None:
    """Render one evening. Images that already exist are not rendered again.

    Args:
        folder: Folder for all evenings and renders.
        number: Number of the evening. Odd-numbered evenings show kinds of objects that are kept out of training.
    """
    purpose = Purpose.KEPT_OUT if number % 2 else Purpose.ORDINARY
    name = f"own_{'strange' if number % 2 else 'plain'}_{number:02d}"
    here = draw_setting(FIRST_SEED + 1000 * number, purpose)
    place = folder / "evenings" / name
    place.mkdir(parents=True, exist_ok=True)
    factor_file = place / "gain.txt"
    plan = [("empty", "empty", PlannedThrow(0))]
    plan += [
        ("learn", f"learn_{k}", PlannedThrow(6, apart=True)) for k in range(1, LEARNING_THROWS + 1)
    ]
    rng = np.random.default_rng(number)
    for k in range(1, THROWS + 1):
        throw = PlannedThrow(
            int(rng.integers(1, 7)),
            hand=k == HAND_THROW,
            things=k in OBJECT_THROWS,
            tricky=rng.random() < 0.22,
        )
        plan.append(("throw", f"throw_{k:02d}", throw))
    for k, (role, stem, throw) in enumerate(plan):
        path = place / f"{stem}.jpg"
        if path.with_suffix(".json").exists():
            continue
        factor = float(factor_file.read_text()) if factor_file.exists() else None
        more = {"role": role, "evening": name, "novel": ["strange"] * (number % 2)}
        factor = make_labelled_picture(
            stage_throw(here, throw, here.seed + 10 + k),
            path,
            f"{name}/{path.name}",
            here.sensor,
            factor,
            more,
        )
        factor_file.write_text(str(factor))
    lines = [
        path.with_suffix(".json").read_text()
        for path in (place / f"{stem}.jpg" for _, stem, _ in plan)
    ]
    (place / "labels.jsonl").write_text("\n".join(lines) + "\n")


RENDER_PLANS = (
    PlannedThrow(4, apart=True), PlannedThrow(6), PlannedThrow(5, tricky=True), PlannedThrow(2, things=True), PlannedThrow(5, aside=True),
    PlannedThrow(4, hand=True), PlannedThrow(3), PlannedThrow(6, apart=True), PlannedThrow(6, tricky=True), PlannedThrow(1),
)  # fmt: skip


def make_render(folder: Path, number: int) -> None:
    """Render a single image of a tray, unless it already exists.

    Args:
        folder: Folder for all evenings and renders.
        number: Number of the image.
    """
    place = folder / "renders"
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"own_{number:04d}.jpg"
    if path.with_suffix(".json").exists():
        return
    strange = number // len(RENDER_PLANS) % 2
    here = draw_setting(
        FIRST_SEED + 500_000 + number, Purpose.KEPT_OUT if strange else Purpose.ORDINARY
    )
    world = stage_throw(here, RENDER_PLANS[number % len(RENDER_PLANS)], here.seed + 10)
    make_labelled_picture(
        world, path, path.name, here.sensor, None, {"novel": ["strange"] * strange}
    )
    rows = sorted(place.glob("own_*.json"))
    (place / "labels.jsonl").write_text("".join(r.read_text() + "\n" for r in rows))


def main() -> None:
    """Render evenings and single images alternately until all exist."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--evenings", type=int, default=24)
    parser.add_argument("--renders", type=int, default=150)
    options = parser.parse_args()
    each = -(-options.renders // options.evenings)
    begun = time.monotonic()
    for number in range(options.evenings):
        make_evening(options.folder, number)
        for k in range(number * each, min(options.renders, (number + 1) * each)):
            make_render(options.folder, k)
        print(
            f"evening {number} and its renders done after {time.monotonic() - begun:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
