"""How the camera stands over the tray, from the four corners of its floor.

A die that lies flat shows its sides by so much and no more, and towards the camera: that lean is
known wherever the plane of the floor is, and a die that shows another one is cocked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.reading import Lean, Quad

Vector = NDArray[np.float64]
# Focal lengths in longer sides of the picture, from a wide Camera Module 3 to a long lens.
FOCALS = np.geomspace(0.4, 2.0, 25)
USUAL, SPREAD = 0.8, 0.6  # in octaves
LEAST_SIDE, LEAST_TURN, MOST_PX = 0.05, 0.01, 1e6
LEAN_ERROR, LEAN_MOST = 0.1, 4.0  # in edges, how well a lean is seen; and the most a die counts
LEAST_NEAR = 0.05  # twenty times as far as the middle: beyond the floor's horizon nothing is
RIGHT_ANGLE_DEG = 0.7  # how well corners are known: the error of the angle between two walls


@dataclass(frozen=True, slots=True)
class CameraPose:
    """A pinhole camera over a plane: `up` is the plane's normal in the camera's axes."""

    focal_px: float
    centre: tuple[float, float]
    up: tuple[float, float, float]

    @property
    def long_side_px(self) -> float:
        """The longer side of the picture in pixels."""
        return 2 * max(self.centre)

    def lean_at(self, x: float, y: float) -> tuple[float, float]:
        """How far the top of a flat die is displaced from its foot at a pixel, in edges."""
        ahead = self.up[2] / self.focal_px
        return self.up[0] - (x - self.centre[0]) * ahead, self.up[1] - (y - self.centre[1]) * ahead

    def scale_at(self, x: float, y: float) -> float:
        """How large things look there, against how they look in the middle of the picture."""
        right, down = (x - self.centre[0]) / self.focal_px, (y - self.centre[1]) / self.focal_px
        return max(LEAST_NEAR, 1 + (self.up[0] * right + self.up[1] * down) / self.up[2])

    def edge_at_centre(self, lean: Lean) -> float:
        """Of a die that was seen so, in pixels, as it would be in the middle of the picture."""
        x, y = (
            share * self.long_side_px + middle
            for share, middle in zip((lean.x, lean.y), self.centre, strict=True)
        )
        return lean.edge * self.long_side_px / self.scale_at(x, y)


def estimate_pose(
    tray: Quad, width: int, height: int, leans: Sequence[Lean] = ()
) -> CameraPose | None:
    """The pose that makes the four corners a rectangle, with the most usual lens that does.

    From straight above any lens does. There the dice tell: most of them lie flat, and `leans` says
    how they look. The middle of the picture is taken for the lens' axis and distortion for none.
    None where the corners are no rectangle seen from above.
    """
    if not _is_convex(tray):
        return None
    middle = np.array([width, height]) / 2
    side = max(width, height)
    a, b, c, d = (np.append((np.array(corner) - middle) / side, 1.0) for corner in tray.corners)
    across = np.cross(np.cross(a, b), np.cross(d, c))  # where the walls' lines meet: homogeneous
    along = np.cross(np.cross(b, c), np.cross(a, d))

    ways = _ways(across), _ways(along)
    ups = np.cross(*ways)
    ups *= -np.copysign(1, ups[:, 2:]) / np.linalg.norm(ups, axis=1, keepdims=True)
    best = int(np.argmin(_misfits(*ways) + _oddness(ups, leans)))
    up = ups[best]
    return CameraPose(
        float(FOCALS[best]) * side,
        (width / 2, height / 2),
        (float(up[0]), float(up[1]), float(up[2])),
    )


def _is_convex(tray: Quad) -> bool:
    """Whether a walk around the corners turns the same way at each, and by enough to measure."""
    around = np.array(tray.corners)
    steps = np.roll(around, -1, axis=0) - around
    lengths = np.linalg.norm(steps, axis=1)
    if lengths.min() <= LEAST_SIDE * lengths.max() or not lengths.max() < MOST_PX:
        return False
    nexts = np.roll(steps, -1, axis=0)
    turns = (steps[:, 0] * nexts[:, 1] - steps[:, 1] * nexts[:, 0]) / lengths.max() ** 2
    return bool((turns > LEAST_TURN).all() or (turns < -LEAST_TURN).all())


def _ways(vanishing: Vector) -> Vector:
    """(focals, 3): where a wall points, for each lens."""
    ways = vanishing / np.column_stack([FOCALS, FOCALS, np.ones_like(FOCALS)])
    return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True))


def _misfits(across: Vector, along: Vector) -> Vector:
    """(focals,): how far off a right angle the walls are, and how unusual the lens is."""
    cosines = np.clip((across * along).sum(axis=1), -1, 1)
    wrong = np.degrees(np.arcsin(cosines)) / RIGHT_ANGLE_DEG
    return np.asarray(wrong**2 + (np.log2(FOCALS / USUAL) / SPREAD) ** 2)


def _oddness(ups: Vector, leans: Sequence[Lean]) -> Vector:
    """(focals,): how ill dice fit that are thought to lie flat; one that leans counts for little."""
    at = np.array([(one.x, one.y) for one in leans]).reshape(-1, 2)
    told = np.array([(one.right, one.down) for one in leans]).reshape(-1, 2)
    ahead = (ups[:, 2] / FOCALS)[:, None, None]
    off = ups[:, None, :2] - at * ahead - told
    return np.asarray(np.minimum(LEAN_MOST, (off**2).sum(axis=2) / LEAN_ERROR**2).sum(axis=1))
