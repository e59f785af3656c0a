"""Adds glare to rendered light: reflections of lamps on polished ground, brighter than the ray caster renders them."""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.world import Part

Floats = NDArray[np.float32]
PEAK_BRIGHTNESS = (0.3, 4.0)
"""Range of the brightness at the centre of a reflection, where 1 is white."""
HALF_AXES = (0.04, 0.3)
"""Range of the half axes of a reflection, as a share of the longer side of the image."""
SHARE_ON_DICE = (0.0, 0.5)
"""Range of the share of the glare that appears on dice and foreign objects."""
DRIFT = 0.1
"""Standard deviation of the change of brightness between the empty-tray image and the image with
dice, as a logarithm."""


def add_glare(
    rng: Generator, light: Floats, empty: Floats | None, part: NDArray[np.uint8]
) -> tuple[Floats, Floats | None]:
    """Return an image with dice and one of the empty tray, both with the same one to three reflections of lamps.

    Args:
        rng: Source of random numbers.
        light: Linear light (h, w, 3) of the image with dice.
        empty: Linear light (h, w, 3) of the empty tray, or None if it is not known.
        part: The `Part` (h, w) that each pixel of the image with dice shows.
    """
    height, width = part.shape
    blot = np.zeros((height, width), np.float32)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        blot += _reflection(rng, width, height)
    tint = (1 - 0.3 * rng.beta(1, 4, 3)).astype(np.float32)
    glare = blot[..., None] * tint
    off_ground = cv2.GaussianBlur((part != Part.GROUND).astype(np.float32), (0, 0), 0.8)
    covered = 1 - (1 - np.float32(rng.uniform(*SHARE_ON_DICE))) * off_ground
    before = None if empty is None else empty + glare * np.float32(np.exp(rng.normal(0, DRIFT)))
    return light + glare * covered[..., None], before


def _reflection(rng: Generator, width: int, height: int) -> Floats:
    """Return the light (height, width) of one reflection: an ellipse with a soft or a sharp edge."""
    side = max(width, height)
    x, y = rng.uniform(0.05, 0.95) * width, rng.uniform(0.05, 0.95) * height
    long = float(np.exp(rng.uniform(*np.log(HALF_AXES)))) * side
    short = long * float(rng.uniform(0.3, 1))
    angle = rng.uniform(0, np.pi)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    c, s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    along = (c * (xs - x) + s * (ys - y)) / long
    across = (c * (ys - y) - s * (xs - x)) / short
    away = np.hypot(along, across)
    if rng.random() < 0.5:
        shape = np.exp(-2 * away**2)
    else:
        shape = ((1.0 - away) * rng.uniform(2, 12) + 0.5).clip(0, 1)
    return np.asarray(shape * np.exp(rng.uniform(*np.log(PEAK_BRIGHTNESS))), np.float32)
