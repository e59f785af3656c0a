"""Makes the labels of rendered test images, in the format that `vision.dataset` reads."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendering.ray_caster import cast_masks, visible_top_shares
from training.scenes.colours import rgb_to_lab
from training.scenes.dice.pips import pip_centres
from training.scenes.truth import COCKED_DEG, MIN_SEEN
from training.scenes.world import FACE_NORMALS, Part, RestingDie, Vector, World, face_axes

AMBIGUOUS_DEG = 25.0
TINY_MM = 10.0
STEEP_DEG = 15.0
MIN_LEGIBLE = 10.0
"""Smallest contrast of a pip in units of CIE L*a*b*. A pip with a lower contrast may not be visible."""
MIN_DIE_PX = 9.0
MIN_OBJECT_PX = 60
"""A foreign object counts if it covers at least this number of pixels of the tray."""
MIN_HAND_SHARE = 0.001
"""A hand counts if it covers at least this share of the image, over the tray."""


def label_row(
    world: World, picture: NDArray[np.uint8], name: str, more: dict[str, Any]
) -> dict[str, Any]:
    """Return the label of a rendered image, as a JSON object.

    Args:
        world: The scene, with a camera whose frames have the size of the image.
        picture: Image (h, w, 3) BGR of the scene.
        name: Name of the image.
        more: Further fields of the label, by name.
    """
    part, _ = cast_masks(world)
    seen = visible_top_shares(world)
    dice = [_die(world, k, seen[k], picture) for k in range(len(world.dice))]
    there = [d for d in dice if d["in_tray"]]
    over_tray = _over_tray(world, part.shape)
    hand = bool((over_tray & (part == Part.HAND)).mean() > MIN_HAND_SHARE)
    has_object = (over_tray & (part == Part.FOREIGN_OBJECT)).sum() > MIN_OBJECT_PX
    camera = world.camera
    tilt = float(np.degrees(np.arccos(min(1.0, -camera.turn[2, 2]))))
    return {
        "image": name, "width": camera.width, "height": camera.height,
        "tags": _tags(world, there, dice, hand=hand, tilt=tilt), "novel": [],
        "n_dice_in_tray": len(there), "values": sorted(d["value"] for d in there if d["readable"]),
        "all_readable": all(d["readable"] for d in there), "all_legible": all(d["legible"] for d in there if d["readable"]),
        "hand": hand, "objects": ["foreign object"] * int(has_object), "dice": dice, "tray_corners": _corners(world),
        "camera": {"f": camera.focal_px, "tilt_deg": tilt},
        "tray": {"surface": world.covers[world.ground].kind, "wall_mm": world.tray.wall_mm if world.tray else 0},
        "light": {"kind": world.light.kind, "edges": len(world.light.shades)}, "seed": world.seed, **more,
    }  # fmt: skip


def _corners(world: World) -> list[list[float]]:
    if world.tray is None or world.tray.corners is None:
        raise ValueError(
            "a test image needs a tray with four corners; use a world with a rectangular tray"
        )
    floor = np.column_stack([world.tray.corners, np.zeros(4)])
    corners: list[list[float]] = world.camera.project(floor).round(2).tolist()
    return corners


def _over_tray(world: World, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.array(_corners(world)).round().astype(np.int32)], 1)
    return mask > 0


def _die(world: World, number: int, seen: float, picture: NDArray[np.uint8]) -> dict[str, Any]:
    die = world.dice[number]
    camera = world.camera
    face, tilt = die.top()
    outline, quad = camera.project(die.corners()), camera.project(die.top_face())
    low, high = outline.min(axis=0), outline.max(axis=0)
    whole = bool((low >= 0).all() and (high <= (camera.width, camera.height)).all())
    readable = die.in_tray and tilt <= COCKED_DEG and seen > MIN_SEEN and whole
    size = float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).mean())
    contrast = measure_pip_contrast(world, die, picture)
    style = world.styles[die.style]
    return {
        "id": number, "value": None if tilt > AMBIGUOUS_DEG else face, "top_face": face, "tilt_deg": round(tilt, 2),
        "cocked": tilt > COCKED_DEG, "ambiguous": tilt > AMBIGUOUS_DEG, "in_tray": die.in_tray,
        "center": camera.project(die.at[None])[0].round(2).tolist(), "top_center": quad.mean(axis=0).round(2).tolist(),
        "bbox": [*low.round(2).tolist(), *high.round(2).tolist()], "top_quad": quad.round(2).tolist(),
        "size_px": round(size, 2), "top_visible_frac": round(seen, 3), "stacked": die.stacked, "touching": die.touching,
        "kind": f"{style.body.kind}_{style.pips.kind}", "size_mm": round(die.edge_mm, 1), "readable": bool(readable),
        "pip_contrast": [round(c, 1) for c in contrast],
        "legible": bool(readable and contrast[0] > max(MIN_LEGIBLE, contrast[1]) and size > MIN_DIE_PX),
    }  # fmt: skip


def measure_pip_contrast(
    world: World, die: RestingDie, picture: NDArray[np.uint8]
) -> tuple[float, float]:
    """Return the contrast of the weakest pip on top of a die, and of the strongest spots that are not pips.

    Contrasts are distances from the median colour of the face, in units of CIE L*a*b*.

    Args:
        world: The scene that the image shows.
        die: The die in this scene.
        picture: Image (h, w, 3) BGR of the scene.
    """
    face, _ = die.top()
    marks = world.styles[die.style].pips
    places = pip_centres(marks, face)
    n = np.array(FACE_NORMALS[face], float)
    u, v = face_axes(n)
    line = np.linspace(-0.62, 0.62, 9)
    free = np.array([(s, t) for s in line for t in line])
    apart = np.linalg.norm(free[:, None] - places[None], axis=2).min(axis=1)
    free = free[apart > 1.5 * marks.radius * (marks.lone_scale if face == 1 else 1)]
    if not len(free):
        return 0.0, 100.0
    own, others = (
        _colours(world, die, n + p[:, :1] * u + p[:, 1:] * v, picture) for p in (places, free)
    )
    base = np.median(others, axis=0)
    weakest = float(np.linalg.norm(own - base, axis=1).min())
    return weakest, float(np.quantile(np.linalg.norm(others - base, axis=1), 0.9))


def _colours(world: World, die: RestingDie, places: Vector, picture: NDArray[np.uint8]) -> Vector:
    """Return the colours (n, 3) in CIE L*a*b* that an image shows at points on a die.

    `places` (n, 3) are in the axes of the die, in half edges.
    """
    pixels = world.camera.project(die.at + places @ die.turn.T * die.edge_mm / 2)
    x, y = (pixels.T.round().astype(int) - 0).clip(
        0, [[picture.shape[1] - 1], [picture.shape[0] - 1]]
    )
    smooth = cv2.blur(picture, (3, 3))
    linear = (smooth[y, x, ::-1] / 255.0) ** 2.2
    return np.array([rgb_to_lab((float(r), float(g), float(b))) for r, g, b in linear])


def _tags(
    world: World,
    there: list[dict[str, Any]],
    dice: list[dict[str, Any]],
    *,
    hand: bool,
    tilt: float,
) -> list[str]:
    facts = {
        "has_touching": any(d["touching"] for d in there), "has_cocked": any(d["cocked"] for d in there),
        "has_ambiguous": any(d["ambiguous"] for d in there), "has_stacked": any(d["stacked"] for d in there),
        "has_occluded": any(d["top_visible_frac"] < MIN_SEEN for d in there), "has_hand": hand,
        "has_outside_dice": len(dice) > len(there), "zero_dice": not there,
        "tiny": any(d["size_mm"] <= TINY_MM for d in there), "steep_camera": tilt >= STEEP_DEG,
    }  # fmt: skip
    return [tag for tag, is_so in facts.items() if is_so] + [f"light:{world.light.kind}"]
