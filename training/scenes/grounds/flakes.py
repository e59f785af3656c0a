"""Grounds that look like dice: flakes and dots as large as pips, and ground of the colour of the dice."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.colours import any_colour, black, scaled, strong, white, wooden
from training.scenes.dice.pips import PLACES
from training.scenes.kept_out import Chooser
from training.scenes.world import Cover

Floats = NDArray[np.float32]
FLAKES = {
    "dots": 0.24, "crumbs": 0.26, "shreds": 0.16, "confetti": 0.1, "patterns": 0.12, "grains": 0.1,
    "bubbles": 0.1,
}  # fmt: skip
"""Kinds of flakes and how often each is drawn."""
LARGEST_TILE_MM = 110.0
"""A larger tile would have fewer than two pixels for a pip."""
PIP = (0.05, 0.17)
"""Radius of a flake in edges of a die: a pip has 0.05 to 0.13."""
SHADES = 16
"""Fractional bits of the coordinates of drawn outlines."""


def with_flakes(chooser: Chooser, cover: Cover, edge_mm: float) -> Cover:
    """Return a cover with flakes as large as the pips of dice strewn over it.

    Args:
        chooser: source of random numbers; it never draws a kind that is kept out of teaching.
        cover: the ground to strew.
        edge_mm: edge of the dice on the ground.
    """
    rng = chooser.rng
    kind = chooser.kind("flakes", FLAKES)
    side = max(cover.colours.shape[0], 128)
    tile_mm = min(cover.tile_mm, LARGEST_TILE_MM)
    colours = cv2.resize(cover.colours, (side, side), interpolation=cv2.INTER_LINEAR)
    heights = cv2.resize(cover.heights, (side, side), interpolation=cv2.INTER_LINEAR)
    pip_px = side / tile_mm * edge_mm
    density = float(np.exp(rng.uniform(np.log(0.05), np.log(1.2))))  # flakes per square edge
    count = int(np.clip(density * (tile_mm / edge_mm) ** 2, 3, 900))
    tones = [_tone(rng, cover) for _ in range(int(rng.integers(1, 4)))]
    size = float(np.exp(rng.uniform(*np.log(PIP))))
    mixed = rng.random() < 0.5
    for _ in range(count):
        share = (
            float(np.exp(rng.uniform(*np.log(PIP)))) if mixed else size * float(rng.normal(1, 0.1))
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
    """Return the colour of some flakes: a shade of the ground most times."""
    red, green, blue = (float(c) for c in cover.colours.mean(axis=(0, 1)))
    if rng.random() < 0.5:
        return scaled(
            (red, green, blue),
            float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.7, 2.5))),
            0.15,
            rng,
        )
    return [black, white, strong, any_colour, wooden][int(rng.integers(5))](rng)


def _draw(rng: Generator, kind: str, mask: NDArray[np.uint8], radius: float) -> None:
    """Draw one flake, or one group of flakes, anywhere on a tile."""
    side = mask.shape[0]
    at = rng.uniform(0, side, 2)
    if kind == "patterns":  # groups that are arranged like the pips of a face, without a die
        angle = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(angle), np.sin(angle)
        spread = radius * float(rng.uniform(2.2, 4.5))
        for x, y in PLACES[int(rng.integers(1, 7))]:
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
    """Return (n, 2) corners of a crumb, a shred, a piece of confetti or a grain around the origin."""
    corners = {"crumbs": int(rng.integers(5, 10)), "grains": 8, "shreds": 8, "confetti": 4}[kind]
    angles = (np.arange(corners) + rng.uniform(0, 0.5, corners)) * 2 * np.pi / corners
    rough = rng.uniform(0.55, 1.1, corners) if kind in ("crumbs", "shreds") else np.ones(corners)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * rough[:, None] * radius
    ring[:, 1] *= {"shreds": rng.uniform(0.12, 0.4), "grains": rng.uniform(0.4, 0.7)}.get(kind, 1.0)
    turn = rng.uniform(0, np.pi)
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(ring @ np.array([[c, s], [-s, c]]))


def _disc(mask: NDArray[np.uint8], at: NDArray[np.float64], radius: float) -> None:
    centre = tuple(int(v * SHADES) for v in at)
    cv2.circle(mask, centre, int(radius * SHADES), 255, -1, cv2.LINE_AA, 4)  # type: ignore[call-overload]


def _polygon(mask: NDArray[np.uint8], corners: NDArray[np.float64]) -> None:
    cv2.fillPoly(mask, [np.rint(corners * SHADES).astype(np.int32)], 255, cv2.LINE_AA, 4)  # type: ignore[call-overload]


def like_dice(rng: Generator, cover: Cover, body: tuple[float, float, float]) -> Cover:
    """Return a cover in nearly the colour of the dice, with the pattern that the cover had.

    Args:
        rng: source of random numbers.
        cover: the ground.
        body: linear RGB of the dice.
    """
    grey = cover.colours.mean(axis=2, keepdims=True)
    pattern = (grey / max(float(grey.mean()), 1e-3)).clip(0.1, 3)
    strength = float(rng.uniform(0.1, 1))
    tone = np.array(scaled(body, float(np.exp(rng.normal(0, 0.35))), 0.12, rng), np.float32)
    colours = (tone * (1 + strength * (pattern - 1))).clip(0, 0.97)
    return replace(cover, colours=colours.astype(np.float32))
