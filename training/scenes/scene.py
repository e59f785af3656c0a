"""Where everything lies: a random tray or table with dice on it. Pure numbers, no pictures.

Lengths are in die edges (a die of size 1 unless sizes are mixed); z is up, the floor at z = 0.
"""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.looks import DieLook, die_look, glass_look

Vector = NDArray[np.float64]
# Column k of CUBE[v] is where the die's own axes point when face v is up.
NORMALS = {
    1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (0, 0, -1), 5: (0, -1, 0), 6: (-1, 0, 0),
}  # fmt: skip
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


@dataclass(frozen=True)
class PlacedDie:
    """A die where it lies; `turn` maps its own axes to the table's."""

    look: int
    size: float
    at: Vector
    turn: NDArray[np.float64]
    how: str  # flat, cocked, stacked

    def top(self) -> tuple[int, float]:
        """The face nearest to up, and how far it leans, in degrees."""
        ups = {value: float((self.turn @ np.array(n))[2]) for value, n in NORMALS.items()}
        value = max(ups, key=lambda v: ups[v])
        return value, float(np.degrees(np.arccos(min(1, ups[value]))))

    def corners(self) -> NDArray[np.float64]:
        """(8, 3) corners of the sharp cube."""
        out: NDArray[np.float64] = self.at + CORNERS @ self.turn.T * self.size / 2
        return out

    def top_face(self) -> NDArray[np.float64]:
        """(4, 3) corners of the top face, in order."""
        normal = np.array(NORMALS[self.top()[0]], float)
        side = np.roll(np.abs(normal), 1)
        other = np.cross(normal, side)
        ring = [normal + a * side + b * other for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
        out: NDArray[np.float64] = self.at + np.array(ring) @ self.turn.T * self.size / 2
        return out


@dataclass(frozen=True)
class TrayShape:
    """A floor of width by depth around the origin, and its wall."""

    width: float
    depth: float
    wall: float
    thick: float


@dataclass(frozen=True)
class Thing:
    """A coin, pen, card, cup, crumb: what is no die."""

    kind: str
    at: Vector
    size: float
    turn: float


@dataclass(frozen=True)
class Ball:
    """Of such a hand is melted together; `radius` is how far its skin reaches."""

    at: Vector
    radius: float


@dataclass(frozen=True)
class Pinhole:
    """A pinhole: `turn` maps the table's axes to the camera's (x right, y down, z ahead)."""

    width: int
    height: int
    focal: float
    at: Vector
    turn: NDArray[np.float64]

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 3) on the table to (n, 2) pixels."""
        seen = (points - self.at) @ self.turn.T
        flat = seen[:, :2] / seen[:, 2:3] * self.focal
        out: NDArray[np.float64] = flat + (self.width / 2, self.height / 2)
        return out


@dataclass(frozen=True)
class Scene:
    """All of one picture."""

    seed: int
    tray: TrayShape | None
    looks: tuple[DieLook, ...]
    dice: tuple[PlacedDie, ...]
    things: tuple[Thing, ...]
    hand: tuple[Ball, ...]
    camera: Pinhole


@dataclass
class _Table:
    """Dice being laid on the floor, one at a time."""

    rng: Generator
    tray: TrayShape | None
    reach: float
    dice: list[PlacedDie] = field(default_factory=list)

    def spot(self, margin: float) -> Vector:
        if self.tray is None:
            x, y = self.rng.uniform(-self.reach, self.reach, 2) * (1, 0.8)
        else:
            x = self.rng.uniform(-1, 1) * max(0.0, self.tray.width / 2 - margin)
            y = self.rng.uniform(-1, 1) * max(0.0, self.tray.depth / 2 - margin)
        return np.array([x, y, 0.0])

    def free(self, die: PlacedDie, gap: float = 0.02) -> bool:
        shape = _footprint(die, gap)
        if not self.inside(die):
            return False
        return all(
            cv2.rotatedRectangleIntersection(shape, _footprint(other, gap))[0] == cv2.INTERSECT_NONE
            for other in self.dice
        )

    def clear(self, die: PlacedDie) -> PlacedDie | None:
        """The die, if it is in nothing."""
        met = any(_meet(die, other) for other in self.dice)
        return die if self.inside(die) and not met else None

    def inside(self, die: PlacedDie) -> bool:
        if self.tray is None:
            return True
        reach = np.abs(die.corners()[:, :2]).max(axis=0)
        return bool(reach[0] <= self.tray.width / 2 and reach[1] <= self.tray.depth / 2)


def _footprint(
    die: PlacedDie, gap: float
) -> tuple[tuple[float, float], tuple[float, float], float]:
    points = die.corners()[:, :2].astype(np.float32)
    (x, y), (w, h), angle = cv2.minAreaRect(points)
    return (x, y), (max(0.01, w + gap), max(0.01, h + gap)), angle


def _about_z(angle: float) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def _about(axis: Vector, angle: float) -> NDArray[np.float64]:
    rotation: NDArray[np.float64] = cv2.Rodrigues(axis / np.linalg.norm(axis) * angle)[0]
    return rotation


def _upright(rng: Generator, value: int, yaw: float) -> NDArray[np.float64]:
    normal = np.array(NORMALS[value], float)
    up = np.array([0, 0, 1.0])
    axis = np.cross(normal, up)
    if np.linalg.norm(axis) > 0.5:
        to_up = _about(axis, np.pi / 2)
    else:
        to_up = np.camera_thread(3) if normal[2] > 0 else np.diag([1.0, -1, -1])
    quarter = _about_z(np.pi / 2 * int(rng.integers(4)))
    return _about_z(yaw) @ quarter @ to_up


def _flat(rng: Generator, look: int, size: float, at: Vector, yaw: float) -> PlacedDie:
    turn = _upright(rng, int(rng.integers(1, 7)), yaw)
    return PlacedDie(look, size, np.array([at[0], at[1], size / 2]), turn, "flat")


def _tilted(rng: Generator, die: PlacedDie) -> PlacedDie:
    """The same die leaning on something, from 11 to 45 degrees."""
    axis = _about_z(rng.uniform(0, 2 * np.pi))[:, 0]
    if rng.random() < 0.5:  # over an edge, not a corner
        top = die.top_face()
        axis = top[1] - top[0]
    turn = _about(axis, np.radians(rng.uniform(11, 45))) @ die.turn
    low = float((CORNERS @ turn.T * die.size / 2)[:, 2].min())
    return PlacedDie(die.look, die.size, np.array([die.at[0], die.at[1], -low]), turn, "cocked")


def _beside(table: _Table, look: int, size: float) -> PlacedDie:
    """A die that touches one that lies there."""
    rng = table.rng
    other = table.dice[int(rng.integers(len(table.dice)))]
    level = other.top_face()
    edge = level[1] - level[0]
    along = float(np.arctan2(edge[1], edge[0]))
    flush = rng.random() < 0.45
    yaw = along if flush else rng.uniform(0, np.pi)
    way = along + np.pi / 2 * int(rng.integers(4)) if flush else rng.uniform(0, 2 * np.pi)
    step = np.array([np.cos(way), np.sin(way), 0])
    slip = np.array([-step[1], step[0], 0]) * (rng.normal(0, 0.15) if flush else 0)
    die = _flat(rng, look, size, other.at, yaw)
    for distance in np.arange(0.5, 2.2, 0.02) * size:
        moved = PlacedDie(look, size, die.at + step * distance + slip, die.turn, "flat")
        if (
            cv2.rotatedRectangleIntersection(_footprint(moved, 0.005), _footprint(other, 0.005))[0]
            == cv2.INTERSECT_NONE
        ):
            return moved
    return die


def _leaning_on(table: _Table, look: int, size: float) -> PlacedDie:
    """A die that leans and touches another one: moved up to it until they meet."""
    rng = table.rng
    other = table.dice[int(rng.integers(len(table.dice)))]
    way = rng.uniform(0, 2 * np.pi)
    step = np.array([np.cos(way), np.sin(way), 0])
    yaw = way + (np.pi / 2 * int(rng.integers(4)) if rng.random() < 0.5 else rng.uniform(0, np.pi))
    die = near = _tilted(rng, _flat(rng, look, size, other.at * (1, 1, 0), yaw))
    for distance in np.arange(2.2, 0.3, -0.02) * size:
        moved = replace(die, at=die.at + step * distance)
        if any(_meet(moved, there) for there in table.dice):
            break
        near = moved
    return near


def _at_wall(table: _Table, tray: TrayShape, look: int, size: float) -> PlacedDie:
    """A die that touches a side of the tray: flat, or leaning on it."""
    rng = table.rng
    yaw = np.pi / 2 * int(rng.integers(4)) + (0 if rng.random() < 0.5 else rng.uniform(0, np.pi))
    die = _flat(rng, look, size, table.spot(0.75 * size), yaw)
    if rng.random() < 0.6:
        die = _tilted(rng, die)
    side, sign = int(rng.integers(2)), int(rng.choice([-1, 1]))
    half = (tray.width, tray.depth)[side] / 2 - abs(rng.normal(0, 0.02)) * size
    at = die.at.copy()
    at[side] += sign * (half - (sign * die.corners()[:, side]).max())
    return replace(die, at=at)


def _meet(one: PlacedDie, other: PlacedDie) -> bool:
    """Whether two cubes overlap: no axis parts them (separating axis theorem)."""
    if np.linalg.norm(one.at - other.at) > (one.size + other.size) * 0.87:
        return False
    axes = [*one.turn.T, *other.turn.T]
    axes += [np.cross(a, b) for a in one.turn.T for b in other.turn.T]
    away = other.at - one.at
    for axis in axes:
        reach = sum(np.abs(axis @ die.turn).sum() * die.size / 2 for die in (one, other))
        if abs(axis @ away) > reach + 1e-9:
            return False
    return True


@dataclass(frozen=True)
class _Habit:
    """What happens on this table."""

    hard: bool
    touching: bool
    cocked: bool
    stacked: bool


def _lay(table: _Table, count: int, looks: int, *, mixed: bool, hard: bool) -> None:
    rng = table.rng
    touching, cocked = rng.random() < 0.4, hard or rng.random() < 0.4
    habit = _Habit(hard, touching, cocked, rng.random() < (0.5 if hard else 0.2))
    for _ in range(count):
        look = int(rng.integers(looks))
        size = float(rng.uniform(0.7, 1.35)) if mixed else 1.0
        for _ in range(30):
            die = _thrown(table, habit, look, size)
            if die is not None:
                table.dice.append(die)
                break


def _thrown(table: _Table, habit: _Habit, look: int, size: float) -> PlacedDie | None:
    """A die somewhere, or None where it found no room."""
    rng = table.rng
    if table.dice and habit.stacked and rng.random() < 0.3:
        return _on_top(table, look, size)
    if habit.hard and rng.random() < 0.25 and table.tray:
        return table.clear(_at_wall(table, table.tray, look, size))
    if habit.hard and table.dice and rng.random() < 0.35:
        return table.clear(_leaning_on(table, look, size))
    if table.dice and habit.touching and rng.random() < 0.7:
        die = _beside(table, look, size)
    else:
        die = _flat(rng, look, size, table.spot(0.75 * size), rng.uniform(0, np.pi))
    if habit.cocked and rng.random() < 0.4:
        die = _tilted(rng, die)
    return die if table.free(die) else None


def _on_top(table: _Table, look: int, size: float) -> PlacedDie | None:
    rng = table.rng
    below = table.dice[int(rng.integers(len(table.dice)))]
    if below.how != "flat":
        return None
    die = _flat(
        rng,
        look,
        size,
        below.at + (*rng.uniform(-0.4, 0.4, 2) * below.size, 0),
        rng.uniform(0, np.pi),
    )
    if rng.random() < 0.3:
        die = _tilted(rng, die)
    if any(d.how == "stacked" and np.hypot(*(d.at - die.at)[:2]) < 1.5 for d in table.dice):
        return None
    return PlacedDie(look, size, die.at + (0, 0, below.size), die.turn, "stacked")


def _camera(rng: Generator, span: float, fill: float, tilt: float, *, hard: bool) -> Pinhole:
    width, height = [(640, 480), (640, 360), (560, 560)][int(rng.choice(3, p=[0.4, 0.45, 0.15]))]
    if hard:  # finer: a lean shows in few pixels
        width, height = width * 3 // 2, height * 3 // 2
    field_of_view = np.radians(rng.uniform(28, 95))  # of the longer side
    focal = max(width, height) / 2 / np.tan(field_of_view / 2)
    away = focal * span / (fill * height)
    azimuth = rng.uniform(0, 2 * np.pi)
    at = away * np.array(
        [np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)]
    )
    aim = np.array([*rng.normal(0, 0.04 * span, 2), 0])
    ahead = (aim - at) / np.linalg.norm(aim - at)
    roll = rng.normal(0, 0.12) if rng.random() < 0.7 else rng.uniform(0, 2 * np.pi)
    reference = np.array([np.cos(roll), np.sin(roll), 0])
    down = np.cross(ahead, reference)
    down /= np.linalg.norm(down)
    right = np.cross(down, ahead)
    return Pinhole(width, height, float(focal), at, np.array([right, down, ahead]))


def smaller(scene: Scene, largest_px: float) -> Scene:
    """The same seen by a camera of fewer pixels, in which no die is larger than that."""
    camera = scene.camera
    sides = [np.ptp(camera.project(die.top_face()), axis=0).max() for die in scene.dice]
    share = min(1.0, largest_px / max(sides, default=1))
    width, height = (max(160, int(side * share)) for side in (camera.width, camera.height))
    seen = replace(camera, width=width, height=height, focal=camera.focal * width / camera.width)
    return replace(scene, camera=seen)


def random_scene(seed: int, *, hard: bool = False, glassy: bool = False) -> Scene:
    """The scene of a seed; the same seed gives the same scene.

    A `hard` one is full of what must be asked about: dice that lean, lie on others, are under a hand.
    Every other set of dice of a `glassy` one is of glass.
    """
    rng = np.random.default_rng(seed)
    in_tray = rng.random() < 0.6
    mixed = bool(rng.random() < 0.12)
    crowd = hard or bool(rng.random() < 0.6)  # many dice of many looks teach more
    looks = 1 if rng.random() < 0.6 else int(rng.integers(2, 7))
    count = int(
        rng.choice(
            [0, 1, 2, 3, 4, 5, 6, 8, 11], p=[0.04, 0.06, 0.1, 0.1, 0.1, 0.15, 0.25, 0.1, 0.1]
        )
    )
    if crowd:
        count = int(rng.integers(10, 25))
        looks = count
    kinds = tuple(
        glass_look(rng) if glassy and rng.random() < 0.5 else die_look(rng) for _ in range(looks)
    )
    tilt = abs(rng.normal(0, np.radians(6)))
    if rng.random() < 0.25:
        tilt = np.radians(rng.uniform(8, 24))
    if in_tray:
        width = float(np.exp(rng.uniform(np.log(9 if crowd else 6.5), np.log(18 if crowd else 27))))
        depth = width * float(rng.uniform(0.6, 1))
        tray = TrayShape(width, depth, float(rng.uniform(0.8, 3.2)), float(rng.uniform(0.3, 1.2)))
        table = _Table(rng, tray, 0)
        camera = _camera(rng, depth, float(rng.uniform(0.5, 0.97)), tilt, hard=hard)
    else:
        tray = None
        span = float(np.exp(rng.uniform(np.log(7 if crowd else 2.2), np.log(17))))
        table = _Table(rng, None, span * 0.52)
        if span < 4:
            count = min(count, 3)
        if rng.random() < 0.12:
            tilt = np.radians(rng.uniform(20, 45))
        camera = _camera(rng, span, 1.0, tilt, hard=hard)
    _lay(table, count, looks, mixed=mixed, hard=hard)
    dice = list(table.dice)
    things = _things(rng, tray, table)
    if tray is not None and rng.random() < 0.35:
        dice += _outside(rng, tray, looks)
    shown = rng.random() < (0.4 if hard else 0.2)
    hand = _hand(rng, table.reach if tray is None else tray.width / 2) if shown else ()
    return Scene(seed, tray, kinds, tuple(dice), things, hand, camera)


def _hand(rng: Generator, reach: float) -> tuple[Ball, ...]:
    """A palm, some fingers and a thumb, an arm that comes from outside."""
    angle, size = rng.uniform(0, 2 * np.pi), float(rng.uniform(0.8, 1.6))
    away = np.array([np.cos(angle), np.sin(angle), 0])
    side = np.array([-away[1], away[0], 0])
    tips = away * reach * rng.uniform(0.1, 1.1) + side * reach * rng.uniform(-0.5, 0.5)
    palm = tips + away * 2.6 * size + (0, 0, float(rng.uniform(0.6, 2.5)))
    balls: list[Ball] = []

    def chain(start: Vector, step: Vector, count: int, radius: float) -> None:
        balls.extend(Ball(start + step * k * size, radius * size) for k in range(count))

    for k in range(-2, 3):
        chain(palm + side * k * 0.55 * size, away * 0.6, 4, 0.75)
    curl = rng.uniform(0.1, 0.9)
    for k in range(4):
        if rng.random() < 0.75:
            step = -away * 0.42 + side * rng.normal(0, 0.05) - np.array([0, 0, 0.12 * curl])
            chain(palm + side * (k - 1.5) * 0.9 * size, step, int(rng.integers(5, 9)), 0.42)
    chain(palm + side * 1.6 * size, -away * 0.3 + side * 0.3, 6, 0.46)
    chain(palm + away * 2.5 * size, away * 0.9, 20, 1.1)
    return tuple(balls)


def _outside(rng: Generator, tray: TrayShape, looks: int) -> list[PlacedDie]:
    out = []
    for _ in range(int(rng.integers(1, 5))):
        angle = rng.uniform(0, 2 * np.pi)
        reach = np.hypot(tray.width, tray.depth) / 2 + tray.thick + rng.uniform(0.8, 3)
        at = np.array([np.cos(angle), np.sin(angle), 0]) * reach
        out.append(_flat(rng, int(rng.integers(looks)), 1.0, at, rng.uniform(0, np.pi)))
    return out


def _things(rng: Generator, tray: TrayShape | None, table: _Table) -> tuple[Thing, ...]:
    things = []
    reach = table.reach if tray is None else tray.width / 2
    if rng.random() < 0.4:
        for _ in range(int(rng.integers(1, 5))):
            kind = str(rng.choice(["coin", "pen", "crumbs", "card", "cup", "bead", "button"]))
            at = table.spot(0.8)
            if tray is not None and (kind in ("cup", "card") or rng.random() < 0.3):
                at = at / max(np.hypot(*at[:2]), 0.1) * reach * rng.uniform(1.3, 1.8)
            size = {"coin": 0.7, "pen": 0.4, "crumbs": 0.12, "card": 3, "cup": 2.2}.get(kind, 0.4)
            if (
                any(np.hypot(*(d.at - at)[:2]) < 0.75 + size for d in table.dice)
                and kind != "crumbs"
            ):
                continue
            things.append(
                Thing(kind, at, size * float(rng.uniform(0.7, 1.5)), float(rng.uniform(0, 6.28)))
            )
    return tuple(things)
