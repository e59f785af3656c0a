"""Makes floors that are easily confused with dice: with flakes as large as pips, or in the colour of the dice."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.colours import (
    draw_any_colour,
    draw_black,
    draw_strong,
    draw_white,
    draw_wood,
    scale_colour,
)
from training.scenes.dice.pips import PIP_GRID
from training.scenes.kept_out import Chooser
from training.scenes.world import Cover

Floats = NDArray[np.float32]
FLAKE_WEIGHTS = {
    "dots": 0.24, "crumbs": 0.26, "shreds": 0.16, "confetti": 0.1, "patterns": 0.12, "grains": 0.1,
    "bubbles": 0.1,
}  # fmt: skip
"""Relative frequency of each kind of flakes."""
MAX_TILE_MM = 110.0
"""Largest width of a texture tile. On a larger one, a flake could be smaller than two pixels."""
FLAKE_RADIUS = (0.05, 0.17)
"""Range of the radius of a flake in die edges. Pips have radii from 0.05 to 0.13."""
SUBPIXELS = 16
"""Number of subpixels per pixel with which outlines are drawn."""


def strew_flakes(chooser: Chooser, cover: Cover, edge_mm: float) -> Cover:
    """Return the surface material of a floor with flakes as large as pips strewn over it.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        cover: Surface material of the floor without flakes.
        edge_mm: Edge of the dice on the ground in millimetres.
    """
    rng = chooser.rng
    kind = chooser.draw_kind("flakes", FLAKE_WEIGHTS)
    side = max(cover.colours.shape[0], 128)
    tile_mm = min(cover.tile_mm, MAX_TILE_MM)
    colours = cv2.resize(cover.colours, (side, side), interpolation=cv2.INTER_LINEAR)
    heights = cv2.resize(cover.heights, (side, side), interpolation=cv2.INTER_LINEAR)
    pip_px = side / tile_mm * edge_mm
    density = float(np.exp(rng.uniform(np.log(0.05), np.log(1.2))))  # flakes per square of one edge
    count = int(np.clip(density * (tile_mm / edge_mm) ** 2, 3, 900))
    tones = [_tone(rng, cover) for _ in range(int(rng.integers(1, 4)))]
    size = float(np.exp(rng.uniform(*np.log(FLAKE_RADIUS))))
    mixed = rng.random() < 0.5
    for _ in range(count):
        share = (
            float(np.exp(rng.uniform(*np.log(FLAKE_RADIUS))))
            if mixed
            else size * float(rng.normal(1, 0.1))
        )
        mask = np.zeros((side, side), np.uint8)
        _draw(rng, kind, mask, max(share, 0.03) * pip_px)
        tone = np.array(tones[int(rng.integers(len(tones)))], np.float32)
        box = np.argwhere(mask)
        if len(box):
            (top, left), (bottom, right) = box.min(axis=0), box.max(axis=0) + 1
            part = colours[top:bottom, left:right]
            alpha = mask[top:bottom, left:right, None].astype(np.float32) / 255
            part += (tone - part) * alpha * np.float32(rng.uniform(0.6, 1))
    return replace(
        cover,
        colours=colours.astype(np.float32),
        heights=heights.astype(np.float32),
        tile_mm=tile_mm,
    )


def _tone(rng: Generator, cover: Cover) -> tuple[float, float, float]:
    """Draw the colour of some flakes. Half of the time, it is a shade of the floor."""
    red, green, blue = (float(c) for c in cover.colours.mean(axis=(0, 1)))
    if rng.random() < 0.5:
        return scale_colour(
            (red, green, blue),
            float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.7, 2.5))),
            0.15,
            rng,
        )
    return [draw_black, draw_white, draw_strong, draw_any_colour, draw_wood][int(rng.integers(5))](
        rng
    )


def _draw(rng: Generator, kind: str, mask: NDArray[np.uint8], radius: float) -> None:
    """Draw one flake, or one group of flakes, somewhere in the mask of a texture tile."""
    side = mask.shape[0]
    at = rng.uniform(0, side, 2)
    if kind == "patterns":  # groups arranged like the pips of a face, without a die
        angle = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(angle), np.sin(angle)
        spread = radius * float(rng.uniform(2.2, 4.5))
        for x, y in PIP_GRID[int(rng.integers(1, 7))]:
            spot = at + spread * np.array([c * x - s * y, s * x + c * y])
            _disc(mask, spot, radius)
    elif kind == "dots":
        _disc(mask, at, radius)
    elif kind == "bubbles":
        _disc(mask, at, radius)
        inner = np.zeros_like(mask)
        _disc(inner, at, 0.6 * radius)
        mask[inner > 0] = 0
    else:
        _polygon(mask, _outline(rng, kind, radius) + at)


def _outline(rng: Generator, kind: str, radius: float) -> NDArray[np.float64]:
    """Return the corners (n, 2) of a crumb, shred, piece of confetti or grain around the origin."""
    corners = {"crumbs": int(rng.integers(5, 10)), "grains": 8, "shreds": 8, "confetti": 4}[kind]
    angles = (np.arange(corners) + rng.uniform(0, 0.5, corners)) * 2 * np.pi / corners
    rough = rng.uniform(0.55, 1.1, corners) if kind in ("crumbs", "shreds") else np.ones(corners)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * rough[:, None] * radius
    ring[:, 1] *= {"shreds": rng.uniform(0.12, 0.4), "grains": rng.uniform(0.4, 0.7)}.get(kind, 1.0)
    turn = rng.uniform(0, np.pi)
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(ring @ np.array([[c, s], [-s, c]]))


def _disc(mask: NDArray[np.uint8], at: NDArray[np.float64], radius: float) -> None:
    centre = tuple(int(v * SUBPIXELS) for v in at)
    cv2.circle(mask, centre, int(radius * SUBPIXELS), 255, -1, cv2.LINE_AA, 4)  # type: ignore[call-overload]


def _polygon(mask: NDArray[np.uint8], corners: NDArray[np.float64]) -> None:
    cv2.fillPoly(mask, [np.rint(corners * SUBPIXELS).astype(np.int32)], 255, cv2.LINE_AA, 4)  # type: ignore[call-overload]


def match_dice_colour(rng: Generator, cover: Cover, body: tuple[float, float, float]) -> Cover:
    """Return the surface material of a floor whose pattern has nearly the colour of the dice.

    Args:
        rng: Source of random numbers.
        cover: Surface material of the floor in its own colours.
        body: Linear RGB of the dice.
    """
    grey = cover.colours.mean(axis=2, keepdims=True)
    pattern = (grey / max(float(grey.mean()), 1e-3)).clip(0.1, 3)
    strength = float(rng.uniform(0.1, 1))
    tone = np.array(scale_colour(body, float(np.exp(rng.normal(0, 0.35))), 0.12, rng), np.float32)
    colours = (tone * (1 + strength * (pattern - 1))).clip(0, 0.97)
    return replace(cover, colours=colours.astype(np.float32))
