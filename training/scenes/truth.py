"""Makes the true labels of a scene as its camera sees it: where each die is in the image, and how the die lies."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from training.scenes.dice.choosing import face_contrasts
from training.scenes.world import FACE_NORMALS, RestingDie, World

COCKED_DEG = 10.0
MIN_SEEN = 0.965
"""If less than this share of the flat part of its top face is visible, a die counts as hidden."""


def true_labels(world: World, tops_seen: Sequence[float]) -> dict[str, Any]:
    """Return the labels of a scene as a JSON object, with the value, corners, box, tilt and visible share of each die.

    Args:
        world: The scene.
        tops_seen: Visible share of the top of each die, 0 to 1.
    """
    camera = world.camera
    contrast = [face_contrasts(style) for style in world.styles]
    return {
        "seed": world.seed,
        "kind": world.kind,
        "width": camera.width,
        "height": camera.height,
        "tray": _tray(world),
        "focal": camera.focal_px,
        "up": camera.turn[:, 2].round(6).tolist(),
        "hand": _hand(world),
        "dice": [
            _die(world, die, seen, float(contrast[die.style][die.top()[0] - 1]))
            for die, seen in zip(world.dice, tops_seen, strict=True)
        ],
    }


def _tray(world: World) -> list[list[float]] | None:
    if world.tray is None or world.tray.corners is None:
        return None
    corners = np.column_stack([world.tray.corners, np.zeros(4)])
    tray: list[list[float]] = world.camera.project(corners).round(2).tolist()
    return tray


def _hand(world: World) -> list[list[float]]:
    """Return discs that cover the hand in the image: x, y and radius of each in pixels."""
    if world.hand is None:
        return []
    out = []
    hand, camera = world.hand, world.camera
    for start, end, radii in zip(hand.starts, hand.ends, hand.radii, strict=True):
        for share in np.linspace(0, 1, 5):
            at = start + (end - start) * share
            ahead = float((camera.turn @ (at - camera.at))[2])
            if ahead > 5:
                x, y = camera.project(at[None])[0]
                radius = (radii[0] + (radii[1] - radii[0]) * share) * camera.focal_px / ahead
                out.append([round(float(v), 1) for v in (x, y, radius)])
    return out


def _die(world: World, die: RestingDie, seen: float, contrast: float) -> dict[str, Any]:
    value, tilt = die.top()
    up = die.turn @ np.array(FACE_NORMALS[value], float)
    project = world.camera.project
    outline = project(die.corners())
    return {
        "value": value,
        "tilt": round(tilt, 1),
        "how": "stacked" if die.stacked else "cocked" if tilt > COCKED_DEG else "flat",
        "touching": die.touching,
        "in_tray": die.in_tray,
        "quad": project(die.top_face()).round(2).tolist(),
        "foot": project((die.at - up * die.edge_mm / 2)[None])[0].round(2).tolist(),
        "box": [*outline.min(axis=0).round(2).tolist(), *outline.max(axis=0).round(2).tolist()],
        "seen": round(seen, 3),
        "look": die.style,
        "contrast": round(contrast, 1),
        "edge_mm": round(die.edge_mm, 2),
    }
