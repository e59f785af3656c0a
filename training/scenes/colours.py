"""Random colours of real objects as linear RGB, and a measure of how different two colours look."""

import colorsys

import numpy as np
from numpy.random import Generator

Rgb = tuple[float, float, float]
METALS: tuple[Rgb, ...] = (
    (0.91, 0.92, 0.92), (0.56, 0.57, 0.58), (1.0, 0.77, 0.34), (0.95, 0.64, 0.54), (0.8, 0.6, 0.35),
    (0.25, 0.25, 0.27),
)  # fmt: skip
"""Silver, steel, gold, copper, brass and gunmetal."""
XYZ_FROM_RGB = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)
"""Matrix from linear sRGB to CIE XYZ (IEC 61966-2-1)."""
WHITE_XYZ = XYZ_FROM_RGB.sum(axis=1)


def from_hsv(hue: float, saturation: float, value: float) -> Rgb:
    """Convert a hue, saturation and value, as a screen shows them, to linear RGB.

    Args:
        hue: Hue in turns of the colour wheel. Whole turns are ignored.
        saturation: Saturation, 0 to 1.
        value: Brightness, 0 to 1.
    """
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return red**2.2, green**2.2, blue**2.2


def scale_colour(rgb: Rgb, by: float, spread: float = 0.0, rng: Generator | None = None) -> Rgb:
    """Return a colour made brighter or darker, with a small random deviation in each channel.

    Args:
        rgb: Linear red, green and blue, each 0 to 1.
        by: Factor by which the brightness is multiplied.
        spread: Largest relative deviation of a channel.
        rng: Source of random numbers. If it is None, there is no deviation.
    """
    off = np.ones(3) if rng is None else 1 + rng.uniform(-spread, spread, 3)
    red, green, blue = (float(c) for c in (np.array(rgb) * by * off).clip(0, 0.97))
    return red, green, blue


def draw_white(rng: Generator) -> Rgb:
    """Draw white, ivory or another very pale colour."""
    return from_hsv(rng.random(), float(rng.beta(1, 6)) * 0.5, float(rng.uniform(0.78, 0.98)))


def draw_ivory(rng: Generator) -> Rgb:
    """Draw the colour of bone or of old plastic."""
    return from_hsv(
        rng.uniform(0.09, 0.16), float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.7, 0.95))
    )


def draw_black(rng: Generator) -> Rgb:
    """Draw black or a nearly black colour."""
    return from_hsv(rng.random(), float(rng.uniform(0, 0.9)), float(rng.beta(1, 2.5)) * 0.4)


def draw_strong(rng: Generator) -> Rgb:
    """Draw a saturated colour, such as red, blue, green or yellow."""
    return from_hsv(rng.random(), float(rng.uniform(0.5, 1)), float(rng.uniform(0.3, 0.97)))


def draw_cloth(rng: Generator) -> Rgb:
    """Draw the colour of a card table: green, burgundy, blue, purple, black or grey."""
    hue = rng.choice([0.35, 0.97, 0.6, 0.78, 0.45]) + rng.normal(0, 0.02)
    return from_hsv(
        float(hue), float(rng.choice([0.1, rng.uniform(0.5, 0.9)])), float(rng.uniform(0.15, 0.6))
    )


def draw_leather(rng: Generator) -> Rgb:
    """Draw the colour of leather: black or brown."""
    return from_hsv(
        rng.uniform(0.02, 0.1), float(rng.uniform(0, 0.75)), float(rng.uniform(0.08, 0.5))
    )


def draw_furniture(rng: Generator) -> Rgb:
    """Draw the colour of a table or a box: black, white, grey, beige or brown."""
    return from_hsv(rng.uniform(0.04, 0.14), float(rng.beta(1, 4)), float(rng.uniform(0.1, 0.95)))


def draw_pastel(rng: Generator) -> Rgb:
    """Draw a pastel colour, such as pink, mint or sky blue."""
    return from_hsv(rng.random(), float(rng.uniform(0.12, 0.45)), float(rng.uniform(0.7, 0.97)))


def draw_earth(rng: Generator) -> Rgb:
    """Draw a dull colour: brown, olive or grey."""
    return from_hsv(rng.random(), float(rng.uniform(0, 0.5)), float(rng.uniform(0.15, 0.7)))


def draw_wood(rng: Generator) -> Rgb:
    """Draw the colour of a wood, from maple to wenge."""
    return scale_colour((0.62, 0.40, 0.20), float(np.exp(rng.uniform(-1.9, 0.35))), 0.2, rng)


def draw_metal(rng: Generator) -> Rgb:
    """Draw the colour of a metal: silver, gold, copper or an anodised colour."""
    base = METALS[int(rng.integers(len(METALS)))] if rng.random() < 0.75 else draw_strong(rng)
    return scale_colour(base, float(rng.uniform(0.6, 1)), 0.06, rng)


def draw_any_colour(rng: Generator) -> Rgb:
    """Draw any colour at all."""
    return from_hsv(rng.random(), rng.random(), rng.random())


def draw_skin_tone(rng: Generator) -> Rgb:
    """Draw the colour of a hand, from the darkest skin to the palest."""
    return scale_colour((0.75, 0.45, 0.32), float(np.exp(rng.uniform(-2.4, 0.15))), 0.12, rng)


def rgb_to_lab(rgb: Rgb) -> np.ndarray:
    """Convert linear RGB to CIE L*a*b* (3,): lightness from 0 to 100, red minus green, and yellow minus blue."""
    ratio = XYZ_FROM_RGB @ np.array(rgb) / WHITE_XYZ
    root = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    x, y, z = root
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def visible_difference(one: Rgb, other: Rgb) -> float:
    """Return how different two colours look: 1 is barely visible, 100 is black against white.

    Lightness counts most, because every camera sees it, whatever its white balance.

    Args:
        one: Linear RGB of the first colour.
        other: Linear RGB of the second colour.
    """
    off = rgb_to_lab(one) - rgb_to_lab(other)
    return float(np.sqrt(off[0] ** 2 + 0.25 * (off[1] ** 2 + off[2] ** 2)))
