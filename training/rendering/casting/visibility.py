"""Compiled test of which points the camera can see."""

from numba import njit

from training.rendering.casting.intersections import JIT, hit_solid
from training.rendering.casting.pointers import floats_at, ints_at
from training.rendering.casting.scene_layout import EYE, N_SOLIDS, OWN, W_SOLID, W_SOLIDS

START_MM = 0.05  # distance from the point at which the ray starts, in millimetres


@njit(**JIT)
def mark_hidden(floats, whole, points, own, out):
    """Mark the points that are hidden from the camera by anything but the die to which they belong.

    Args:
        floats: Floats of the packed scene (see `scene_layout`).
        whole: Integers of the packed scene (see `scene_layout`).
        points: Points (n, 3) in millimetres.
        own: Number (n,) of the die to which each point belongs.
        out: Mask (n,) that receives the result.
    """
    f, w = floats_at(floats.ctypes.data), ints_at(whole.ctypes.data)
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        u, v, s = f[EYE] - x, f[EYE + 1] - y, f[EYE + 2] - z
        far = (u * u + v * v + s * s) ** 0.5
        u, v, s = u / far, v / far, s / far
        out[i] = False
        for k in range(w[N_SOLIDS]):
            if w[w[W_SOLIDS] + k * W_SOLID + OWN] == own[i]:
                continue
            t = hit_solid(f, w, k, x + START_MM * u, y + START_MM * v, z + START_MM * s, u, v, s)
            if t < far:
                out[i] = True
                break
