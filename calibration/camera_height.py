"""How high a camera must hang to see a tray, and how large its dice are in the picture then.

Pure arithmetic from a lens's angle of view; everything in millimetres and pixels.
"""

from dataclasses import dataclass
from math import radians, tan

MARGIN = 1.12
"""Of the tray: what is seen around it, for its walls and for a camera that hangs askew."""

EASY_PX, LEAST_PX = 40, 28
"""A die's edge: from the first on any die is read, below the second pips run together."""

NEAR_MM = 200
"""Closer than this the sides of the dice come into view, and the tops grow by their height."""


@dataclass(frozen=True, slots=True)
class CameraView:
    """A camera's angles of view, and the pixels of the pictures that are read.

    `near_mm` is the nearest it can be focused.
    """

    name: str
    across_deg: float
    down_deg: float
    width_px: int
    near_mm: int = 0

    def sees_mm(self, height_mm: float) -> tuple[float, float]:
        """Width and depth of what it sees from this height."""
        across, down = (
            2 * height_mm * tan(radians(angle) / 2) for angle in (self.across_deg, self.down_deg)
        )
        return across, down

    def height_mm(self, wide_mm: float, deep_mm: float) -> float:
        """The least height from which all of this is seen."""
        across, down = self.sees_mm(1.0)
        return max(wide_mm / across, deep_mm / down)

    def px_per_mm(self, height_mm: float) -> float:
        return self.width_px / self.sees_mm(height_mm)[0]


CAMERA_VIEWS = (
    CameraView("Camera Module 3", 66, 41, 2304, near_mm=100),
    CameraView("Camera Module 3 Wide", 102, 67, 2304, near_mm=50),
    CameraView("HQ, 6 mm lens", 55, 43, 2028, near_mm=200),
    CameraView("Global Shutter, 6 mm lens", 45, 35, 1456, near_mm=200),
    CameraView("Camera Module 2", 62.2, 48.8, 1640, near_mm=100),
    CameraView("Camera Module 1", 53.5, 41.4, 1296, near_mm=100),
    CameraView("webcam, 78° across the corners", 70.4, 43.3, 1920, near_mm=100),
)
"""Angles as their makers tell them, or from sensor and lens; the width of the full-field mode."""


@dataclass(frozen=True, slots=True)
class CameraMount:
    """A camera hung over a tray.

    Attributes:
        height_mm: from the floor of the tray to the lens.
        die_px: the edge of a die in the picture.
        advice: what to mind, in a sentence; empty where all is well.
    """

    view: CameraView
    height_mm: int
    die_px: int
    advice: str


def mount_camera(view: CameraView, tray_mm: tuple[float, float], die_mm: float) -> CameraMount:
    """The lowest good place for this camera: all the tray in view, no nearer than it is sharp.

    The tray's longer side lies along the picture's longer side.
    """
    wide, deep = sorted(tray_mm, reverse=True)
    least_mm = view.height_mm(MARGIN * wide, MARGIN * deep)
    height_mm = 10 * -(-max(least_mm, view.near_mm) // 10)
    # The tops of the dice are nearer to the lens than the floor.
    die_px = round(die_mm * view.px_per_mm(height_mm - die_mm))
    return CameraMount(view, round(height_mm), die_px, _advice(height_mm, die_px, die_mm))


def _advice(height_mm: float, die_px: int, die_mm: float) -> str:
    if die_px < LEAST_PX:
        needed = LEAST_PX / die_px * die_mm
        return f"too small to read: take dice of {needed:.0f} mm, a smaller tray or another camera"
    if die_px < EASY_PX:
        return "small: even light and sharp focus matter"
    if height_mm < NEAR_MM:
        return "so near, the sides of the dice show: hang it higher, or take a narrower lens"
    return ""
