"""Compiled functions that share soft light between neighbouring pixels, each of which gathered it along different rays.

On dice and objects, each pixel has gathered light. In the tray, where light changes slowly, one pixel in four has.
"""

from numba import njit

from training.rendering.casting.intersections import JIT
from training.rendering.casting.irradiance import LIGHT
from training.rendering.casting.scene_layout import NOTHING

MIN_COSINE = 0.9  # smallest cosine between the normals of neighbours that share light


@njit(**JIT)
def is_same_side(found, normals, i, j, y, x):
    """Return whether two pixels show the same side of the same object.

    Args:
        found: Number (h, w) of the surface that each pixel shows.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        i: Row of the first pixel.
        j: Column of the first pixel.
        y: Row of the second pixel.
        x: Column of the second pixel.
    """
    if found[y, x] != found[i, j]:
        return False
    alike = 0.0
    for k in range(3):
        alike += normals[i, j, k] * normals[y, x, k]
    return alike > MIN_COSINE


@njit(**JIT)
def share_light(found, normals, looked, step, light, out):
    """Store in `out` the mean light of sixteen neighbours, for each pixel whose `looked` equals `step`.

    Args:
        found: Number (h, w) of the surface that each pixel shows.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        looked: Codes (h, w) of how each pixel gets its soft light, as set by `plan_light`.
        step: Distance between neighbours that share light, in pixels: 1 or 2.
        light: Gathered light (h, w, LIGHT).
        out: Array (h, w, LIGHT) that receives the mean.
    """
    height, width = found.shape
    for i in range(0, height, step):
        for j in range(0, width, step):
            if looked[i, j] != step or found[i, j] == NOTHING:
                continue
            for k in range(LIGHT):
                out[i, j, k] = 0.0
            count = 0.0
            for y in range(max(0, i - 2 * step), min(height, i + 2 * step), step):
                for x in range(max(0, j - 2 * step), min(width, j + 2 * step), step):
                    if looked[y, x] == step and is_same_side(found, normals, i, j, y, x):
                        count += 1
                        for k in range(LIGHT):
                            out[i, j, k] += light[y, x, k]
            for k in range(LIGHT):
                out[i, j, k] /= count


@njit(**JIT)
def interpolate_light(found, normals, looked, out):
    """Interpolate light for pixels that have gathered none, whose `looked` is 3.

    `looked` becomes -1 where no neighbour has light either.

    Args:
        found: Number (h, w) of the surface that each pixel shows.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        looked: Codes (h, w) of how each pixel gets its soft light, as set by `plan_light`.
        out: Light (h, w, LIGHT) of the other pixels, to which the interpolated light is added.
    """
    height, width = found.shape
    for i in range(height):
        for j in range(width):
            if looked[i, j] != 3:
                continue
            total = 0.0
            for k in range(LIGHT):
                out[i, j, k] = 0.0
            for y in range(i - (i & 1), min(height, i + (i & 1) + 1), 2):
                for x in range(j - (j & 1), min(width, j + (j & 1) + 1), 2):
                    if looked[y, x] == 2 and is_same_side(found, normals, i, j, y, x):
                        total += 1
                        for k in range(LIGHT):
                            out[i, j, k] += out[y, x, k]
            if total == 0:
                looked[i, j] = -1
                continue
            for k in range(LIGHT):
                out[i, j, k] /= total
