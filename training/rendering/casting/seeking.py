"""What lies on the way of a ray: walls, dice, things, a hand. Compiled."""

import numpy as np
from numba import njit

from training.rendering.casting.meeting import JIT, MISSED, meet, own_axes, slab
from training.rendering.casting.packed import (
    ACROSS_X,
    ACROSS_Y,
    AT,
    COVER,
    DIE,
    DROP_MM,
    F_INNER,
    F_SHADES,
    F_SHEET,
    F_SHEETS,
    F_SOLID,
    F_SOLIDS,
    F_TOPS,
    FIXED_BOX,
    FLOOR,
    FORM,
    FRAME,
    HALF,
    HAS_HAND,
    IS_TRAY,
    N_FIXED,
    N_INNER,
    N_SHADES,
    N_SOLIDS,
    NOTHING,
    SHADE,
    SKIN_CLEAR,
    SKIN_MEAN,
    TABLE,
    TURN,
    W_CELLS,
    W_FIXED,
    W_SOLID,
    W_SOLIDS,
    W_THERE,
    WALL_MM,
)  # fmt: skip


@njit(**JIT)
def is_inside(f, w, x, y, z):
    """Whether a place is between the walls."""
    if w[IS_TRAY] == 0 or z > f[WALL_MM]:
        return False
    first = w[F_INNER]
    for k in range(first, first + 4 * w[N_INNER], 4):
        if f[k] * x + f[k + 1] * y + f[k + 2] * z > f[k + 3] + 0.02:
            return False
    return True


@njit(**JIT)
def to_wall(f, w, x, y, z, dx, dy, dz, far):
    """How far it is from between the walls to one of them; MISSED above them."""
    t = far
    first = w[F_INNER]
    for k in range(first, first + 4 * w[N_INNER], 4):
        way = f[k] * dx + f[k + 1] * dy + f[k + 2] * dz
        if way > 1e-6:
            t = min(t, (f[k + 3] - f[k] * x - f[k + 1] * y - f[k + 2] * z) / way)
    if t < far and z + t * dz < f[WALL_MM]:
        return max(t, 0.0)
    return MISSED


@njit(**JIT)
def meet_fixed(f, w, x, y, z, dx, dy, dz, far):
    """How far it is to a piece of the empty tray; MISSED where there is none."""
    if is_inside(f, w, x, y, z):
        return to_wall(f, w, x, y, z, dx, dy, dz, far)
    if w[IS_TRAY] != 0 and dz > 0 and z > f[WALL_MM]:
        return MISSED
    least = MISSED
    middle, half = FIXED_BOX, FIXED_BOX + 3
    near, end = slab(
        x - f[middle],
        y - f[middle + 1],
        z - f[middle + 2],
        dx,
        dy,
        dz,
        f[half],
        f[half + 1],
        f[half + 2],
    )
    if near >= end or end < 0:
        return MISSED
    for i in range(w[W_FIXED], w[W_FIXED] + w[N_FIXED]):
        t = meet_box(f, w[F_SOLIDS] + w[i] * F_SOLID, x, y, z, dx, dy, dz)
        if 0.02 < t < min(far, least):
            least = t
    return least


@njit(**JIT)
def meet_box(f, o, x, y, z, dx, dy, dz):
    """A piece of the tray, as if its edges were sharp."""
    x, y, z = x - f[o + AT], y - f[o + AT + 1], z - f[o + AT + 2]
    p, q, r = own_axes(f, o + TURN, x, y, z)
    u, v, s = own_axes(f, o + TURN, dx, dy, dz)
    near, end = slab(p, q, r, u, v, s, f[o + HALF], f[o + HALF + 1], f[o + HALF + 2])
    return near if near < end else MISSED


@njit(**JIT)
def meet_loose(f, w, x, y, z, dx, dy, dz, far):
    """The nearest die or thing on the way, and how far it is."""
    found, least = NOTHING, far
    if w[HAS_HAND]:
        last = w[N_SOLIDS] - 1
        t = meet(f, w, last, x, y, z, dx, dy, dz)
        if t < least:
            found, least = last, t
    edge, top = f[FRAME + 2], f[FRAME + 3]
    nx, ny = w[ACROSS_X], w[ACROSS_Y]
    left, low = x - f[FRAME], y - f[FRAME + 1]
    high = (top + 60) / 2
    near, end = slab(
        left - nx * edge / 2,
        low - ny * edge / 2,
        z - top + high,
        dx,
        dy,
        dz,
        nx * edge / 2,
        ny * edge / 2,
        high,
    )
    t, end = max(near, 0.0), min(end, least)
    if t >= end:
        return found, least
    px, py = (left + t * dx) / edge, (low + t * dy) / edge
    i, j = min(max(int(px), 0), nx - 1), min(max(int(py), 0), ny - 1)
    si, sj = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    du, dv = edge / max(abs(dx), 1e-9), edge / max(abs(dy), 1e-9)
    tx = t + ((i + 1 - px) if dx > 0 else (px - i)) * du
    ty = t + ((j + 1 - py) if dy > 0 else (py - j)) * dv
    cells, there, tops = w[W_CELLS], w[W_THERE], w[F_TOPS]
    while True:
        cell = cells + j * nx + i
        leave = min(tx, ty)
        if w[cell] < w[cell + 1]:
            lowest = z + (min(leave, end) if dz < 0 else t) * dz
            if lowest <= f[tops + j * nx + i]:
                for k in range(there + w[cell], there + w[cell + 1]):
                    met = meet(f, w, w[k], x, y, z, dx, dy, dz)
                    if met < least:
                        found, least = w[k], met
        if leave >= min(end, least):
            return found, least
        t = leave
        if tx < ty:
            i += si
            tx += du
            if i < 0 or i >= nx:
                return found, least
        else:
            j += sj
            ty += dv
            if j < 0 or j >= ny:
                return found, least


@njit(**JIT)
def to_ground(f, w, x, y, z, dx, dy, dz):
    """Floor or table below, and how far they are."""
    if dz > -1e-6:
        return NOTHING, MISSED
    t = -z / dz
    if w[IS_TRAY] == 0:
        return (FLOOR, t) if t > 0 else (NOTHING, MISSED)
    if t > 0 and is_inside(f, w, x + t * dx, y + t * dy, 0.0):
        return FLOOR, t
    t = -(z + f[DROP_MM]) / dz
    return (TABLE, t) if t > 0 else (NOTHING, MISSED)


@njit(**JIT)
def shaded(f, w, x, y, z, lx, ly, lz, radius):
    """0..1: how much of a lamp the cards between hide, by the middle ray and the lamp's size."""
    hidden = 0.0
    for s in range(w[F_SHADES], w[F_SHADES] + SHADE * w[N_SHADES], SHADE):
        nx = f[s + 4] * f[s + 8] - f[s + 5] * f[s + 7]
        ny = f[s + 5] * f[s + 6] - f[s + 3] * f[s + 8]
        nz = f[s + 3] * f[s + 7] - f[s + 4] * f[s + 6]
        u, v, n = lx - x, ly - y, lz - z
        way = nx * u + ny * v + nz * n
        if abs(way) < 1e-9:
            continue
        share = (nx * (f[s] - x) + ny * (f[s + 1] - y) + nz * (f[s + 2] - z)) / way
        if share <= 0.001 or share >= 0.999:
            continue
        p, q, r = x + share * u - f[s], y + share * v - f[s + 1], z + share * n - f[s + 2]
        a = abs(p * f[s + 3] + q * f[s + 4] + r * f[s + 5]) - f[s + 9]
        b = abs(p * f[s + 6] + q * f[s + 7] + r * f[s + 8]) - f[s + 10]
        soft = max(radius * share, 0.05)
        hidden = max(hidden, ramp(-a / soft) * ramp(-b / soft))
    return hidden


@njit(**JIT)
def ramp(value):
    """0 below -1, 1 above 1: the share of a disc on this side of a line."""
    t = min(1.0, max(0.0, value * 0.5 + 0.5))
    return t * t * (3 - 2 * t)


@njit(**JIT)
def passing(f, w, x, y, z, dx, dy, dz, far):
    """(3) how much light comes past dice, things and hands; glass lets some through, tinted."""
    found, t = meet_loose(f, w, x, y, z, dx, dy, dz, far)
    if found < 0:
        return 1.0, 1.0, 1.0
    i = w[W_SOLIDS] + found * W_SOLID
    if w[i + FORM] != DIE:
        return 0.0, 0.0, 0.0
    sheet = w[F_SHEETS] + w[i + COVER] * F_SHEET
    clear = f[sheet + SKIN_CLEAR]
    if clear < 0.05:
        return 0.0, 0.0, 0.0
    t += 3.5 * f[w[F_SOLIDS] + found * F_SOLID + HALF]
    behind, _ = meet_loose(f, w, x + t * dx, y + t * dy, z + t * dz, dx, dy, dz, far - t)
    if behind >= 0 and behind != found:
        return 0.0, 0.0, 0.0
    return (
        clear * f[sheet + SKIN_MEAN],
        clear * f[sheet + SKIN_MEAN + 1],
        clear * f[sheet + SKIN_MEAN + 2],
    )


__all__ = ["is_inside", "meet_fixed", "meet_loose", "np", "passing", "shaded", "to_ground"]
