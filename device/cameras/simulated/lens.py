"""From millimetres in the tray to pixels in the picture.

Tray coordinates: origin in the middle of the floor, x to the right, y away from the player,
z up, in millimetres. Picture coordinates: origin top left, x right, y down, in pixels. The two
are different types, so that the type checker notices when one is taken for the other.
"""

from dataclasses import dataclass, replace
from math import cos, radians, sin, tan
from typing import NewType

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
TrayPoints = NewType("TrayPoints", Floats)  # (n, 3) mm
PicturePoints = NewType("PicturePoints", Floats)  # (n, 2) px


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A camera without lens distortion: where it stands and how it looks.

    `turn` takes tray directions to the camera's own: x right, y down, z into the picture.
    """

    width_px: int
    height_px: int
    focal_px: float
    eye_mm: Floats
    turn: Floats

    def project(self, points: TrayPoints) -> PicturePoints:
        seen = (points - self.eye_mm) @ self.turn.T
        middle_px = (self.width_px / 2, self.height_px / 2)
        return PicturePoints(self.focal_px * seen[:, :2] / seen[:, 2:] + middle_px)

    def depth_mm(self, point: Floats) -> float:
        """How far a point is from the eye, along the optical axis."""
        return float((point - self.eye_mm) @ self.turn[2])

    def px_per_mm(self, point: Floats) -> float:
        return self.focal_px / self.depth_mm(point)

    def scaled(self, width_px: int) -> "Lens":
        """The same view in a smaller picture."""
        scale = width_px / self.width_px
        return replace(
            self,
            width_px=width_px,
            height_px=round(self.height_px * scale),
            focal_px=self.focal_px * scale,
        )


def overhead(eye_mm: tuple[float, float, float], tilt_deg: float, roll_deg: float) -> Lens:
    """A Camera Module 3 on an arm: 1536x864, 66 degrees wide, not quite plumb, as arms are."""
    width_px = 1536
    tilt, roll = radians(tilt_deg), radians(roll_deg)
    straight_down = np.diag([1.0, -1.0, -1.0])
    tilted = np.array([[1, 0, 0], [0, cos(tilt), -sin(tilt)], [0, sin(tilt), cos(tilt)]])
    rolled = np.array([[cos(roll), -sin(roll), 0], [sin(roll), cos(roll), 0], [0, 0, 1]])
    return Lens(
        width_px=width_px,
        height_px=864,
        focal_px=width_px / 2 / tan(radians(66 / 2)),
        eye_mm=np.array(eye_mm),
        turn=rolled @ tilted @ straight_down,
    )
