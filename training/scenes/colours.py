"""Colours that things have: linear red, green and blue, and how far apart they look."""

import colorsys

import numpy as np
from numpy.random import Generator

Rgb = tuple[float, float, float]
METALS: tuple[Rgb, ...] = (
    (0.91, 0.92, 0.92), (0.56, 0.57, 0.58), (1.0, 0.77, 0.34), (0.95, 0.64, 0.54), (0.8, 0.6, 0.35),
    (0.25, 0.25, 0.27),
)  # fmt: skip
"""Silver, steel, gold, copper, brass, gunmetal."""
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def hued(hue: float, saturation: float, value: float) -> Rgb:
    """From hue, saturation and value (0..1) as shown."""
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return red**2.2, green**2.2, blue**2.2


def scaled(rgb: Rgb, by: float, spread: float = 0.0, rng: Generator | None = None) -> Rgb:
    """Brighter or darker, and a little off."""
    off = np.ones(3) if rng is None else 1 + rng.uniform(-spread, spread, 3)
    red, green, blue = (float(c) for c in (np.array(rgb) * by * off).clip(0, 0.97))
    return red, green, blue


def white(rng: Generator) -> Rgb:
    """White, ivory, pale."""
    return hued(rng.random(), float(rng.beta(1, 6)) * 0.5, float(rng.uniform(0.78, 0.98)))


def ivory(rng: Generator) -> Rgb:
    """Bone and old plastic."""
    return hued(
        rng.uniform(0.09, 0.16), float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.7, 0.95))
    )


def black(rng: Generator) -> Rgb:
    """Black, nearly black."""
    return hued(rng.random(), float(rng.uniform(0, 0.9)), float(rng.beta(1, 2.5)) * 0.4)


def strong(rng: Generator) -> Rgb:
    """Red, blue, green, yellow."""
    return hued(rng.random(), float(rng.uniform(0.5, 1)), float(rng.uniform(0.3, 0.97)))


def cloth(rng: Generator) -> Rgb:
    """Of card tables: green, burgundy, blue, purple, black, grey."""
    hue = rng.choice([0.35, 0.97, 0.6, 0.78, 0.45]) + rng.normal(0, 0.02)
    return hued(
        float(hue), float(rng.choice([0.1, rng.uniform(0.5, 0.9)])), float(rng.uniform(0.15, 0.6))
    )


def leathery(rng: Generator) -> Rgb:
    """Black and brown."""
    return hued(rng.uniform(0.02, 0.1), float(rng.uniform(0, 0.75)), float(rng.uniform(0.08, 0.5)))


def homely(rng: Generator) -> Rgb:
    """Of tables and boxes: black, white, grey, beige, brown."""
    return hued(rng.uniform(0.04, 0.14), float(rng.beta(1, 4)), float(rng.uniform(0.1, 0.95)))


def pastel(rng: Generator) -> Rgb:
    """Pink, mint, sky."""
    return hued(rng.random(), float(rng.uniform(0.12, 0.45)), float(rng.uniform(0.7, 0.97)))


def earthy(rng: Generator) -> Rgb:
    """Brown, olive, grey, dull."""
    return hued(rng.random(), float(rng.uniform(0, 0.5)), float(rng.uniform(0.15, 0.7)))


def wooden(rng: Generator) -> Rgb:
    """Maple to wenge."""
    return scaled((0.62, 0.40, 0.20), float(np.exp(rng.uniform(-1.9, 0.35))), 0.2, rng)


def metallic(rng: Generator) -> Rgb:
    """Silver, gold, copper, and anodised."""
    base = METALS[int(rng.integers(len(METALS)))] if rng.random() < 0.75 else strong(rng)
    return scaled(base, float(rng.uniform(0.6, 1)), 0.06, rng)


def any_colour(rng: Generator) -> Rgb:
    """Of all there are."""
    return hued(rng.random(), rng.random(), rng.random())


def skin_tone(rng: Generator) -> Rgb:
    """Of a hand, from the darkest to the palest."""
    return scaled((0.75, 0.45, 0.32), float(np.exp(rng.uniform(-2.4, 0.15))), 0.12, rng)


def lab(rgb: Rgb) -> np.ndarray:
    """(3,) lightness 0..100, and red-green and yellow-blue."""
    ratio = TO_XYZ @ np.array(rgb) / WHITE
    root = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(one: Rgb, other: Rgb) -> float:
    """How different two colours look: 1 is hardly seen, 100 is black and white.

    Lightness counts most: it is what a camera of any white balance sees.
    """
    off = lab(one) - lab(other)
    return float(np.sqrt(off[0] ** 2 + 0.25 * (off[1] ** 2 + off[2] ** 2)))
