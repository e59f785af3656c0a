"""Whole pictures: what each pixel shows, what light falls there, what of it is seen. Compiled."""

import numpy as np
from numba import njit

from training.rendering.casting.lighting_up import FALL0, LIGHT, SHEEN, VECTOR, light_up, relief
from training.rendering.casting.meeting import JIT, meet
from training.rendering.casting.packed import (
    EYE,
    EYE_TURN,
    FOCAL,
    HEIGHT,
    NOTHING,
    PART,
    SETS,
    TILE,
    W_SEEN,
    W_SOLID,
    W_SOLIDS,
    W_TILES,
    WIDTH,
)  # fmt: skip
from training.rendering.casting.pointers import floats_at, whole_at
from training.rendering.casting.seeking import to_ground
from training.rendering.casting.shading import shade
from training.rendering.casting.shadow_cells import cell_of
from training.rendering.casting.surfaces_met import BX, NX, ROUGH, room_at, surface

NORMALS = 7  # the smooth normal, the bumped one, roughness
MET, SHEET, WORK, RGB, FALLEN, GLEAMS, BACK, OWN, MORE, NORMAL, SCRATCH = (
    0,
    16,
    32,
    36,
    40,
    44,
    48,
    52,
    72,
    92,
    104,
)
"""Where in the scratch is what."""


@njit(**JIT)
def ray(f, w, px, py):
    """The way that a place of the picture is seen."""
    a, b, c = px - w[WIDTH] / 2, py - w[HEIGHT] / 2, f[FOCAL]
    length = np.sqrt(a * a + b * b + c * c)
    a, b, c = a / length, b / length, c / length
    t = EYE_TURN
    return (
        f[t] * a + f[t + 3] * b + f[t + 6] * c, f[t + 1] * a + f[t + 4] * b + f[t + 7] * c,
        f[t + 2] * a + f[t + 5] * b + f[t + 8] * c,
    )  # fmt: skip


@njit(**JIT)
def is_fixed(w, found):
    """Whether it belongs to the empty tray."""
    return found < 0 or w[w[W_SOLIDS] + found * W_SOLID + PART] == 0


@njit(**JIT)
def look(f, w, px, py, dx, dy, dz, loose):
    """What is met first, and how far away; `loose`: with dice and things."""
    x, y, z = f[EYE], f[EYE + 1], f[EYE + 2]
    found, far = to_ground(f, w, x, y, z, dx, dy, dz)
    size = w[TILE]
    across = (w[WIDTH] + size - 1) // size
    column = min(max(int(px) // size, 0), across - 1)
    tile = min(max(int(py), 0), w[HEIGHT] - 1) // size * across + column
    for k in range(w[W_SEEN] + w[w[W_TILES] + tile], w[W_SEEN] + w[w[W_TILES] + tile + 1]):
        if loose or is_fixed(w, w[k]):
            t = meet(f, w, w[k], x, y, z, dx, dy, dz)
            if t < far:
                found, far = w[k], t
    return found, far


@njit(**JIT)
def see_all(floats, whole, scratch, loose, only, found, far, normals):
    """Fill `found` (h, w), `far` (h, w) and `normals` (h, w, NORMALS) where `only`."""
    f, w = floats_at(floats.ctypes.data), whole_at(whole.ctypes.data)
    at = scratch.ctypes.data
    met, sheet = floats_at(at + 4 * MET), floats_at(at + 4 * SHEET)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            if not only[i, j]:
                continue
            dx, dy, dz = ray(f, w, j + 0.5, i + 0.5)
            one, t = look(f, w, j + 0.5, i + 0.5, dx, dy, dz, loose)
            found[i, j], far[i, j] = one, t
            if one == NOTHING:
                continue
            x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
            surface(f, w, one, x, y, z, dx, dy, dz, t / f[FOCAL], sheet, met)
            for k in range(6):
                normals[i, j, k] = met[NX + k]
            normals[i, j, 6] = met[ROUGH]


@njit(**JIT)
def plan(whole, only, found, looked):
    """Fill `looked` (h, w): 1 where each pixel looks for soft light, 2 where one in four does, 3 the others."""
    w = whole_at(whole.ctypes.data)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            looked[i, j] = 0
            if only[i, j] and found[i, j] != NOTHING:
                looked[i, j] = (
                    1 if not is_fixed(w, found[i, j]) else 2 if (i & 1) + (j & 1) == 0 else 3
                )


@njit(**JIT)
def light_all(floats, whole, scratch, sharp, looked, found, far, normals, lights):
    """Fill `lights` (h, w, LIGHT): of sharp shadows everywhere, of soft ones where it is `looked`, or missing."""
    f, w = floats_at(floats.ctypes.data), whole_at(whole.ctypes.data)
    at = scratch.ctypes.data
    colour, back = floats_at(at + 4 * WORK), floats_at(at + 4 * BACK)
    n, light = floats_at(at + 4 * NORMAL), floats_at(at + 4 * OWN)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            how = looked[i, j]
            if how == 0 or (how == 3 and not sharp):
                continue
            dx, dy, dz = ray(f, w, j + 0.5, i + 0.5)
            t = far[i, j]
            x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
            back[0], back[1], back[2] = -dx, -dy, -dz
            for k in range(6):
                n[k] = normals[i, j, k]
            which = (i >> 1 & 3) * 4 + (j >> 1 & 3) if how == 2 else (i & 3) * 4 + (j & 3)
            is_ground = is_fixed(w, found[i, j])
            cell = cell_of(f, w, x, y) if found[i, j] < 0 else -1
            light_up(
                f,
                w,
                which,
                cell,
                x,
                y,
                z,
                n,
                back,
                normals[i, j, 6],
                is_ground,
                sharp,
                light,
                colour,
            )
            for k in range(LIGHT):
                lights[i, j, k] = light[k]


@njit(**JIT)
def patch_up(floats, whole, scratch, looked, found, far, normals, lights):
    """Soft light for those pixels alone that no neighbour could give any: `looked` is -1."""
    f, w = floats_at(floats.ctypes.data), whole_at(whole.ctypes.data)
    at = scratch.ctypes.data
    colour, back = floats_at(at + 4 * WORK), floats_at(at + 4 * BACK)
    n, light = floats_at(at + 4 * NORMAL), floats_at(at + 4 * OWN)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            if looked[i, j] != -1:
                continue
            dx, dy, dz = ray(f, w, j + 0.5, i + 0.5)
            t = far[i, j]
            x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
            back[0], back[1], back[2] = -dx, -dy, -dz
            for k in range(6):
                n[k] = normals[i, j, k]
            for k in range(LIGHT):
                lights[i, j, k] = 0.0
            cell = cell_of(f, w, x, y) if found[i, j] < 0 else -1
            for which in range(0, SETS, 4):
                light_up(
                    f,
                    w,
                    which,
                    cell,
                    x,
                    y,
                    z,
                    n,
                    back,
                    normals[i, j, 6],
                    True,
                    False,
                    light,
                    colour,
                )
                for k in range(LIGHT):
                    lights[i, j, k] += light[k] * 4 / SETS


@njit(**JIT)
def changed(soft, hard, least, out):
    """Fill `out` (h, w) with whether more of the light is gone than `least` of it."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            gone = there = 0.0
            for k in range(6):
                there += soft[i, j, FALL0 + k] + hard[i, j, FALL0 + k]
                gone += abs(soft[i, j, FALL0 + k] - soft[i, j, k]) + abs(
                    hard[i, j, FALL0 + k] - hard[i, j, k]
                )
            out[i, j] = gone > least * there


@njit(**JIT)
def is_busy(w, found, normals, i, j):
    """Whether one ray is not enough for a pixel."""
    one = found[i, j]
    if one >= 0 and w[w[W_SOLIDS] + one * W_SOLID + PART] == 1:
        return True  # pips are finer than pixels
    for y in range(max(0, i - 1), min(found.shape[0], i + 2)):
        for x in range(max(0, j - 1), min(found.shape[1], j + 2)):
            if found[y, x] != one:
                return True
            if one >= 0:
                alike = 0.0
                for k in range(3):
                    alike += normals[i, j, k] * normals[y, x, k]
                if alike < 0.97:
                    return True
    return False


@njit(**JIT)
def shade_all(floats, whole, scratch, loose, only, found, far, normals, soft, hard, out):
    """Fill `out` (h, w, 3) where `only`."""
    f, w = floats_at(floats.ctypes.data), whole_at(whole.ctypes.data)
    at = scratch.ctypes.data
    met, sheet, work = floats_at(at + 4 * MET), floats_at(at + 4 * SHEET), floats_at(at + 4 * WORK)
    rgb, fall, gleam = (
        floats_at(at + 4 * RGB),
        floats_at(at + 4 * FALLEN),
        floats_at(at + 4 * GLEAMS),
    )
    back, own, n = floats_at(at + 4 * BACK), floats_at(at + 4 * OWN), floats_at(at + 4 * NORMAL)
    more = floats_at(at + 4 * MORE)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            if not only[i, j]:
                continue
            many = is_busy(w, found, normals, i, j)
            count = 4 if many else 1
            for c in range(3):
                out[i, j, c] = 0.0
            for k in range(count):
                px = j + ((0.375, 0.875, 0.125, 0.625)[k] if many else 0.5)
                py = i + ((0.125, 0.375, 0.625, 0.875)[k] if many else 0.5)
                dx, dy, dz = ray(f, w, px, py)
                one, t = found[i, j], far[i, j]
                if many:
                    one, t = look(f, w, px, py, dx, dy, dz, loose)
                if one == NOTHING:
                    room_at(f, w, dx, dy, dz, 0.0, rgb)
                else:
                    x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
                    px_mm = t / f[FOCAL] * (0.6 if many else 1.0)
                    surface(f, w, one, x, y, z, dx, dy, dz, px_mm, sheet, met)
                    y0, x0 = i, j
                    if many:
                        y0, x0 = nearest(found, normals, one, met, i, j)
                    for c in range(6):
                        n[c] = met[NX + c]
                    bumps, row = 1.0, 0 if loose else FALL0
                    if y0 < 0:
                        back[0], back[1], back[2] = -dx, -dy, -dz
                        which = (i & 3) * 4 + (j & 3)
                        is_ground = is_fixed(w, one)
                        cell = cell_of(f, w, x, y) if one < 0 else -1
                        light_up(
                            f,
                            w,
                            which,
                            cell,
                            x,
                            y,
                            z,
                            n,
                            back,
                            met[ROUGH],
                            is_ground,
                            True,
                            own,
                            work,
                        )
                        light_up(
                            f,
                            w,
                            which,
                            cell,
                            x,
                            y,
                            z,
                            n,
                            back,
                            met[ROUGH],
                            is_ground,
                            False,
                            more,
                            work,
                        )
                        bumps = relief(more, n)
                        for c in range(3):
                            fall[c] = own[row + c] + more[row + c] * bumps
                            gleam[c] = own[row + SHEEN + c] + more[row + SHEEN + c]
                    else:
                        for c in range(3):
                            more[VECTOR + c] = soft[y0, x0, VECTOR + c]
                        bumps = relief(more, n)
                        for c in range(3):
                            fall[c] = hard[y0, x0, row + c] + soft[y0, x0, row + c] * bumps
                            gleam[c] = hard[y0, x0, row + SHEEN + c] + soft[y0, x0, row + SHEEN + c]
                    shade(f, w, one, x, y, z, dx, dy, dz, met, fall, gleam, loose, sheet, work, rgb)
                for c in range(3):
                    out[i, j, c] += rgb[c] / count


@njit(**JIT)
def nearest(found, normals, one, met, i, j):
    """The neighbour whose light is like that of a place, or -1."""
    best, y0, x0 = 0.6, -1, -1
    for y in range(max(0, i - 1), min(found.shape[0], i + 2)):
        for x in range(max(0, j - 1), min(found.shape[1], j + 2)):
            if found[y, x] != one:
                continue
            alike = 0.02 if y == i and x == j else 0.0
            for k in range(3):
                alike += normals[y, x, 3 + k] * met[BX + k]
            if alike > best:
                best, y0, x0 = alike, y, x
    return y0, x0
