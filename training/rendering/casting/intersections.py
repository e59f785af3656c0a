"""Compiled functions that intersect a ray with each kind of solid.

Lengths are in millimetres, and directions are unit vectors.
"""

import numpy as np
from numba import njit

from training.rendering.casting.scene_layout import (
    AT,
    BALL,
    COUNT,
    DIE,
    EDGE,
    F_CHAINS,
    F_PLANES,
    F_SOLID,
    F_SOLIDS,
    FIRST,
    FORM,
    HALF,
    HAND,
    N_CHAINS,
    RADIUS,
    TURN,
    W_SOLID,
    W_SOLIDS,
)  # fmt: skip

NO_HIT = 1e9
MARCH_STEPS = 26
HIT_MM = 0.015  # distance that counts as a hit, in millimetres
MELT_MM = 5.0  # distance over which the chains of a hand are blended, in millimetres
JIT = {"cache": True, "fastmath": True, "error_model": "numpy"}


@njit(**JIT)
def to_own_axes(f, t, x, y, z):
    """Return a vector in the axes of a solid, given the solid's rotation.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        t: Index in `f` at which the rotation matrix begins.
        x: X of the vector.
        y: Y of the vector.
        z: Z of the vector.
    """
    return (
        f[t] * x + f[t + 3] * y + f[t + 6] * z, f[t + 1] * x + f[t + 4] * y + f[t + 7] * z,
        f[t + 2] * x + f[t + 5] * y + f[t + 8] * z,
    )  # fmt: skip


@njit(**JIT)
def box_range(x, y, z, u, v, w, a, b, c):
    """Return the distances along a ray at which it enters and leaves a box around the origin.

    If the ray misses the box, the first distance is larger than the second.

    Args:
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        a: Half size along X, in millimetres.
        b: Half size along Y, in millimetres.
        c: Half size along Z, in millimetres.
    """
    iu = 1 / u if abs(u) > 1e-9 else 1e9
    iv = 1 / v if abs(v) > 1e-9 else 1e9
    iw = 1 / w if abs(w) > 1e-9 else 1e9
    near = max(-x * iu - abs(iu) * a, -y * iv - abs(iv) * b, -z * iw - abs(iw) * c)
    far = min(-x * iu + abs(iu) * a, -y * iv + abs(iv) * b, -z * iw + abs(iw) * c)
    return near, far


@njit(**JIT)
def rounded_box_distance(x, y, z, a, b, c, edge, ball):
    """Return the distance of a point from a box with rounded edges, whose corners a ball may cut off.

    Args:
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
        a: Half size along X, in millimetres.
        b: Half size along Y, in millimetres.
        c: Half size along Z, in millimetres.
        edge: Radius of the rounded edges, in millimetres.
        ball: Radius of the ball that cuts the corners, in millimetres; 0 for none.
    """
    p, q, r = abs(x) - a + edge, abs(y) - b + edge, abs(z) - c + edge
    m, n, o = max(p, 0.0), max(q, 0.0), max(r, 0.0)
    gap = np.sqrt(m * m + n * n + o * o) + min(max(p, q, r), 0.0) - edge
    if ball > 0:
        gap = max(gap, np.sqrt(x * x + y * y + z * z) - ball)
    return gap


@njit(**JIT)
def hit_rounded_box(x, y, z, u, v, w, a, b, c, edge, ball):
    """Return the distance along a ray to a box with rounded edges, or NO_HIT. The ray is given in the box's axes.

    Args:
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        a: Half size along X, in millimetres.
        b: Half size along Y, in millimetres.
        c: Half size along Z, in millimetres.
        edge: Radius of the rounded edges, in millimetres.
        ball: Radius of the ball that cuts the corners, in millimetres; 0 for none.
    """
    near, far = box_range(x, y, z, u, v, w, a, b, c)
    if near > far or far < 0:
        return NO_HIT
    t = max(near, 0.0)
    if edge <= 0.02 and ball <= 0:
        return t if near > 0 else NO_HIT
    gap = 0.0
    for _ in range(MARCH_STEPS):
        gap = rounded_box_distance(x + t * u, y + t * v, z + t * w, a, b, c, edge, ball)
        if gap < HIT_MM:
            return t
        t += gap
        if t > far:
            return NO_HIT
    return t if gap < 0.1 else NO_HIT


@njit(**JIT)
def hit_cylinder(x, y, z, u, v, w, radius, half):
    """Return the distance along a ray to a cylinder around z, or NO_HIT. The ray is given in the cylinder's axes.

    Args:
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        radius: Radius in millimetres.
        half: Half of the height in millimetres.
    """
    a = u * u + v * v
    iw = 1 / w if abs(w) > 1e-9 else 1e9
    near, far = -z * iw - abs(iw) * half, -z * iw + abs(iw) * half
    if a > 1e-12:
        b = x * u + y * v
        under = b * b - a * (x * x + y * y - radius * radius)
        if under < 0:
            return NO_HIT
        root = np.sqrt(under)
        near, far = max(near, (-b - root) / a), min(far, (-b + root) / a)
    elif x * x + y * y > radius * radius:
        return NO_HIT
    return near if near < far and near > 0 else NO_HIT


@njit(**JIT)
def hit_capsule(x, y, z, u, v, w, radius, half):
    """Return the distance along a ray to a capsule around z, or NO_HIT. The ray is given in the capsule's axes.

    Args:
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        radius: Radius in millimetres.
        half: Half of the straight length, in millimetres.
    """
    a, b = u * u + v * v, x * u + y * v
    under = b * b - a * (x * x + y * y - radius * radius)
    if under < 0:
        return NO_HIT
    high = w < 0
    if a > 1e-12:
        t = (-b - np.sqrt(under)) / a
        height = z + t * w
        if abs(height) <= half:
            return t if t > 0 else NO_HIT
        high = height > 0
    end = half if high else -half
    b = x * u + y * v + (z - end) * w
    under = b * b - (x * x + y * y + (z - end) * (z - end) - radius * radius)
    if under < 0:
        return NO_HIT
    t = -b - np.sqrt(under)
    return t if t > 0 else NO_HIT


@njit(**JIT)
def hit_ellipsoid(x, y, z, u, v, w, a, b, c):
    """Return the distance along a ray to an ellipsoid, or NO_HIT. The ray is given in the ellipsoid's axes.

    Args:
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        a: Half size along X, in millimetres.
        b: Half size along Y, in millimetres.
        c: Half size along Z, in millimetres.
    """
    x, y, z, u, v, w = x / a, y / b, z / c, u / a, v / b, w / c
    k, h = u * u + v * v + w * w, x * u + y * v + z * w
    under = h * h - k * (x * x + y * y + z * z - 1)
    if under < 0:
        return NO_HIT
    t = (-h - np.sqrt(under)) / k
    return t if t > 0 else NO_HIT


@njit(**JIT)
def hit_hull(x, y, z, u, v, w, f, first, count):
    """Return the distance along a ray to a convex hull, or NO_HIT. The ray is given in the hull's axes.

    The hull is the space below all of its planes.

    Args:
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        f: Floats of the packed scene (see `scene_layout`).
        first: Index in `f` at which the planes begin, each with its normal and distance.
        count: Number of planes.
    """
    near, far = -1e9, 1e9
    for k in range(first, first + 4 * count, 4):
        a, b, c, d = f[k], f[k + 1], f[k + 2], f[k + 3]
        away, way = a * x + b * y + c * z - d, a * u + b * v + c * w
        if abs(way) < 1e-9:
            if away > 0:
                return NO_HIT
        elif way < 0:
            near = max(near, -away / way)
        else:
            far = min(far, -away / way)
    return near if near < far and near > 0 else NO_HIT


@njit(**JIT)
def hand_distance(f, first, count, x, y, z):
    """Return the distance of a point from the skin of a hand, which blends several rounded cones.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        first: Index in `f` at which the cones begin, each with its ends and radii.
        count: Number of cones.
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
    """
    least = 1e9
    for k in range(first, first + 8 * count, 8):
        ax, ay, az = f[k], f[k + 1], f[k + 2]
        u, v, w = f[k + 3] - ax, f[k + 4] - ay, f[k + 5] - az
        length = u * u + v * v + w * w
        share = ((x - ax) * u + (y - ay) * v + (z - az) * w) / max(length, 1e-9)
        share = min(1.0, max(0.0, share))
        p, q, r = x - ax - share * u, y - ay - share * v, z - az - share * w
        gap = np.sqrt(p * p + q * q + r * r) - (f[k + 6] + (f[k + 7] - f[k + 6]) * share)
        melt = max(MELT_MM - abs(gap - least), 0.0) / MELT_MM
        least = min(gap, least) - melt * melt * MELT_MM * 0.25
    return least


@njit(**JIT)
def hit_hand(f, first, count, x, y, z, u, v, w, start, end):
    """Return the distance along a ray to a hand, or NO_HIT.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        first: Index in `f` at which the rounded cones that form the hand begin.
        count: Number of cones.
        x: X of the origin of the ray, in millimetres.
        y: Y of the origin of the ray, in millimetres.
        z: Z of the origin of the ray, in millimetres.
        u: X of the unit vector along the ray.
        v: Y of the unit vector along the ray.
        w: Z of the unit vector along the ray.
        start: Distance at which the ray enters the enclosing ball, in millimetres.
        end: Distance at which the ray leaves the enclosing ball, in millimetres.
    """
    t = max(start, 0.0)
    for _ in range(40):
        gap = hand_distance(f, first, count, x + t * u, y + t * v, z + t * w)
        if gap < 0.08:
            return t
        t += gap
        if t > end:
            return NO_HIT
    return NO_HIT


@njit(**JIT)
def hit_solid(f, w, k, ox, oy, oz, dx, dy, dz):
    """Return the distance at which a ray enters a solid from outside, or NO_HIT.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        k: Number of the solid.
        ox: X of the origin of the ray, in millimetres.
        oy: Y of the origin of the ray, in millimetres.
        oz: Z of the origin of the ray, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
    """
    o = w[F_SOLIDS] + k * F_SOLID
    x, y, z = ox - f[o + AT], oy - f[o + AT + 1], oz - f[o + AT + 2]
    along = -(x * dx + y * dy + z * dz)
    radius = f[o + RADIUS]
    reach = radius * radius - (x * x + y * y + z * z - along * along)
    if reach < 0 or along < -radius:
        return NO_HIT
    i = w[W_SOLIDS] + k * W_SOLID
    form = w[i + FORM]
    if form == HAND:
        root = np.sqrt(reach)
        return hit_hand(
            f, w[F_CHAINS], w[N_CHAINS], ox, oy, oz, dx, dy, dz, along - root, along + root
        )
    p, q, r = to_own_axes(f, o + TURN, x, y, z)
    u, v, s = to_own_axes(f, o + TURN, dx, dy, dz)
    a, b, c = f[o + HALF], f[o + HALF + 1], f[o + HALF + 2]
    if form in (0, DIE):
        return hit_rounded_box(p, q, r, u, v, s, a, b, c, f[o + EDGE], f[o + BALL])
    if form == 1:
        return hit_cylinder(p, q, r, u, v, s, a, c)
    if form == 2:
        return hit_capsule(p, q, r, u, v, s, a, c)
    if form == 3:
        return hit_ellipsoid(p, q, r, u, v, s, a, b, c)
    return hit_hull(p, q, r, u, v, s, f, w[F_PLANES] + 4 * w[i + FIRST], w[i + COUNT])
