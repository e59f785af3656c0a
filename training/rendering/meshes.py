"""Makes meshes of dice and other solids: points, faces and texture coordinates.

This module does not need Blender.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.scenes.dice.bodies import HEIGHT
from training.scenes.dice.die_sheet import DieSheet
from training.scenes.dice.die_style import DieStyle
from training.scenes.world import FACE_NORMALS, Cover, Form, Solid, Vector, face_axes

ARC_STEPS = 4  # segments of a rounded edge
ROUND_STEPS = 32  # segments of a cylinder
COARSE, FINE = 8, 72
"""Number of cells across the flat part of a face with printed pips, and of a face whose pips are dents."""


@dataclass(frozen=True)
class SurfaceMesh:
    """The surface of a solid as a mesh.

    Attributes:
        points: Points (n, 3).
        normals: Normals (n, 3) at the points, or None for flat shading.
        loops: Numbers of the points at the corners of all faces, one face after the other.
        sizes: Number of corners of each face.
        uv: Texture coordinates (len(loops), 2) of each corner of each face.
    """

    points: Vector
    normals: Vector | None
    loops: NDArray[np.int32]
    sizes: NDArray[np.int32]
    uv: Vector

    @property
    def starts(self) -> NDArray[np.int32]:
        """Index in `loops` of the first corner of each face."""
        return np.asarray(np.concatenate([[0], np.cumsum(self.sizes)[:-1]]), np.int32)


def make_die_mesh(style: DieStyle, sheet: DieSheet | None) -> SurfaceMesh:
    """Return the mesh of a die with an edge of 1.

    Args:
        style: Appearance of the set of dice.
        sheet: The unrolled faces, whose pips become dents. None makes flat faces.
    """
    steps = _steps(1 - style.edge, style.edge, COARSE if sheet is None else FINE)
    sides = [_side(np.array(n, float), v, steps, style, sheet) for v, n in FACE_NORMALS.items()]
    return _joined(sides, smooth_from_faces=sheet is not None)


def _steps(inner: float, edge: float, flat: int) -> Vector:
    """Return positions of mesh points across a face, denser where the face is rounded."""
    arc = np.tan(np.linspace(0, np.pi / 4, ARC_STEPS + 1)[1:]) * edge
    return np.concatenate([-(inner + arc)[::-1], np.linspace(-inner, inner, flat + 1), inner + arc])


def _side(
    n: Vector, value: int, steps: Vector, style: DieStyle, sheet: DieSheet | None
) -> tuple[Vector, Vector, NDArray[np.int32], Vector]:
    u, v = face_axes(n)
    a, b = np.meshgrid(steps, steps, indexing="ij")
    points, normals = _rounded(n + a[..., None] * u + b[..., None] * v, style.edge, style.ball)
    s, t = (points @ u + 1) / 2, (points @ v + 1) / 2
    row, column = divmod(value - 1, 3)
    uv = np.stack([(column + s) / 3, 1 - (row + t) / 2], axis=2)
    if sheet is not None:
        points = points + n * _heights(sheet.faces[value - 1], s, t)[..., None]
    return points / 2, normals, _quads(len(steps)), uv


def _rounded(cube: Vector, edge: float, ball: float) -> tuple[Vector, Vector]:
    """Move points of a cube with half edge 1 onto the rounded shape, and return them with their normals.

    `edge` is the radius of the rounded edges, `ball` that of the ball that cuts off the corners.
    """
    body = cube.clip(-(1 - edge), 1 - edge)
    away = cube - body
    normals = away / np.linalg.norm(away, axis=-1, keepdims=True).clip(1e-9)
    points = body + edge * normals
    far = np.linalg.norm(points, axis=-1, keepdims=True)
    cut = far > ball
    return points * np.minimum(1, ball / far), np.where(cut, points / far, normals)


def _heights(face: Vector, s: Vector, t: Vector) -> Vector:
    """Return how far the surface of a face sticks out at points (s, t), in half edges."""
    px = len(face)
    x, y = (k.clip(0, 1) * (px - 1) for k in (s, t))
    i, j = y.astype(int).clip(0, px - 2), x.astype(int).clip(0, px - 2)
    v, u = y - i, x - j
    h = face[..., HEIGHT]
    low = h[i, j] * (1 - u) + h[i, j + 1] * u
    high = h[i + 1, j] * (1 - u) + h[i + 1, j + 1] * u
    return np.asarray(low * (1 - v) + high * v)


def _quads(count: int) -> NDArray[np.int32]:
    """Return the faces (m, 4) of a square grid of `count` by `count` points, as point numbers."""
    grid = np.arange(count * count).reshape(count, count)
    quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
    return np.asarray(quads.reshape(-1, 4), np.int32)


def _joined(
    sides: list[tuple[Vector, Vector, NDArray[np.int32], Vector]], *, smooth_from_faces: bool
) -> SurfaceMesh:
    points, normals, faces, uvs, start = [], [], [], [], 0
    for p, n, f, uv in sides:
        points.append(p.reshape(-1, 3))
        normals.append(n.reshape(-1, 3))
        faces.append(f + start)
        uvs.append(uv.reshape(-1, 2)[f.ravel()])
        start += len(points[-1])
    loops = np.concatenate(faces)
    all_points = np.concatenate(points)
    own = _averaged(all_points, loops) if smooth_from_faces else np.concatenate(normals)
    return SurfaceMesh(
        all_points, own, loops.ravel(), np.full(len(loops), 4, np.int32), np.concatenate(uvs)
    )


def _averaged(points: Vector, faces: NDArray[np.int32]) -> Vector:
    """Return the normal at each point (n, 3): the mean of the normals of the adjacent faces."""
    a, b, c, d = (points[faces[:, k]] for k in range(4))
    across = np.cross(c - a, d - b)
    out = np.zeros_like(points)
    for k in range(4):
        np.add.at(out, faces[:, k], across)
    return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True).clip(1e-12))


def make_solid_mesh(solid: Solid, cover: Cover) -> SurfaceMesh:
    """Return the mesh of a solid in the solid's own axes, in millimetres.

    Args:
        solid: The solid, such as a wall or a foreign object.
        cover: Its surface material.
    """
    if solid.form is Form.BOX:
        mesh = _box(solid)
    elif solid.form is Form.HULL and solid.planes is not None:
        mesh = _hull(solid.planes)
    else:
        mesh = _turned(_profile(solid), solid)
    return SurfaceMesh(mesh.points, mesh.normals, mesh.loops, mesh.sizes, _laid(mesh, cover))


def _box(solid: Solid) -> SurfaceMesh:
    radius = min(solid.round_mm, float(solid.half.min()))
    sides = []
    for n in FACE_NORMALS.values():
        normal = np.array(n, float)
        u, v = face_axes(normal)
        across, along = (_line(float(np.abs(k) @ solid.half), radius) for k in (u, v))
        a, b = np.meshgrid(across, along, indexing="ij")
        cube = normal * solid.half + a[..., None] * u + b[..., None] * v
        body = cube.clip(-(solid.half - radius), solid.half - radius)
        away = cube - body if radius else np.broadcast_to(normal, cube.shape)
        normals = away / np.linalg.norm(away, axis=-1, keepdims=True).clip(1e-9)
        points = body + radius * normals if radius else cube
        sides.append(
            (points, normals, _grid_quads(len(across), len(along)), np.zeros((*a.shape, 2)))
        )
    return _joined(sides, smooth_from_faces=False)


def _line(half: float, radius: float) -> Vector:
    if not radius:
        return np.array([-half, half])
    arc = np.tan(np.linspace(0, np.pi / 4, 3)[1:]) * radius
    inner = half - radius
    return np.concatenate(
        [-(inner + arc)[::-1], [-inner, inner] if inner > 0 else [0.0], inner + arc]
    )


def _grid_quads(rows: int, columns: int) -> NDArray[np.int32]:
    grid = np.arange(rows * columns).reshape(rows, columns)
    quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
    return np.asarray(quads.reshape(-1, 4), np.int32)


def _profile(solid: Solid) -> Vector:
    """Return the outline (n, 2) of a solid of revolution around z: radii and heights, from the bottom up."""
    radius, half = float(solid.half[0]), float(solid.half[2])
    arc = np.linspace(0, np.pi / 2, 6)
    if solid.form is Form.BALL:
        angle = np.linspace(-np.pi / 2, np.pi / 2, 17)
        return np.column_stack([np.cos(angle), np.sin(angle)])
    edge = radius if solid.form is Form.CAPSULE else min(solid.round_mm, radius, half)
    straight = half if solid.form is Form.CAPSULE else half - edge
    top = np.column_stack([radius - edge + edge * np.cos(arc), straight + edge * np.sin(arc)])
    ring = np.concatenate([top[::-1] * (1, -1), top])
    return np.concatenate([[[0, ring[0, 1]]], ring, [[0, ring[-1, 1]]]])


def _turned(profile: Vector, solid: Solid) -> SurfaceMesh:
    angles = np.arange(ROUND_STEPS) * 2 * np.pi / ROUND_STEPS
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    points = np.concatenate([
        np.column_stack([ways * r, np.full(ROUND_STEPS, z)]) for r, z in profile
    ])  # fmt: skip
    if solid.form is Form.BALL:
        points = points * solid.half
    elif solid.half[1] != solid.half[0]:
        points = points * (1, solid.half[1] / solid.half[0], 1)
    grid = np.arange(len(points)).reshape(len(profile), ROUND_STEPS)
    nexts = np.roll(grid, -1, axis=1)
    quads = np.stack([grid[:-1], nexts[:-1], nexts[1:], grid[1:]], axis=2).reshape(-1, 4)
    normals = None if solid.form is Form.CYLINDER else _averaged(points, quads)
    return SurfaceMesh(points, normals, quads.ravel().astype(np.int32), np.full(len(quads), 4, np.int32),
                       np.zeros((quads.size, 2)))  # fmt: skip


def _hull(planes: Vector) -> SurfaceMesh:
    """Return the mesh of a convex hull: the space below all planes (k, 4)."""
    normals, far = planes[:, :3], planes[:, 3]
    corners = []
    for i in range(len(planes)):
        for j in range(i):
            for k in range(j):
                axes = normals[[i, j, k]]
                if abs(np.linalg.det(axes)) > 1e-6:
                    corner = np.linalg.solve(axes, far[[i, j, k]])
                    if (normals @ corner <= far + 1e-6).all():
                        corners.append(corner)
    points = np.unique(np.round(corners, 5), axis=0)
    loops, sizes = [], []
    for normal, away in zip(normals, far, strict=True):
        on = np.flatnonzero(np.abs(points @ normal - away) < 1e-4)
        if len(on) < 3:
            continue
        x = points[on[0]] - points[on].mean(axis=0)
        y = np.cross(normal, x)
        spread = points[on] - points[on].mean(axis=0)
        loops.append(on[np.argsort(np.arctan2(spread @ y, spread @ x))])
        sizes.append(len(on))
    flat = np.concatenate(loops).astype(np.int32)
    return SurfaceMesh(points, None, flat, np.array(sizes, np.int32), np.zeros((len(flat), 2)))


def _laid(mesh: SurfaceMesh, cover: Cover) -> Vector:
    """Return the texture coordinates of a mesh. Each face is projected along the axis nearest to its normal."""
    out = np.empty((len(mesh.loops), 2))
    places = mesh.points[mesh.loops]
    face = np.repeat(np.arange(len(mesh.sizes)), mesh.sizes)
    first = mesh.starts
    a, b, c = (mesh.points[mesh.loops[first + k]] for k in range(3))
    last = mesh.points[mesh.loops[first + mesh.sizes - 1]]
    axis = np.abs(np.cross(c - a, last - b) + np.cross(b - a, c - a)).argmax(axis=1)[face]
    for k, (u, v) in enumerate(((1, 2), (0, 2), (0, 1))):
        out[axis == k] = places[axis == k][:, [u, v]]
    return tile_coordinates(out, cover)


def tile_coordinates(mm: Vector, cover: Cover) -> Vector:
    """Return the texture coordinates (n, 2) of positions on a surface, with rows counted from the bottom.

    Args:
        mm: Positions (n, 2) in millimetres.
        cover: The surface material, whose tiles repeat.
    """
    c, s = np.cos(cover.turn), np.sin(cover.turn)
    turned = np.column_stack([c * mm[:, 0] + s * mm[:, 1], c * mm[:, 1] - s * mm[:, 0]])
    return np.asarray((0, 1) + (turned + cover.shift_mm) / cover.tile_mm * (1, -1))
