"""Renders frames of the simulated tray for training, because people often try the program without a camera first."""

import colorsys
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from device.cameras.simulated.lens import TrayPoints
from device.cameras.simulated.sim_dice import SimDie, SimPlace
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.simulated.tray_geometry import DISPLAY_GAMMA, LENS, Colour, TrayLook
from training.scenes.truth import COCKED_DEG
from training.scenes.world import FACE_NORMALS, Part, RestingDie

Floats = NDArray[np.float32]
SHRINK = 0.5
DICE_MM = (8.0, 10.0, 12.0, 14.0, 16.0, 16.0, 18.0)
MIN_CONTRAST = 240
"""Smallest difference between the colours of body and pips, as sums of three channels from 0 to 255."""


@dataclass(frozen=True)
class PaintedFrame:
    """A frame of the simulated tray: linear BGR light with and without dice, what each pixel shows, and labels."""

    light: Floats  # (h, w, 3)
    empty: Floats  # (h, w, 3)
    part: NDArray[np.uint8]  # (h, w) a `Part`
    die: NDArray[np.int16]  # (h, w) number of the die, or -1
    truth: dict[str, Any]


def paint_frame(seed: int) -> PaintedFrame:
    """Return a random frame of the simulated tray, with labels in the format of `training.scenes.truth`."""
    rng = np.random.default_rng(seed)
    edge = float(rng.choice(DICE_MM))
    tray = SimulatedTray(seed=seed, n_dice=int(rng.integers(1, 9)), look=_look(rng, edge), roll_s=0)
    empty = _light(tray)
    tray.throw_all()
    if rng.random() < 0.3 and tray.truth:
        tray.set_aside(tray.truth[: int(rng.integers(1, len(tray.truth) + 1))])
    light = _light(tray)
    there = [die for die in tray._dice() if die.place is not SimPlace.HAND]  # noqa: SLF001
    placed = [
        RestingDie(0, edge, np.asarray(d.rest.centre_mm), np.asarray(d.rest.turn)) for d in there
    ]
    number = _numbers(placed, light.shape)
    corners = (np.array(tray.tray.corners) * SHRINK).round(2).tolist()
    return PaintedFrame(
        light, empty, np.where(number < 0, Part.GROUND, Part.DIE).astype(np.uint8), number,
        {"seed": seed, "tray": corners, "focal": LENS.focal_px * SHRINK, "up": LENS.turn[:, 2].tolist(),
         "dice": [_label(*both) for both in zip(there, placed, strict=True)]},
    )  # fmt: skip


def _light(tray: SimulatedTray) -> Floats:
    shown = cv2.resize(
        tray.capture().image, None, fx=SHRINK, fy=SHRINK, interpolation=cv2.INTER_AREA
    )
    return np.asarray((shown.astype(np.float32) / 255) ** np.float32(DISPLAY_GAMMA), np.float32)


def _numbers(dice: list[RestingDie], shape: tuple[int, ...]) -> NDArray[np.int16]:
    """Return the number (h, w) of the die that each pixel shows, or -1. No dice are stacked in the simulated tray."""
    out = np.full(shape[:2], -1, np.int16)
    for number, die in enumerate(dice):
        hull = cv2.convexHull(_seen(die.corners()).astype(np.float32))
        cv2.fillConvexPoly(out, hull.round().astype(np.int32), number)
    return out


def _seen(points: Any) -> NDArray[np.float64]:
    """Return the pixels (n, 2) at which points in the tray appear."""
    return np.asarray(LENS.project(TrayPoints(points)) * SHRINK)


def _label(die: SimDie, placed: RestingDie) -> dict[str, Any]:
    value, tilt = placed.top()
    up = placed.turn @ np.array(FACE_NORMALS[value], float)
    return {
        "value": die.value, "tilt": tilt, "how": "cocked" if tilt > COCKED_DEG else "flat",
        "touching": False, "quad": _seen(placed.top_face()).tolist(),
        "foot": _seen((placed.at - up * placed.edge_mm / 2)[None])[0].tolist(),
        "seen": 1.0, "contrast": 100.0,
    }  # fmt: skip


def _look(rng: Generator, edge: float) -> TrayLook:
    while True:
        body, pip = _colour(rng), _colour(rng)
        if abs(sum(body) - sum(pip)) > MIN_CONTRAST:
            break
    felt, rim, table = (_colour(rng) for _ in range(3))
    return TrayLook(body, pip, felt, rim, table, edge, float(rng.uniform(0.5, 4)))


def _colour(rng: Generator) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.beta(1, 2), rng.uniform(0.08, 0.97))
    return int(red * 255), int(green * 255), int(blue * 255)
