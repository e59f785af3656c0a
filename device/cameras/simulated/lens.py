"""Projection from the tray to the frame.

Tray coordinates are in millimetres: the origin is the centre of the floor, x points right, y away
from the player and z up. Frame coordinates are in pixels: the origin is at the top left, x points
right and y down. The two have different types, so that the type checker finds mix-ups.
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
        width_px: Width of the camera's frame.
        height_px: Height of the camera's frame.
        focal_px: Focal length in pixels.
        eye_mm: Position of the camera in tray coordinates, (3,).
        turn: Rotation matrix, (3, 3), from tray coordinates to camera coordinates: x points right
            in the frame, y down, and z away from the camera.
    """

    width_px: int
    height_px: int
    focal_px: float
    eye_mm: Floats
    turn: Floats

    def project(self, points: TrayPoints) -> PicturePoints:
        """Return where points in the tray are seen in the frame."""
        seen = (points - self.eye_mm) @ self.turn.T
        middle_px = (self.width_px / 2, self.height_px / 2)
        return PicturePoints(self.focal_px * seen[:, :2] / seen[:, 2:] + middle_px)

    def depth_mm(self, point: Floats) -> float:
        """Return the distance of a point, in tray coordinates, from the camera along the optical axis."""
        return float((point - self.eye_mm) @ self.turn[2])

    def px_per_mm(self, point: Floats) -> float:
        """Return how many pixels of the frame a millimetre covers at a point in tray coordinates."""
        return self.focal_px / self.depth_mm(point)

    def scaled(self, width_px: int) -> "Lens":
        """Return a lens that shows the same view in a frame of a different width."""
        scale = width_px / self.width_px
        return replace(
            self,
            width_px=width_px,
            height_px=round(self.height_px * scale),
            focal_px=self.focal_px * scale,
        )


def overhead(eye_mm: tuple[float, float, float], tilt_deg: float, roll_deg: float) -> Lens:
    """Return the lens of a Raspberry Pi Camera Module 3 above the tray, with 1536x864 pixels and a 66-degree view.

    Args:
        eye_mm: Position of the camera in tray coordinates.
        tilt_deg: Angle between the optical axis and the vertical, in degrees.
        roll_deg: Rotation of the camera about the optical axis, in degrees.
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
