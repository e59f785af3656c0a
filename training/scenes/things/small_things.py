"""What lies about near dice and is none: coins, pawns, keys, screws, buttons, sugar.

Each is built around the origin of the workbench, standing on z = 0. Lengths are millimetres.
"""

from itertools import pairwise

import numpy as np

from training.scenes.colours import any_colour, black, hued, ivory, metallic, strong, white, wooden
from training.scenes.grounds.covers import cover, plain_cover
from training.scenes.kept_out import Chooser
from training.scenes.things.polyhedra import regular_solid
from training.scenes.workbench import LEVEL, Workbench
from training.scenes.world import Form


def plastic(bench: Workbench, chooser: Chooser) -> int:
    """A cover of one colour, glossy or dull, now and then clear."""
    rng = chooser.rng
    draw = [strong, white, black, any_colour, ivory][int(rng.integers(5))]
    clear = float(rng.uniform(0.6, 1)) if rng.random() < 0.1 else 0.0
    return bench.cover(plain_cover(draw(rng), float(rng.uniform(0.05, 0.8)), clear=clear))


def metal(bench: Workbench, chooser: Chooser) -> int:
    """A cover of metal."""
    rng = chooser.rng
    return bench.cover(plain_cover(metallic(rng), float(rng.uniform(0.1, 0.6)), 1.0))


def anything(bench: Workbench, chooser: Chooser) -> int:
    """A cover of any kind."""
    return bench.cover(cover(chooser, bench.small))


def coin(bench: Workbench, chooser: Chooser) -> None:
    """A coin or a poker chip, with a rim and something on it; now and then a pile."""
    rng = chooser.rng
    radius, thick = float(rng.uniform(7, 20)), float(rng.uniform(0.7, 1.8))
    stuff = metal(bench, chooser) if rng.random() < 0.75 else plastic(bench, chooser)
    face = stuff if rng.random() < 0.4 else bench.cover(
        cover(chooser, bench.small, {"scuffed": 0.4, "letters": 0.3, "art": 0.3}))  # fmt: skip
    for k in range(int(rng.choice([1, 1, 1, 2, 5]))):
        off = (float(rng.normal(0, 0.8)), float(rng.normal(0, 0.8)), thick * (2 * k + 1))
        bench.disc(radius, thick, off, stuff, 0.3)
        bench.disc(radius * 0.85, thick, (off[0], off[1], off[2] + 0.12), face, 0.1)


def ring(bench: Workbench, chooser: Chooser) -> None:
    """A finger ring, a washer, a rubber band: a closed chain."""
    rng = chooser.rng
    stuff = metal(bench, chooser) if rng.random() < 0.7 else plastic(bench, chooser)
    loop(
        bench,
        float(rng.uniform(6, 22)),
        float(rng.uniform(0.6, 2.4)),
        stuff,
        squash=float(rng.uniform(0.6, 1)),
    )


def loop(bench: Workbench, radius: float, thick: float, stuff: int, squash: float = 1.0) -> None:
    """A torus of short rods, lying."""
    angles = np.linspace(0, 2 * np.pi, 17)
    ring_ = radius * np.column_stack([np.cos(angles), squash * np.sin(angles), np.zeros(17)])
    for start, end in pairwise(ring_):
        bench.rod(start + (0, 0, thick), end + (0, 0, thick), thick, stuff)


def bottle_cap(bench: Workbench, chooser: Chooser) -> None:
    """A crown cap, its teeth around it."""
    stuff, print_ = metal(bench, chooser), anything(bench, chooser)
    bench.disc(13, 2.8, (0, 0, 2.8), print_, 1.5)
    for angle in np.arange(21) * 2 * np.pi / 21:
        x, y = 14.2 * np.cos(angle), 14.2 * np.sin(angle)
        bench.rod(np.array([0.9 * x, 0.9 * y, 4]), np.array([x, y, 0.8]), 0.8, stuff)


def pawn(bench: Workbench, chooser: Chooser) -> None:
    """A game pawn, standing or fallen."""
    rng = chooser.rng
    stuff = (
        plastic(bench, chooser)
        if rng.random() < 0.6
        else bench.cover(plain_cover(wooden(rng), 0.5))
    )
    size = float(rng.uniform(4, 8))
    standing = rng.random() < 0.6
    turn = None if standing else LEVEL

    def place(height: float) -> tuple[float, float, float]:
        return (0, 0, height) if standing else (height, 0, size)

    bench.disc(size, 1.2, place(1.2), stuff, 0.8, turn)
    bench.add(Form.HULL, (size, size, 1.6 * size), place(1.6 * size), stuff, turn,
              planes=_cone(size * 0.9, 0.35 * size, 1.6 * size))  # fmt: skip
    bench.add(Form.BALL, (0.62 * size,) * 3, place(3.2 * size), stuff)


def _cone(low: float, high: float, half: float) -> np.ndarray:
    """(k, 4) planes of a cut cone around z."""
    angles = np.arange(14) * 2 * np.pi / 14
    slope = (low - high) / (2 * half)
    sides = np.column_stack([np.cos(angles), np.sin(angles), np.full(14, slope)])
    sides = np.column_stack([sides, np.full(14, (low + high) / 2)])
    sides /= np.sqrt(1 + slope**2)
    return np.concatenate([sides, [[0, 0, 1, half], [0, 0, -1, half]]])


def polyhedron(bench: Workbench, chooser: Chooser) -> None:
    """A die of 4, 8, 12 or 20 faces, without pips."""
    rng = chooser.rng
    regular_solid(bench, int(rng.choice([4, 8, 12, 20, 20])), float(rng.uniform(6, 13)), anything(bench, chooser)
                  if rng.random() < 0.4 else plastic(bench, chooser))  # fmt: skip


def cube(bench: Workbench, chooser: Chooser) -> None:
    """Wooden cubes, erasers, boxes: as large as dice, with nothing on them or a pattern that is no face."""
    rng = chooser.rng
    size = float(np.exp(rng.uniform(np.log(4), np.log(16))))
    half = (size, size * float(rng.uniform(0.6, 1.6)), size * float(rng.uniform(0.3, 1.1)))
    kinds = {"plain": 0.3, "wood": 0.3, "letters": 0.12, "art": 0.1, "clouds": 0.1, "stripes": 0.08}
    bench.box(
        half,
        (0, 0, half[2]),
        bench.cover(cover(chooser, bench.small, kinds)),
        float(rng.uniform(0, 0.3)) * half[2],
    )


def sugar(bench: Workbench, chooser: Chooser) -> None:
    """Lumps of sugar."""
    stuff = bench.cover(cover(chooser, bench.small, {"sand": 1.0}))
    for k in range(int(chooser.rng.integers(1, 4))):
        bench.box((8, 8, 6), (float(k * 19), 0, 6), stuff, 1.0)


def domino(bench: Workbench, chooser: Chooser) -> None:
    """A domino, face up."""
    rng = chooser.rng
    body, dot = plastic(bench, chooser), plastic(bench, chooser)
    bench.box((11, 22, 4), (0, 0, 4), body, 1.5)
    bench.box((9, 0.5, 0.3), (0, 0, 8), dot)
    for end in (-11, 11):
        for x, y in rng.permutation([(i, j) for i in (-5, 0, 5) for j in (-5, 0, 5)])[
            : int(rng.integers(0, 7))
        ]:
            bench.disc(1.6, 0.2, (float(x), float(end + y), 8), dot)


def brick(bench: Workbench, chooser: Chooser) -> None:
    """A building brick with studs."""
    rng = chooser.rng
    stuff = plastic(bench, chooser)
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    high = float(rng.choice([1.6, 4.8]))
    bench.box((4 * columns, 4 * rows, high), (0, 0, high), stuff, 0.2)
    for i in range(columns):
        for j in range(rows):
            bench.disc(
                2.4,
                0.9,
                (8 * (i + 0.5) - 4 * columns, 8 * (j + 0.5) - 4 * rows, 2 * high + 0.9),
                stuff,
                0.2,
            )


def button(bench: Workbench, chooser: Chooser) -> None:
    """A button with two or four holes."""
    rng = chooser.rng
    stuff, hole = plastic(bench, chooser), bench.cover(plain_cover(black(rng), 0.8))
    radius = float(rng.uniform(5, 13))
    bench.disc(radius, 1.2, (0, 0, 1.2), stuff, 0.8)
    for angle in np.arange(count := int(rng.choice([2, 4]))) * 2 * np.pi / count:
        x, y = 0.32 * radius * np.cos(angle), 0.32 * radius * np.sin(angle)
        bench.disc(0.13 * radius, 0.1, (float(x), float(y), 2.4), hole)


def marble(bench: Workbench, chooser: Chooser) -> None:
    """Marbles, beads, pearls, nuts, berries."""
    rng = chooser.rng
    stuff = anything(bench, chooser) if rng.random() < 0.5 else plastic(bench, chooser)
    for _ in range(int(rng.integers(1, 5))):
        radius = float(rng.uniform(1.5, 9))
        x, y = rng.normal(0, 14, 2)
        bench.add(
            Form.BALL,
            (radius, radius * float(rng.uniform(0.7, 1)), radius),
            (float(x), float(y), radius),
            stuff,
        )


def crumbs(bench: Workbench, chooser: Chooser) -> None:
    """Crumbs, seeds, rice, glitter, as large as pips."""
    rng = chooser.rng
    stuff = [anything(bench, chooser) for _ in range(2)]
    size = float(rng.uniform(0.4, 2.2))
    for _ in range(int(rng.integers(3, 26))):
        half = size * rng.uniform(0.5, 1.3, 3)
        x, y = rng.normal(0, 15, 2)
        bench.add(
            Form.BALL, tuple(half), (float(x), float(y), float(half[2])), int(rng.choice(stuff))
        )


def screw(bench: Workbench, chooser: Chooser) -> None:
    """A screw or a nail, lying."""
    rng = chooser.rng
    stuff = metal(bench, chooser)
    radius, length = float(rng.uniform(1, 2.8)), float(rng.uniform(10, 38))
    bench.rod(np.array([0, 0, 2 * radius]), np.array([length, 0, radius]), radius, stuff)
    bench.disc(2.1 * radius, 0.5 * radius, (0, 0, 2.1 * radius), stuff, 0.2, LEVEL)


def nut(bench: Workbench, chooser: Chooser) -> None:
    """A hexagonal nut."""
    rng = chooser.rng
    size, stuff = float(rng.uniform(3, 9)), metal(bench, chooser)
    angles = np.arange(6) * np.pi / 3
    sides = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6), np.full(6, size)])
    planes = np.concatenate([sides, [[0, 0, 1, size / 2], [0, 0, -1, size / 2]]])
    bench.add(
        Form.HULL, (1.16 * size, 1.16 * size, size / 2), (0, 0, size / 2), stuff, planes=planes
    )
    bench.disc(0.58 * size, 0.05, (0, 0, size), bench.cover(plain_cover(hued(0, 0, 0.1), 0.7)))


def token(bench: Workbench, chooser: Chooser) -> None:
    """A cardboard counter or a tile with a sign on it."""
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
    print_ = bench.cover(cover(chooser, bench.small, kinds))
    if rng.random() < 0.5:
        bench.box((size, size * float(rng.uniform(0.7, 1.2)), 1), (0, 0, 1), print_, 0.2)
    else:
        bench.disc(size, 1, (0, 0, 1), print_, 0.2)


def oddment(bench: Workbench, chooser: Chooser) -> None:
    """What nobody owns: a few pieces of anything, stuck together."""
    rng = chooser.rng
    covers = [anything(bench, chooser) for _ in range(2)]
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
        bench.add(
            form,
            tuple(half),
            place,
            int(rng.choice(covers)),
            turn,
            float(half.min()) * rng.uniform(0, 0.5),
        )
