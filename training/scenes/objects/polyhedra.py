"""Adds regular solids with 4, 8, 12 or 20 faces, lying on one of their faces, to a scene."""

import numpy as np

from training.scenes.scene_builder import SceneBuilder
from training.scenes.world import Form, Rotation, Vector

GOLDEN = (1 + 5**0.5) / 2


def face_normals(count: int) -> Vector:
    """Return the unit normals (count, 3) of the faces of a regular solid with 4, 8, 12 or 20 faces."""
    signs = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], float)
    if count == 4:
        ways = signs[signs.prod(axis=1) > 0]
    elif count == 8:
        ways = signs
    else:
        far = 1 / GOLDEN if count == 20 else GOLDEN
        near = GOLDEN if count == 20 else 1.0
        flat = np.array([(0, a * far, b * near) for a in (-1, 1) for b in (-1, 1)])
        ways = np.concatenate([np.roll(flat, k, axis=1) for k in range(3)])
        if count == 20:
            ways = np.concatenate([ways, signs])
    return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True))


def add_regular_solid(builder: SceneBuilder, count: int, radius: float, cover: int) -> None:
    """Add a regular solid that lies on a face.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        count: Number of faces: 4, 8, 12 or 20.
        radius: Distance of the faces from the centre in millimetres.
        cover: Number of its surface material.
    """
    normals = face_normals(count)
    planes = np.column_stack([normals, np.full(count, radius)])
    reach = radius * {4: 3.0, 8: 1.74, 12: 1.26, 20: 1.26}[count]
    builder.add(Form.HULL, (reach,) * 3, (0, 0, radius), cover, _down(normals[0]), planes=planes)


def _down(normal: Vector) -> Rotation:
    """Return a rotation (3, 3) that turns a normal straight down."""
    x = np.cross(normal, [0.3, 0.5, 0.81])
    x /= np.linalg.norm(x)
    own = np.stack([x, np.cross(normal, x), normal])
    return np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]]) @ own
