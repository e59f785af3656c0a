"""The simulated table in millimetres: tray, walls, set-aside area, camera and light."""

from dataclasses import dataclass

import numpy as np

from device.cameras.simulated.lens import Floats, Lens, TrayPoints, overhead
from vision.reading import Quad

WALL_MM = 20.0  # height above the floor
RIM_MM = 9.0  # thickness of the walls
TABLE_MM = -5.0  # height of the table relative to the floor of the tray

# The frame is centred slightly to the right of the tray, which leaves room for dice next to the tray.
LENS = overhead(eye_mm=(17.0, 10.0, 335.0), tilt_deg=1.6, roll_deg=0.5)


@dataclass(frozen=True, slots=True)
class Area:
    """A horizontal rectangle in tray coordinates.

    Attributes:
        left_mm: x of the left side.
        right_mm: x of the right side.
        near_mm: y of the side next to the player.
        far_mm: y of the opposite side.
        z_mm: Height above the floor of the tray.
    """

    left_mm: float
    right_mm: float
    near_mm: float
    far_mm: float
    z_mm: float = 0.0

    def corners(self) -> TrayPoints:
        """Return the corners in the order far left, far right, near right, near left: clockwise in the frame."""
        return TrayPoints(
            np.array(
                [
                    (self.left_mm, self.far_mm, self.z_mm),
                    (self.right_mm, self.far_mm, self.z_mm),
                    (self.right_mm, self.near_mm, self.z_mm),
                    (self.left_mm, self.near_mm, self.z_mm),
                ]
            )
        )

    def expanded(self, by_mm: float, z_mm: float) -> "Area":
        """Return the area extended on all sides.

        Args:
            by_mm: The distance by which each side moves outwards.
            z_mm: Height of the new area above the floor of the tray.
        """
        return Area(
            self.left_mm - by_mm,
            self.right_mm + by_mm,
            self.near_mm - by_mm,
            self.far_mm + by_mm,
            z_mm,
        )

    def in_frame_of(self, lens: Lens) -> Quad:
        """Return the corners of this area in frame pixels, as seen through the given lens."""
        a, b, c, d = ((float(x), float(y)) for x, y in lens.project(self.corners()))
        return Quad((a, b, c, d))


FLOOR = Area(-125.0, 125.0, -85.0, 85.0)
ASIDE = Area(145.0, 222.0, -78.0, 78.0, TABLE_MM)


Colour = tuple[int, int, int]  # red, green and blue, 0 to 255

DISPLAY_GAMMA = 2.2

# The light comes from behind the left end of the tray, as from a window or a desk lamp.
TO_LIGHT = np.array([-0.40, 0.36, 0.84])
TO_LIGHT /= np.linalg.norm(TO_LIGHT)
LAMP, SKY = 0.72, 0.28  # shares of direct and ambient light on a flat white floor


@dataclass(frozen=True, slots=True)
class TrayLook:
    """The appearance of a simulated table: its colours, the size of the dice, and the noise.

    Attributes:
        body: Colour of the dice.
        pip: Colour of the pips.
        felt: Colour of the floor of the tray.
        rim: Colour of the walls.
        table: Colour of the table.
        die_mm: Edge of a die.
        noise: Standard deviation of the sensor's noise in grey levels.
    """

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


def find_look(name: str) -> TrayLook:
    """Return the appearance with this name, which is a key of `LOOKS`.

    Raises:
        ValueError: If there is no appearance with this name.
    """
    if name not in LOOKS:
        raise ValueError(f"no look is named {name!r}: use one of {', '.join(LOOKS)}")
    return LOOKS[name]


def light_of(colour: Colour) -> Floats:
    """Return the shares of blue, green and red light that a colour reflects, (3,)."""
    return (np.array(colour[::-1]) / 255) ** DISPLAY_GAMMA


def to_grey_levels(light: Floats) -> Floats:
    """Return the grey levels, 0 to 255, that display amounts of light from 0 to 1."""
    return np.clip(light, 0, 1) ** (1 / DISPLAY_GAMMA) * 255
