"""Frames of the simulated tray as training pictures: python -m training.rendering.simulated DIR --count 80.

A few among the traced ones, so that the tray that people try first is read as well as real ones.
"""

import argparse
import colorsys
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from device.cameras.simulated.lens import TrayPoints
from device.cameras.simulated.sim_dice import SimDie, SimPlace
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.simulated.tray_geometry import DISPLAY_GAMMA, LENS, Colour, TrayLook
from training.rendering.light import coded
from training.scenes.scene import PlacedDie

FIRST = 900_000
SHRINK = 0.5
DICE_MM = (8.0, 10.0, 12.0, 14.0, 16.0, 16.0, 18.0)


def main() -> None:
    """Make the frames that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=80)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(FIRST, FIRST + options.count):
        path = options.folder / f"{seed:06d}.png"
        if not path.with_suffix(".json").exists():
            picture, label = frame(seed)
            cv2.imwrite(str(path), picture)
            path.with_suffix(".json").write_text(json.dumps(label))


def frame(seed: int) -> tuple[NDArray[np.uint16], dict[str, Any]]:
    """Coded light as `training.rendering.path_tracer.render` writes it, and its labels."""
    rng = np.random.default_rng(seed)
    edge = float(rng.choice(DICE_MM))
    tray = SimulatedTray(seed=seed, n_dice=int(rng.integers(1, 9)), look=_look(rng, edge), roll_s=0)
    tray.throw_all()
    if rng.random() < 0.3 and tray.truth:
        tray.set_aside(tray.truth[: int(rng.integers(1, len(tray.truth) + 1))])
    shown = cv2.resize(
        tray.capture().image, None, fx=SHRINK, fy=SHRINK, interpolation=cv2.INTER_AREA
    )
    light = (shown.astype(np.float32) / 255) ** DISPLAY_GAMMA
    picture = coded(light)
    dice = [_label(die, edge) for die in tray._dice() if die.place is not SimPlace.HAND]  # noqa: SLF001
    return picture, {
        "seed": seed, "width": picture.shape[1], "height": picture.shape[0],
        "tray": (np.array(tray.tray.corners) * SHRINK).round(2).tolist(),
        "focal": LENS.focal_px * SHRINK, "up": LENS.turn[:, 2].round(5).tolist(),
        "hand": [], "dice": dice,
    }  # fmt: skip


def _label(die: SimDie, edge: float) -> dict[str, Any]:
    how = "cocked" if die.cocked else "flat"
    placed = PlacedDie(0, edge, np.asarray(die.rest.centre_mm), np.asarray(die.rest.turn), how)
    quad, outline = (
        LENS.project(TrayPoints(points)) * SHRINK
        for points in (placed.top_face(), placed.corners())
    )
    return {
        "value": die.value, "tilt": round(float(np.degrees(die.rest.tilt)), 1), "how": how,
        "quad": quad.round(2).tolist(), "seen": 1.0, "look": 0,
        "box": [*outline.min(axis=0).round(2).tolist(), *outline.max(axis=0).round(2).tolist()],
    }  # fmt: skip


def _look(rng: Generator, edge: float) -> TrayLook:
    while True:
        body, pip = _colour(rng), _colour(rng)
        if abs(sum(body) - sum(pip)) > 240:
            break
    felt, rim, table = (_colour(rng) for _ in range(3))
    return TrayLook(body, pip, felt, rim, table, edge, float(rng.uniform(0.5, 4)))


def _colour(rng: Generator) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.beta(1, 2), rng.uniform(0.08, 0.97))
    return int(red * 255), int(green * 255), int(blue * 255)


if __name__ == "__main__":
    main()
