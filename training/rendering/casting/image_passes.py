"""Compiled passes over all pixels: find the visible surfaces, the light on them, and the light to the camera."""

import numpy as np
from numba import njit

from training.rendering.casting.intersections import JIT, hit_solid
from training.rendering.casting.irradiance import (
    FALL0,
    LIGHT,
    SHEEN,
    VECTOR,
    bump_factor,
    gather_irradiance,
)
from training.rendering.casting.pointers import floats_at, ints_at
from training.rendering.casting.ray_queries import hit_ground
from training.rendering.casting.scene_layout import (
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
from training.rendering.casting.shading import shade_point
from training.rendering.casting.shadow_masks import cell_of
from training.rendering.casting.surface_points import (
    BX,
    NX,
    ROUGH,
    describe_surface,
    room_reflection,
)

NORMALS = 7  # numbers per pixel: smooth normal, bumped normal, roughness
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
"""Offsets of the working arrays in the scratch memory."""


@njit(**JIT)
def pixel_ray(f, w, px, py):
    """Return the direction, as a unit vector, of the camera ray through a point in the image.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        px: Column in the image.
        py: Row in the image.
    """
    a, b, c = px - w[WIDTH] / 2, py - w[HEIGHT] / 2, f[FOCAL]
    length = np.sqrt(a * a + b * b + c * c)
    a, b, c = a / length, b / length, c / length
    t = EYE_TURN
    return (
        f[t] * a + f[t + 3] * b + f[t + 6] * c, f[t + 1] * a + f[t + 4] * b + f[t + 7] * c,
        f[t + 2] * a + f[t + 5] * b + f[t + 8] * c,
    )  # fmt: skip


@njit(**JIT)
def is_tray_part(w, found):
    """Return whether a surface belongs to the empty tray and not to a die, a foreign object or a hand.

    Args:
        w: Integers of the packed scene (see `scene_layout`).
        found: Number of the solid that the ray hit, or FLOOR, TABLE or NOTHING.
    """
    return found < 0 or w[w[W_SOLIDS] + found * W_SOLID + PART] == 0


@njit(**JIT)
def first_hit(f, w, px, py, dx, dy, dz, loose):
    """Return the number of the first surface that a camera ray hits, and its distance in millimetres.

    If the ray hits no solid, the number is FLOOR, TABLE or NOTHING.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        px: Column in the image.
        py: Row in the image.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        loose: Whether to include dice, foreign objects and hands. If false, the tray is empty.
    """
    x, y, z = f[EYE], f[EYE + 1], f[EYE + 2]
    found, far = hit_ground(f, w, x, y, z, dx, dy, dz)
    size = w[TILE]
    across = (w[WIDTH] + size - 1) // size
    column = min(max(int(px) // size, 0), across - 1)
    tile = min(max(int(py), 0), w[HEIGHT] - 1) // size * across + column
    for k in range(w[W_SEEN] + w[w[W_TILES] + tile], w[W_SEEN] + w[w[W_TILES] + tile + 1]):
        if loose or is_tray_part(w, w[k]):
            t = hit_solid(f, w, w[k], x, y, z, dx, dy, dz)
            if t < far:
                found, far = w[k], t
    return found, far


@njit(**JIT)
def find_surfaces(floats, whole, scratch, loose, only, found, far, normals):
    """Find the surface that each chosen pixel shows, and fill `found`, `far` and `normals`.

    Args:
        floats: Floats of the packed scene (see `scene_layout`).
        whole: Integers of the packed scene (see `scene_layout`).
        scratch: Working memory of `SCRATCH` floats.
        loose: Whether to include dice, foreign objects and hands. If false, the tray is empty.
        only: Mask (h, w) of the pixels to work on.
        found: Array (h, w) that receives the number of the surface.
        far: Array (h, w) that receives its distance from the camera in millimetres.
        normals: Array (h, w, NORMALS) that receives the smooth normal, bump-mapped normal and roughness.
    """
    f, w = floats_at(floats.ctypes.data), ints_at(whole.ctypes.data)
    at = scratch.ctypes.data
    met, sheet = floats_at(at + 4 * MET), floats_at(at + 4 * SHEET)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            if not only[i, j]:
                continue
            dx, dy, dz = pixel_ray(f, w, j + 0.5, i + 0.5)
            one, t = first_hit(f, w, j + 0.5, i + 0.5, dx, dy, dz, loose)
            found[i, j], far[i, j] = one, t
            if one == NOTHING:
                continue
            x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
            describe_surface(f, w, one, x, y, z, dx, dy, dz, t / f[FOCAL], sheet, met)
            for k in range(6):
                normals[i, j, k] = met[NX + k]
            normals[i, j, 6] = met[ROUGH]


@njit(**JIT)
def plan_light(whole, only, found, looked):
    """Decide how each pixel gets its light with soft shadows, and fill `looked` with a code for it.

    A pixel of a die or an object gathers its own light (1). In the empty tray, one pixel in four
    gathers light (2), and the others interpolate it (3). A pixel that is not chosen gets 0.

    Args:
        whole: Integers of the packed scene (see `scene_layout`).
        only: Mask (h, w) of the pixels to work on.
        found: Number (h, w) of the surface that each pixel shows.
        looked: Array (h, w) that receives the codes.
    """
    w = ints_at(whole.ctypes.data)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            looked[i, j] = 0
            if only[i, j] and found[i, j] != NOTHING:
                looked[i, j] = (
                    1 if not is_tray_part(w, found[i, j]) else 2 if (i & 1) + (j & 1) == 0 else 3
                )


@njit(**JIT)
def gather_light(floats, whole, scratch, sharp, looked, found, far, normals, lights):
    """Fill `lights` with the light that falls on the surface that each pixel shows.

    Light with sharp shadows is gathered for every pixel, light with soft shadows only where `looked` is 1 or 2.

    Args:
        floats: Floats of the packed scene (see `scene_layout`).
        whole: Integers of the packed scene (see `scene_layout`).
        scratch: Working memory of `SCRATCH` floats.
        sharp: Whether to gather the light of lamps with sharp shadows. If not, all other light is gathered.
        looked: Codes (h, w) of how each pixel gets its soft light, as set by `plan_light`.
        found: Number (h, w) of the surface that each pixel shows.
        far: Distance (h, w) of that surface from the camera in millimetres.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        lights: Array (h, w, LIGHT) that receives the light.
    """
    f, w = floats_at(floats.ctypes.data), ints_at(whole.ctypes.data)
    at = scratch.ctypes.data
    colour, back = floats_at(at + 4 * WORK), floats_at(at + 4 * BACK)
    n, light = floats_at(at + 4 * NORMAL), floats_at(at + 4 * OWN)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            how = looked[i, j]
            if how == 0 or (how == 3 and not sharp):
                continue
            dx, dy, dz = pixel_ray(f, w, j + 0.5, i + 0.5)
            t = far[i, j]
            x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
            back[0], back[1], back[2] = -dx, -dy, -dz
            for k in range(6):
                n[k] = normals[i, j, k]
            which = (i >> 1 & 3) * 4 + (j >> 1 & 3) if how == 2 else (i & 3) * 4 + (j & 3)
            is_ground = is_tray_part(w, found[i, j])
            cell = cell_of(f, w, x, y) if found[i, j] < 0 else -1
            gather_irradiance(
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
def fill_gaps(floats, whole, scratch, looked, found, far, normals, lights):
    """Gather soft light for pixels whose `looked` is -1 because no neighbour could supply any.

    Args:
        floats: Floats of the packed scene (see `scene_layout`).
        whole: Integers of the packed scene (see `scene_layout`).
        scratch: Working memory of `SCRATCH` floats.
        looked: Codes (h, w) of how each pixel gets its soft light, as set by `plan_light`.
        found: Number (h, w) of the surface that each pixel shows.
        far: Distance (h, w) of that surface from the camera in millimetres.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        lights: Array (h, w, LIGHT) that receives the light.
    """
    f, w = floats_at(floats.ctypes.data), ints_at(whole.ctypes.data)
    at = scratch.ctypes.data
    colour, back = floats_at(at + 4 * WORK), floats_at(at + 4 * BACK)
    n, light = floats_at(at + 4 * NORMAL), floats_at(at + 4 * OWN)
    for i in range(found.shape[0]):
        for j in range(found.shape[1]):
            if looked[i, j] != -1:
                continue
            dx, dy, dz = pixel_ray(f, w, j + 0.5, i + 0.5)
            t = far[i, j]
            x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
            back[0], back[1], back[2] = -dx, -dy, -dz
            for k in range(6):
                n[k] = normals[i, j, k]
            for k in range(LIGHT):
                lights[i, j, k] = 0.0
            cell = cell_of(f, w, x, y) if found[i, j] < 0 else -1
            for which in range(0, SETS, 4):
                gather_irradiance(
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
def mark_changed(soft, hard, least, out):
    """Mark the pixels on which the light differs from that in the empty tray.

    Args:
        soft: Light with soft shadows (h, w, LIGHT).
        hard: Light with sharp shadows (h, w, LIGHT).
        least: Smallest relative difference that counts.
        out: Mask (h, w) that receives the result.
    """
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
def needs_supersampling(w, found, normals, i, j):
    """Return whether a pixel needs several rays, because it shows a die or an edge.

    Args:
        w: Integers of the packed scene (see `scene_layout`).
        found: Number (h, w) of the surface that each pixel shows.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        i: Row of the pixel.
        j: Column of the pixel.
    """
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
def shade_image(floats, whole, scratch, loose, only, found, far, normals, soft, hard, out):
    """Fill `out` with the light that reaches the camera at the chosen pixels.

    Args:
        floats: Floats of the packed scene (see `scene_layout`).
        whole: Integers of the packed scene (see `scene_layout`).
        scratch: Working memory of `SCRATCH` floats.
        loose: Whether to include dice, foreign objects and hands. If false, the tray is empty.
        only: Mask (h, w) of the pixels to work on.
        found: Number (h, w) of the surface that each pixel shows.
        far: Distance (h, w) of that surface from the camera in millimetres.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        soft: Light with soft shadows (h, w, LIGHT).
        hard: Light with sharp shadows (h, w, LIGHT).
        out: Array (h, w, 3) that receives the linear RGB light.
    """
    f, w = floats_at(floats.ctypes.data), ints_at(whole.ctypes.data)
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
            many = needs_supersampling(w, found, normals, i, j)
            count = 4 if many else 1
            for c in range(3):
                out[i, j, c] = 0.0
            for k in range(count):
                px = j + ((0.375, 0.875, 0.125, 0.625)[k] if many else 0.5)
                py = i + ((0.125, 0.375, 0.625, 0.875)[k] if many else 0.5)
                dx, dy, dz = pixel_ray(f, w, px, py)
                one, t = found[i, j], far[i, j]
                if many:
                    one, t = first_hit(f, w, px, py, dx, dy, dz, loose)
                if one == NOTHING:
                    room_reflection(f, w, dx, dy, dz, 0.0, rgb)
                else:
                    x, y, z = f[EYE] + t * dx, f[EYE + 1] + t * dy, f[EYE + 2] + t * dz
                    px_mm = t / f[FOCAL] * (0.6 if many else 1.0)
                    describe_surface(f, w, one, x, y, z, dx, dy, dz, px_mm, sheet, met)
                    y0, x0 = i, j
                    if many:
                        y0, x0 = best_neighbour(found, normals, one, met, i, j)
                    for c in range(6):
                        n[c] = met[NX + c]
                    bumps, row = 1.0, 0 if loose else FALL0
                    if y0 < 0:
                        back[0], back[1], back[2] = -dx, -dy, -dz
                        which = (i & 3) * 4 + (j & 3)
                        is_ground = is_tray_part(w, one)
                        cell = cell_of(f, w, x, y) if one < 0 else -1
                        gather_irradiance(
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
                        gather_irradiance(
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
                        bumps = bump_factor(more, n)
                        for c in range(3):
                            fall[c] = own[row + c] + more[row + c] * bumps
                            gleam[c] = own[row + SHEEN + c] + more[row + SHEEN + c]
                    else:
                        for c in range(3):
                            more[VECTOR + c] = soft[y0, x0, VECTOR + c]
                        bumps = bump_factor(more, n)
                        for c in range(3):
                            fall[c] = hard[y0, x0, row + c] + soft[y0, x0, row + c] * bumps
                            gleam[c] = hard[y0, x0, row + SHEEN + c] + soft[y0, x0, row + SHEEN + c]
                    shade_point(
                        f, w, one, x, y, z, dx, dy, dz, met, fall, gleam, loose, sheet, work, rgb
                    )
                for c in range(3):
                    out[i, j, c] += rgb[c] / count


@njit(**JIT)
def best_neighbour(found, normals, one, met, i, j):
    """Return the row and column of the pixel near a point whose gathered light fits it best, or -1, -1.

    Args:
        found: Number (h, w) of the surface that each pixel shows.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS) of each pixel.
        one: Number of the surface at the point.
        met: Description (SURFACE_FIELDS,) of the surface at the point.
        i: Row of the pixel in which the point lies.
        j: Column of the pixel in which the point lies.
    """
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
