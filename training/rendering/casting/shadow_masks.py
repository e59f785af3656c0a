"""Compiled masks of the rays that may be blocked, so that most rays from the ground need not be tested.

The room, nearby surfaces and lamps are sampled in a few directions, which are the same for every point on the ground. For
each cell of the ground, one bit per ray says whether the ray meets a box around any solid.
"""

from numba import njit

from training.rendering.casting.intersections import JIT
from training.rendering.casting.pointers import floats_at, ints_at
from training.rendering.casting.scene_layout import (
    AT,
    DROP_MM,
    F_BOUNCE,
    F_POINTS,
    F_SOLID,
    F_SOLIDS,
    F_WAYS,
    FORM,
    HALF,
    HAND,
    MASK_FRAME,
    MASK_X,
    MASK_Y,
    N_BOUNCE,
    N_LAMPS,
    N_POINTS,
    N_SOLIDS,
    N_WAYS,
    PART,
    SETS,
    TURN,
    W_MASKS,
    W_SOLID,
    W_SOLIDS,
)  # fmt: skip

ROOM_WORD, NEAR_WORD, LAMP_WORD = 0, 2, 3
"""Offsets of the masks, of 32 rays each, for dice, objects and hands. The masks for the tray follow in the same order."""
MIN_RISE = 0.04
"""Smallest vertical component of a direction. A flatter ray counts as blocked everywhere."""


@njit(**JIT)
def words_per_cell(lamps):
    """Return how many integers the masks of one cell of the ground take, given the number of lamps."""
    return 2 * (LAMP_WORD + lamps)


@njit(**JIT)
def cell_of(f, w, x, y):
    """Return the index in `w` at which the masks of a point on the ground begin, or -1 outside the cells.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
    """
    i = int((x - f[MASK_FRAME]) / f[MASK_FRAME + 2])
    j = int((y - f[MASK_FRAME + 1]) / f[MASK_FRAME + 2])
    if x < f[MASK_FRAME] or y < f[MASK_FRAME + 1] or i >= w[MASK_X] or j >= w[MASK_Y]:
        return -1
    return w[W_MASKS] + (j * w[MASK_X] + i) * words_per_cell(w[N_LAMPS])


@njit(**JIT)
def may_block(w, cell, word, bit, is_fixed):
    """Return whether any solid may block a ray, according to the masks.

    Args:
        w: Integers of the packed scene (see `scene_layout`).
        cell: Index in `w` at which the masks of the point begin, or -1 if it is not on the ground.
        word: Offset of the first mask for this kind of ray: ROOM_WORD, NEAR_WORD, or LAMP_WORD plus the lamp's number.
        bit: Number of the ray among its kind.
        is_fixed: Whether to check parts of the empty tray. If not, dice, objects and hands are checked.
    """
    if cell < 0:
        return True
    at = cell + word + (bit >> 5) + (LAMP_WORD + w[N_LAMPS] if is_fixed else 0)
    return (w[at] >> (bit & 31)) & 1 != 0


@njit(**JIT)
def fill_masks(floats, whole):
    """Set the bits of all masks in a packed scene.

    Args:
        floats: Floats of the packed scene (see `scene_layout`).
        whole: Integers of the packed scene (see `scene_layout`).
    """
    f, w = floats_at(floats.ctypes.data), ints_at(whole.ctypes.data)
    for k in range(w[N_SOLIDS]):
        is_fixed = w[w[W_SOLIDS] + k * W_SOLID + PART] == 0
        for n in range(SETS * w[N_WAYS]):
            way = w[F_WAYS] + 3 * n
            _mark(f, w, k, ROOM_WORD, n, is_fixed, f[way], f[way + 1], f[way + 2], False)
        for n in range(SETS * w[N_BOUNCE]):
            way = w[F_BOUNCE] + 3 * n
            _mark(f, w, k, NEAR_WORD, n, is_fixed, f[way], f[way + 1], f[way + 2], False)
        for lamp in range(w[N_LAMPS]):
            for n in range(SETS * w[N_POINTS]):
                p = w[F_POINTS] + 3 * (lamp * SETS * w[N_POINTS] + n)
                _mark(f, w, k, LAMP_WORD + lamp, n, is_fixed, f[p], f[p + 1], f[p + 2], True)


@njit(**JIT)
def _mark(f, w, k, word, bit, is_fixed, a, b, c, is_point):
    """Set the bit of a ray in the masks of all cells from which solid `k` may block that ray.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        k: Number of the solid.
        word: Offset of the first mask for this kind of ray: ROOM_WORD, NEAR_WORD, or LAMP_WORD plus the lamp's number.
        bit: Number of the ray among its kind.
        is_fixed: Whether the solid belongs to the empty tray, which has masks of its own.
        a: X of the ray's direction, or of the point at which the ray ends.
        b: Y of that direction or point.
        c: Z of that direction or point.
        is_point: Whether (a, b, c) is a point instead of a direction.
    """
    x0, y0, x1, y1 = _shadow(f, w, k, a, b, c, is_point)
    edge = f[MASK_FRAME + 2]
    i0, j0 = int((x0 - f[MASK_FRAME]) / edge) - 1, int((y0 - f[MASK_FRAME + 1]) / edge) - 1
    i1, j1 = int((x1 - f[MASK_FRAME]) / edge) + 1, int((y1 - f[MASK_FRAME + 1]) / edge) + 1
    stride = words_per_cell(w[N_LAMPS])
    word += (bit >> 5) + (LAMP_WORD + w[N_LAMPS] if is_fixed else 0)
    for j in range(max(0, j0), min(w[MASK_Y], j1 + 1)):
        for i in range(max(0, i0), min(w[MASK_X], i1 + 1)):
            at = w[W_MASKS] + (j * w[MASK_X] + i) * stride + word
            w[at] = w[at] | (1 << (bit & 31))


@njit(**JIT)
def _shadow(f, w, k, a, b, c, is_point):
    """Return the box around the shadow of solid `k` on the ground: smallest x and y, largest x and y.

    The light comes from direction (a, b, c) or, if `is_point`, from that point.
    """
    o = w[F_SOLIDS] + k * F_SOLID
    hx, hy, hz = f[o + HALF], f[o + HALF + 1], f[o + HALF + 2]
    if w[w[W_SOLIDS] + k * W_SOLID + FORM] == 2:  # half[2] of a capsule leaves out its round ends
        hz += hx
    if w[w[W_SOLIDS] + k * W_SOLID + FORM] == HAND and not is_point and c < MIN_RISE:
        return -1e6, -1e6, 1e6, 1e6
    x0, y0, x1, y1 = 1e6, 1e6, -1e6, -1e6
    for n in range(8):
        p, q, r = hx * (1 - 2 * (n & 1)), hy * (1 - (n & 2)), hz * (1 - (n & 4) / 2)
        t = o + TURN
        x = f[o + AT] + f[t] * p + f[t + 1] * q + f[t + 2] * r
        y = f[o + AT + 1] + f[t + 3] * p + f[t + 4] * q + f[t + 5] * r
        z = f[o + AT + 2] + f[t + 6] * p + f[t + 7] * q + f[t + 8] * r
        for level in range(2):
            height = z + (f[DROP_MM] if level else 0.0)
            u, v, s = (a - x, b - y, c - z) if is_point else (a, b, c)
            if height < 0:
                height = 0.0
            if s < MIN_RISE * (1.0 if not is_point else abs(u) + abs(v) + 1.0):
                return -1e6, -1e6, 1e6, 1e6
            gx, gy = x - u * height / s, y - v * height / s
            x0, y0, x1, y1 = min(x0, gx), min(y0, gy), max(x1, gx), max(y1, gy)
    return x0, y0, x1, y1
