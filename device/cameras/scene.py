"""The simulated table in millimetres: tray, walls, the strip beside it, the camera above."""

from dataclasses import dataclass

import numpy as np

from device.cameras.lens import Lens, TrayPoints, overhead
from vision.reading import Quad

WALL_MM = 20.0  # height above the floor
RIM_MM = 9.0  # thickness of the walls
TABLE_MM = -5.0  # the table below the tray's floor

# The middle of the picture lies a little right of the tray's: room for the dice beside it.
LENS = overhead(eye_mm=(17.0, 10.0, 335.0), tilt_deg=1.6, roll_deg=0.5)


@dataclass(frozen=True, slots=True)
class Area:
    """An upright rectangle in tray millimetres at the height `z_mm`."""

    left_mm: float
    right_mm: float
    near_mm: float
    far_mm: float
    z_mm: float = 0.0

    def corners(self) -> TrayPoints:
        """Far left, far right, near right, near left: clockwise in the picture."""
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

    def grown(self, by_mm: float, z_mm: float) -> "Area":
        return Area(
            self.left_mm - by_mm,
            self.right_mm + by_mm,
            self.near_mm - by_mm,
            self.far_mm + by_mm,
            z_mm,
        )

    def seen_by(self, lens: Lens) -> Quad:
        a, b, c, d = ((float(x), float(y)) for x, y in lens.project(self.corners()))
        return Quad((a, b, c, d))


FLOOR = Area(-125.0, 125.0, -85.0, 85.0)
ASIDE = Area(145.0, 222.0, -78.0, 78.0, TABLE_MM)
