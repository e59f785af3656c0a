"""How much light falls on a place: from the room, from lamps, from what is near. Compiled.

Light with soft shadows is gathered along few ways a pixel and shared between neighbours, as if the
surface had no bumps; bumps are told from the vector that says where it comes from.
"""

import numpy as np
from numba import njit

from training.rendering.casting.meeting import JIT, MISSED
from training.rendering.casting.packed import (
    F_BOUNCE,
    F_GLOWS,
    F_LAMPS,
    F_POINTS,
    F_WAYS,
    LAMP,
    LEVEL,
    N_BOUNCE,
    N_LAMPS,
    N_POINTS,
    N_WAYS,
    NOTHING,
    SETS,
    W_FIXED,
)  # fmt: skip
from training.rendering.casting.seeking import meet_fixed, meet_loose, passing, shaded, to_ground
from training.rendering.casting.shadow_cells import LAMP_WORD, NEAR_WORD, ROOM_WORD, may_bar
from training.rendering.casting.surfaces_met import frame_of, mean_colour

FALL, SHEEN, FALL0, SHEEN0, VECTOR, LIGHT = 0, 3, 6, 9, 12, 15
"""What falls on a place and what of it gleams (3 each), the same while the tray is empty, and where
it comes from."""
OFF = 0.12  # mm off a surface begins a ray
NEAR_LIT = 0.62  # of the light that an open place gets, what is near gets
FAR = 4000.0
DULLEST = 0.75  # above this roughness lamps do not gleam


@njit(**JIT)
def light_up(f, w, which, cell, x, y, z, n, eye, rough, is_ground, sharp, light, colour):
    """Into `light` (LIGHT,) what falls on a place: of lamps with `sharp` shadows, or of all else.

    `which` of SETS of ways is looked along; `cell` is that of the ground there, or -1; `n` (6,) the smooth normal and the bumped one; `eye` (3,)
    the way to the camera; `colour` (3,) is scratch.
    """
    for k in range(LIGHT):
        light[k] = 0.0
    x, y, z = x + OFF * n[0], y + OFF * n[1], z + OFF * n[2]
    if not sharp:
        _from_room(f, w, which, cell, x, y, z, n, is_ground, light)
        _from_near(f, w, which, cell, x, y, z, n, is_ground, light, colour)
    for lamp in range(w[N_LAMPS]):
        if (f[w[F_LAMPS] + LAMP * lamp + 7] > 0) == sharp:
            _from_lamp(f, w, lamp, which, cell, x, y, z, n, eye, rough, is_ground, light)


@njit(**JIT)
def _from_room(f, w, which, cell, x, y, z, n, is_ground, light):
    count = w[N_WAYS]
    for k in range(count):
        way = w[F_WAYS] + 3 * (which * count + k)
        dx, dy, dz = f[way], f[way + 1], f[way + 2]
        facing = n[0] * dx + n[1] * dy + n[2] * dz
        if facing <= 0.01:
            continue
        bit = which * count + k
        barred = may_bar(w, cell, ROOM_WORD, bit, True)
        if barred and meet_fixed(f, w, x, y, z, dx, dy, dz, FAR) < MISSED:
            continue
        r = g = b = 1.0
        if may_bar(w, cell, ROOM_WORD, bit, False):
            r, g, b = passing(f, w, x, y, z, dx, dy, dz, FAR)
        glow = w[F_GLOWS] + 3 * (which * count + k)
        light[FALL] += facing * f[glow] * r
        light[FALL + 1] += facing * f[glow + 1] * g
        light[FALL + 2] += facing * f[glow + 2] * b
        _lean(light, dx, dy, dz, f[glow + 1] * g)
        if is_ground:
            for c in range(3):
                light[FALL0 + c] += facing * f[glow + c]


@njit(**JIT)
def _lean(light, dx, dy, dz, share):
    light[VECTOR] += dx * share
    light[VECTOR + 1] += dy * share
    light[VECTOR + 2] += dz * share


@njit(**JIT)
def _from_near(f, w, which, cell, x, y, z, n, is_ground, light, colour):
    """Light thrown back by what is near, as if it were lit about as well as an open place."""
    a0, a1, a2, b0, b1, b2 = frame_of(n[0], n[1], n[2])
    count = w[N_BOUNCE]
    for k in range(count):
        way = w[F_BOUNCE] + 3 * (which * count + k)
        bit = which * count + k
        fixed, barred = (
            may_bar(w, cell, NEAR_WORD, bit, True),
            may_bar(w, cell, NEAR_WORD, bit, False),
        )
        if not fixed and not barred and cell >= 0:
            continue
        dx = a0 * f[way] + b0 * f[way + 1] + n[0] * f[way + 2]
        dy = a1 * f[way] + b1 * f[way + 1] + n[1] * f[way + 2]
        dz = a2 * f[way] + b2 * f[way + 1] + n[2] * f[way + 2]
        behind, far = to_ground(f, w, x, y, z, dx, dy, dz)
        wall = MISSED
        if fixed:
            wall = meet_fixed(f, w, x, y, z, dx, dy, dz, far)
        if wall < MISSED:
            behind, far = w[w[W_FIXED]], wall
        if is_ground and behind != NOTHING:
            mean_colour(f, w, behind, colour)
            for c in range(3):
                light[FALL0 + c] += colour[c] * f[LEVEL + c] * NEAR_LIT / count
        loose = NOTHING
        if barred:
            loose, _ = meet_loose(f, w, x, y, z, dx, dy, dz, min(far, FAR))
        seen = loose if loose >= 0 else behind
        if seen != NOTHING:
            mean_colour(f, w, seen, colour)
            for c in range(3):
                light[FALL + c] += colour[c] * f[LEVEL + c] * NEAR_LIT / count
            _lean(light, dx, dy, dz, colour[1] * f[LEVEL + 1] * NEAR_LIT / count)


@njit(**JIT)
def _from_lamp(f, w, lamp, which, cell, x, y, z, n, eye, rough, is_ground, light):
    o = w[F_LAMPS] + LAMP * lamp
    is_sharp = f[o + 7] > 0
    bump = 3 if is_sharp else 0  # which normal
    count = w[N_POINTS]
    samples = 1 if is_sharp else count
    red = green = blue = empty = 0.0
    away = np.sqrt(f[o] ** 2 + f[o + 1] ** 2 + f[o + 2] ** 2)
    for k in range(samples):
        p = w[F_POINTS] + 3 * ((lamp * SETS + which) * count + k)
        dx, dy, dz = f[p] - x, f[p + 1] - y, f[p + 2] - z
        far = np.sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = dx / far, dy / far, dz / far
        facing = n[bump] * dx + n[bump + 1] * dy + n[bump + 2] * dz
        if facing <= 0 or n[0] * dx + n[1] * dy + n[2] * dz <= 0.005:
            continue
        turned = (f[o] * dx + f[o + 1] * dy + f[o + 2] * dz) / away
        if turned <= 0:
            continue
        bit = which * count + k
        barred = may_bar(w, cell, LAMP_WORD + lamp, bit, True)
        if barred and meet_fixed(f, w, x, y, z, dx, dy, dz, far) < MISSED:
            continue
        strength = turned / (far * far) / samples
        strength *= 1 - shaded(f, w, x, y, z, f[p], f[p + 1], f[p + 2], f[o + 3])
        if strength <= 0:
            continue
        r = g = b = 1.0
        if may_bar(w, cell, LAMP_WORD + lamp, bit, False):
            r, g, b = passing(f, w, x, y, z, dx, dy, dz, far)
        _lean(light, dx, dy, dz, strength * g * f[o + 5])
        strength *= facing
        empty += strength
        red += strength * r
        green += strength * g
        blue += strength * b
    if empty <= 0:
        return
    gleam = 0.0
    if rough < DULLEST:
        gleam = _gleam(f, o, x, y, z, n, eye, rough)
    light[FALL] += red * f[o + 4]
    light[FALL + 1] += green * f[o + 5]
    light[FALL + 2] += blue * f[o + 6]
    light[SHEEN] += gleam * red * f[o + 4]
    light[SHEEN + 1] += gleam * green * f[o + 5]
    light[SHEEN + 2] += gleam * blue * f[o + 6]
    if is_ground:
        for c in range(3):
            light[FALL0 + c] += empty * f[o + 4 + c]
            light[SHEEN0 + c] += gleam * empty * f[o + 4 + c]


@njit(**JIT)
def _gleam(f, o, x, y, z, n, eye, rough):
    """GGX of a lamp, wider for its size: what it sends to the eye, as a share of what falls there."""
    u, v, s = f[o] - x, f[o + 1] - y, f[o + 2] - z
    far = np.sqrt(u * u + v * v + s * s)
    u, v, s = u / far, v / far, s / far
    hx, hy, hz = u + eye[0], v + eye[1], s + eye[2]
    length = max(np.sqrt(hx * hx + hy * hy + hz * hz), 1e-6)
    half = max(0.0, (n[3] * hx + n[4] * hy + n[5] * hz) / length)
    alpha = max(rough * rough, 0.0016)
    wide = min(0.95, np.sqrt(alpha * alpha + 0.2 * (f[o + 3] / far) ** 2))
    across = half * half * (wide * wide - 1) + 1
    lit = max(0.05, n[3] * u + n[4] * v + n[5] * s)
    seen = max(0.05, n[3] * eye[0] + n[4] * eye[1] + n[5] * eye[2])
    k = alpha / 2
    return wide * wide / (across * across) / ((lit * (1 - k) + k) * (seen * (1 - k) + k) * 4)


@njit(**JIT)
def relief(light, n):
    """By how much more soft light falls on the bumped surface than on the smooth one."""
    smooth = n[0] * light[VECTOR] + n[1] * light[VECTOR + 1] + n[2] * light[VECTOR + 2]
    bumped = n[3] * light[VECTOR] + n[4] * light[VECTOR + 1] + n[5] * light[VECTOR + 2]
    if smooth <= 1e-9:
        return 1.0
    return min(1.7, max(0.35, bumped / smooth))
