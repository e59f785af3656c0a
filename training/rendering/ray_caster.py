"""A scene in two seconds instead of twenty: cubes met by rays, lit by lamps and a sky.

Light does not bounce, and glass bends what is in it and not what is behind it, so it is no substitute
for path tracing. It teaches what leaning, stacked and touching dice look like, in any number; `path_tracer`
teaches light.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.light import coded, exposed
from training.scenes.labels import hits, walls
from training.scenes.looks import FACE_PX, DieLook, colour, skin, skin_tone
from training.scenes.scene import CORNERS, NORMALS, PlacedDie, Scene
from training.scenes.surfaces import SIDE, Surface, surface

FINE = 2  # rays across a pixel
STEPS = 28  # of a ray towards a die
BENT = 1 / 1.49  # by glass
CLEAREST = 0.9  # of what is seen on a die of glass may be what is in it
GLOW, DIM = 0.8, 0.6  # of the light above a die of glass as much is in it, and below it
SOFT = 7  # shadows of a lamp, for its size
CHUNK = 20_000  # rays towards a hand at once
MELTED = 0.12  # how far the balls of a hand run into each other
ROUND = CORNERS / np.sqrt(3)
ROUND = np.concatenate([ROUND, np.camera_thread(3), -np.camera_thread(3)])  # about a ball
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class DistantLamp:
    """As far away as the sun."""

    way: Floats  # unit vector towards its middle
    ways: Floats  # (SOFT, 3) towards places on it
    tint: Floats


@dataclass(frozen=True)
class SceneLight:
    """A sky that is brighter on one side, and lamps."""

    sky: Floats
    ground: Floats
    slope: Floats
    windows: Floats  # (n, 4): way and sharpness, seen mirrored in what is smooth
    lamps: tuple[DistantLamp, ...]

    def diffuse(self, normals: Floats) -> Floats:
        """What the sky gives to a surface."""
        up = normals[..., 2:] * 0.5 + 0.5
        side = 1 + (normals @ self.slope)[..., None]
        return np.asarray((self.ground + (self.sky - self.ground) * up) * side, np.float32)

    def mirrored(self, ways: Floats) -> Floats:
        """What is seen in a mirror that sends the eye along `ways`."""
        out = self.diffuse(ways)
        for *way, sharp in self.windows:
            glow = np.exp(sharp * (ways @ np.array(way, np.float32) - 1))
            out += 4 * self.sky * glow[..., None]
        return out


@dataclass(frozen=True)
class Film:
    """Light gathered so far, and how far each ray went."""

    fine: int  # rays across a pixel
    light: Floats  # (h, w, 3)
    depth: Floats  # (h, w)
    ways: Floats  # (h, w, 3)


@dataclass(frozen=True)
class Stage:
    """What there is, how it is lit, and what is seen of it so far."""

    scene: Scene
    light: SceneLight
    film: Film


def render(scene: Scene, path: Path) -> None:
    """A scene without its things into a PNG of coded light."""
    rng = np.random.default_rng(scene.seed + 1)
    cv2.imwrite(str(path), coded(exposed(traced(scene)[..., ::-1], rng)))


def traced(scene: Scene) -> Floats:
    """(h, w, 3) linear RGB light."""
    rng = np.random.default_rng(scene.seed + 2)
    stage = Stage(scene, _light(rng), _film(scene, 1))
    _ground(stage, rng)
    stage = replace(stage, film=_finer(stage.film, scene))
    skins = [skin(look, rng).astype(np.float32) for look in scene.looks]
    for die in scene.dice:
        _die(stage, die, skins[die.look])
    if scene.hand:
        _hand(stage, rng)
    size = (scene.camera.width, scene.camera.height)
    return np.asarray(cv2.resize(stage.film.light, size, interpolation=cv2.INTER_AREA), np.float32)


def _looked_up(picture: Floats, x: Floats, y: Floats) -> Floats:
    """`picture` at places of any shape; `cv2.remap` takes no long lines."""
    lines = -(-x.size // 1024)
    grid = [np.resize(k.ravel().astype(np.float32), (lines, 1024)) for k in (x, y)]
    found = cv2.remap(picture, *grid, cv2.INTER_LINEAR)
    return np.asarray(found.reshape(lines * 1024, -1)[: x.size].reshape(*x.shape, -1), np.float32)


def _length(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("...k,...k->...", vectors, vectors)), np.float32)


def _most(vectors: Floats) -> Floats:
    """The largest component; numpy's own is slow along so short an axis."""
    x, y, z = (vectors[..., k] for k in range(3))
    return np.asarray(np.maximum(np.maximum(x, y), z), np.float32)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(_length(vectors), 1e-9)[..., None], np.float32)


def _way(rng: Generator, lean_deg: float) -> Floats:
    lean, azimuth = np.radians(lean_deg), rng.uniform(0, 2 * np.pi)
    flat = np.sin(lean)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.cos(lean)], np.float32)


def _light(rng: Generator) -> SceneLight:
    sky = np.array(colour(rng, float(rng.beta(1, 5)), 1.0)) * 10 ** rng.uniform(-0.9, 0.1)
    windows = [(*_way(rng, rng.uniform(0, 80)), 10 ** rng.uniform(0.7, 2.5)) for _ in range(3)]
    lamps = []
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.12, 0.5, 0.28, 0.1]))):
        tint = np.array(colour(rng, float(rng.beta(1, 4) * 0.6), 1.0)) * 10 ** rng.uniform(
            -0.5, 0.5
        )
        way, size = _way(rng, rng.uniform(0, 70)), 10 ** rng.uniform(-2, -0.3)
        ways = way + rng.normal(0, size, (SOFT, 3))
        ways[:, 2] = np.maximum(ways[:, 2], 0.15)
        lamps.append(DistantLamp(way, _unit(ways.astype(np.float32)), tint.astype(np.float32)))
    return SceneLight(
        sky.astype(np.float32),
        (sky * rng.uniform(0.1, 0.7) * rng.uniform(0.7, 1, 3)).astype(np.float32),
        (_way(rng, 80) * rng.uniform(0, 0.6)).astype(np.float32),
        np.array(windows[: int(rng.integers(0, 4))], np.float32).reshape(-1, 4),
        tuple(lamps),
    )


def _film(scene: Scene, fine: int) -> Film:
    camera = scene.camera
    wide, high = camera.width * fine, camera.height * fine
    x, y = np.meshgrid(np.arange(wide, dtype=np.float32), np.arange(high, dtype=np.float32))
    right = (x + 0.5) / fine - camera.width / 2
    down = (y + 0.5) / fine - camera.height / 2
    seen = np.stack([right, down, np.full_like(x, camera.focal)], axis=2)
    ways = _unit(seen @ camera.turn.astype(np.float32))
    return Film(fine, np.zeros_like(ways), np.full((high, wide), np.inf, np.float32), ways)


def _finer(film: Film, scene: Scene) -> Film:
    """The same for the dice, whose edges matter."""
    out = _film(scene, FINE)
    size = out.depth.shape[::-1]
    light = cv2.resize(film.light, size)
    depth = cv2.resize(film.depth, size, interpolation=cv2.INTER_NEAREST)
    return replace(out, light=np.asarray(light), depth=np.asarray(depth))


# The ground


def _ground(stage: Stage, rng: Generator) -> None:
    film, scene, tray = stage.film, stage.scene, stage.scene.tray
    drop = 0.0 if tray is None else float(rng.uniform(0.05, 0.5))
    table = surface(rng)
    _level(stage, table, -drop, np.ones(film.depth.shape, bool))
    if tray is None:
        return
    floor, wood = surface(rng), surface(rng, str(rng.choice(["wood", "leather", "plain", "felt"])))
    if rng.random() < 0.2:
        wood = floor
    points = _at_height(film, scene, 0.0)
    inside = (np.abs(points[..., 0]) < tray.width / 2) & (np.abs(points[..., 1]) < tray.depth / 2)
    film.depth[inside] = np.inf
    _level(stage, floor, 0.0, inside)
    for middle, half in walls(scene):
        _wall(stage, wood, middle.astype(np.float32), half.astype(np.float32))


def _at_height(film: Film, scene: Scene, height: float) -> Floats:
    camera_thread = scene.camera.at.astype(np.float32)
    far = (height - camera_thread[2]) / np.minimum(film.ways[..., 2], -1e-4)
    return np.asarray(camera_thread + film.ways * far[..., None], np.float32)


def _level(stage: Stage, skin_: Surface, height: float, where: NDArray[np.bool_]) -> None:
    film, scene, light = stage.film, stage.scene, stage.light
    points = _at_height(film, scene, height)
    colours, normals = _dressed(skin_, points[..., 0], points[..., 1])
    lit = light.diffuse(normals) * _open_sky(scene, points)[..., None]
    for lamp in light.lamps:
        shade = _shade_on_level(film, scene, lamp.ways, height)
        facing = np.maximum(normals @ lamp.way, 0) * (1 - shade)
        lit += facing[..., None] * lamp.tint
    ways_back = film.ways - 2 * (film.ways * normals).sum(-1, keepdims=True) * normals
    gloss = 0.25 * (1 - skin_.rough) ** 2
    lit = colours * lit + gloss * light.mirrored(ways_back)
    far = _length(points - scene.camera.at.astype(np.float32))
    film.light[where] = lit[where]
    film.depth[where] = far[where]


def _dressed(skin_: Surface, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Colours and normals of a surface at places."""
    scale = SIDE / skin_.tile
    u, v = (np.abs((k * scale) % (2 * SIDE) - SIDE) * (SIDE - 1) / SIDE for k in (x, y))
    colours = _looked_up(skin_.colours, u, v)
    normals = np.zeros((*x.shape, 3), np.float32)
    normals[..., 2] = 1
    if skin_.relief > 0.1:
        slopes = [cv2.Sobel(skin_.heights, cv2.CV_32F, *d) / 8 for d in ((1, 0), (0, 1))]
        for axis, slope in enumerate(slopes):
            normals[..., axis] = -_looked_up(slope, u, v)[..., 0] * skin_.relief * 2.5
        normals = _unit(normals)
    return colours, normals


def _open_sky(scene: Scene, points: Floats) -> Floats:
    """How much of the sky a level place sees past the dice and walls around it."""
    high, wide = points.shape[:2]
    points = points[::2, ::2]
    out = np.ones(points.shape[:2], np.float32)
    for die in scene.dice:
        reach = np.hypot(*(points[..., :2] - die.at[:2].astype(np.float32)).transpose(2, 0, 1))
        gap = np.maximum(reach / die.size - 0.5, 0) + 0.4 * max(0.0, float(die.at[2]) - die.size)
        out *= 1 - 0.55 * np.exp(-gap / 0.3)
    if scene.tray is not None:
        gap = np.minimum(
            scene.tray.width / 2 - np.abs(points[..., 0]),
            scene.tray.depth / 2 - np.abs(points[..., 1]),
        )
        out *= np.where(gap > 0, 1 - 0.4 * np.exp(-np.abs(gap) / scene.tray.wall), 1)
    return np.asarray(cv2.resize(out, (wide, high)), np.float32)


def _shade_on_level(film: Film, scene: Scene, ways: Floats, height: float) -> Floats:
    """(h, w) share of a lamp that dice and walls hide from a level; drawn as shapes in the picture."""
    out = np.zeros(film.depth.shape, np.float32)
    solids = [die.corners() for die in scene.dice]
    solids += [middle + CORNERS * half for middle, half in walls(scene)]
    solids += [ball.at + ROUND * ball.radius for ball in scene.hand]
    for way in ways:
        shade = np.zeros(film.depth.shape, np.uint8)
        for corners in solids:
            top = np.maximum(corners, (-1e9, -1e9, height))
            fallen = top - way * ((top[:, 2:] - height) / way[2])
            hull = cv2.convexHull(fallen[:, :2].astype(np.float32))[:, 0]
            ground = np.column_stack([hull, np.full(len(hull), height)])
            ahead = (ground - scene.camera.at) @ scene.camera.turn[2]
            if (ahead > 0.1).all():
                pixels = scene.camera.project(ground) * film.fine
                cv2.fillConvexPoly(
                    shade, np.clip(pixels * 16, -1e8, 1e8).astype(np.int32), 1, shift=4
                )
        out += shade
    return out / len(ways)


def _wall(stage: Stage, wood: Surface, middle: Floats, half: Floats) -> None:
    film, scene, light = stage.film, stage.scene, stage.light
    tile = _tile(film, scene, middle + CORNERS * half)
    if tile is None:
        return
    ways, camera_thread = film.ways[tile], scene.camera.at.astype(np.float32)
    safe = np.where(np.abs(ways) < 1e-6, 1e-6, ways)
    near, far = np.sort([(middle + side * half - camera_thread) / safe for side in (-1, 1)], axis=0)
    enter, leave = _most(near), -_most(-far)
    hit = (enter < leave) & (enter > 0) & (enter < film.depth[tile])
    if not hit.any():
        return
    axis = near.argmax(-1)[hit]
    points = camera_thread + ways[hit] * enter[hit][:, None]
    along = np.where(axis == 2, points[:, 0], points[:, 2])
    across = np.where(axis == 0, points[:, 1], np.where(axis == 1, points[:, 0], points[:, 1]))
    colours, _ = _dressed(wood, along, across)
    normals = np.zeros_like(points)
    normals[np.arange(len(axis)), axis] = -np.sign(ways[hit][np.arange(len(axis)), axis])
    lit = light.diffuse(normals) * (0.5 + 0.5 * np.clip(points[:, 2:] / (2 * half[2]), 0, 1))
    for lamp in light.lamps:
        lit += np.maximum(normals @ lamp.way, 0)[:, None] * lamp.tint
    film.light[tile][hit] = colours * lit
    film.depth[tile][hit] = enter[hit]


def _tile(film: Film, scene: Scene, corners: NDArray[np.float64]) -> tuple[slice, slice] | None:
    """Where in the film these corners are."""
    ahead = (corners - scene.camera.at) @ scene.camera.turn[2]
    high, wide = film.depth.shape
    if (ahead < 0.1).any():
        return slice(0, high), slice(0, wide)
    pixels = scene.camera.project(corners) * film.fine
    left, top = np.clip(np.floor(pixels.min(0)) - 1, 0, (wide, high)).astype(int)
    right, bottom = np.clip(np.ceil(pixels.max(0)) + 1, 0, (wide, high)).astype(int)
    if left >= right or top >= bottom:
        return None
    return slice(top, bottom), slice(left, right)


# The dice


@dataclass(frozen=True)
class Hits:
    """Where rays met a die: in its own axes, where its edge is 2, and on the table."""

    own: Floats  # (n, 3)
    points: Floats
    normals: Floats  # on the table
    ways: Floats
    ink: Floats  # (n, 3): of the pips, of the lone one, how deep


def _die(stage: Stage, die: PlacedDie, sheet: Floats) -> None:
    film, scene = stage.film, stage.scene
    tile = _tile(film, scene, die.corners())
    if tile is None:
        return
    look, turn = scene.looks[die.look], die.turn.astype(np.float32)
    at, half = die.at.astype(np.float32), np.float32(die.size / 2)
    camera_thread = (scene.camera.at.astype(np.float32) - at) @ turn / half
    met, far = _met(camera_thread, film.ways[tile] @ turn, look)
    met &= far * half < film.depth[tile]
    if not met.any():
        return
    ways = film.ways[tile][met]
    own = camera_thread + (ways @ turn) * far[met][:, None]
    normals, ink = _skinned(own, look, sheet)
    seen = Hits(own, own @ turn.T * half + at, normals @ turn.T, ways, ink)
    lit = _lit(seen, scene, die, stage.light)
    if look.clear:
        through = look.clear * (1 - ink[:, :1].clip(0, 1))
        ground = film.light[tile][met]
        inside = _inside(seen, turn, ground, look=look, sheet=sheet, light=stage.light)
        lit = lit * (1 - CLEAREST * through) + CLEAREST * through * inside
    film.light[tile][met] = lit
    film.depth[tile][met] = far[met] * half


def _inside(
    met: Hits, turn: Floats, ground: Floats, *, look: DieLook, sheet: Floats, light: SceneLight
) -> Floats:
    """What is seen in a die of glass: the backs of its pips, and between them the ground."""
    ways, normals = met.ways @ turn, met.normals @ turn
    facing = -(ways * normals).sum(-1, keepdims=True)
    inner = np.sqrt(1 - BENT**2 * (1 - facing**2))
    bent = BENT * ways + (BENT * facing - inner) * normals
    far = -_most(-(np.sign(bent) - met.own) / np.where(np.abs(bent) < 1e-6, 1e-6, bent))
    _, ink = _skinned(met.own + bent * far[:, None], look, sheet)
    up = np.array([0, 0, 1], np.float32)
    glow = light.diffuse(up) + sum(lamp.tint * lamp.way[2] for lamp in light.lamps)
    out = DIM * ground * _array(look.body)
    for layer, tint in ((0, look.pip), (1, look.lone)):
        part = ink[:, layer : layer + 1].clip(0, 1)
        out = out * (1 - part) + part * GLOW * glow * _array(tint) * np.sqrt(_array(look.body))
    return np.asarray(out, np.float32)


def _array(rgb: tuple[float, ...]) -> Floats:
    return np.array(rgb, np.float32)


def _met(camera_thread: Floats, ways: Floats, look: DieLook) -> tuple[NDArray[np.bool_], Floats]:
    """Which rays meet the die, and how far that is: sphere tracing."""
    nearest = -(ways @ camera_thread)
    inside = nearest**2 - (camera_thread @ camera_thread - 3)
    may = inside > 0
    rays, start = ways[may], nearest[may] - np.sqrt(inside[may])
    far = start.copy()
    gap = np.zeros_like(far)
    for _ in range(STEPS):
        gap = _gap(camera_thread + rays * far[:, None], look)
        far += gap
    met = may.copy()
    met[may] = (gap < 0.01) & (far < start + 4)
    out = np.full(ways.shape[:2], np.inf, np.float32)
    out[may] = far
    return met, out


def _gap(places: Floats, look: DieLook) -> Floats:
    """How far places are from the surface of the die."""
    away = np.abs(places) - np.float32(1 - look.edge)
    outside = _length(np.maximum(away, 0))
    cube = outside + np.minimum(_most(away), 0) - np.float32(look.edge)
    return np.asarray(np.maximum(cube, _length(places) - look.ball), np.float32)


def _skinned(own: Floats, look: DieLook, sheet: Floats) -> tuple[Floats, Floats]:
    """Normals, dented where pips are, and ink."""
    normals = _unit(np.maximum(np.abs(own) - np.float32(1 - look.edge), 0)) * np.sign(own)
    cut = _length(own) > look.ball - 0.01
    normals[cut] = _unit(own[cut])
    ink = np.zeros_like(own)
    slopes = [cv2.Sobel(sheet[..., 2], cv2.CV_32F, *d) * FACE_PX / 16 for d in ((1, 0), (0, 1))]
    axis = np.abs(own).argmax(-1)
    for value, out in NORMALS.items():
        n = np.array(out, np.float32)
        here = (axis == np.abs(n).argmax()) & (own @ n > 0)
        if not here.any():
            continue
        u = np.roll(np.abs(n), 1)
        v = np.cross(n, u).astype(np.float32)
        row, column = divmod(value - 1, 3)
        x, y = (
            (k * FACE_PX + ((own[here] @ w + 1) / 2 * FACE_PX - 0.5).clip(0, FACE_PX - 1))
            for k, w in ((column, u), (row, v))
        )
        ink[here] = _looked_up(sheet, x, y)
        across, along = (_looked_up(slope, x, y) for slope in slopes)
        normals[here] += 0.7 * (across * u + along * v)
    return _unit(normals), ink


def _lit(met: Hits, scene: Scene, die: PlacedDie, light: SceneLight) -> Floats:
    look = scene.looks[die.look]
    share = look.marbling * (0.5 + 0.5 * np.sin(look.grain * met.own).prod(-1, keepdims=True))
    colours = _array(look.body) * (1 - share) + _array(look.second) * share
    for layer, ink in ((0, look.pip), (1, look.lone)):
        part = met.ink[:, layer : layer + 1]
        colours = colours * (1 - part) + _array(ink) * part
    facing = -(met.normals * met.ways).sum(-1, keepdims=True)
    back = met.ways + 2 * facing * met.normals
    gloss = (1 - look.rough) ** 2 * (0.04 + 0.96 * (1 - facing.clip(0, 1)) ** 5)
    low = ((met.points[:, 2:] - (die.at[2] - die.size / 2)) / die.size).clip(0, 1)
    level = met.normals[:, 2:].clip(0, 1)
    lit = light.diffuse(met.normals) * (level + (1 - level) * (0.4 + 0.6 * low))
    shine = float(np.clip(2 / look.rough**4 - 2, 4, 1500))
    gleam = np.zeros_like(lit)
    for lamp in light.lamps:
        open_ = 1 - _shade_on_die(met, scene, die, lamp.ways)
        lit = lit + (np.maximum(met.normals @ lamp.way, 0) * open_)[:, None] * lamp.tint
        middle = _unit(lamp.way - met.ways)
        spot = np.maximum((met.normals * middle).sum(-1), 0) ** shine * (shine + 8) / 25 * 0.05
        gleam += (spot * open_)[:, None] * lamp.tint
    return np.asarray(colours * lit + gloss * light.mirrored(back) + gleam, np.float32)


def _shade_on_die(met: Hits, scene: Scene, die: PlacedDie, ways: Floats) -> Floats:
    """(n,) share of a lamp that other dice and walls hide."""
    near = [
        (other.at, other.turn, np.full(3, other.size * 0.47))
        for other in scene.dice
        if other is not die and np.linalg.norm(other.at - die.at) < 4
    ]
    near += [(middle, np.camera_thread(3), half) for middle, half in walls(scene)]
    from_ = met.points + met.normals * np.float32(0.02)
    some = ways[::3]
    out = np.zeros(len(from_), np.float32)
    for way in some:
        out += np.any([hits(from_, from_ + way, *box) for box in near], axis=0)
    return out / len(some)


# The hand


def _hand(stage: Stage, rng: Generator) -> None:
    """Balls melted into one skin, one ray a pixel."""
    scene = stage.scene
    middles = np.array([ball.at for ball in scene.hand], np.float32)
    radii = np.array([ball.radius for ball in scene.hand], np.float32)
    tone = _array(skin_tone(rng))
    coarse = _film(scene, 1)
    rays, camera_thread = coarse.ways.reshape(-1, 3), scene.camera.at.astype(np.float32)
    shown, far = coarse.light.reshape(-1, 3), coarse.depth.ravel()
    for start in range(0, len(rays), CHUNK):
        part = slice(start, start + CHUNK)
        met, far[part] = _met_hand(camera_thread, rays[part], middles, radii)
        ways = rays[part][met]
        points = camera_thread + ways * far[part][met][:, None]
        normals = _melted(points, middles, radii)[1]
        shown[part][met] = tone * _skin_lit(stage.light, points, normals, ways)
    _over(stage.film, coarse)


def _skin_lit(light: SceneLight, points: Floats, normals: Floats, ways: Floats) -> Floats:
    lit = light.diffuse(normals)
    for lamp in light.lamps:
        lit += np.maximum(normals @ lamp.way, 0)[:, None] * lamp.tint
    facing = -(normals * ways).sum(-1, keepdims=True)
    back = ways + 2 * facing * normals
    gloss = 0.02 + 0.2 * (1 - facing.clip(0, 1)) ** 5
    folds = np.sin(9 * points + 3 * np.sin(4 * points[:, ::-1])).prod(-1, keepdims=True)
    return np.asarray((1 + 0.06 * folds) * lit + gloss * light.mirrored(back), np.float32)


def _over(film: Film, nearer: Film) -> None:
    """What is nearer in a coarse film hides what lies there in a fine one."""
    size = film.depth.shape[::-1]
    depth = cv2.resize(nearer.depth, size, interpolation=cv2.INTER_NEAREST)
    hides = depth < film.depth
    film.light[hides] = cv2.resize(nearer.light, size, interpolation=cv2.INTER_NEAREST)[hides]
    film.depth[hides] = depth[hides]


def _met_hand(
    camera_thread: Floats, rays: Floats, middles: Floats, radii: Floats
) -> tuple[NDArray[np.bool_], Floats]:
    """Which rays meet it, and how far that is: sphere tracing from the first ball on the way."""
    to = camera_thread - middles
    nearest = -(rays @ to.T)
    inside = (1.3 * radii) ** 2 - ((to**2).sum(1) - nearest**2)
    entry = np.where(inside > 0, nearest - np.sqrt(np.maximum(inside, 0)), np.inf).min(1)
    met = np.isfinite(entry) & (entry > 0)
    far, away = entry[met], np.full(len(rays), np.inf, np.float32)
    gap = np.ones_like(far)
    for _ in range(STEPS // 2):
        gap = _melted(camera_thread + rays[met] * far[:, None], middles, radii)[0]
        far = far + gap
    away[met] = far
    met[met] = gap < 0.05
    away[~met] = np.inf
    return met, away


def _melted(places: Floats, middles: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """How far places are from the skin, and which way is out."""
    squares = (places**2).sum(1)[:, None] + (middles**2).sum(1) - 2 * places @ middles.T
    away = np.sqrt(np.maximum(squares, 1e-6))
    gaps = away - radii
    least = gaps.min(1, keepdims=True)
    weight = np.exp(-(gaps - least) / MELTED)
    total = weight.sum(1)
    share = weight / total[:, None] / away
    out = places * share.sum(1)[:, None] - share @ middles
    return (least[:, 0] - MELTED * np.log(total)).astype(np.float32), _unit(out)
