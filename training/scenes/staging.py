"""Composes random scenes: dice at rest, floors, light and foreign objects, seen by a camera.

The same seed and library of throws give the same scene. There are four kinds of scenes. A `table` is a throw as players
see it, in a tray or on an open table. A `field` has dozens of dice of many different styles. `close` shows a few dice
that fill the image, and `clutter` shows a few dice among everyday objects.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from training.scenes.colours import scale_colour
from training.scenes.dice.choosing import choose_die_style
from training.scenes.dice.die_style import DieStyle
from training.scenes.grounds.covers import (
    GROUND_WEIGHTS,
    WALL_WEIGHTS,
    draw_cover,
    make_plain_cover,
)
from training.scenes.grounds.flakes import match_dice_colour, strew_flakes
from training.scenes.grounds.tray_shapes import make_wall_boxes
from training.scenes.hands import (
    draw_hand,
    draw_skin_cover,
    draw_sleeve_cover,
    make_nails,
    make_sleeve,
)
from training.scenes.hard_light import draw_hard_light
from training.scenes.kept_out import Chooser, Purpose
from training.scenes.lighting import draw_light
from training.scenes.objects.clutter import ORDINARY_OBJECT_WEIGHTS, scatter_objects
from training.scenes.scene_builder import SceneBuilder, rotation_about_z
from training.scenes.stacking import stack_dice
from training.scenes.throws.rest import Rest
from training.scenes.throws.rest_library import RestLibrary
from training.scenes.viewing import draw_camera, zoom_camera
from training.scenes.world import Form, HandShape, Part, RestingDie, Vector, World

SCENE_WEIGHTS = {"table": 0.55, "field": 0.2, "close": 0.1, "clutter": 0.15}
TRICKY_CHANCE = 0.36
"""Probability that a table has a die that is cocked, touches another or lies on another."""
ON_FLOOR_MM = 0.4
"""If the lowest corner of a die is lower than this, the die stands on the floor."""
LOW_ON_TABLE_SHARE, MAX_FREE_TILT_DEG = 0.7, 3.0
"""Share of the scenes seen from the side that show an open table, and the largest tilt of a die that leans on nothing."""
POLISHED_ROUGHNESS = (0.01, 0.12)
"""Smallest and largest roughness of ground that mirrors the dice."""
ASIDE_CHANCE = 0.2
"""Probability that a table has dice beside the tray."""
CUBE_ROTATIONS = np.array([
    np.stack([x, np.cross(z, x), z], axis=1)
    for z in np.concatenate([np.eye(3), -np.eye(3)]) for x in np.concatenate([np.eye(3), -np.eye(3)])
    if abs(x @ z) < 0.5
])  # fmt: skip
"""The rotations (24, 3, 3) that map a cube onto itself."""


@dataclass(frozen=True)
class SceneRequest:
    """The desired content of a scene, mostly as probabilities."""

    kind: str
    tile_px: int = 256  # width of a tile in pixels
    hand_chance: float = 0.12  # probability of a hand
    size: tuple[int, int] | None = None  # size of the image; None draws a usual size
    tricky_chance: float = TRICKY_CHANCE
    zoom_chance: float = 0.0  # probability that the camera zooms in on some of the dice
    hard_chance: float = 0.0  # probability of the hard light on which the tray networks are trained
    single_lamp_chance: float = 0.0  # probability of one small lamp at any height
    stack_chance: float = 0.0  # probability that a die lies on another
    low_view_chance: float = 0.0  # probability that the camera looks from the side
    flakes_chance: float = 0.0  # probability of flakes as large as pips on the ground
    alike_chance: float = 0.0  # probability of ground in the colour of the dice
    difficult_chance: float = 0.0  # probability that the dice are of glass, marble or metal
    polished_chance: float = 0.0  # probability of ground that mirrors the dice


def stage_world(
    seed: int, purpose: Purpose, library: RestLibrary, request: SceneRequest | None = None
) -> World:
    """Compose a random scene.

    Args:
        seed: Seed for the scene. The same seed and library give the same scene.
        purpose: Whether the images are for training or for one of the two kinds of tests.
        library: Simulated throws after the dice have come to rest.
        request: The desired content of the scene. None draws one of the kinds of scenes.
    """
    rng = np.random.default_rng([seed, list(Purpose).index(purpose)])
    if request is None:
        request = SceneRequest(str(rng.choice(list(SCENE_WEIGHTS), p=list(SCENE_WEIGHTS.values()))))
    chooser = Chooser(rng, purpose)
    is_low = _happens(rng, request.low_view_chance)
    rest = _rest(rng, library, request)
    if is_low and rng.random() < LOW_ON_TABLE_SHARE:
        rest = _without_tray(rng, library)
    stuff = _happens(rng, request.difficult_chance)
    styles = _styles(chooser, request.kind, len(rest.edges_mm), difficult=stuff)
    dice = dress_dice(rng, rest, styles)
    if _happens(rng, request.stack_chance):
        dice = stack_dice(rng, dice)
    if request.kind == "close":
        dice = _few(rng, dice)
    return build_world(seed, chooser, request, rest, styles, dice, is_low=is_low)


def build_world(  # noqa: PLR0917 - all parts of a world
    seed: int, chooser: Chooser, request: SceneRequest, rest: Rest, styles: tuple[DieStyle, ...], dice: tuple[RestingDie, ...],
    *, is_low: bool = False,
) -> World:  # fmt: skip
    """Compose a random scene around dice that are already in place.

    Args:
        seed: Seed for the scene. The same seed and library give the same scene.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        request: The desired content of the scene.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
        styles: Appearances of the sets of dice.
        dice: The dice in the scene.
        is_low: Whether the camera looks from the side instead of from above.
    """
    rng = chooser.rng
    tray = None if rest.open_floor else rest.tray
    drop = 0.0 if tray is None else float(rng.uniform(1, 9))
    builder = SceneBuilder(request.tile_px)
    ground, table = add_grounds(builder, chooser)
    _disguise(builder, chooser, request, styles, rest)
    add_walls(builder, chooser, rest, drop, ground)
    add_obstacles(builder, chooser, rest)
    camera = draw_camera(rng, rest, dice, request.kind, request.size, low=is_low)
    if (
        request.zoom_chance
        and dice
        and request.kind != "close"
        and rng.random() < request.zoom_chance
    ):
        camera = zoom_camera(rng, camera, dice)
    hand = add_hand(builder, chooser, rest) if rng.random() < request.hand_chance else None
    if tray is not None and request.kind == "table" and rng.random() < ASIDE_CHANCE:
        dice += place_aside(rng, rest, len(styles), drop)
    dice = remove_dice_in_hand(hand, dice)
    reach = float(np.abs(rest.tray.outline).max())
    add_clutter(builder, chooser, request.kind, dice, rest, drop, reach)
    # If that probability is 0, no number is drawn, so that old seeds still give the same scenes.
    hard = request.hard_chance > 0 and bool(rng.random() < request.hard_chance)
    if _happens(rng, request.single_lamp_chance):
        shining = draw_hard_light(chooser, 2 * reach, camera.at)
    else:
        shining = draw_light(chooser, 2 * reach, camera.at, hard=hard)
    return World(seed, request.kind, tray, ground, table, drop, styles, dice, tuple(builder.covers),
                 tuple(builder.solids), hand, shining, camera)  # fmt: skip


def _rest(rng: Generator, library: RestLibrary, request: SceneRequest) -> Rest:
    if request.kind == "field":
        return library.pick(rng, library.fields)
    chance = rng.random()
    if chance < request.tricky_chance / 2:
        return library.pick(rng, library.leaning)
    return library.pick(rng, library.tricky if chance < request.tricky_chance else library.tables)


def _without_tray(rng: Generator, library: RestLibrary) -> Rest:
    """Return a throw on an open table. Walls would hide the dice from a low camera."""
    while True:
        rest = library.pick(rng, library.tables)
        if (rest.tilts_deg() < MAX_FREE_TILT_DEG).all():
            return replace(rest, open_floor=True)


def _happens(rng: Generator, chance: float) -> bool:
    """Return true with a given probability.

    If the probability is 0, no random number is drawn, so that old seeds still give the same scenes.
    """
    return chance > 0 and bool(rng.random() < chance)


def _disguise(
    builder: SceneBuilder,
    chooser: Chooser,
    request: SceneRequest,
    styles: tuple[DieStyle, ...],
    rest: Rest,
) -> None:
    """Give the floor the colour of the dice, flakes as large as pips, or a polish, as requested."""
    if _happens(chooser.rng, request.alike_chance):
        body = styles[int(chooser.rng.integers(len(styles)))].body.colours[0]
        builder.covers[0] = match_dice_colour(chooser.rng, builder.covers[0], body)
    if _happens(chooser.rng, request.flakes_chance):
        edge_mm = float(rest.edges_mm.mean()) if len(rest.edges_mm) else 16.0
        builder.covers[0] = strew_flakes(chooser, builder.covers[0], edge_mm)
    if _happens(chooser.rng, request.polished_chance):
        rough = float(chooser.rng.uniform(*POLISHED_ROUGHNESS))
        builder.covers[0] = replace(builder.covers[0], rough=rough, relief_mm=0.0)


def _styles(
    chooser: Chooser, kind: str, count: int, *, difficult: bool = False
) -> tuple[DieStyle, ...]:
    """Draw the appearance of the dice: one set, several sets, or a separate style for almost every die of a field."""
    if kind == "field":
        looks = max(1, count // int(chooser.rng.integers(1, 4)))
    else:
        looks = 1 if chooser.rng.random() < 0.55 else int(chooser.rng.integers(2, 5))
    return tuple(choose_die_style(chooser, difficult=difficult) for _ in range(min(looks, 40)))


def dress_dice(rng: Generator, rest: Rest, styles: tuple[DieStyle, ...]) -> tuple[RestingDie, ...]:
    """Return the dice of a simulated throw, each with a random appearance and a random face up.

    Args:
        rng: Source of random numbers.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
        styles: Appearances to choose from.
    """
    turns = rest.turns() @ CUBE_ROTATIONS[rng.integers(24, size=len(rest.edges_mm))]
    looks = rng.integers(len(styles), size=len(rest.edges_mm))
    dice = (
        RestingDie(int(k), float(e), at, turn, bool(s), bool(t))
        for k, e, at, turn, s, t in zip(
            looks, rest.edges_mm, rest.at, turns, rest.stacked, rest.touching, strict=True
        )
    )  # fmt: skip
    return tuple(_sunk(die, styles[die.style].edge) for die in dice)


def _sunk(die: RestingDie, edge: float) -> RestingDie:
    """Lower a cocked die so that its rounded edge touches the floor.

    Throws are simulated with sharp-edged dice, so a cocked die with rounded edges would otherwise hover above the floor.

    Args:
        die: A die at its place in the simulated throw.
        edge: Radius of its rounded edges, as a share of half the die's edge.
    """
    low = float(die.corners()[:, 2].min())
    reach = float(np.abs(die.turn[2]).sum())
    gap = edge * (reach - 1) * die.edge_mm / 2
    return replace(die, at=die.at - (0, 0, gap)) if low < ON_FLOOR_MM else die


def place_aside(rng: Generator, rest: Rest, styles: int, drop: float) -> tuple[RestingDie, ...]:
    """Return dice that lie flat on the table beside the tray.

    Args:
        rng: Source of random numbers.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
        styles: Number of appearances to choose from.
        drop: Height of the floor of the tray above the table, in millimetres.
    """
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
        turn = rotation_about_z(yaw) @ CUBE_ROTATIONS[int(rng.integers(24))]
        if all(np.linalg.norm(at - d.at) > 1.5 * edge for d in out):
            out.append(RestingDie(int(rng.integers(styles)), edge, at, turn, in_tray=False))
    return tuple(out)


def _few(rng: Generator, dice: tuple[RestingDie, ...]) -> tuple[RestingDie, ...]:
    """Return a random die and up to two dice close to it."""
    if not dice:
        return dice
    first = dice[int(rng.integers(len(dice)))]
    near = sorted(dice, key=lambda d: float(np.linalg.norm(d.at - first.at)))
    count = int(rng.integers(1, 4))
    return tuple(d for d in near[:count] if np.linalg.norm(d.at - first.at) < 4 * first.edge_mm)


def add_grounds(builder: SceneBuilder, chooser: Chooser) -> tuple[int, int]:
    """Add the surface materials of the floor and of the table around it, and return their numbers.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    builder.part, builder.fixed = Part.GROUND, True
    ground = builder.cover(draw_cover(chooser, builder.side))
    return ground, builder.cover(draw_cover(chooser, builder.side))


def add_walls(
    builder: SceneBuilder, chooser: Chooser, rest: Rest, drop: float, ground: int
) -> None:
    """Add the walls of the tray or, on an open table, sometimes a mat.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
        drop: Height of the floor of the tray above the table, in millimetres.
        ground: Number of the surface material of the floor.
    """
    rng = chooser.rng
    if rest.open_floor:
        if rng.random() < 0.25:  # a mat or a sheet of paper on the table
            builder.move(np.array([*rng.normal(0, 30, 2), 0.0]), rng.uniform(0, 3))
            half = rest.tray.outline.max(axis=0) * rng.uniform(0.4, 1.2)
            builder.box(
                (float(half[0]), float(half[1]), 0.4),
                (0, 0, -0.35),
                builder.cover(draw_cover(chooser, builder.side)),
            )
        return
    kinds = (
        WALL_WEIGHTS
        if chooser.purpose is Purpose.ORDINARY or rng.random() < 0.7
        else GROUND_WEIGHTS
    )
    wall = builder.cover(draw_cover(chooser, builder.side, kinds))
    inner = ground if rng.random() < 0.3 else wall
    round_mm = float(rng.uniform(0, 0.45)) * rest.tray.thick_mm
    for part in make_wall_boxes(rest.tray, drop):
        builder.move(part.at)
        builder.box(tuple(part.half), (0, 0, 0), wall, round_mm, part.turn)
        if inner != wall:  # a lining on the inside
            lined = (float(part.half[0]), 0.35, float(part.half[2]) - 0.6)
            builder.box(lined, tuple(part.turn @ [0, part.half[1], -0.6]), inner, 0.2, part.turn)


def add_obstacles(builder: SceneBuilder, chooser: Chooser, rest: Rest) -> None:
    """Add the coins, rods, beads and slabs that were in the way of the dice, so that some dice lean on them.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
    """
    builder.part, builder.fixed = Part.FOREIGN_OBJECT, False
    covers = [
        builder.cover(draw_cover(chooser, builder.small))
        for _ in range(min(4, len(rest.obstacles)))
    ]
    metal = builder.cover(make_plain_cover((0.7, 0.65, 0.5), 0.3, 1.0))
    for one in rest.obstacles:
        builder.move(one.at)
        look = metal if one.kind == "coin" else int(chooser.rng.choice(covers))
        if one.kind == "coin":
            builder.disc(float(one.half[0]), float(one.half[2]), (0, 0, 0), look, 0.2, one.turn)
        elif one.kind == "rod":
            builder.add(Form.CAPSULE, tuple(one.half), (0, 0, 0), look, one.turn)
        elif one.kind == "bead":
            builder.add(Form.BALL, tuple(one.half), (0, 0, 0), look)
        else:
            builder.box(tuple(one.half), (0, 0, 0), look, 0.15 * float(one.half.min()), one.turn)


def add_hand(builder: SceneBuilder, chooser: Chooser, rest: Rest) -> HandShape:
    """Add a hand that reaches into the tray.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
    """
    rng = chooser.rng
    span = rest.tray.outline.max(axis=0)
    tip = np.array([*rng.uniform(-1, 1, 2) * span * 1.1, 0.0])
    builder.part, builder.fixed = Part.HAND, False
    skin = draw_skin_cover(rng, builder.small)
    hand, wrist = draw_hand(chooser, builder.cover(skin), tip)
    tone = skin.colours.mean(axis=(0, 1))
    nail = scale_colour((float(tone[0]), float(tone[1]), float(tone[2])), 1.25)
    builder.solids += make_nails(chooser, builder.cover(make_plain_cover(nail, 0.25)), hand)
    if rng.random() < 0.6:
        builder.solids.append(
            make_sleeve(
                chooser,
                builder.cover(draw_sleeve_cover(chooser, builder.small)),
                wrist,
                wrist - tip,
            )
        )
    return hand


def remove_dice_in_hand(
    hand: HandShape | None, dice: tuple[RestingDie, ...]
) -> tuple[RestingDie, ...]:
    """Return the dice without those that overlap a hand.

    Args:
        hand: The hand in the image, or None.
        dice: The dice in the scene.
    """
    if hand is None:
        return dice
    return tuple(d for d in dice if _gap(hand, d.at) > 0.62 * d.edge_mm)


def _gap(hand: HandShape, point: Vector) -> float:
    way = hand.ends - hand.starts
    along = ((point - hand.starts) * way).sum(axis=1) / (way**2).sum(axis=1).clip(1e-9)
    near = hand.starts + way * along.clip(0, 1)[:, None]
    return float((np.linalg.norm(point - near, axis=1) - hand.radii.max(axis=1)).min())


def add_clutter(  # noqa: PLR0917 - all limits of a place
    builder: SceneBuilder, chooser: Chooser, kind: str, dice: tuple[RestingDie, ...], rest: Rest, drop: float, reach: float
) -> None:  # fmt: skip
    """Scatter everyday objects in and around the tray, more often in some kinds of scenes.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        kind: Kind of scene, a key of `SCENE_WEIGHTS`.
        dice: The dice in the scene.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
        drop: Height of the floor of the tray above the table, in millimetres.
        reach: Largest distance of an object from the centre of an open table, in millimetres.
    """
    rng = chooser.rng
    builder.part, builder.fixed = Part.FOREIGN_OBJECT, False
    ordinary = chooser.purpose is Purpose.ORDINARY
    chance = {"table": 0.35, "field": 0.1, "close": 0.25, "clutter": 1.0}[kind] * (
        0.6 if ordinary else 1
    )
    if rng.random() < chance:
        count = int(rng.integers(6, 22)) if kind == "clutter" else int(rng.integers(1, 6))
        tray = None if rest.open_floor else rest.tray
        scatter_objects(
            builder,
            chooser,
            dice,
            tray,
            drop,
            reach,
            count,
            ORDINARY_OBJECT_WEIGHTS if ordinary else None,
        )
