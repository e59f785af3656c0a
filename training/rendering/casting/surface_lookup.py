"""Compiled lookup of colours, gloss and slopes at a point on a surface."""

import numpy as np
from numba import njit

from training.rendering.casting.intersections import JIT, hand_distance
from training.rendering.casting.scene_layout import (
    BALL,
    BEGINS,
    COUNT,
    DIE,
    EDGE,
    F_CHAINS,
    F_COVER,
    F_COVERS,
    F_PLANES,
    F_SKINS,
    F_SOLID,
    F_SOLIDS,
    F_TEXELS,
    FIRST,
    FORM,
    HALF,
    LEVELS,
    N_CHAINS,
    PLACE,
    SIDE,
    SKIN_BEGINS,
    SKIN_PX,
    STUFF,
    W_COVER,
    W_COVERS,
    W_SHEET,
    W_SHEETS,
    W_SOLID,
    W_SOLIDS,
)  # fmt: skip


@njit(**JIT)
def look_up_cover(f, w, k, a, b, px_mm):
    """Return the red, green and blue of a surface material at a point, and its slopes along both axes.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        k: Number of the surface material.
        a: First coordinate on the surface, in millimetres.
        b: Second coordinate on the surface, in millimetres.
        px_mm: Width of the part of the surface that one pixel shows, in millimetres.
    """
    o, i = w[F_COVERS] + k * F_COVER, w[W_COVERS] + k * W_COVER
    cosine, sine = f[o + PLACE + 1], f[o + PLACE + 2]
    u = cosine * a + sine * b + f[o + PLACE + 3]
    v = cosine * b - sine * a + f[o + PLACE + 4]
    step, level = f[o + PLACE] / w[i + SIDE], 0
    while level + 1 < w[i + LEVELS] and px_mm > 1.4 * step:
        level += 1
        step *= 2
    side = w[i + SIDE] >> level
    base = w[F_TEXELS] + 4 * w[i + BEGINS + level]
    p, q = u / step - 0.5, v / step - 0.5
    c, d = int(np.floor(p)), int(np.floor(q))
    g, h = p - c, q - d
    c, d = c % side, d % side
    e, k = (c + 1) % side, (d + 1) % side
    t00, t10 = base + 4 * (d * side + c), base + 4 * (d * side + e)
    t01, t11 = base + 4 * (k * side + c), base + 4 * (k * side + e)
    a00, a10, a01, a11 = (1 - g) * (1 - h), g * (1 - h), (1 - g) * h, g * h
    red = a00 * f[t00] + a10 * f[t10] + a01 * f[t01] + a11 * f[t11]
    green = a00 * f[t00 + 1] + a10 * f[t10 + 1] + a01 * f[t01 + 1] + a11 * f[t11 + 1]
    blue = a00 * f[t00 + 2] + a10 * f[t10 + 2] + a01 * f[t01 + 2] + a11 * f[t11 + 2]
    relief = f[o + STUFF + 2]
    if relief < 0.02:
        return red, green, blue, 0.0, 0.0
    su = ((f[t10 + 3] - f[t00 + 3]) * (1 - h) + (f[t11 + 3] - f[t01 + 3]) * h) * relief / step
    sv = ((f[t01 + 3] - f[t00 + 3]) * (1 - g) + (f[t11 + 3] - f[t10 + 3]) * g) * relief / step
    return red, green, blue, cosine * su - sine * sv, sine * su + cosine * sv


@njit(**JIT)
def look_up_sheet(f, w, k, face, s, t, out):
    """Store in `out` the channels and the slopes at a point on a face of a die.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        k: Number of the style.
        face: Number of the face, 0 to 5.
        s: Column on the face, -1 to 1.
        t: Row on the face, -1 to 1.
        out: Array (10,) that receives the eight channels (see `training.scenes.dice.bodies`) and two slopes.
    """
    i = w[W_SHEETS] + k * W_SHEET
    px = w[i + SKIN_PX]
    x = min(max((s + 1) / 2 * px - 0.5, 0.0), px - 1.001)
    y = min(max((t + 1) / 2 * px - 0.5, 0.0), px - 1.001)
    c, d = int(x), int(y)
    g, h = x - c, y - d
    a = w[F_SKINS] + 8 * (w[i + SKIN_BEGINS] + (face * px + d) * px + c)
    b = a + 8 * px
    for n in range(8):
        out[n] = (f[a + n] * (1 - g) + f[a + 8 + n] * g) * (1 - h) + (
            f[b + n] * (1 - g) + f[b + 8 + n] * g
        ) * h
    out[8] = ((f[a + 11] - f[a + 3]) * (1 - h) + (f[b + 11] - f[b + 3]) * h) * px / 2
    out[9] = ((f[b + 3] - f[a + 3]) * (1 - g) + (f[b + 11] - f[a + 11]) * g) * px / 2


@njit(**JIT)
def face_at(x, y, z):
    """Return the number of the face of a die (0 to 5) at a point, and the point's coordinates on this face.

    Args:
        x: X of the point in the axes of the die, in half edges.
        y: Y of the point in the axes of the die, in half edges.
        z: Z of the point in the axes of the die, in half edges.
    """
    a, b, c = abs(x), abs(y), abs(z)
    if a >= b and a >= c:
        return (0, y, z) if x > 0 else (5, y, -z)
    if b >= c:
        return (1, z, x) if y > 0 else (4, z, -x)
    return (2, x, y) if z > 0 else (3, x, -y)


@njit(**JIT)
def smooth_normal(f, w, k, p, q, r):
    """Return the normal of a solid at a point on its surface, both in the axes of the solid.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        k: Number of the solid.
        p: X of the point in the axes of the solid, in millimetres.
        q: Y of the point in the axes of the solid, in millimetres.
        r: Z of the point in the axes of the solid, in millimetres.
    """
    o, i = w[F_SOLIDS] + k * F_SOLID, w[W_SOLIDS] + k * W_SOLID
    form = w[i + FORM]
    a, b, c = f[o + HALF], f[o + HALF + 1], f[o + HALF + 2]
    if form in (0, DIE):
        if f[o + BALL] > 0 and np.sqrt(p * p + q * q + r * r) > f[o + BALL] - 0.03:
            return normalise(p, q, r)
        edge = max(f[o + EDGE], 0.02)
        x, y, z = (
            max(abs(p) - a + edge, 0.0),
            max(abs(q) - b + edge, 0.0),
            max(abs(r) - c + edge, 0.0),
        )
        return normalise(x * np.sign(p), y * np.sign(q), z * np.sign(r))
    if form == 1:
        edge = max(f[o + EDGE], 0.05)
        away = np.sqrt(p * p + q * q)
        side, top = max(away - a + edge, 0.0), max(abs(r) - c + edge, 0.0)
        return normalise(p / max(away, 1e-6) * side, q / max(away, 1e-6) * side, top * np.sign(r))
    if form == 2:
        return normalise(p, q, r - min(max(r, -c), c))
    if form == 3:
        return normalise(p / (a * a), q / (b * b), r / (c * c))
    first = w[F_PLANES] + 4 * w[i + FIRST]
    best, found = -1e9, first
    for n in range(first, first + 4 * w[i + COUNT], 4):
        away = f[n] * p + f[n + 1] * q + f[n + 2] * r - f[n + 3]
        if away > best:
            best, found = away, n
    return f[found], f[found + 1], f[found + 2]


@njit(**JIT)
def normalise(x, y, z):
    """Return a vector scaled to length 1.

    Args:
        x: X of the vector.
        y: Y of the vector.
        z: Z of the vector.
    """
    length = max(np.sqrt(x * x + y * y + z * z), 1e-9)
    return x / length, y / length, z / length


@njit(**JIT)
def hand_normal(f, w, x, y, z):
    """Return the normal of a hand: the gradient of the distance from its skin.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
    """
    c, n, e = w[F_CHAINS], w[N_CHAINS], 0.3
    here = hand_distance(f, c, n, x, y, z)
    return normalise(
        hand_distance(f, c, n, x + e, y, z) - here, hand_distance(f, c, n, x, y + e, z) - here,
        hand_distance(f, c, n, x, y, z + e) - here,
    )  # fmt: skip
