"""Soft light shared between neighbours that each looked for it along ways of their own. Compiled.

On dice and things each pixel has looked, on the tray one in four: light changes slowly there.
"""

from numba import njit

from training.rendering.casting.lighting_up import LIGHT
from training.rendering.casting.meeting import JIT
from training.rendering.casting.packed import NOTHING

ALIKE = 0.9  # cosine between normals of neighbours that share their light


@njit(**JIT)
def is_alike(found, normals, i, j, y, x):
    """Whether two pixels show the same side of the same thing."""
    if found[y, x] != found[i, j]:
        return False
    alike = 0.0
    for k in range(3):
        alike += normals[i, j, k] * normals[y, x, k]
    return alike > ALIKE


@njit(**JIT)
def share(found, normals, looked, step, light, out):
    """Into `out` the mean of sixteen neighbours' `light`, `step` pixels apart, where `looked` is `step`."""
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
                    if looked[y, x] == step and is_alike(found, normals, i, j, y, x):
                        count += 1
                        for k in range(LIGHT):
                            out[i, j, k] += light[y, x, k]
            for k in range(LIGHT):
                out[i, j, k] /= count


@njit(**JIT)
def fill(found, normals, looked, out):
    """Where one in four has looked, give the others what is between; mark by -1 who has no such neighbour."""
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
                    if looked[y, x] == 2 and is_alike(found, normals, i, j, y, x):
                        total += 1
                        for k in range(LIGHT):
                            out[i, j, k] += out[y, x, k]
            if total == 0:
                looked[i, j] = -1
                continue
            for k in range(LIGHT):
                out[i, j, k] /= total
