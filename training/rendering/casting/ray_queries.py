"""Compiled queries about what a ray hits: walls, dice, foreign objects or a hand."""

import numpy as np
from numba import njit

from training.rendering.casting.intersections import JIT, NO_HIT, box_range, hit_solid, to_own_axes
from training.rendering.casting.scene_layout import (
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
def is_between_walls(f, w, x, y, z):
    """Return whether a point is between the walls of the tray.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
    """
    if w[IS_TRAY] == 0 or z > f[WALL_MM]:
        return False
    first = w[F_INNER]
    for k in range(first, first + 4 * w[N_INNER], 4):
        if f[k] * x + f[k + 1] * y + f[k + 2] * z > f[k + 3] + 0.02:
            return False
    return True


@njit(**JIT)
def distance_to_wall(f, w, x, y, z, dx, dy, dz, far):
    """Return the distance to a wall along a ray that starts between the walls, or NO_HIT if it passes above them.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        far: Length of the ray in millimetres. Anything farther away is ignored.
    """
    t = far
    first = w[F_INNER]
    for k in range(first, first + 4 * w[N_INNER], 4):
        way = f[k] * dx + f[k + 1] * dy + f[k + 2] * dz
        if way > 1e-6:
            t = min(t, (f[k + 3] - f[k] * x - f[k + 1] * y - f[k + 2] * z) / way)
    if t < far and z + t * dz < f[WALL_MM]:
        return max(t, 0.0)
    return NO_HIT


@njit(**JIT)
def hit_tray(f, w, x, y, z, dx, dy, dz, far):
    """Return the distance along a ray to a wall or another solid part of the empty tray, or NO_HIT.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        far: Length of the ray in millimetres. Anything farther away is ignored.
    """
    if is_between_walls(f, w, x, y, z):
        return distance_to_wall(f, w, x, y, z, dx, dy, dz, far)
    if w[IS_TRAY] != 0 and dz > 0 and z > f[WALL_MM]:
        return NO_HIT
    least = NO_HIT
    middle, half = FIXED_BOX, FIXED_BOX + 3
    near, end = box_range(
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
        return NO_HIT
    for i in range(w[W_FIXED], w[W_FIXED] + w[N_FIXED]):
        t = hit_tray_box(f, w[F_SOLIDS] + w[i] * F_SOLID, x, y, z, dx, dy, dz)
        if 0.02 < t < min(far, least):
            least = t
    return least


@njit(**JIT)
def hit_tray_box(f, o, x, y, z, dx, dy, dz):
    """Return the distance along a ray to one part of the tray, as if its edges were sharp, or NO_HIT.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        o: Index in `f` at which the part begins.
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
    """
    x, y, z = x - f[o + AT], y - f[o + AT + 1], z - f[o + AT + 2]
    p, q, r = to_own_axes(f, o + TURN, x, y, z)
    u, v, s = to_own_axes(f, o + TURN, dx, dy, dz)
    near, end = box_range(p, q, r, u, v, s, f[o + HALF], f[o + HALF + 1], f[o + HALF + 2])
    return near if near < end else NO_HIT


@njit(**JIT)
def hit_loose(f, w, x, y, z, dx, dy, dz, far):
    """Return the number of the nearest die, object or hand on a ray, and its distance, or NOTHING and `far`.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        far: Length of the ray in millimetres. Anything farther away is ignored.
    """
    found, least = NOTHING, far
    if w[HAS_HAND]:
        last = w[N_SOLIDS] - 1
        t = hit_solid(f, w, last, x, y, z, dx, dy, dz)
        if t < least:
            found, least = last, t
    edge, top = f[FRAME + 2], f[FRAME + 3]
    nx, ny = w[ACROSS_X], w[ACROSS_Y]
    left, low = x - f[FRAME], y - f[FRAME + 1]
    high = (top + 60) / 2
    near, end = box_range(
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
                    met = hit_solid(f, w, w[k], x, y, z, dx, dy, dz)
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
def hit_ground(f, w, x, y, z, dx, dy, dz):
    """Return which ground a ray hits (FLOOR, TABLE or NOTHING), and the distance or NO_HIT.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
    """
    if dz > -1e-6:
        return NOTHING, NO_HIT
    t = -z / dz
    if w[IS_TRAY] == 0:
        return (FLOOR, t) if t > 0 else (NOTHING, NO_HIT)
    if t > 0 and is_between_walls(f, w, x + t * dx, y + t * dy, 0.0):
        return FLOOR, t
    t = -(z + f[DROP_MM]) / dz
    return (TABLE, t) if t > 0 else (NOTHING, NO_HIT)


@njit(**JIT)
def hidden_by_shades(f, w, x, y, z, lx, ly, lz, radius):
    """Return the share of a lamp, 0 to 1, that shading cards hide from a point, estimated from one ray.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
        lx: X of the point on the lamp, in millimetres.
        ly: Y of the point on the lamp, in millimetres.
        lz: Z of the point on the lamp, in millimetres.
        radius: Radius of the lamp in millimetres.
    """
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
        hidden = max(hidden, smooth_ramp(-a / soft) * smooth_ramp(-b / soft))
    return hidden


@njit(**JIT)
def smooth_ramp(value):
    """Return 0 for values below -1, 1 for values above 1, and a smooth ramp in between.

    The ramp approximates the share of a disc that is on one side of a line.
    """
    t = min(1.0, max(0.0, value * 0.5 + 0.5))
    return t * t * (3 - 2 * t)


@njit(**JIT)
def transmitted_light(f, w, x, y, z, dx, dy, dz, far):
    """Return the shares of red, green and blue light that get past dice, objects and hands along a ray.

    Only glass dice let light through, and they tint it.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        far: Length of the ray in millimetres. Anything farther away is ignored.
    """
    found, t = hit_loose(f, w, x, y, z, dx, dy, dz, far)
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
    behind, _ = hit_loose(f, w, x + t * dx, y + t * dy, z + t * dz, dx, dy, dz, far - t)
    if behind >= 0 and behind != found:
        return 0.0, 0.0, 0.0
    return (
        clear * f[sheet + SKIN_MEAN],
        clear * f[sheet + SKIN_MEAN + 1],
        clear * f[sheet + SKIN_MEAN + 2],
    )


__all__ = [
    "hidden_by_shades",
    "hit_ground",
    "hit_loose",
    "hit_tray",
    "is_between_walls",
    "np",
    "transmitted_light",
]
