"""The world of a seed: throws dressed in looks, grounds, light, things; seen by a camera.

The same seed and library give the same world. `table` is a throw as players see it, `field` dozens
of dice of many looks, `close` few dice that fill the picture, `clutter` everyday things with few dice.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from training.scenes.colours import scaled
from training.scenes.dice.choosing import die_style
from training.scenes.dice.die_style import DieStyle
from training.scenes.grounds.covers import GROUNDS, WALLS, cover, plain_cover
from training.scenes.grounds.flakes import like_dice, with_flakes
from training.scenes.grounds.tray_shapes import wall_boxes
from training.scenes.hands import cloth_cover, hand_shape, nails, skin_cover, sleeve
from training.scenes.hard_light import hard_light
from training.scenes.kept_out import Chooser, Purpose
from training.scenes.lighting import light
from training.scenes.stacking import with_stack
from training.scenes.things.clutter import ORDINARY, strew
from training.scenes.throws.rest import Rest
from training.scenes.throws.rest_library import RestLibrary
from training.scenes.viewing import nearer, overhead
from training.scenes.workbench import Workbench, about_z
from training.scenes.world import Form, HandShape, Part, RestingDie, Vector, World

KINDS = {"table": 0.55, "field": 0.2, "close": 0.1, "clutter": 0.15}
TRICKY = 0.36
"""Of tables so many have a die that leans, touches or lies on another."""
SUNK_BELOW_MM = 0.4
"""A corner so low stands on the floor."""
ASIDE = 0.2
"""So many tables have dice beside the tray."""
AXES = np.array([
    np.stack([x, np.cross(z, x), z], axis=1)
    for z in np.concatenate([np.eye(3), -np.eye(3)]) for x in np.concatenate([np.eye(3), -np.eye(3)])
    if abs(x @ z) < 0.5
])  # fmt: skip
"""(24, 3, 3) the ways a cube can be put into its own place."""


@dataclass(frozen=True)
class Wish:
    """What a world shall be like."""

    kind: str
    side: int = 256  # pixels of a tile
    hand: float = 0.12  # chance of a hand
    size: tuple[int, int] | None = None  # of the picture; else any usual one
    tricky: float = TRICKY
    near: float = 0.0  # chance that but some of its dice are seen, larger
    hard: float = 0.0  # chance of hard light
    harsh: float = 0.0  # chance of one small lamp at any height
    stacked: float = 0.0  # chance that a die lies on another
    low: float = 0.0  # chance that the camera looks from the side
    flakes: float = 0.0  # chance of flakes as large as pips on the ground
    alike: float = 0.0  # chance of ground in the colour of the dice
    stuff: float = 0.0  # chance that the dice are of glass, marble or metal


def world(seed: int, purpose: Purpose, library: RestLibrary, wish: Wish | None = None) -> World:
    """The world of a seed."""
    rng = np.random.default_rng([seed, list(Purpose).index(purpose)])
    if wish is None:
        wish = Wish(str(rng.choice(list(KINDS), p=list(KINDS.values()))))
    chooser = Chooser(rng, purpose)
    rest = _rest(rng, library, wish)
    stuff = _happens(rng, wish.stuff)
    styles = _styles(chooser, wish.kind, len(rest.edges_mm), difficult=stuff)
    dice = dressed(rng, rest, styles)
    if _happens(rng, wish.stacked):
        dice = with_stack(rng, dice)
    if wish.kind == "close":
        dice = _few(rng, dice)
    return build(seed, chooser, wish, rest, styles, dice)


def build(  # noqa: PLR0917 - what a world is built of
    seed: int, chooser: Chooser, wish: Wish, rest: Rest, styles: tuple[DieStyle, ...], dice: tuple[RestingDie, ...]
) -> World:  # fmt: skip
    """A world around dice that lie there."""
    rng = chooser.rng
    tray = None if rest.open_floor else rest.tray
    drop = 0.0 if tray is None else float(rng.uniform(1, 9))
    bench = Workbench(wish.side)
    ground, table = grounds(bench, chooser)
    _disguise(bench, chooser, wish, styles, rest)
    walls(bench, chooser, rest, drop, ground)
    obstacles(bench, chooser, rest)
    camera = overhead(rng, rest, dice, wish.kind, wish.size, low=_happens(rng, wish.low))
    if wish.near and dice and wish.kind != "close" and rng.random() < wish.near:
        camera = nearer(rng, camera, dice)
    hand = reach_in(bench, chooser, rest) if rng.random() < wish.hand else None
    if tray is not None and wish.kind == "table" and rng.random() < ASIDE:
        dice += set_aside(rng, rest, len(styles), drop)
    dice = free_of(hand, dice)
    reach = float(np.abs(rest.tray.outline).max())
    clutter(bench, chooser, wish.kind, dice, rest, drop, reach)
    # Without the wish no number is drawn: a seed's world stays as it was.
    hard = wish.hard > 0 and bool(rng.random() < wish.hard)
    if _happens(rng, wish.harsh):
        shining = hard_light(chooser, 2 * reach, camera.at)
    else:
        shining = light(chooser, 2 * reach, camera.at, hard=hard)
    return World(seed, wish.kind, tray, ground, table, drop, styles, dice, tuple(bench.covers),
                 tuple(bench.solids), hand, shining, camera)  # fmt: skip


def _rest(rng: Generator, library: RestLibrary, wish: Wish) -> Rest:
    if wish.kind == "field":
        return library.pick(rng, library.fields)
    chance = rng.random()
    if chance < wish.tricky / 2:
        return library.pick(rng, library.leaning)
    return library.pick(rng, library.tricky if chance < wish.tricky else library.tables)


def _happens(rng: Generator, chance: float) -> bool:
    """Return whether a chance comes true; without a chance no number is drawn, so old seeds keep their worlds."""
    return chance > 0 and bool(rng.random() < chance)


def _disguise(
    bench: Workbench, chooser: Chooser, wish: Wish, styles: tuple[DieStyle, ...], rest: Rest
) -> None:
    """Give the floor the colour of the dice, or flakes as large as pips, where the wish asks for it."""
    if _happens(chooser.rng, wish.alike):
        body = styles[int(chooser.rng.integers(len(styles)))].body.colours[0]
        bench.covers[0] = like_dice(chooser.rng, bench.covers[0], body)
    if _happens(chooser.rng, wish.flakes):
        edge_mm = float(rest.edges_mm.mean()) if len(rest.edges_mm) else 16.0
        bench.covers[0] = with_flakes(chooser, bench.covers[0], edge_mm)


def _styles(
    chooser: Chooser, kind: str, count: int, *, difficult: bool = False
) -> tuple[DieStyle, ...]:
    """One set of dice, or several, or each die its own in a field."""
    if kind == "field":
        looks = max(1, count // int(chooser.rng.integers(1, 4)))
    else:
        looks = 1 if chooser.rng.random() < 0.55 else int(chooser.rng.integers(2, 5))
    return tuple(die_style(chooser, difficult=difficult) for _ in range(min(looks, 40)))


def dressed(rng: Generator, rest: Rest, styles: tuple[DieStyle, ...]) -> tuple[RestingDie, ...]:
    """Dice of a rest with looks, and any face up that its pose allows."""
    turns = rest.turns() @ AXES[rng.integers(24, size=len(rest.edges_mm))]
    looks = rng.integers(len(styles), size=len(rest.edges_mm))
    dice = (
        RestingDie(int(k), float(e), at, turn, bool(s), bool(t))
        for k, e, at, turn, s, t in zip(
            looks, rest.edges_mm, rest.at, turns, rest.stacked, rest.touching, strict=True
        )
    )  # fmt: skip
    return tuple(_sunk(die, styles[die.style].edge) for die in dice)


def _sunk(die: RestingDie, edge: float) -> RestingDie:
    """Thrown sharp, a round die that leans stands on its round edge: so much lower."""
    low = float(die.corners()[:, 2].min())
    reach = float(np.abs(die.turn[2]).sum())
    gap = edge * (reach - 1) * die.edge_mm / 2
    return replace(die, at=die.at - (0, 0, gap)) if low < SUNK_BELOW_MM else die


def set_aside(rng: Generator, rest: Rest, styles: int, drop: float) -> tuple[RestingDie, ...]:
    """Dice that lie flat on the table, beside the tray."""
    edge = float(rest.edges_mm.mean())
    out: list[RestingDie] = []
    for _ in range(int(rng.integers(1, 5))):
        angle, yaw = rng.uniform(0, 2 * np.pi, 2)
        tray = rest.tray
        away = (
            np.linalg.norm(tray.outline, axis=1).max()
            + tray.wall_mm
            + tray.thick_mm
            + edge * rng.uniform(1, 4)
        )
        at = np.array([away * np.cos(angle), away * np.sin(angle), edge / 2 - drop])
        turn = about_z(yaw) @ AXES[int(rng.integers(24))]
        if all(np.linalg.norm(at - d.at) > 1.5 * edge for d in out):
            out.append(RestingDie(int(rng.integers(styles)), edge, at, turn, in_tray=False))
    return tuple(out)


def _few(rng: Generator, dice: tuple[RestingDie, ...]) -> tuple[RestingDie, ...]:
    """One die and those close to it."""
    if not dice:
        return dice
    first = dice[int(rng.integers(len(dice)))]
    near = sorted(dice, key=lambda d: float(np.linalg.norm(d.at - first.at)))
    count = int(rng.integers(1, 4))
    return tuple(d for d in near[:count] if np.linalg.norm(d.at - first.at) < 4 * first.edge_mm)


def grounds(bench: Workbench, chooser: Chooser) -> tuple[int, int]:
    """The covers of the floor and of the table around."""
    bench.part, bench.fixed = Part.GROUND, True
    ground = bench.cover(cover(chooser, bench.side))
    return ground, bench.cover(cover(chooser, bench.side))


def walls(bench: Workbench, chooser: Chooser, rest: Rest, drop: float, ground: int) -> None:
    rng = chooser.rng
    if rest.open_floor:
        if rng.random() < 0.25:  # a mat or a sheet on the table
            bench.move(np.array([*rng.normal(0, 30, 2), 0.0]), rng.uniform(0, 3))
            half = rest.tray.outline.max(axis=0) * rng.uniform(0.4, 1.2)
            bench.box(
                (float(half[0]), float(half[1]), 0.4),
                (0, 0, -0.35),
                bench.cover(cover(chooser, bench.side)),
            )
        return
    kinds = WALLS if chooser.purpose is Purpose.ORDINARY or rng.random() < 0.7 else GROUNDS
    wall = bench.cover(cover(chooser, bench.side, kinds))
    inner = ground if rng.random() < 0.3 else wall
    round_mm = float(rng.uniform(0, 0.45)) * rest.tray.thick_mm
    for part in wall_boxes(rest.tray, drop):
        bench.move(part.at)
        bench.box(tuple(part.half), (0, 0, 0), wall, round_mm, part.turn)
        if inner != wall:  # lined
            lined = (float(part.half[0]), 0.35, float(part.half[2]) - 0.6)
            bench.box(lined, tuple(part.turn @ [0, part.half[1], -0.6]), inner, 0.2, part.turn)


def obstacles(bench: Workbench, chooser: Chooser, rest: Rest) -> None:
    """What dice came to lean on, as coins, sticks, beads, chips and cards."""
    bench.part, bench.fixed = Part.THING, False
    covers = [bench.cover(cover(chooser, bench.small)) for _ in range(min(4, len(rest.obstacles)))]
    metal = bench.cover(plain_cover((0.7, 0.65, 0.5), 0.3, 1.0))
    for one in rest.obstacles:
        bench.move(one.at)
        look = metal if one.kind == "coin" else int(chooser.rng.choice(covers))
        if one.kind == "coin":
            bench.disc(float(one.half[0]), float(one.half[2]), (0, 0, 0), look, 0.2, one.turn)
        elif one.kind == "rod":
            bench.add(Form.CAPSULE, tuple(one.half), (0, 0, 0), look, one.turn)
        elif one.kind == "bead":
            bench.add(Form.BALL, tuple(one.half), (0, 0, 0), look)
        else:
            bench.box(tuple(one.half), (0, 0, 0), look, 0.15 * float(one.half.min()), one.turn)


def reach_in(bench: Workbench, chooser: Chooser, rest: Rest) -> HandShape:
    rng = chooser.rng
    span = rest.tray.outline.max(axis=0)
    tip = np.array([*rng.uniform(-1, 1, 2) * span * 1.1, 0.0])
    bench.part, bench.fixed = Part.HAND, False
    skin = skin_cover(rng, bench.small)
    hand, wrist = hand_shape(chooser, bench.cover(skin), tip)
    tone = skin.colours.mean(axis=(0, 1))
    nail = scaled((float(tone[0]), float(tone[1]), float(tone[2])), 1.25)
    bench.solids += nails(chooser, bench.cover(plain_cover(nail, 0.25)), hand)
    if rng.random() < 0.6:
        bench.solids.append(
            sleeve(chooser, bench.cover(cloth_cover(chooser, bench.small)), wrist, wrist - tip)
        )
    return hand


def free_of(hand: HandShape | None, dice: tuple[RestingDie, ...]) -> tuple[RestingDie, ...]:
    """No die is inside a finger."""
    if hand is None:
        return dice
    return tuple(d for d in dice if _gap(hand, d.at) > 0.62 * d.edge_mm)


def _gap(hand: HandShape, point: Vector) -> float:
    way = hand.ends - hand.starts
    along = ((point - hand.starts) * way).sum(axis=1) / (way**2).sum(axis=1).clip(1e-9)
    near = hand.starts + way * along.clip(0, 1)[:, None]
    return float((np.linalg.norm(point - near, axis=1) - hand.radii.max(axis=1)).min())


def clutter(  # noqa: PLR0917 - where it may be
    bench: Workbench, chooser: Chooser, kind: str, dice: tuple[RestingDie, ...], rest: Rest, drop: float, reach: float
) -> None:  # fmt: skip
    rng = chooser.rng
    bench.part, bench.fixed = Part.THING, False
    ordinary = chooser.purpose is Purpose.ORDINARY
    chance = {"table": 0.35, "field": 0.1, "close": 0.25, "clutter": 1.0}[kind] * (
        0.6 if ordinary else 1
    )
    if rng.random() < chance:
        count = int(rng.integers(6, 22)) if kind == "clutter" else int(rng.integers(1, 6))
        tray = None if rest.open_floor else rest.tray
        strew(bench, chooser, dice, tray, drop, reach, count, ORDINARY if ordinary else None)
