"""Adds small foreign objects to a scene: coins, pawns, screws, buttons and sugar lumps.

Each object is built around the origin of the scene builder, and stands on the plane z = 0. Lengths are in
millimetres.
"""

from itertools import pairwise

import numpy as np

from training.scenes.colours import (
    draw_any_colour,
    draw_black,
    draw_ivory,
    draw_metal,
    draw_strong,
    draw_white,
    draw_wood,
    from_hsv,
)
from training.scenes.grounds.covers import draw_cover, make_plain_cover
from training.scenes.kept_out import Chooser
from training.scenes.objects.polyhedra import add_regular_solid
from training.scenes.scene_builder import LYING, SceneBuilder
from training.scenes.world import Form


def draw_plastic_cover(builder: SceneBuilder, chooser: Chooser) -> int:
    """Add a plastic surface material, glossy or dull and sometimes transparent, and return its number.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    draw = [draw_strong, draw_white, draw_black, draw_any_colour, draw_ivory][int(rng.integers(5))]
    clear = float(rng.uniform(0.6, 1)) if rng.random() < 0.1 else 0.0
    return builder.cover(make_plain_cover(draw(rng), float(rng.uniform(0.05, 0.8)), clear=clear))


def draw_metal_cover(builder: SceneBuilder, chooser: Chooser) -> int:
    """Add a metallic surface material, and return its number.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    return builder.cover(make_plain_cover(draw_metal(rng), float(rng.uniform(0.1, 0.6)), 1.0))


def draw_any_cover(builder: SceneBuilder, chooser: Chooser) -> int:
    """Add a random surface material, and return its number.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    return builder.cover(draw_cover(chooser, builder.small))


def add_coin(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a coin or a poker chip with a rim and a print, or a pile of them.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    radius, thick = float(rng.uniform(7, 20)), float(rng.uniform(0.7, 1.8))
    stuff = (
        draw_metal_cover(builder, chooser)
        if rng.random() < 0.75
        else draw_plastic_cover(builder, chooser)
    )
    face = stuff if rng.random() < 0.4 else builder.cover(
        draw_cover(chooser, builder.small, {"scuffed": 0.4, "letters": 0.3, "art": 0.3}))  # fmt: skip
    for k in range(int(rng.choice([1, 1, 1, 2, 5]))):
        off = (float(rng.normal(0, 0.8)), float(rng.normal(0, 0.8)), thick * (2 * k + 1))
        builder.disc(radius, thick, off, stuff, 0.3)
        builder.disc(radius * 0.85, thick, (off[0], off[1], off[2] + 0.12), face, 0.1)


def add_ring(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a finger ring, a washer or a rubber band.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = (
        draw_metal_cover(builder, chooser)
        if rng.random() < 0.7
        else draw_plastic_cover(builder, chooser)
    )
    add_loop(
        builder,
        float(rng.uniform(6, 22)),
        float(rng.uniform(0.6, 2.4)),
        stuff,
        squash=float(rng.uniform(0.6, 1)),
    )


def add_loop(
    builder: SceneBuilder, radius: float, thick: float, stuff: int, squash: float = 1.0
) -> None:
    """Add a ring of short rods that lies flat.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        radius: Radius of the ring in millimetres.
        thick: Radius of the rods in millimetres.
        stuff: Number of its surface material.
        squash: Ratio of the second axis of the ring to its first: 1 for a circle.
    """
    angles = np.linspace(0, 2 * np.pi, 17)
    ring_ = radius * np.column_stack([np.cos(angles), squash * np.sin(angles), np.zeros(17)])
    for start, end in pairwise(ring_):
        builder.rod(start + (0, 0, thick), end + (0, 0, thick), thick, stuff)


def add_bottle_cap(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add the crown cap of a bottle, with its teeth.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    stuff, print_ = draw_metal_cover(builder, chooser), draw_any_cover(builder, chooser)
    builder.disc(13, 2.8, (0, 0, 2.8), print_, 1.5)
    for angle in np.arange(21) * 2 * np.pi / 21:
        x, y = 14.2 * np.cos(angle), 14.2 * np.sin(angle)
        builder.rod(np.array([0.9 * x, 0.9 * y, 4]), np.array([x, y, 0.8]), 0.8, stuff)


def add_pawn(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a pawn from a board game, standing or fallen over.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = (
        draw_plastic_cover(builder, chooser)
        if rng.random() < 0.6
        else builder.cover(make_plain_cover(draw_wood(rng), 0.5))
    )
    size = float(rng.uniform(4, 8))
    standing = rng.random() < 0.6
    turn = None if standing else LYING

    def place(height: float) -> tuple[float, float, float]:
        return (0, 0, height) if standing else (height, 0, size)

    builder.disc(size, 1.2, place(1.2), stuff, 0.8, turn)
    builder.add(Form.HULL, (size, size, 1.6 * size), place(1.6 * size), stuff, turn,
              planes=_cone(size * 0.9, 0.35 * size, 1.6 * size))  # fmt: skip
    builder.add(Form.BALL, (0.62 * size,) * 3, place(3.2 * size), stuff)


def _cone(low: float, high: float, half: float) -> np.ndarray:
    """Return the planes (k, 4) of a truncated cone around z, with a radius of `low` below and `high` above."""
    angles = np.arange(14) * 2 * np.pi / 14
    slope = (low - high) / (2 * half)
    sides = np.column_stack([np.cos(angles), np.sin(angles), np.full(14, slope)])
    sides = np.column_stack([sides, np.full(14, (low + high) / 2)])
    sides /= np.sqrt(1 + slope**2)
    return np.concatenate([sides, [[0, 0, 1, half], [0, 0, -1, half]]])


def add_polyhedron(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a die with 4, 8, 12 or 20 faces that has no pips.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    add_regular_solid(builder, int(rng.choice([4, 8, 12, 20, 20])), float(rng.uniform(6, 13)), draw_any_cover(builder, chooser)
                  if rng.random() < 0.4 else draw_plastic_cover(builder, chooser))  # fmt: skip


def add_cube(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a wooden cube, an eraser or a box, either blank or with a pattern that is not a face of a die.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    size = float(np.exp(rng.uniform(np.log(4), np.log(16))))
    half = (size, size * float(rng.uniform(0.6, 1.6)), size * float(rng.uniform(0.3, 1.1)))
    kinds = {"plain": 0.3, "wood": 0.3, "letters": 0.12, "art": 0.1, "clouds": 0.1, "stripes": 0.08}
    builder.box(
        half,
        (0, 0, half[2]),
        builder.cover(draw_cover(chooser, builder.small, kinds)),
        float(rng.uniform(0, 0.3)) * half[2],
    )


def add_sugar(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add one to three sugar lumps.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    stuff = builder.cover(draw_cover(chooser, builder.small, {"sand": 1.0}))
    for k in range(int(chooser.rng.integers(1, 4))):
        builder.box((8, 8, 6), (float(k * 19), 0, 6), stuff, 1.0)


def add_domino(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a domino, face up.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    body, dot = draw_plastic_cover(builder, chooser), draw_plastic_cover(builder, chooser)
    builder.box((11, 22, 4), (0, 0, 4), body, 1.5)
    builder.box((9, 0.5, 0.3), (0, 0, 8), dot)
    for end in (-11, 11):
        for x, y in rng.permutation([(i, j) for i in (-5, 0, 5) for j in (-5, 0, 5)])[
            : int(rng.integers(0, 7))
        ]:
            builder.disc(1.6, 0.2, (float(x), float(end + y), 8), dot)


def add_brick(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a toy building brick with studs.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = draw_plastic_cover(builder, chooser)
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    high = float(rng.choice([1.6, 4.8]))
    builder.box((4 * columns, 4 * rows, high), (0, 0, high), stuff, 0.2)
    for i in range(columns):
        for j in range(rows):
            builder.disc(
                2.4,
                0.9,
                (8 * (i + 0.5) - 4 * columns, 8 * (j + 0.5) - 4 * rows, 2 * high + 0.9),
                stuff,
                0.2,
            )


def add_button(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a button with two or four holes.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff, hole = (
        draw_plastic_cover(builder, chooser),
        builder.cover(make_plain_cover(draw_black(rng), 0.8)),
    )
    radius = float(rng.uniform(5, 13))
    builder.disc(radius, 1.2, (0, 0, 1.2), stuff, 0.8)
    for angle in np.arange(count := int(rng.choice([2, 4]))) * 2 * np.pi / count:
        x, y = 0.32 * radius * np.cos(angle), 0.32 * radius * np.sin(angle)
        builder.disc(0.13 * radius, 0.1, (float(x), float(y), 2.4), hole)


def add_marble(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add marbles, beads, pearls, nuts or berries.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = (
        draw_any_cover(builder, chooser)
        if rng.random() < 0.5
        else draw_plastic_cover(builder, chooser)
    )
    for _ in range(int(rng.integers(1, 5))):
        radius = float(rng.uniform(1.5, 9))
        x, y = rng.normal(0, 14, 2)
        builder.add(
            Form.BALL,
            (radius, radius * float(rng.uniform(0.7, 1)), radius),
            (float(x), float(y), radius),
            stuff,
        )


def add_crumbs(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add crumbs, seeds, grains of rice or glitter, as large as pips.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = [draw_any_cover(builder, chooser) for _ in range(2)]
    size = float(rng.uniform(0.4, 2.2))
    for _ in range(int(rng.integers(3, 26))):
        half = size * rng.uniform(0.5, 1.3, 3)
        x, y = rng.normal(0, 15, 2)
        builder.add(
            Form.BALL, tuple(half), (float(x), float(y), float(half[2])), int(rng.choice(stuff))
        )


def add_screw(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a screw or a nail that lies flat.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = draw_metal_cover(builder, chooser)
    radius, length = float(rng.uniform(1, 2.8)), float(rng.uniform(10, 38))
    builder.rod(np.array([0, 0, 2 * radius]), np.array([length, 0, radius]), radius, stuff)
    builder.disc(2.1 * radius, 0.5 * radius, (0, 0, 2.1 * radius), stuff, 0.2, LYING)


def add_nut(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a hexagonal nut.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    size, stuff = float(rng.uniform(3, 9)), draw_metal_cover(builder, chooser)
    angles = np.arange(6) * np.pi / 3
    sides = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6), np.full(6, size)])
    planes = np.concatenate([sides, [[0, 0, 1, size / 2], [0, 0, -1, size / 2]]])
    builder.add(
        Form.HULL, (1.16 * size, 1.16 * size, size / 2), (0, 0, size / 2), stuff, planes=planes
    )
    builder.disc(
        0.58 * size, 0.05, (0, 0, size), builder.cover(make_plain_cover(from_hsv(0, 0, 0.1), 0.7))
    )


def add_token(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a cardboard counter or a tile with a symbol printed on it.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    size = float(rng.uniform(6, 18))
    kinds = {
        "art": 0.25,
        "letters": 0.25,
        "shapes": 0.2,
        "dots": 0.1,
        "faces": 0.1,
        "dominoes": 0.1,
    }
    print_ = builder.cover(draw_cover(chooser, builder.small, kinds))
    if rng.random() < 0.5:
        builder.box((size, size * float(rng.uniform(0.7, 1.2)), 1), (0, 0, 1), print_, 0.2)
    else:
        builder.disc(size, 1, (0, 0, 1), print_, 0.2)


def add_oddment(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add an abstract object made of a few random shapes stuck together.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    covers = [draw_any_cover(builder, chooser) for _ in range(2)]
    for _ in range(int(rng.integers(1, 5))):
        half = np.exp(rng.uniform(np.log(2), np.log(14), 3))
        place = (
            float(rng.normal(0, 8)),
            float(rng.normal(0, 8)),
            float(half.max() * rng.uniform(0.4, 1)),
        )
        form = Form(int(rng.choice([Form.BOX, Form.CYLINDER, Form.CAPSULE, Form.BALL])))
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] if rng.random() < 0.6 else np.eye(3)
        turn = turn * np.sign(np.linalg.det(turn))
        builder.add(
            form,
            tuple(half),
            place,
            int(rng.choice(covers)),
            turn,
            float(half.min()) * rng.uniform(0, 0.5),
        )
