"""What is true of a world as its camera sees it: every die in pixels, and whether it may be read."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from training.scenes.dice.choosing import contrasts
from training.scenes.world import NORMALS, RestingDie, World

COCKED_DEG = 10.0
SEEN = 0.965
"""Less of the flat of its top seen, and a die is hidden."""


def truth(world: World, tops_seen: Sequence[float]) -> dict[str, Any]:
    """One JSON object: dice with value, quad, box, tilt and how much of the top is seen."""
    camera = world.camera
    contrast = [contrasts(style) for style in world.styles]
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
    """Discs of x, y and radius in pixels along the chains."""
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
    up = die.turn @ np.array(NORMALS[value], float)
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
