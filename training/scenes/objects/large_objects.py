"""Adds large foreign objects to a scene: pens, cards, keys, keyboards, phones, cups and cables.

Each object is built around the origin of the scene builder, and stands on the plane z = 0. Lengths are in
millimetres.
"""

from itertools import pairwise

import numpy as np

from training.scenes.colours import (
    draw_black,
    draw_metal,
    draw_strong,
    draw_white,
    draw_wood,
    from_hsv,
)
from training.scenes.grounds.covers import draw_cover, make_plain_cover
from training.scenes.kept_out import Chooser
from training.scenes.objects.small_objects import (
    add_loop,
    draw_any_cover,
    draw_metal_cover,
    draw_plastic_cover,
)
from training.scenes.scene_builder import LYING, SceneBuilder, rotation_about_z
from training.scenes.world import Cover, Form


def add_pen(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a ballpoint pen or a felt-tip pen, with a tip, a clip and a cap.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    radius, length = float(rng.uniform(3.2, 7)), float(rng.uniform(45, 72))
    body, tip = (
        draw_plastic_cover(builder, chooser),
        draw_metal_cover(builder, chooser)
        if rng.random() < 0.6
        else draw_plastic_cover(builder, chooser),
    )
    builder.add(Form.CYLINDER, (radius, radius, length), (0, 0, radius), body, LYING, 0.6)
    builder.add(
        Form.CYLINDER, (radius * 0.6, radius * 0.6, 6), (length + 5, 0, radius), tip, LYING, 0.5
    )
    builder.add(
        Form.CYLINDER, (radius * 1.04, radius * 1.04, 2), (length * 0.3, 0, radius), tip, LYING, 0.2
    )
    builder.box((18, 0.25 * radius, 0.6), (-length + 24, 0, 2 * radius + 0.8), tip, 0.3)


def add_pencil(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a hexagonal pencil with its point, as narrow as a small die.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    paint, bare = (
        draw_plastic_cover(builder, chooser),
        builder.cover(make_plain_cover(draw_wood(rng), 0.7)),
    )
    lead = builder.cover(make_plain_cover(draw_black(rng), 0.5))
    size, length = 3.6, float(rng.uniform(15, 85))
    angles = np.arange(6) * np.pi / 3
    sides = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6), np.full(6, size)])
    planes = np.concatenate([sides, [[0, 0, 1, length], [0, 0, -1, length]]])
    builder.add(Form.HULL, (4.2, 4.2, length), (0, 0, size), paint, LYING, planes=planes)
    slope = 0.32
    point = np.column_stack([np.cos(angles), np.sin(angles), np.full(6, slope), np.full(6, 1.9)])
    point /= np.sqrt(1 + slope**2)
    planes = np.concatenate([point, [[0, 0, 1, 4.5], [0, 0, -1, 6]]])
    builder.add(Form.HULL, (3.9, 3.9, 6), (length + 6, 0, size), bare, LYING, planes=planes)
    builder.add(Form.CYLINDER, (0.9, 0.9, 1.5), (length + 11, 0, size), lead, LYING, 0.4)


def add_card(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a playing card, a note or a score pad, or several on top of each other.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
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
        builder.box(
            half,
            off,
            builder.cover(draw_cover(chooser, builder.small, kinds)),
            0.1,
            rotation_about_z(rng.normal(0, 0.3 * k)),
        )


def random_path(rng: np.random.Generator, steps: int, pace: float, bend: float) -> np.ndarray:
    """Return points (steps + 1, 3) along a level line that bends at random.

    Args:
        rng: Source of random numbers.
        steps: Number of straight segments.
        pace: Length of a segment in millimetres.
        bend: Standard deviation of the change in curvature from one segment to the next, in radians.
    """
    turn = np.cumsum(np.cumsum(rng.normal(0, bend, steps)) * 0.6)
    ways = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(steps)])
    return np.concatenate([np.zeros((1, 3)), np.cumsum(ways * pace, axis=0)])


def add_cable(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a cable or a string, with a plug.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff, radius = draw_plastic_cover(builder, chooser), float(rng.uniform(0.8, 3.2))
    line = random_path(rng, int(rng.integers(10, 26)), float(rng.uniform(6, 14)), 0.3) + (
        0,
        0,
        radius,
    )
    for start, end in pairwise(line):
        builder.rod(start, end, radius, stuff)
    builder.box((9, 4.5, 2.5), (-8, 0, 2.6), stuff, 1.0)
    builder.box((6, 4, 1.4), (-20, 0, 2.6), draw_metal_cover(builder, chooser), 0.2)


def add_usb_stick(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a USB stick whose plug has two holes.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    body, plug, hole = (
        draw_plastic_cover(builder, chooser),
        draw_metal_cover(builder, chooser),
        builder.cover(make_plain_cover(draw_black(rng), 0.8)),
    )
    wide, long = float(rng.uniform(7, 11)), float(rng.uniform(12, 26))
    builder.box((long, wide, 4), (0, 0, 4), body, float(rng.uniform(0.3, 2.5)))
    builder.box((6.2, 6, 2.2), (long + 6, 0, 4), plug, 0.2)
    for y in (-2.6, 2.6):
        builder.box((1.1, 1.1, 0.1), (long + 8, y, 6.2), hole)
    if rng.random() < 0.5:
        builder.box((long * 0.6, wide * 0.6, 0.1), (0, 0, 8), draw_any_cover(builder, chooser))


def add_sd_card(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add an SD card with a label.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    builder.box((12, 16, 1), (0, 0, 1), draw_plastic_cover(builder, chooser), 0.3)
    builder.box(
        (9, 9, 0.1), (0, 2, 2), builder.cover(draw_cover(chooser, builder.small, {"letters": 1.0}))
    )


def add_keys(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add keys on a ring.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    add_loop(builder, float(rng.uniform(9, 16)), 0.9, draw_metal_cover(builder, chooser))
    for _ in range(int(rng.integers(1, 5))):
        stuff, way = draw_metal_cover(builder, chooser), rotation_about_z(rng.uniform(0, 6.28))
        head = draw_plastic_cover(builder, chooser) if rng.random() < 0.4 else stuff
        height = float(rng.uniform(1, 4))
        for form, half, ahead, what in (
            (Form.CYLINDER, (11, 11, 1.1), 22, head), (Form.BOX, (14, 3.6, 1), 44, stuff),
            (Form.BOX, (3, 5, 0.9), 50, stuff), (Form.BOX, (2, 5.2, 0.9), 40, stuff),
        ):  # fmt: skip
            place = way @ np.array([ahead, 0, height])
            builder.add(form, half, tuple(place), what, way, 0.3)


def add_keyboard(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add part of a keyboard or of a remote control: rows of dice-sized keys with letters and symbols.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    pitch = float(rng.uniform(9, 19.5))
    columns, rows = int(rng.integers(3, 9)), int(rng.integers(2, 5))
    dark = rng.random() < 0.6
    base = builder.cover(make_plain_cover((draw_black if dark else draw_white)(rng), 0.5))
    signs = [builder.cover(draw_key_cover(rng, builder.small, is_dark=dark)) for _ in range(4)]
    high = float(rng.uniform(2, 6))
    builder.box((columns * pitch / 2 + 5, rows * pitch / 2 + 5, high), (0, 0, high), base, 1.5)
    cap = float(rng.uniform(0.38, 0.47)) * pitch
    for i in range(columns):
        for j in range(rows):
            place = ((i + 0.5 - columns / 2) * pitch, (j + 0.5 - rows / 2) * pitch, 2 * high + 1.5)
            builder.box(
                (cap, cap, 1.8), place, int(rng.choice(signs)), float(rng.uniform(0.3, 1.2))
            )


def draw_key_cover(rng: np.random.Generator, side: int, *, is_dark: bool) -> Cover:
    """Draw the surface material of keys: letters and symbols so far apart that each key shows one or two.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
        is_dark: Whether the keys are dark with light symbols. If not, they are light with dark symbols.
    """
    import cv2  # noqa: PLC0415 - only keys need OpenCV here

    ground, ink = (
        (draw_black(rng), draw_white(rng)) if is_dark else (draw_white(rng), draw_black(rng))
    )
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


def add_phone(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a phone that shows a dark or bright screen, or its back with camera lenses.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    body = draw_plastic_cover(builder, chooser)
    builder.box((36, 74, 4), (0, 0, 4), body, 2.5)
    if rng.random() < 0.6:
        glass = (
            make_plain_cover(draw_black(rng), 0.03)
            if rng.random() < 0.5
            else draw_cover(chooser, builder.small)
        )
        builder.box((33, 70, 0.1), (0, 0, 8), builder.cover(glass))
        return
    lens = builder.cover(make_plain_cover(from_hsv(0.6, 0.5, 0.08), 0.05))
    for k in range(int(rng.integers(1, 4))):
        builder.disc(6, 0.8, (-22, 58 - 16.0 * k, 8.8), body, 0.2)
        builder.disc(4, 0.9, (-22, 58 - 16.0 * k, 8.9), lens, 0.1)


def add_cup(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a cup or a glass with a drink in it.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    radius, high = float(rng.uniform(22, 45)), float(rng.uniform(25, 75))
    stuff = draw_any_cover(builder, chooser)
    angles = np.linspace(0, 2 * np.pi, 21)
    for start, end in pairwise(angles):
        middle, wide = (start + end) / 2, radius * np.tan((end - start) / 2) + 0.6
        place = (radius * float(np.cos(middle)), radius * float(np.sin(middle)), high / 2)
        builder.box((1.6, float(wide), high / 2), place, stuff, 0.5, rotation_about_z(middle))
    drink = builder.cover(
        make_plain_cover(
            draw_strong(rng) if rng.random() < 0.4 else from_hsv(0.07, 0.8, 0.25), 0.05
        )
    )
    builder.disc(radius, high * 0.35, (0, 0, high * 0.35), drink)


def add_battery(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a short cylinder, lying or standing, such as a battery, a lipstick or a roll.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    radius, half = float(rng.uniform(4, 11)), float(rng.uniform(8, 26))
    stuff, cap = draw_any_cover(builder, chooser), draw_metal_cover(builder, chooser)
    lying = rng.random() < 0.7
    turn = LYING if lying else None
    builder.add(
        Form.CYLINDER, (radius, radius, half), (0, 0, radius if lying else half), stuff, turn, 0.8
    )
    place = (half + 0.7, 0, radius) if lying else (0, 0, 2 * half + 0.7)
    builder.add(Form.CYLINDER, (0.4 * radius, 0.4 * radius, 0.8), place, cap, turn, 0.2)


def add_paperclip(builder: SceneBuilder, chooser: Chooser) -> None:
    """Add a bent wire, such as a paperclip.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
    """
    rng = chooser.rng
    stuff = builder.cover(make_plain_cover(draw_metal(rng), 0.25, 1.0))
    line = random_path(rng, 12, float(rng.uniform(3, 6)), 0.7) + (0, 0, 0.7)
    for start, end in pairwise(line):
        builder.rod(start, end, 0.6, stuff)
