"""Our own pictures to be judged by, never learnt from: python -m training.rendering.own_evenings DIR.

Evenings at one tray (empty, three throws to learn the dice by, sixteen throws) and single renders, in
the form that `vision.dataset` reads. Every other one shows what people own, of kinds that are taught; the rest
shows what `scenes.kept_out` keeps out. It goes on from where it was stopped.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training.rendering.judged_labels import row
from training.rendering.own_settings import TRACED, PlannedThrow, scene, setting
from training.rendering.path_tracer import Tracing, traced
from training.rendering.picture_files import gain
from training.rendering.sensor import CameraStyle, drifted, taken
from training.scenes.kept_out import Purpose
from training.scenes.world import World

HOW = Tracing(samples=5, dents=True, guided=True)
LEARNT, THROWN = 3, 16
HAND_IN, THINGS_IN = 9, (3, 7, 12)
"""Which throws have a hand and which have things in the tray."""
FIRST = 7_000_000


def _larger(world: World) -> World:
    """The same seen by a camera of full size."""
    eye = world.camera
    size = (round(eye.width / TRACED), round(eye.height / TRACED))
    return replace(
        world, camera=replace(eye, width=size[0], height=size[1], focal_px=eye.focal_px / TRACED)
    )


def shoot(  # noqa: PLR0917 - what a picture needs
    world: World,
    path: Path,
    name: str,
    sensor: CameraStyle,
    factor: float | None,
    more: dict[str, Any],
) -> float:
    """Trace a world, take it, write picture and label; by how much its light was multiplied."""
    rng = np.random.default_rng(world.seed + 5)
    lit = traced(world, HOW)
    full = _larger(world)
    lit = cv2.resize(
        lit, (full.camera.width, full.camera.height), interpolation=cv2.INTER_CUBIC
    ).clip(0)
    factor = factor or gain(lit, rng)
    style = drifted(replace(sensor, gain=sensor.gain * factor, quality=0), rng)
    picture = taken(np.asarray(lit, np.float32), style, rng)[..., ::-1]
    cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    label = row(full, np.ascontiguousarray(picture), name, more)
    path.with_suffix(".json").write_text(json.dumps(label))
    return factor


def evening(folder: Path, number: int) -> None:
    """One evening: pictures that are there are not made again."""
    purpose = Purpose.STRANGE if number % 2 else Purpose.ORDINARY
    name = f"own_{'strange' if number % 2 else 'plain'}_{number:02d}"
    here = setting(FIRST + 1000 * number, purpose)
    place = folder / "evenings" / name
    place.mkdir(parents=True, exist_ok=True)
    kept = place / "gain.txt"
    plan = [("empty", "empty", PlannedThrow(0))]
    plan += [("learn", f"learn_{k}", PlannedThrow(6, apart=True)) for k in range(1, LEARNT + 1)]
    rng = np.random.default_rng(number)
    for k in range(1, THROWN + 1):
        throw = PlannedThrow(
            int(rng.integers(1, 7)),
            hand=k == HAND_IN,
            things=k in THINGS_IN,
            tricky=rng.random() < 0.22,
        )
        plan.append(("throw", f"throw_{k:02d}", throw))
    for k, (role, stem, throw) in enumerate(plan):
        path = place / f"{stem}.jpg"
        if path.with_suffix(".json").exists():
            continue
        factor = float(kept.read_text()) if kept.exists() else None
        more = {"role": role, "evening": name, "novel": ["strange"] * (number % 2)}
        factor = shoot(
            scene(here, throw, here.seed + 10 + k),
            path,
            f"{name}/{path.name}",
            here.sensor,
            factor,
            more,
        )
        kept.write_text(str(factor))
    lines = [
        path.with_suffix(".json").read_text()
        for path in (place / f"{stem}.jpg" for _, stem, _ in plan)
    ]
    (place / "labels.jsonl").write_text("\n".join(lines) + "\n")


RENDERS = (
    PlannedThrow(4, apart=True), PlannedThrow(6), PlannedThrow(5, tricky=True), PlannedThrow(2, things=True), PlannedThrow(5, aside=True),
    PlannedThrow(4, hand=True), PlannedThrow(3), PlannedThrow(6, apart=True), PlannedThrow(6, tricky=True), PlannedThrow(1),
)  # fmt: skip


def render(folder: Path, number: int) -> None:
    """One render of a tray of its own."""
    place = folder / "renders"
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"own_{number:04d}.jpg"
    if path.with_suffix(".json").exists():
        return
    strange = number // len(RENDERS) % 2
    here = setting(FIRST + 500_000 + number, Purpose.STRANGE if strange else Purpose.ORDINARY)
    world = scene(here, RENDERS[number % len(RENDERS)], here.seed + 10)
    shoot(world, path, path.name, here.sensor, None, {"novel": ["strange"] * strange})
    rows = sorted(place.glob("own_*.json"))
    (place / "labels.jsonl").write_text("".join(r.read_text() + "\n" for r in rows))


def main() -> None:
    """Evenings and renders by turns, until all are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--evenings", type=int, default=24)
    parser.add_argument("--renders", type=int, default=150)
    options = parser.parse_args()
    each = -(-options.renders // options.evenings)
    begun = time.monotonic()
    for number in range(options.evenings):
        evening(options.folder, number)
        for k in range(number * each, min(options.renders, (number + 1) * each)):
            render(options.folder, k)
        print(f"evening {number} and its renders: {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
