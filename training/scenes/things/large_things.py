"""What lies about near dice and is none: pens, cards, keys, keyboards, phones, cups, cables.

Each is built around the origin of the workbench, standing on z = 0. Lengths are millimetres.
"""

from itertools import pairwise

import numpy as np

from training.scenes.colours import black, hued, metallic, strong, white, wooden
from training.scenes.grounds.covers import cover, plain_cover
from training.scenes.kept_out import Chooser
from training.scenes.things.small_things import anything, loop, metal, plastic
from training.scenes.workbench import LEVEL, Workbench, about_z
from training.scenes.world import Cover, Form


def pen(bench: Workbench, chooser: Chooser) -> None:
    """A ball pen or a felt pen, with tip, clip and cap."""
    rng = chooser.rng
    radius, length = float(rng.uniform(3.2, 7)), float(rng.uniform(45, 72))
    body, tip = (
        plastic(bench, chooser),
        metal(bench, chooser) if rng.random() < 0.6 else plastic(bench, chooser),
    )
    bench.add(Form.CYLINDER, (radius, radius, length), (0, 0, radius), body, LEVEL, 0.6)
    bench.add(
        Form.CYLINDER, (radius * 0.6, radius * 0.6, 6), (length + 5, 0, radius), tip, LEVEL, 0.5
    )
    bench.add(
        Form.CYLINDER, (radius * 1.04, radius * 1.04, 2), (length * 0.3, 0, radius), tip, LEVEL, 0.2
    )
    bench.box((18, 0.25 * radius, 0.6), (-length + 24, 0, 2 * radius + 0.8), tip, 0.3)


def pencil(bench: Workbench, chooser: Chooser) -> None:
    """A six-sided pencil with its point, or the end of one: near the size of a die."""
    rng = chooser.rng
    paint, bare = plastic(bench, chooser), bench.cover(plain_cover(wooden(rng), 0.7))
    lead = bench.cover(plain_cover(black(rng), 0.5))
    size, length = 3.6, float(rng.uniform(15, 85))
    angles = np.arange(6) * np.pi / 3
    sides = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6), np.full(6, size)])
    planes = np.concatenate([sides, [[0, 0, 1, length], [0, 0, -1, length]]])
    bench.add(Form.HULL, (4.2, 4.2, length), (0, 0, size), paint, LEVEL, planes=planes)
    slope = 0.32
    point = np.column_stack([np.cos(angles), np.sin(angles), np.full(6, slope), np.full(6, 1.9)])
    point /= np.sqrt(1 + slope**2)
    planes = np.concatenate([point, [[0, 0, 1, 4.5], [0, 0, -1, 6]]])
    bench.add(Form.HULL, (3.9, 3.9, 6), (length + 6, 0, size), bare, LEVEL, planes=planes)
    bench.add(Form.CYLINDER, (0.9, 0.9, 1.5), (length + 11, 0, size), lead, LEVEL, 0.4)


def card(bench: Workbench, chooser: Chooser) -> None:
    """Playing cards, notes, a score pad: flat, one or some on each other."""
    rng = chooser.rng
    kinds = {
        "cards": 0.15,
        "letters": 0.3,
        "art": 0.15,
        "plain": 0.2,
        "grid_lines": 0.12,
        "dominoes": 0.08,
    }
    half = (
        float(rng.uniform(20, 60)),
        float(rng.uniform(28, 85)),
        float(rng.choice([0.2, 0.3, 3])),
    )
    for k in range(int(rng.choice([1, 1, 2, 4]))):
        off = (
            float(rng.normal(0, 9 * k)),
            float(rng.normal(0, 9 * k)),
            half[2] * (2 * k + 1) + 0.05,
        )
        bench.box(
            half,
            off,
            bench.cover(cover(chooser, bench.small, kinds)),
            0.1,
            about_z(rng.normal(0, 0.3 * k)),
        )


def wandering(rng: np.random.Generator, steps: int, pace: float, bend: float) -> np.ndarray:
    """(steps + 1, 3) places along a line that bends at random, level."""
    turn = np.cumsum(np.cumsum(rng.normal(0, bend, steps)) * 0.6)
    ways = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(steps)])
    return np.concatenate([np.zeros((1, 3)), np.cumsum(ways * pace, axis=0)])


def cable(bench: Workbench, chooser: Chooser) -> None:
    """A cable or a string, with a plug."""
    rng = chooser.rng
    stuff, radius = plastic(bench, chooser), float(rng.uniform(0.8, 3.2))
    line = wandering(rng, int(rng.integers(10, 26)), float(rng.uniform(6, 14)), 0.3) + (
        0,
        0,
        radius,
    )
    for start, end in pairwise(line):
        bench.rod(start, end, radius, stuff)
    bench.box((9, 4.5, 2.5), (-8, 0, 2.6), stuff, 1.0)
    bench.box((6, 4, 1.4), (-20, 0, 2.6), metal(bench, chooser), 0.2)


def usb_stick(bench: Workbench, chooser: Chooser) -> None:
    """A memory stick, its plug with two holes."""
    rng = chooser.rng
    body, plug, hole = (
        plastic(bench, chooser),
        metal(bench, chooser),
        bench.cover(plain_cover(black(rng), 0.8)),
    )
    wide, long = float(rng.uniform(7, 11)), float(rng.uniform(12, 26))
    bench.box((long, wide, 4), (0, 0, 4), body, float(rng.uniform(0.3, 2.5)))
    bench.box((6.2, 6, 2.2), (long + 6, 0, 4), plug, 0.2)
    for y in (-2.6, 2.6):
        bench.box((1.1, 1.1, 0.1), (long + 8, y, 6.2), hole)
    if rng.random() < 0.5:
        bench.box((long * 0.6, wide * 0.6, 0.1), (0, 0, 8), anything(bench, chooser))


def sd_card(bench: Workbench, chooser: Chooser) -> None:
    """A memory card."""
    bench.box((12, 16, 1), (0, 0, 1), plastic(bench, chooser), 0.3)
    bench.box((9, 9, 0.1), (0, 2, 2), bench.cover(cover(chooser, bench.small, {"letters": 1.0})))


def keys(bench: Workbench, chooser: Chooser) -> None:
    """Keys on a ring."""
    rng = chooser.rng
    loop(bench, float(rng.uniform(9, 16)), 0.9, metal(bench, chooser))
    for _ in range(int(rng.integers(1, 5))):
        stuff, way = metal(bench, chooser), about_z(rng.uniform(0, 6.28))
        head = plastic(bench, chooser) if rng.random() < 0.4 else stuff
        height = float(rng.uniform(1, 4))
        for form, half, ahead, what in (
            (Form.CYLINDER, (11, 11, 1.1), 22, head), (Form.BOX, (14, 3.6, 1), 44, stuff),
            (Form.BOX, (3, 5, 0.9), 50, stuff), (Form.BOX, (2, 5.2, 0.9), 40, stuff),
        ):  # fmt: skip
            place = way @ np.array([ahead, 0, height])
            bench.add(form, half, tuple(place), what, way, 0.3)


def keyboard(bench: Workbench, chooser: Chooser) -> None:
    """A piece of a keyboard or of a remote control: rows of keys as large as dice, with signs."""
    rng = chooser.rng
    pitch = float(rng.uniform(9, 19.5))
    columns, rows = int(rng.integers(3, 9)), int(rng.integers(2, 5))
    dark = rng.random() < 0.6
    base = bench.cover(plain_cover((black if dark else white)(rng), 0.5))
    signs = [bench.cover(key_cover(rng, bench.small, is_dark=dark)) for _ in range(4)]
    high = float(rng.uniform(2, 6))
    bench.box((columns * pitch / 2 + 5, rows * pitch / 2 + 5, high), (0, 0, high), base, 1.5)
    cap = float(rng.uniform(0.38, 0.47)) * pitch
    for i in range(columns):
        for j in range(rows):
            place = ((i + 0.5 - columns / 2) * pitch, (j + 0.5 - rows / 2) * pitch, 2 * high + 1.5)
            bench.box((cap, cap, 1.8), place, int(rng.choice(signs)), float(rng.uniform(0.3, 1.2)))


def key_cover(rng: np.random.Generator, side: int, *, is_dark: bool) -> Cover:
    """Signs printed so far apart that each key shows one or two."""
    import cv2  # noqa: PLC0415 - keys alone are written on here

    ground, ink = (black(rng), white(rng)) if is_dark else (white(rng), black(rng))
    page = np.zeros((side, side), np.uint8)
    step = side // 5
    for i in range(5):
        for j in range(5):
            sign = str(rng.choice(list("ABCDEFGHKLMQRSTWXZ0123456789%&?=")))
            cv2.putText(page, sign, (i * step + step // 4, j * step + 3 * step // 4), int(rng.integers(0, 4)),
                        step / 40, 255, max(1, step // 20), cv2.LINE_AA)  # fmt: skip
    share = page.astype(np.float32)[..., None] / 255
    colours = np.array(ground) + (np.array(ink) - np.array(ground)) * share
    return Cover(colours.astype(np.float32), np.zeros((side, side), np.float32), 60.0, 0.0, float(rng.uniform(0.3, 0.8)),
                 shift_mm=(float(rng.uniform(0, 60)), float(rng.uniform(0, 60))))  # fmt: skip


def phone(bench: Workbench, chooser: Chooser) -> None:
    """A phone, its screen dark or bright, or its back with lenses."""
    rng = chooser.rng
    body = plastic(bench, chooser)
    bench.box((36, 74, 4), (0, 0, 4), body, 2.5)
    if rng.random() < 0.6:
        glass = plain_cover(black(rng), 0.03) if rng.random() < 0.5 else cover(chooser, bench.small)
        bench.box((33, 70, 0.1), (0, 0, 8), bench.cover(glass))
        return
    lens = bench.cover(plain_cover(hued(0.6, 0.5, 0.08), 0.05))
    for k in range(int(rng.integers(1, 4))):
        bench.disc(6, 0.8, (-22, 58 - 16.0 * k, 8.8), body, 0.2)
        bench.disc(4, 0.9, (-22, 58 - 16.0 * k, 8.9), lens, 0.1)


def cup(bench: Workbench, chooser: Chooser) -> None:
    """A cup or a glass with something in it, seen from above."""
    rng = chooser.rng
    radius, high = float(rng.uniform(22, 45)), float(rng.uniform(25, 75))
    stuff = anything(bench, chooser)
    angles = np.linspace(0, 2 * np.pi, 21)
    for start, end in pairwise(angles):
        middle, wide = (start + end) / 2, radius * np.tan((end - start) / 2) + 0.6
        place = (radius * float(np.cos(middle)), radius * float(np.sin(middle)), high / 2)
        bench.box((1.6, float(wide), high / 2), place, stuff, 0.5, about_z(middle))
    drink = bench.cover(
        plain_cover(strong(rng) if rng.random() < 0.4 else hued(0.07, 0.8, 0.25), 0.05)
    )
    bench.disc(radius, high * 0.35, (0, 0, high * 0.35), drink)


def battery(bench: Workbench, chooser: Chooser) -> None:
    """A battery, a lipstick, a roll: a short cylinder lying or standing."""
    rng = chooser.rng
    radius, half = float(rng.uniform(4, 11)), float(rng.uniform(8, 26))
    stuff, cap = anything(bench, chooser), metal(bench, chooser)
    lying = rng.random() < 0.7
    turn = LEVEL if lying else None
    bench.add(
        Form.CYLINDER, (radius, radius, half), (0, 0, radius if lying else half), stuff, turn, 0.8
    )
    place = (half + 0.7, 0, radius) if lying else (0, 0, 2 * half + 0.7)
    bench.add(Form.CYLINDER, (0.4 * radius, 0.4 * radius, 0.8), place, cap, turn, 0.2)


def paperclip(bench: Workbench, chooser: Chooser) -> None:
    """A bent wire."""
    rng = chooser.rng
    stuff = bench.cover(plain_cover(metallic(rng), 0.25, 1.0))
    line = wandering(rng, 12, float(rng.uniform(3, 6)), 0.7) + (0, 0, 0.7)
    for start, end in pairwise(line):
        bench.rod(start, end, 0.6, stuff)
