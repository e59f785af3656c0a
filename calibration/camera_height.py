"""Calculates the height at which a camera must hang to see a tray, and the size of the dice in its frames.

Both are calculated from the lens's angle of view and the size of the tray.
"""

from dataclasses import dataclass
from math import radians, tan

TRAY_MARGIN = 1.12
"""Size of the visible area relative to the tray: room for its walls and for a camera that hangs askew."""

COMFORTABLE_DIE_PX, MIN_DIE_PX = 40, 28
"""Edge of a die in pixels: any die of at least the first size is readable; below the second, pips merge."""

MIN_HEIGHT_MM = 200
"""From a smaller height, the sides of the dice are visible, and their tops look clearly larger than their bottoms."""


@dataclass(frozen=True, slots=True)
class CameraView:
    """The angles of view of a camera and lens.

    Attributes:
        name: Name of the camera, as shown to people.
        across_deg: Horizontal angle of view.
        down_deg: Vertical angle of view.
        width_px: Width of the frames that are read.
        min_focus_mm: Shortest distance at which the lens can focus.
    """

    name: str
    across_deg: float
    down_deg: float
    width_px: int
    min_focus_mm: int = 0

    def visible_mm(self, height_mm: float) -> tuple[float, float]:
        """Return the width and depth in millimetres of the area that is visible from a height."""
        across, down = (
            2 * height_mm * tan(radians(angle) / 2) for angle in (self.across_deg, self.down_deg)
        )
        return across, down

    def min_height_mm(self, width_mm: float, depth_mm: float) -> float:
        """Return the smallest height from which a whole area is visible.

        Args:
            width_mm: Width of the area, along the width of the frame.
            depth_mm: Depth of the area.
        """
        across, down = self.visible_mm(1.0)
        return max(width_mm / across, depth_mm / down)

    def px_per_mm(self, height_mm: float) -> float:
        """Return the number of frame pixels per millimetre at a distance of `height_mm` from the lens."""
        return self.width_px / self.visible_mm(height_mm)[0]


CAMERA_VIEWS = (
    CameraView("Camera Module 3", 66, 41, 2304, min_focus_mm=100),
    CameraView("Camera Module 3 Wide", 102, 67, 2304, min_focus_mm=50),
    CameraView("HQ, 6 mm lens", 55, 43, 2028, min_focus_mm=200),
    CameraView("Global Shutter, 6 mm lens", 45, 35, 1456, min_focus_mm=200),
    CameraView("Camera Module 2", 62.2, 48.8, 1640, min_focus_mm=100),
    CameraView("Camera Module 1", 53.5, 41.4, 1296, min_focus_mm=100),
    CameraView("webcam, 78° across the corners", 70.4, 43.3, 1920, min_focus_mm=100),
)
"""Angles from the manufacturers, or from sensor and lens. Widths are those of the full-field sensor mode."""


@dataclass(frozen=True, slots=True)
class CameraMount:
    """A camera hung over a tray.

    Attributes:
        view: The camera and its lens.
        height_mm: Height of the lens above the floor of the tray.
        die_px: Edge of a die in the frame.
        advice: What to change or to watch for, or an empty string.
    """

    view: CameraView
    height_mm: int
    die_px: int
    advice: str


def mount_camera(view: CameraView, tray_mm: tuple[float, float], die_mm: float) -> CameraMount:
    """Return the lowest mount from which the whole tray is visible and the lens can focus on it.

    Args:
        view: The camera and its lens.
        tray_mm: Width and depth of the tray. Its longer side lies along the longer side of the frame.
        die_mm: Edge of a die.
    """
    width_mm, depth_mm = sorted(tray_mm, reverse=True)
    lowest_mm = view.min_height_mm(TRAY_MARGIN * width_mm, TRAY_MARGIN * depth_mm)
    height_mm = 10 * -(-max(lowest_mm, view.min_focus_mm) // 10)
    # The tops of the dice are closer to the lens than the floor.
    die_px = round(die_mm * view.px_per_mm(height_mm - die_mm))
    return CameraMount(view, round(height_mm), die_px, _advice(height_mm, die_px, die_mm))


def _advice(height_mm: float, die_px: int, die_mm: float) -> str:
    if die_px < MIN_DIE_PX:
        needed_mm = MIN_DIE_PX / die_px * die_mm
        return (
            f"too small to read: use dice of {needed_mm:.0f} mm, a smaller tray or another camera"
        )
    if die_px < COMFORTABLE_DIE_PX:
        return "small: even light and sharp focus matter"
    if height_mm < MIN_HEIGHT_MM:
        return "so close that the sides of the dice show: hang it higher, or use a narrower lens"
    return ""
