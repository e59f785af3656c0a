"""How a simulated tray looks: its dice, its felt, its wood, its light."""

from dataclasses import dataclass

import numpy as np

from device.cameras.lens import Floats

Colour = tuple[int, int, int]  # red, green, blue as a colour picker shows them

DISPLAY_GAMMA = 2.2

# The light stands behind the left end of the tray, as a window or a desk lamp would.
TO_LIGHT = np.array([-0.40, 0.36, 0.84])
TO_LIGHT /= np.linalg.norm(TO_LIGHT)
LAMP = 0.72  # shares of the light on a flat white floor: together 1
SKY = 0.28


@dataclass(frozen=True, slots=True)
class TrayLook:
    """One table set. `die_mm` is the edge of a die, `noise` the sensor's, in grey levels."""

    body: Colour = (238, 233, 220)
    pip: Colour = (28, 26, 30)
    felt: Colour = (30, 104, 66)
    rim: Colour = (134, 88, 54)
    table: Colour = (176, 146, 112)
    die_mm: float = 16.0
    noise: float = 2.2


LOOKS = {
    "green": TrayLook(),
    "red": TrayLook(body=(34, 33, 38), pip=(240, 238, 230), felt=(140, 28, 40), rim=(92, 60, 40)),
    "blue": TrayLook(felt=(38, 66, 120), rim=(168, 124, 78), table=(92, 70, 54)),
    "black": TrayLook(felt=(38, 38, 42), rim=(52, 48, 46), table=(150, 146, 140)),
    "travel": TrayLook(die_mm=8.0),
    "ruby": TrayLook(body=(158, 22, 30), pip=(246, 240, 232), felt=(196, 184, 158)),
}


def look_named(name: str) -> TrayLook:
    if name not in LOOKS:
        raise ValueError(f"no look is named {name!r}: take one of {', '.join(LOOKS)}")
    return LOOKS[name]


def light_of(colour: Colour) -> Floats:
    """The share of light that a colour sends back, as blue, green, red."""
    return (np.array(colour[::-1]) / 255) ** DISPLAY_GAMMA


def shown(light: Floats) -> Floats:
    """Light as the grey levels of a picture, 0 to 255."""
    return np.clip(light, 0, 1) ** (1 / DISPLAY_GAMMA) * 255
