"""Compiled calculation of the light on a point: from the room, from lamps, and from nearby surfaces.

Light with soft shadows is gathered along a few rays per pixel and shared between neighbouring pixels, as if
the surface had no bumps. Bumps are shaded with the mean direction of that light.
"""

import numpy as np
from numba import njit

from training.rendering.casting.intersections import JIT, NO_HIT
from training.rendering.casting.ray_queries import (
    hidden_by_shades,
    hit_ground,
    hit_loose,
    hit_tray,
    transmitted_light,
)
from training.rendering.casting.scene_layout import (
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
from training.rendering.casting.shadow_masks import LAMP_WORD, NEAR_WORD, ROOM_WORD, may_block
from training.rendering.casting.surface_points import mean_colour, tangents_of

FALL, SHEEN, FALL0, SHEEN0, VECTOR, LIGHT = 0, 3, 6, 9, 12, 15
"""Fields of the light on a point: light, highlight, the same two in the empty tray (3 numbers each), and the mean
direction of the light."""
START_MM = 0.12  # distance from the surface at which a ray starts, in millimetres
NEAR_SHARE = 0.62  # brightness of nearby surfaces relative to an open place
MAX_MM = 4000.0
MAX_SHINY_ROUGHNESS = 0.75  # above this roughness a lamp has no highlight


@njit(**JIT)
def gather_irradiance(f, w, which, cell, x, y, z, n, eye, rough, is_ground, sharp, light, colour):
    """Store in `light` the light that falls on a point: either that of lamps with sharp shadows, or all other light.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        which: Number of the set of ray directions to use, 0 to SETS - 1.
        cell: Index in `w` at which the masks of the point begin, or -1 if it is not on the ground.
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
        n: Smooth normal and bump-mapped normal (6,).
        eye: Unit vector (3,) to the camera.
        rough: Roughness, 0 to 1.
        is_ground: Whether the point belongs to the empty tray.
        sharp: Whether to gather the light of lamps with sharp shadows. If not, all other light is gathered.
        light: Array (LIGHT,) that receives the light.
        colour: Working memory (3,).
    """
    for k in range(LIGHT):
        light[k] = 0.0
    x, y, z = x + START_MM * n[0], y + START_MM * n[1], z + START_MM * n[2]
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
        barred = may_block(w, cell, ROOM_WORD, bit, True)
        if barred and hit_tray(f, w, x, y, z, dx, dy, dz, MAX_MM) < NO_HIT:
            continue
        r = g = b = 1.0
        if may_block(w, cell, ROOM_WORD, bit, False):
            r, g, b = transmitted_light(f, w, x, y, z, dx, dy, dz, MAX_MM)
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
    """Add light reflected by nearby surfaces to `light`, as if no shadows fell on these surfaces."""
    a0, a1, a2, b0, b1, b2 = tangents_of(n[0], n[1], n[2])
    count = w[N_BOUNCE]
    for k in range(count):
        way = w[F_BOUNCE] + 3 * (which * count + k)
        bit = which * count + k
        fixed, barred = (
            may_block(w, cell, NEAR_WORD, bit, True),
            may_block(w, cell, NEAR_WORD, bit, False),
        )
        if not fixed and not barred and cell >= 0:
            continue
        dx = a0 * f[way] + b0 * f[way + 1] + n[0] * f[way + 2]
        dy = a1 * f[way] + b1 * f[way + 1] + n[1] * f[way + 2]
        dz = a2 * f[way] + b2 * f[way + 1] + n[2] * f[way + 2]
        behind, far = hit_ground(f, w, x, y, z, dx, dy, dz)
        wall = NO_HIT
        if fixed:
            wall = hit_tray(f, w, x, y, z, dx, dy, dz, far)
        if wall < NO_HIT:
            behind, far = w[w[W_FIXED]], wall
        if is_ground and behind != NOTHING:
            mean_colour(f, w, behind, colour)
            for c in range(3):
                light[FALL0 + c] += colour[c] * f[LEVEL + c] * NEAR_SHARE / count
        loose = NOTHING
        if barred:
            loose, _ = hit_loose(f, w, x, y, z, dx, dy, dz, min(far, MAX_MM))
        seen = loose if loose >= 0 else behind
        if seen != NOTHING:
            mean_colour(f, w, seen, colour)
            for c in range(3):
                light[FALL + c] += colour[c] * f[LEVEL + c] * NEAR_SHARE / count
            _lean(light, dx, dy, dz, colour[1] * f[LEVEL + 1] * NEAR_SHARE / count)


@njit(**JIT)
def _from_lamp(f, w, lamp, which, cell, x, y, z, n, eye, rough, is_ground, light):
    o = w[F_LAMPS] + LAMP * lamp
    is_sharp = f[o + 7] > 0
    bump = 3 if is_sharp else 0  # sharp light uses the bumped normal, soft light the smooth one
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
        barred = may_block(w, cell, LAMP_WORD + lamp, bit, True)
        if barred and hit_tray(f, w, x, y, z, dx, dy, dz, far) < NO_HIT:
            continue
        strength = turned / (far * far) / samples
        strength *= 1 - hidden_by_shades(f, w, x, y, z, f[p], f[p + 1], f[p + 2], f[o + 3])
        if strength <= 0:
            continue
        r = g = b = 1.0
        if may_block(w, cell, LAMP_WORD + lamp, bit, False):
            r, g, b = transmitted_light(f, w, x, y, z, dx, dy, dz, far)
        _lean(light, dx, dy, dz, strength * g * f[o + 5])
        strength *= facing
        empty += strength
        red += strength * r
        green += strength * g
        blue += strength * b
    if empty <= 0:
        return
    gleam = 0.0
    if rough < MAX_SHINY_ROUGHNESS:
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
    """Return the GGX highlight of the lamp at index `o`, widened by the lamp's size, as a share of its light."""
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
def bump_factor(light, n):
    """Return the ratio of the soft light on a bump-mapped surface to that on a smooth one.

    Args:
        light: Light (LIGHT,) on the point.
        n: Smooth normal and bump-mapped normal (6,).
    """
    smooth = n[0] * light[VECTOR] + n[1] * light[VECTOR + 1] + n[2] * light[VECTOR + 2]
    bumped = n[3] * light[VECTOR] + n[4] * light[VECTOR + 1] + n[5] * light[VECTOR + 2]
    if smooth <= 1e-9:
        return 1.0
    return min(1.7, max(0.35, bumped / smooth))
