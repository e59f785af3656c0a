"""Packs a scene into the two arrays that compiled code reads."""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.random import Generator

from training.rendering.casting import scene_layout as at
from training.rendering.casting.sample_directions import (
    LAMP_POINTS,
    blur_room,
    fit_room_gradient,
    sample_disc,
    sample_hemisphere,
    sample_room,
)
from training.rendering.casting.scene_layout import DIE, HAND, SETS, Floats, Ints, PackedScene
from training.rendering.casting.shadow_masks import fill_masks, words_per_cell
from training.scenes.dice.bodies import CLEAR
from training.scenes.dice.die_sheet import DieSheet
from training.scenes.grounds.tray_shapes import make_wall_boxes
from training.scenes.lighting import light_from_room
from training.scenes.world import CUBE_CORNERS, Cover, Form, HandShape, Part, Vector, World

LEVELS = 7
MAX_SHARP_SIZE = 0.035
"""Largest radius of a lamp with sharp shadows, as a share of its distance from the tray."""
TILE_PX = 16
CELL_MM = 11.0
CELLS = 96
GROUND_CELL_MM, GROUND_CELLS = 5.0, 72
MAX_LINING_MM = 0.38
"""A part of the tray that is no thicker than this is the lining of a wall, which cannot block any more light than the
wall."""


@dataclass
class _Writer:
    """The two arrays of a packed scene while they are being written."""

    f: list[Floats] = field(default_factory=lambda: [np.zeros(at.F_HEAD, np.float32)])
    w: list[Ints] = field(default_factory=lambda: [np.zeros(at.W_HEAD, np.int32)])
    f_end: int = at.F_HEAD
    w_end: int = at.W_HEAD

    def floats(self, where: int, values: Vector, count: int | None = None) -> None:
        """Append floats. Store their start in header field `where` and the number of rows in field `count`."""
        row = np.ascontiguousarray(values, np.float32).ravel()
        self.w[0][where] = self.f_end
        if count is not None:
            self.w[0][count] = len(values)
        self.f.append(row)
        self.f_end += len(row)

    def whole(self, where: int, values: Ints, count: int | None = None) -> None:
        """Append integers. Store their start in header field `where` and the number of rows in field `count`."""
        row = np.ascontiguousarray(values, np.int32).ravel()
        self.w[0][where] = self.w_end
        if count is not None:
            self.w[0][count] = len(values)
        self.w.append(row)
        self.w_end += len(row)

    def rows(self) -> PackedScene:
        """Return both arrays as a packed scene."""
        return PackedScene(np.concatenate(self.f), np.concatenate(self.w))


def pack_scene(world: World, sheets: list[DieSheet], rng: Generator) -> PackedScene:
    """Pack everything that is needed to cast rays into a scene.

    Args:
        world: The scene to pack.
        sheets: The unrolled faces of each style of dice.
        rng: Source of random numbers.
    """
    out = _Writer()
    solids, kinds = _solids(out, world)
    _covers(out, world)
    _sheets(out, sheets)
    _light(out, world, rng)
    _tray(out, world)
    _grid(out, solids, kinds, world)
    _camera(out, world, solids, kinds)
    _masks(out, world)
    packed = out.rows()
    fill_masks(*packed)
    return packed


def _masks(out: _Writer, world: World) -> None:
    """Reserve the shadow masks of all cells of the visible ground, with all bits cleared."""
    camera = world.camera
    ring = np.array([(x, y) for x in (0, camera.width) for y in (0, camera.height)])
    middle = (camera.width / 2, camera.height / 2)
    ways = np.column_stack([ring - middle, np.full(4, camera.focal_px)]) @ camera.turn
    far = (camera.at[2] + world.drop_mm) / np.maximum(-ways[:, 2], 0.25 * camera.focal_px)
    seen = camera.at[:2] + ways[:, :2] * far[:, None]
    low, high = seen.min(axis=0) - 2, seen.max(axis=0) + 2
    edge = max(GROUND_CELL_MM, float((high - low).max()) / GROUND_CELLS)
    across = np.ceil((high - low) / edge).astype(int)
    out.w[0][[at.MASK_X, at.MASK_Y]] = across
    out.f[0][at.MASK_FRAME : at.MASK_FRAME + 3] = (*low, edge)
    count = int(across.prod()) * words_per_cell(len(world.light.lamps))
    out.whole(at.W_MASKS, np.zeros(count, np.int32))


def _solids(out: _Writer, world: World) -> tuple[Vector, Ints]:
    """Write the tables of all solids: parts of the tray and objects, then dice, then a hand.

    Return a table of floats and a table of integers, with a row for each solid.
    """
    planes: list[Vector] = []
    solids, kinds = [], []
    for piece in world.solids:
        own = [] if piece.planes is None else list(piece.planes)
        solids.append(
            (
                *piece.at,
                *piece.turn.ravel(),
                *piece.half,
                piece.round_mm,
                0.0,
                np.linalg.norm(piece.box),
            )
        )
        kinds.append((piece.form, piece.cover, piece.part, len(planes), len(own), -1))
        planes += own
    for number, die in enumerate(world.dice):
        style, size = world.styles[die.style], die.edge_mm / 2
        ball = style.ball * size if style.ball < 3**0.5 else 0.0
        solids.append(
            (
                *die.at,
                *die.turn.ravel(),
                size,
                size,
                size,
                style.edge * size,
                ball,
                ball or size * 3**0.5,
            )
        )
        kinds.append((DIE, die.style, Part.DIE, 0, 0, number))
    chains = np.zeros((0, 8))
    if world.hand is not None:
        chains, middle, radius = _chains(world.hand)
        solids.append((*middle, *np.eye(3).ravel(), radius, radius, radius, 0.0, 0.0, radius))
        kinds.append((HAND, world.hand.cover, Part.HAND, 0, 0, -1))
    table, rest = (
        np.array(solids).reshape(-1, at.F_SOLID),
        np.array(kinds, np.int32).reshape(-1, at.W_SOLID),
    )
    out.floats(at.F_SOLIDS, table, at.N_SOLIDS)
    out.whole(at.W_SOLIDS, rest)
    out.floats(at.F_PLANES, np.array(planes).reshape(-1, 4))
    out.floats(at.F_CHAINS, chains, at.N_CHAINS)
    out.w[0][at.HAS_HAND] = world.hand is not None
    return table, rest


def _chains(hand: HandShape) -> tuple[Vector, Vector, float]:
    chains = np.column_stack([hand.starts, hand.ends, hand.radii])
    ends = np.concatenate([hand.starts, hand.ends])
    middle = (ends.min(axis=0) + ends.max(axis=0)) / 2
    radius = (
        float((np.linalg.norm(ends - middle, axis=1) + np.tile(hand.radii.max(axis=1), 2)).max())
        + 3
    )
    return chains, middle, radius


def _covers(out: _Writer, world: World) -> None:
    texels, kinds, begin = [], [], 0
    for cover in world.covers:
        row = [len(cover.colours), 0] + [0] * LEVELS
        for level, tile in enumerate(_sizes(cover)):
            texels.append(tile.reshape(-1, 4))
            row[1], row[2 + level] = level + 1, begin
            begin += len(texels[-1])
        kinds.append(row)
    out.whole(at.W_COVERS, np.array(kinds, np.int32))
    out.floats(at.F_COVERS, np.array([_cover_row(c) for c in world.covers]))
    out.floats(at.F_TEXELS, np.concatenate(texels))
    out.w[0][at.FLOOR_COVER], out.w[0][at.TABLE_COVER] = world.ground, world.table


def _sizes(cover: Cover) -> list[Floats]:
    """Return a texture tile, with its heights as a fourth channel, at full size, half size and so on."""
    tile = np.dstack([cover.colours, cover.heights]).astype(np.float32)
    out = [tile]
    while len(out) < LEVELS and len(out[-1]) >= 8:
        out.append(cv2.resize(out[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
    return out


def _cover_row(cover: Cover) -> tuple[float, ...]:
    relief = cover.relief_mm if len(cover.heights) > 4 else 0.0
    place = (cover.tile_mm, np.cos(cover.turn), np.sin(cover.turn), *cover.shift_mm)
    return (
        *place,
        cover.rough,
        cover.metal,
        relief,
        cover.clear,
        *cover.colours[::4, ::4].mean(axis=(0, 1)),
    )


def _sheets(out: _Writer, sheets: list[DieSheet]) -> None:
    skins = [s.faces.reshape(-1, 8) for s in sheets] or [np.zeros((6 * 4, 8), np.float32)]
    begins = np.cumsum([0, *(len(s) for s in skins[:-1])])
    sizes = [s.faces.shape[1] for s in sheets] or [2]
    out.whole(at.W_SHEETS, np.column_stack([begins, sizes]))
    out.floats(at.F_SHEETS, np.array([(*s[:, :3].mean(axis=0), s[:, CLEAR].mean()) for s in skins]))
    out.floats(at.F_SKINS, np.concatenate(skins))


# Light of the scene


def _light(out: _Writer, world: World, rng: Generator) -> None:
    room = world.light.room
    lamps, points, level = [], [], light_from_room(room)
    for lamp in world.light.lamps:
        away = float(np.linalg.norm(lamp.at))
        slant = max(0.15, float(lamp.at[2]) / away)
        is_sharp = lamp.radius_mm / away < MAX_SHARP_SIZE
        lamps.append((*lamp.at, lamp.radius_mm, *(lamp.power * away**2 / slant), float(is_sharp)))
        points.append(sample_disc(rng, lamp.at, 0.0 if is_sharp else lamp.radius_mm))
        level = level + lamp.power
    ways, light = sample_room(room, rng)
    rooms = blur_room(room)
    out.floats(at.F_ROOM, rooms)
    out.w[0][[at.N_LEVELS, at.N_ROWS, at.N_COLUMNS]] = rooms.shape[:3]
    for where, count, values in (
        (at.F_WAYS, at.N_WAYS, ways), (at.F_GLOWS, at.N_WAYS, light), (at.F_BOUNCE, at.N_BOUNCE, sample_hemisphere(rng)),
        (at.F_POINTS, at.N_POINTS, np.array(points).reshape(-1, SETS, LAMP_POINTS, 3)),
    ):  # fmt: skip
        out.floats(where, values)
        out.w[0][count] = values.shape[-2]
    out.floats(at.F_LAMPS, np.array(lamps).reshape(-1, at.LAMP), at.N_LAMPS)
    shades = [(*s.at, *s.turn[:, 0], *s.turn[:, 1], *s.half) for s in world.light.shades]
    out.floats(at.F_SHADES, np.array(shades).reshape(-1, at.SHADE), at.N_SHADES)
    out.f[0][at.LEVEL : at.LEVEL + 3] = level
    out.f[0][at.ROUGHLY : at.ROUGHLY + 12] = fit_room_gradient(room).ravel()


# Positions of the solids


def _tray(out: _Writer, world: World) -> None:
    tray = world.tray
    inner = np.zeros((0, 4))
    if tray is not None:
        normals = np.array([-w.turn[:, 1] for w in make_wall_boxes(tray)])
        feet = np.column_stack([tray.outline, np.zeros(len(tray.outline))])
        inner = np.column_stack([normals, (normals * feet).sum(axis=1)])
        out.f[0][at.WALL_MM] = tray.wall_mm
    out.floats(at.F_INNER, inner, at.N_INNER)
    out.f[0][at.DROP_MM] = world.drop_mm
    out.w[0][at.IS_TRAY] = tray is not None
    walls = [
        k
        for k, s in enumerate(world.solids)
        if s.fixed and s.form is Form.BOX and s.half.min() > MAX_LINING_MM
    ]
    out.whole(at.W_FIXED, np.array(walls, np.int32), at.N_FIXED)
    if walls:
        reach = np.array(
            [
                (world.solids[k].at, np.abs(world.solids[k].turn) @ world.solids[k].half)
                for k in walls
            ]
        )
        low, high = (reach[:, 0] - reach[:, 1]).min(axis=0), (reach[:, 0] + reach[:, 1]).max(axis=0)
        out.f[0][at.FIXED_BOX : at.FIXED_BOX + 6] = (*(low + high) / 2, *(high - low) / 2)


def _extents(solids: Vector, kinds: Ints) -> tuple[Vector, Vector]:
    """Return the smallest and the largest coordinates (n, 3) of the boxes around solids."""
    half = solids[:, at.HALF : at.HALF + 3].copy()
    half[:, 2] += np.where(kinds[:, at.FORM] == Form.CAPSULE, half[:, 0], 0)
    reach = np.einsum(
        "nij,nj->ni", np.abs(solids[:, at.TURN : at.TURN + 9].reshape(-1, 3, 3)), half
    )
    return solids[:, :3] - reach, solids[:, :3] + reach


def _grid(out: _Writer, solids: Vector, kinds: Ints, world: World) -> None:
    """Write a list of the dice and objects above each grid cell, and the height that they reach."""
    fixed = np.array(
        [s.fixed for s in world.solids] + [False] * (len(kinds) - len(world.solids)), bool
    )
    loose = np.flatnonzero(~fixed & (kinds[:, at.FORM] != HAND))
    lows, highs = _extents(solids, kinds)
    low = lows[loose].min(axis=0, initial=1e3) - 0.5 if len(loose) else np.zeros(3)
    high = highs[loose].max(axis=0, initial=-1e3) + 0.5 if len(loose) else np.array([1, 1, -900.0])
    edge = max(CELL_MM, float((high - low)[:2].max()) / CELLS)
    across = np.ceil((high - low)[:2] / edge).astype(int).clip(1)
    first = ((lows[:, :2] - low[:2]) / edge).astype(int).clip(0)
    last = np.minimum(((highs[:, :2] - low[:2]) / edge).astype(int), across - 1)
    tops = np.full(int(across.prod()), -1e6)
    lists: list[list[int]] = [[] for _ in tops]
    for k in loose:
        for j in range(first[k, 1], last[k, 1] + 1):
            for i in range(first[k, 0], last[k, 0] + 1):
                cell = j * across[0] + i
                lists[cell].append(int(k))
                tops[cell] = max(tops[cell], highs[k, 2])
    out.whole(at.W_CELLS, np.cumsum([0, *(len(c) for c in lists)]))
    out.whole(at.W_THERE, np.array([k for c in lists for k in c], np.int32))
    out.floats(at.F_TOPS, tops)
    out.w[0][[at.ACROSS_X, at.ACROSS_Y]] = across
    out.f[0][at.FRAME : at.FRAME + 4] = (low[0], low[1], edge, high[2])


def _camera(out: _Writer, world: World, solids: Vector, kinds: Ints) -> None:
    """Write the camera, and a list of the solids that may be visible in each tile of the image."""
    camera = world.camera
    columns, rows_ = -(-camera.width // TILE_PX), -(-camera.height // TILE_PX)
    lists: list[list[int]] = [[] for _ in range(columns * rows_)]
    low, high = _in_picture(world, solids, kinds)
    first = (low // TILE_PX).astype(int).clip(0)
    last = np.minimum((high // TILE_PX).astype(int), (columns - 1, rows_ - 1))
    for k in range(len(kinds)):
        for j in range(first[k, 1], last[k, 1] + 1):
            for i in range(first[k, 0], last[k, 0] + 1):
                lists[j * columns + i].append(k)
    out.whole(at.W_TILES, np.cumsum([0, *(len(c) for c in lists)]))
    out.whole(at.W_SEEN, np.array([k for c in lists for k in c], np.int32))
    out.w[0][[at.TILE, at.WIDTH, at.HEIGHT]] = (TILE_PX, camera.width, camera.height)
    out.f[0][at.EYE : at.EYE + 3] = camera.at
    out.f[0][at.EYE_TURN : at.EYE_TURN + 9] = camera.turn.ravel()
    out.f[0][at.FOCAL] = camera.focal_px


def _in_picture(world: World, solids: Vector, kinds: Ints) -> tuple[Vector, Vector]:
    """Return the smallest and the largest pixel coordinates (n, 2) of the boxes that solids may cover in the image."""
    camera = world.camera
    half = solids[:, at.HALF : at.HALF + 3].copy()
    half[:, 2] += np.where(kinds[:, at.FORM] == Form.CAPSULE, half[:, 0], 0)
    turns = solids[:, at.TURN : at.TURN + 9].reshape(-1, 3, 3)
    corners = solids[:, None, :3] + np.einsum(
        "nij,ncj->nci", turns, CUBE_CORNERS[None] * half[:, None]
    )
    seen = (corners - camera.at) @ camera.turn.T
    ahead = seen[..., 2:].clip(1.0)
    pixels = seen[..., :2] / ahead * camera.focal_px + (camera.width / 2, camera.height / 2)
    low, high = pixels.min(axis=1) - 1, pixels.max(axis=1) + 1
    near = seen[..., 2].min(axis=1) < 1.0
    low[near], high[near] = 0, (camera.width, camera.height)
    return low.clip(-1e6, 1e6), high.clip(-1e6, 1e6)
