"""Which places the camera sees past everything. Compiled."""

from numba import njit

from training.rendering.casting.meeting import JIT, meet
from training.rendering.casting.packed import EYE, N_SOLIDS, OWN, W_SOLID, W_SOLIDS
from training.rendering.casting.pointers import floats_at, whole_at

CLEAR_OFF = 0.05  # mm towards the eye begins the look


@njit(**JIT)
def hide(floats, whole, points, own, out):
    """Fill `out` (n,) with whether anything but die `own` (n,) is between points (n, 3) and the eye."""
    f, w = floats_at(floats.ctypes.data), whole_at(whole.ctypes.data)
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        u, v, s = f[EYE] - x, f[EYE + 1] - y, f[EYE + 2] - z
        far = (u * u + v * v + s * s) ** 0.5
        u, v, s = u / far, v / far, s / far
        out[i] = False
        for k in range(w[N_SOLIDS]):
            if w[w[W_SOLIDS] + k * W_SOLID + OWN] == own[i]:
                continue
            t = meet(f, w, k, x + CLEAR_OFF * u, y + CLEAR_OFF * v, z + CLEAR_OFF * s, u, v, s)
            if t < far:
                out[i] = True
                break
