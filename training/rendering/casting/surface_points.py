"""Compiled description of the point where a ray hits a surface: normal, colour and gloss."""

import numpy as np
from numba import njit

from training.rendering.casting.intersections import JIT, to_own_axes
from training.rendering.casting.scene_layout import (
    AT,
    COVER,
    DIE,
    F_COVER,
    F_COVERS,
    F_ROOM,
    F_SHEET,
    F_SHEETS,
    F_SOLID,
    F_SOLIDS,
    FLOOR,
    FLOOR_COVER,
    FORM,
    HALF,
    HAND,
    MEAN,
    N_COLUMNS,
    N_LEVELS,
    N_ROWS,
    ROUGHLY,
    SKIN_MEAN,
    STUFF,
    TABLE_COVER,
    TURN,
    W_SOLID,
    W_SOLIDS,
)  # fmt: skip
from training.rendering.casting.surface_lookup import (
    face_at,
    hand_normal,
    look_up_cover,
    look_up_sheet,
    normalise,
    smooth_normal,
)  # fmt: skip

NX, NY, NZ, BX, BY, BZ, RED, GREEN, BLUE, ROUGH, METAL, CLEAR, CAVE, INK = range(14)
"""Fields of a point: smooth normal, bump-mapped normal, colour, gloss, loss of light inside a pip, and ink."""
SURFACE_FIELDS = 14
MAX_CAVE = 0.5  # largest loss of light in a hole


@njit(**JIT)
def describe_surface(f, w, found, x, y, z, dx, dy, dz, px_mm, sheet, out):
    """Store in `out` the normals, colour and gloss at a point on a surface.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        found: Number of the solid that the ray hit, or FLOOR, TABLE or NOTHING.
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        px_mm: Width of the part of the surface that one pixel shows, in millimetres.
        sheet: Working memory (10,) for a face of a die.
        out: Array (SURFACE_FIELDS,) that receives the result.
    """
    out[CLEAR] = out[CAVE] = out[INK] = 0.0
    if found < 0:
        cover = w[FLOOR_COVER if found == FLOOR else TABLE_COVER]
        out[NX] = out[NY] = 0.0
        out[NZ] = 1.0
        _cover(f, w, cover, x, y, px_mm, out)
        su, sv = out[BX], out[BY]
        out[BX], out[BY], out[BZ] = normalise(-su, -sv, 1.0)
        return
    o, i = w[F_SOLIDS] + found * F_SOLID, w[W_SOLIDS] + found * W_SOLID
    form = w[i + FORM]
    if form == HAND:
        n = hand_normal(f, w, x, y, z)
        out[NX], out[NY], out[NZ] = n
        _cover(f, w, w[i + COVER], x + 0.5 * z, y + 0.5 * z, px_mm, out)
        out[BX], out[BY], out[BZ] = n
        return
    a, b, c = x - f[o + AT], y - f[o + AT + 1], z - f[o + AT + 2]
    p, q, r = to_own_axes(f, o + TURN, a, b, c)
    u, v, n = smooth_normal(f, w, found, p, q, r)
    if form == DIE:
        e, g, h = to_own_axes(f, o + TURN, dx, dy, dz)
        bu, bv, bn = _die(f, w, w[i + COVER], f[o + HALF], p, q, r, u, v, n, e, g, h, sheet, out)
    else:
        bu, bv, bn = _solid(f, w, w[i + COVER], p, q, r, u, v, n, px_mm, out)
    for k in range(3):
        t = o + TURN + 3 * k
        out[NX + k] = f[t] * u + f[t + 1] * v + f[t + 2] * n
        out[BX + k] = f[t] * bu + f[t + 1] * bv + f[t + 2] * bn


@njit(**JIT)
def _cover(f, w, k, a, b, px_mm, out):
    out[RED], out[GREEN], out[BLUE], out[BX], out[BY] = look_up_cover(f, w, k, a, b, px_mm)
    o = w[F_COVERS] + k * F_COVER + STUFF
    out[ROUGH], out[METAL], out[CLEAR] = f[o], f[o + 1], f[o + 3]


@njit(**JIT)
def _solid(f, w, cover, p, q, r, u, v, n, px_mm, out):
    """Store the colour and gloss of a solid in `out`, and return its bump-mapped normal.

    The surface material is projected along the axis nearest to the normal (u, v, n).
    """
    a, b, c = abs(u), abs(v), abs(n)
    if a >= b and a >= c:
        _cover(f, w, cover, q, r, px_mm, out)
        return normalise(u, v - out[BX], n - out[BY])
    if b >= c:
        _cover(f, w, cover, p, r, px_mm, out)
        return normalise(u - out[BX], v, n - out[BY])
    _cover(f, w, cover, p, q, px_mm, out)
    return normalise(u - out[BX], v - out[BY], n)


@njit(**JIT)
def _die(f, w, style, half, p, q, r, u, v, n, e, g, h, sheet, out):
    """Store the colour and gloss of a die in `out`, and return its bump-mapped normal.

    A slanted ray sees a different part of a dent, depending on its depth.
    """
    face, s, t = face_at(p / half, q / half, r / half)
    look_up_sheet(f, w, style, face, s, t, sheet)
    if abs(sheet[3]) > 0.01:
        ds, dt, dn = _along(face, e, g, h)
        shift = sheet[3] / max(-dn, 0.35)
        look_up_sheet(f, w, style, face, s - shift * ds, t - shift * dt, sheet)
    for k in range(3):
        out[RED + k] = sheet[k]
    out[ROUGH], out[METAL], out[CLEAR], out[INK] = sheet[4], sheet[5], sheet[6], sheet[7]
    out[CAVE] = min(MAX_CAVE, max(0.0, -sheet[3] * 2.2))
    hs, ht = -sheet[8], -sheet[9]
    if face in (0, 5):
        return normalise(u, v + hs, n + (ht if face == 0 else -ht))
    if face in (1, 4):
        return normalise(u + (ht if face == 1 else -ht), v, n + hs)
    return normalise(u + hs, v + (ht if face == 2 else -ht), n)


@njit(**JIT)
def _along(face, e, f, g):
    """Return the components of a vector along a die face's column axis, along its row axis, and outwards."""
    if face == 0:
        return f, g, e
    if face == 5:
        return f, -g, -e
    if face == 1:
        return g, e, f
    if face == 4:
        return g, -e, -f
    if face == 2:
        return e, f, g
    return e, -f, -g


@njit(**JIT)
def mean_colour(f, w, found, out):
    """Store in `out` the mean colour of a solid or of the ground.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        found: Number of the solid, or FLOOR or TABLE.
        out: Array (3,) that receives the linear RGB colour.
    """
    if found < 0:
        o = w[F_COVERS] + w[FLOOR_COVER if found == FLOOR else TABLE_COVER] * F_COVER + MEAN
    else:
        i = w[W_SOLIDS] + found * W_SOLID
        is_die = w[i + FORM] == DIE
        o = (
            w[F_SHEETS] + w[i + COVER] * F_SHEET + SKIN_MEAN
            if is_die
            else w[F_COVERS] + w[i + COVER] * F_COVER + MEAN
        )
    for k in range(3):
        out[k] = f[o + k]


@njit(**JIT)
def tangents_of(x, y, z):
    """Return two unit vectors, as six numbers, that are perpendicular to a unit vector and to each other.

    The formula is that of Duff et al., Building an Orthonormal Basis, Revisited (2017).

    Args:
        x: X of the unit vector.
        y: Y of the unit vector.
        z: Z of the unit vector.
    """
    sign = 1.0 if z >= 0 else -1.0
    a = -1 / (sign + z)
    b = x * y * a
    return 1 + sign * x * x * a, sign * b, -sign * x, b, sign + y * y * a, -y


@njit(**JIT)
def room_reflection(f, w, dx, dy, dz, rough, out):
    """Store in `out` the light of the room that a mirror of a given roughness shows in a direction.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        rough: Roughness, 0 to 1.
        out: Array (3,) that receives the linear RGB light.
    """
    levels, rows, columns = w[N_LEVELS], w[N_ROWS], w[N_COLUMNS]
    level = min(levels - 1.001, rough * levels * 1.25)
    k = int(level)
    share = level - k
    y = np.arccos(min(1.0, max(-1.0, dz))) / np.pi * rows - 0.5
    x = (0.5 - np.arctan2(dy, dx) / (2 * np.pi)) * columns - 0.5
    i, j = int(np.floor(y)), int(np.floor(x))
    a, b = y - i, x - j
    i0, i1 = min(max(i, 0), rows - 1), min(max(i + 1, 0), rows - 1)
    j0, j1 = j % columns, (j + 1) % columns
    size, first = 3 * rows * columns, w[F_ROOM] + k * 3 * rows * columns
    c00, c01, c10, c11 = (
        3 * (i0 * columns + j0),
        3 * (i0 * columns + j1),
        3 * (i1 * columns + j0),
        3 * (i1 * columns + j1),
    )
    for n in range(first, first + 3):
        low = _mixed(f[n + c00], f[n + c01], f[n + c10], f[n + c11], a, b)
        m = n + size
        high = _mixed(f[m + c00], f[m + c01], f[m + c10], f[m + c11], a, b)
        out[n - first] = low * (1 - share) + high * share


@njit(**JIT)
def _mixed(c00, c01, c10, c11, a, b):
    return (c00 * (1 - b) + c01 * b) * (1 - a) + (c10 * (1 - b) + c11 * b) * a


@njit(**JIT)
def room_ambient(f, dx, dy, dz, out):
    """Store in `out` the mean light from the half of the room around a direction.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        dx: X of the direction, a unit vector.
        dy: Y of the direction.
        dz: Z of the direction.
        out: Array (3,) that receives the linear RGB light.
    """
    for c in range(3):
        o = ROUGHLY + 4 * c
        out[c] = max(0.0, f[o] + f[o + 1] * dx + f[o + 2] * dy + f[o + 3] * dz)
