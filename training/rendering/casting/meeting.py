"""Where a ray meets a solid. Compiled; all in millimetres, ways are unit vectors."""

import numpy as np
from numba import njit

from training.rendering.casting.packed import (
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

MISSED = 1e9
STEPS = 26
CLOSE = 0.015  # mm
MELT = 5.0  # mm in which the chains of a hand run into each other
JIT = {"cache": True, "fastmath": True, "error_model": "numpy"}


@njit(**JIT)
def own_axes(f, t, x, y, z):
    """A vector in the axes whose turn begins at t."""
    return (
        f[t] * x + f[t + 3] * y + f[t + 6] * z, f[t + 1] * x + f[t + 4] * y + f[t + 7] * z,
        f[t + 2] * x + f[t + 5] * y + f[t + 8] * z,
    )  # fmt: skip


@njit(**JIT)
def slab(x, y, z, u, v, w, a, b, c):
    """Where a ray enters and leaves a box of half sizes a, b, c."""
    iu = 1 / u if abs(u) > 1e-9 else 1e9
    iv = 1 / v if abs(v) > 1e-9 else 1e9
    iw = 1 / w if abs(w) > 1e-9 else 1e9
    near = max(-x * iu - abs(iu) * a, -y * iv - abs(iv) * b, -z * iw - abs(iw) * c)
    far = min(-x * iu + abs(iu) * a, -y * iv + abs(iv) * b, -z * iw + abs(iw) * c)
    return near, far


@njit(**JIT)
def round_gap(x, y, z, a, b, c, edge, ball):
    """How far a place is from a rounded box, cut by a ball where `ball` is above 0."""
    p, q, r = abs(x) - a + edge, abs(y) - b + edge, abs(z) - c + edge
    m, n, o = max(p, 0.0), max(q, 0.0), max(r, 0.0)
    gap = np.sqrt(m * m + n * n + o * o) + min(max(p, q, r), 0.0) - edge
    if ball > 0:
        gap = max(gap, np.sqrt(x * x + y * y + z * z) - ball)
    return gap


@njit(**JIT)
def meet_round(x, y, z, u, v, w, a, b, c, edge, ball):
    """A rounded box in its own axes."""
    near, far = slab(x, y, z, u, v, w, a, b, c)
    if near > far or far < 0:
        return MISSED
    t = max(near, 0.0)
    if edge <= 0.02 and ball <= 0:
        return t if near > 0 else MISSED
    gap = 0.0
    for _ in range(STEPS):
        gap = round_gap(x + t * u, y + t * v, z + t * w, a, b, c, edge, ball)
        if gap < CLOSE:
            return t
        t += gap
        if t > far:
            return MISSED
    return t if gap < 0.1 else MISSED


@njit(**JIT)
def meet_cylinder(x, y, z, u, v, w, radius, half):
    """Around z, in its own axes."""
    a = u * u + v * v
    iw = 1 / w if abs(w) > 1e-9 else 1e9
    near, far = -z * iw - abs(iw) * half, -z * iw + abs(iw) * half
    if a > 1e-12:
        b = x * u + y * v
        under = b * b - a * (x * x + y * y - radius * radius)
        if under < 0:
            return MISSED
        root = np.sqrt(under)
        near, far = max(near, (-b - root) / a), min(far, (-b + root) / a)
    elif x * x + y * y > radius * radius:
        return MISSED
    return near if near < far and near > 0 else MISSED


@njit(**JIT)
def meet_capsule(x, y, z, u, v, w, radius, half):
    """Around z, in its own axes."""
    a, b = u * u + v * v, x * u + y * v
    under = b * b - a * (x * x + y * y - radius * radius)
    if under < 0:
        return MISSED
    high = w < 0
    if a > 1e-12:
        t = (-b - np.sqrt(under)) / a
        height = z + t * w
        if abs(height) <= half:
            return t if t > 0 else MISSED
        high = height > 0
    end = half if high else -half
    b = x * u + y * v + (z - end) * w
    under = b * b - (x * x + y * y + (z - end) * (z - end) - radius * radius)
    if under < 0:
        return MISSED
    t = -b - np.sqrt(under)
    return t if t > 0 else MISSED


@njit(**JIT)
def meet_ball(x, y, z, u, v, w, a, b, c):
    """An ellipsoid in its own axes."""
    x, y, z, u, v, w = x / a, y / b, z / c, u / a, v / b, w / c
    k, h = u * u + v * v + w * w, x * u + y * v + z * w
    under = h * h - k * (x * x + y * y + z * z - 1)
    if under < 0:
        return MISSED
    t = (-h - np.sqrt(under)) / k
    return t if t > 0 else MISSED


@njit(**JIT)
def meet_hull(x, y, z, u, v, w, f, first, count):
    """What is below all planes, in its own axes."""
    near, far = -1e9, 1e9
    for k in range(first, first + 4 * count, 4):
        a, b, c, d = f[k], f[k + 1], f[k + 2], f[k + 3]
        away, way = a * x + b * y + c * z - d, a * u + b * v + c * w
        if abs(way) < 1e-9:
            if away > 0:
                return MISSED
        elif way < 0:
            near = max(near, -away / way)
        else:
            far = min(far, -away / way)
    return near if near < far and near > 0 else MISSED


@njit(**JIT)
def hand_gap(f, first, count, x, y, z):
    """How far a place is from the skin: all chains melted together."""
    least = 1e9
    for k in range(first, first + 8 * count, 8):
        ax, ay, az = f[k], f[k + 1], f[k + 2]
        u, v, w = f[k + 3] - ax, f[k + 4] - ay, f[k + 5] - az
        length = u * u + v * v + w * w
        share = ((x - ax) * u + (y - ay) * v + (z - az) * w) / max(length, 1e-9)
        share = min(1.0, max(0.0, share))
        p, q, r = x - ax - share * u, y - ay - share * v, z - az - share * w
        gap = np.sqrt(p * p + q * q + r * r) - (f[k + 6] + (f[k + 7] - f[k + 6]) * share)
        melt = max(MELT - abs(gap - least), 0.0) / MELT
        least = min(gap, least) - melt * melt * MELT * 0.25
    return least


@njit(**JIT)
def meet_hand(f, first, count, x, y, z, u, v, w, start, end):
    """Between where the ray enters and leaves the ball around it."""
    t = max(start, 0.0)
    for _ in range(40):
        gap = hand_gap(f, first, count, x + t * u, y + t * v, z + t * w)
        if gap < 0.08:
            return t
        t += gap
        if t > end:
            return MISSED
    return MISSED


@njit(**JIT)
def meet(f, w, k, ox, oy, oz, dx, dy, dz):
    """How far along a ray solid k is met from outside; MISSED where it is not."""
    o = w[F_SOLIDS] + k * F_SOLID
    x, y, z = ox - f[o + AT], oy - f[o + AT + 1], oz - f[o + AT + 2]
    along = -(x * dx + y * dy + z * dz)
    radius = f[o + RADIUS]
    reach = radius * radius - (x * x + y * y + z * z - along * along)
    if reach < 0 or along < -radius:
        return MISSED
    i = w[W_SOLIDS] + k * W_SOLID
    form = w[i + FORM]
    if form == HAND:
        root = np.sqrt(reach)
        return meet_hand(
            f, w[F_CHAINS], w[N_CHAINS], ox, oy, oz, dx, dy, dz, along - root, along + root
        )
    p, q, r = own_axes(f, o + TURN, x, y, z)
    u, v, s = own_axes(f, o + TURN, dx, dy, dz)
    a, b, c = f[o + HALF], f[o + HALF + 1], f[o + HALF + 2]
    if form in (0, DIE):
        return meet_round(p, q, r, u, v, s, a, b, c, f[o + EDGE], f[o + BALL])
    if form == 1:
        return meet_cylinder(p, q, r, u, v, s, a, c)
    if form == 2:
        return meet_capsule(p, q, r, u, v, s, a, c)
    if form == 3:
        return meet_ball(p, q, r, u, v, s, a, b, c)
    return meet_hull(p, q, r, u, v, s, f, w[F_PLANES] + 4 * w[i + FIRST], w[i + COUNT])
