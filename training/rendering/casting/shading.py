"""Compiled calculation of the light from a point to the camera: diffuse, mirrored, and through glass."""

import numpy as np
from numba import njit

from training.rendering.casting.intersections import JIT, NO_HIT, to_own_axes
from training.rendering.casting.irradiance import MAX_MM, NEAR_SHARE
from training.rendering.casting.ray_queries import hit_ground, hit_loose, hit_tray
from training.rendering.casting.scene_layout import (
    AT,
    COVER,
    DIE,
    F_SOLID,
    F_SOLIDS,
    FLOOR,
    FLOOR_COVER,
    FORM,
    HALF,
    LEVEL,
    NOTHING,
    TABLE_COVER,
    TURN,
    W_FIXED,
    W_SOLID,
    W_SOLIDS,
)  # fmt: skip
from training.rendering.casting.surface_lookup import face_at, look_up_cover, look_up_sheet
from training.rendering.casting.surface_points import (
    BLUE,
    BX,
    BY,
    BZ,
    CAVE,
    CLEAR,
    GREEN,
    METAL,
    NX,
    NY,
    NZ,
    RED,
    ROUGH,
    mean_colour,
    room_ambient,
    room_reflection,
)  # fmt: skip

PI = np.pi
AIR_TO_GLASS = 1 / 1.49
GLASS_BOUNCES = 3  # reflections inside a glass die
MAX_MIRROR_ROUGHNESS = 0.5  # below this roughness a surface mirrors its surroundings
GLASS_SHARE = 0.75  # brightness inside a glass die relative to a place without shadows
BELOW_GLASS_SHARE = 0.6  # brightness of the ground below it


@njit(**JIT)
def radiance_along(f, w, x, y, z, dx, dy, dz, rough, loose, dim, sheet, out):
    """Store in `out` the approximate light that a point receives from the direction of a ray.

    Args:
        f: Floats of the packed scene (see `scene_layout`).
        w: Integers of the packed scene (see `scene_layout`).
        x: X of the point, in millimetres.
        y: Y of the point, in millimetres.
        z: Z of the point, in millimetres.
        dx: X of the unit vector along the ray.
        dy: Y of the unit vector along the ray.
        dz: Z of the unit vector along the ray.
        rough: Roughness of the surface that mirrors the light, 0 to 1.
        loose: Whether to include dice, foreign objects and hands. If false, the tray is empty.
        dim: Brightness of the ground where the ray hits it, relative to a place without shadows.
        sheet: Working memory (10,) for a face of a die.
        out: Array (3,) that receives the linear RGB light.
    """
    ground, far = hit_ground(f, w, x, y, z, dx, dy, dz)
    wall = hit_tray(f, w, x, y, z, dx, dy, dz, min(far, MAX_MM))
    found, t = NOTHING, min(far, wall, MAX_MM)
    if loose:
        found, t = hit_loose(f, w, x, y, z, dx, dy, dz, t)
    lit = NEAR_SHARE
    if found == NOTHING and wall < NO_HIT:
        found = w[w[W_FIXED]]
    if found >= 0 and w[w[W_SOLIDS] + found * W_SOLID + FORM] == DIE:
        _face_colour(f, w, found, x + t * dx, y + t * dy, z + t * dz, sheet)
        out[0], out[1], out[2] = sheet[0], sheet[1], sheet[2]
    elif found != NOTHING:
        mean_colour(f, w, found, out)
    elif ground != NOTHING:
        cover = w[FLOOR_COVER if ground == FLOOR else TABLE_COVER]
        out[0], out[1], out[2], _, _ = look_up_cover(
            f, w, cover, x + t * dx, y + t * dy, 0.4 + rough * t
        )
        lit = dim
    else:
        room_reflection(f, w, dx, dy, dz, rough, out)
        return
    for c in range(3):
        out[c] *= f[LEVEL + c] * lit / PI


@njit(**JIT)
def _face_colour(f, w, found, x, y, z, sheet):
    """Store in `sheet` the channels of a face of a die at a point on it, so that mirrored dice have pips."""
    o, style = w[F_SOLIDS] + found * F_SOLID, w[w[W_SOLIDS] + found * W_SOLID + COVER]
    half = f[o + HALF]
    p, q, r = to_own_axes(
        f,
        o + TURN,
        (x - f[o + AT]) / half,
        (y - f[o + AT + 1]) / half,
        (z - f[o + AT + 2]) / half,
    )
    face, i, j = face_at(p, q, r)
    look_up_sheet(f, w, style, face, i, j, sheet)


@njit(**JIT)
def shade_point(f, w, found, x, y, z, dx, dy, dz, met, fall, gleam, loose, sheet, work, out):
    """Store in `out` the light that reaches the camera from a point on a surface.

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
        met: Description (SURFACE_FIELDS,) of the surface at the point.
        fall: Light (3,) that falls on the point.
        gleam: Part (3,) of that light that is reflected as a highlight.
        loose: Whether to include dice, foreign objects and hands. If false, the tray is empty.
        sheet: Working memory (10,) for a face of a die.
        work: Working memory (3,).
        out: Array (3,) that receives the linear RGB light.
    """
    nx, ny, nz = met[BX], met[BY], met[BZ]
    along = nx * dx + ny * dy + nz * dz
    facing = min(1.0, max(0.02, -along))
    rough, metal, clear = met[ROUGH], met[METAL], met[CLEAR]
    # reflectance of a rough mirror (Karis, Physically Based Shading on Mobile, 2014)
    smooth = 1 - rough
    a = min(smooth * smooth, 2.0 ** (-9.28 * facing)) * smooth - 0.0275 * rough + 0.0425
    scale, add = -1.04 * a - 0.572 * rough + 1.04, 1.04 * a + 0.022 * rough - 0.04
    u, v, s = dx - 2 * along * nx, dy - 2 * along * ny, dz - 2 * along * nz
    px, py, pz = x + 0.1 * met[NX], y + 0.1 * met[NY], z + 0.1 * met[NZ]
    _mirror(f, w, px, py, pz, u, v, s, rough, loose, fall, sheet, work)
    cave = 1 - met[CAVE]
    for c in range(3):
        base = met[RED + c]
        first = 0.04 * (1 - metal) + base * metal
        body = base * (1 - metal) * (1 - clear) * 0.96
        fresnel = first + (1 - first) * (1 - facing) ** 5 * smooth
        mirrored = max(0.0, first * scale + add) * work[c]
        out[c] = cave * ((body * fall[c] + fresnel * gleam[c]) / PI + mirrored)
    if clear > 0.02:
        _through(f, w, found, x, y, z, dx, dy, dz, met, loose, sheet, work)
        milky = min(1.0, 2.2 * rough)
        for c in range(3):
            frost = met[RED + c] * (0.55 * fall[c] + 0.3 * f[LEVEL + c]) / PI
            out[c] += clear * 0.92 * (work[c] * (1 - milky) + frost * milky)


@njit(**JIT)
def _mirror(f, w, x, y, z, dx, dy, dz, rough, loose, fall, sheet, out):
    if rough < MAX_MIRROR_ROUGHNESS:
        radiance_along(f, w, x, y, z, dx, dy, dz, rough, loose, NEAR_SHARE, sheet, out)
        if rough < 0.5 * MAX_MIRROR_ROUGHNESS:
            return
    clear_r, clear_g, clear_b = out[0], out[1], out[2]
    room_ambient(f, dx, dy, max(dz, 0.0), out)
    for c in range(3):  # scaled by the share of the room that the point sees
        out[c] *= min(1.0, fall[c] / max(f[LEVEL + c], 1e-6))
    if rough < MAX_MIRROR_ROUGHNESS:  # a rougher surface blurs its surroundings
        share = 2 * (1 - rough / MAX_MIRROR_ROUGHNESS)
        out[0] += (clear_r - out[0]) * share
        out[1] += (clear_g - out[1]) * share
        out[2] += (clear_b - out[2]) * share


@njit(**JIT)
def _through(f, w, found, x, y, z, dx, dy, dz, met, loose, sheet, out):
    """Store in `out` the light (3,) that is visible through a transparent solid."""
    if found >= 0 and w[w[W_SOLIDS] + found * W_SOLID + FORM] == DIE:
        _inside(f, w, found, x, y, z, dx, dy, dz, met, loose, sheet, out)
        return
    step = 2.0 if found < 0 else 2 * f[w[F_SOLIDS] + found * F_SOLID + HALF + 2] + 0.5
    radiance_along(
        f,
        w,
        x + step * dx,
        y + step * dy,
        z + step * dz,
        dx,
        dy,
        dz,
        0.1,
        loose,
        BELOW_GLASS_SHARE,
        sheet,
        out,
    )
    for c in range(3):
        out[c] *= met[RED + c]


@njit(**JIT)
def _inside(f, w, found, x, y, z, dx, dy, dz, met, loose, sheet, out):
    """Store in `out` the light (3,) that comes from inside a glass die: the backs of its pips, and refracted light."""
    o, style = w[F_SOLIDS] + found * F_SOLID, w[w[W_SOLIDS] + found * W_SOLID + COVER]
    half, t = f[o + HALF], o + TURN
    cosine = -(met[NX] * dx + met[NY] * dy + met[NZ] * dz)
    k = AIR_TO_GLASS * cosine - np.sqrt(max(0.0, 1 - AIR_TO_GLASS**2 * (1 - cosine * cosine)))
    dx, dy, dz = (
        AIR_TO_GLASS * dx + k * met[NX],
        AIR_TO_GLASS * dy + k * met[NY],
        AIR_TO_GLASS * dz + k * met[NZ],
    )
    p, q, r = to_own_axes(
        f, t, (x - f[o + AT]) / half, (y - f[o + AT + 1]) / half, (z - f[o + AT + 2]) / half
    )
    u, v, s = to_own_axes(f, t, dx, dy, dz)
    red, green, blue = np.sqrt(met[RED]), np.sqrt(met[GREEN]), np.sqrt(met[BLUE])
    out[0] = out[1] = out[2] = 0.0
    for _ in range(GLASS_BOUNCES):
        iu, iv, iw = 1 / _safe(u), 1 / _safe(v), 1 / _safe(s)
        a, b, c = abs(iu) - p * iu, abs(iv) - q * iv, abs(iw) - r * iw
        far = max(0.0, min(a, b, c))
        p, q, r = p + far * u, q + far * v, r + far * s
        face, i, j = face_at(p, q, r)
        look_up_sheet(f, w, style, face, i, j, sheet)
        opaque = 1 - sheet[6]
        out[0] += opaque * red * sheet[0] * f[LEVEL] * GLASS_SHARE / PI
        out[1] += opaque * green * sheet[1] * f[LEVEL + 1] * GLASS_SHARE / PI
        out[2] += opaque * blue * sheet[2] * f[LEVEL + 2] * GLASS_SHARE / PI
        red, green, blue = red * sheet[6], green * sheet[6], blue * sheet[6]
        across = abs(u) if a <= min(b, c) else abs(v) if b <= c else abs(s)
        if 1.49 * np.sqrt(max(0.0, 1 - across * across)) < 1:
            break
        if a <= min(b, c):
            u = -u
        elif b <= c:
            v = -v
        else:
            s = -s
    red, green, blue = red * np.sqrt(sheet[0]), green * np.sqrt(sheet[1]), blue * np.sqrt(sheet[2])
    gx = f[t] * u + f[t + 1] * v + f[t + 2] * s
    gy = f[t + 3] * u + f[t + 4] * v + f[t + 5] * s
    gz = f[t + 6] * u + f[t + 7] * v + f[t + 8] * s
    ex = f[o + AT] + half * (f[t] * p + f[t + 1] * q + f[t + 2] * r)
    ey = f[o + AT + 1] + half * (f[t + 3] * p + f[t + 4] * q + f[t + 5] * r)
    ez = f[o + AT + 2] + half * (f[t + 6] * p + f[t + 7] * q + f[t + 8] * r)
    radiance_along(
        f,
        w,
        ex + 0.3 * gx,
        ey + 0.3 * gy,
        max(ez + 0.3 * gz, 0.01),
        gx,
        gy,
        gz,
        0.05,
        loose,
        BELOW_GLASS_SHARE,
        sheet,
        sheet,
    )
    out[0] += red * sheet[0]
    out[1] += green * sheet[1]
    out[2] += blue * sheet[2]


@njit(**JIT)
def _safe(value):
    return value if abs(value) > 1e-6 else 1e-6
