"""Projection from the tray to the frame.

Tray coordinates are in millimetres: the origin is the centre of the floor, x points right, y away
from the player and z up. Frame coordinates are in pixels: the origin is top left, x points right and
y down. They are different types, so that the type checker finds a mix-up.
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
    """A camera without lens distortion.

    Attributes:
        width_px: Width of its frame.
        height_px: Height of its frame.
        focal_px: Focal length.
        eye_mm: Its position in tray coordinates.
        turn: Rotation from tray directions to the camera's: x right, y down, z into the frame.
    """

    width_px: int
    height_px: int
    focal_px: float
    eye_mm: Floats
    turn: Floats

    def project(self, points: TrayPoints) -> PicturePoints:
        """Return where points of the tray are seen in the frame."""
        seen = (points - self.eye_mm) @ self.turn.T
        middle_px = (self.width_px / 2, self.height_px / 2)
        return PicturePoints(self.focal_px * seen[:, :2] / seen[:, 2:] + middle_px)

    def depth_mm(self, point: Floats) -> float:
        """Return the distance of a point from the eye along the optical axis."""
        return float((point - self.eye_mm) @ self.turn[2])

    def px_per_mm(self, point: Floats) -> float:
        """Return the scale of the frame at a point."""
        return self.focal_px / self.depth_mm(point)

    def scaled(self, width_px: int) -> "Lens":
        """Return the lens for the same view in a frame of another width."""
        scale = width_px / self.width_px
        return replace(
            self,
            width_px=width_px,
            height_px=round(self.height_px * scale),
            focal_px=self.focal_px * scale,
        )


def overhead(eye_mm: tuple[float, float, float], tilt_deg: float, roll_deg: float) -> Lens:
    """Return a Camera Module 3 on an arm above the tray: 1536x864 pixels, 66 degrees wide.

    Args:
        eye_mm: Its position in tray coordinates.
        tilt_deg: How far it looks away from the vertical.
        roll_deg: Its rotation about the optical axis.
    """
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
