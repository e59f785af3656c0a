"""Scatters everyday objects in and around a tray, so that none of them overlaps a die."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from training.scenes.grounds.tray_shapes import are_inside
from training.scenes.kept_out import Chooser
from training.scenes.objects import large_objects as large
from training.scenes.objects import small_objects as small
from training.scenes.scene_builder import SceneBuilder
from training.scenes.world import RestingDie, Solid, TrayFloor, Vector

Builder = Callable[[SceneBuilder, Chooser], None]
BUILDERS: dict[str, Builder] = {
    "coin": small.add_coin, "ring": small.add_ring, "bottle_cap": small.add_bottle_cap, "pawn": small.add_pawn,
    "polyhedron": small.add_polyhedron, "cube": small.add_cube, "sugar": small.add_sugar, "domino": small.add_domino,
    "brick": small.add_brick, "button": small.add_button, "marble": small.add_marble, "crumbs": small.add_crumbs,
    "screw": small.add_screw, "nut": small.add_nut, "token": small.add_token, "oddment": small.add_oddment,
    "pen": large.add_pen, "pencil": large.add_pencil, "card": large.add_card, "cable": large.add_cable,
    "usb_stick": large.add_usb_stick, "sd_card": large.add_sd_card, "keys": large.add_keys,
    "keyboard": large.add_keyboard, "phone": large.add_phone, "cup": large.add_cup, "battery": large.add_battery,
    "paperclip": large.add_paperclip,
}  # fmt: skip
OBJECT_WEIGHTS = dict.fromkeys(BUILDERS, 1.0) | {"coin": 2.0, "pen": 1.5, "pencil": 1.5, "cube": 2.0, "oddment": 3.0,
                                            "keyboard": 1.5, "crumbs": 1.5}  # fmt: skip
ORDINARY_OBJECT_WEIGHTS = {"coin": 0.4, "pen": 0.3, "crumbs": 0.3}
OUTSIDE_KINDS = ("card", "phone", "cup", "keyboard")
"""Objects that are too large for most trays."""
GAP_MM = 0.6


def scatter_objects(  # noqa: PLR0917 - all limits of a place
    builder: SceneBuilder, chooser: Chooser, dice: Sequence[RestingDie], tray: TrayFloor | None, drop_mm: float,
    reach_mm: float, count: int, kinds: dict[str, float] | None = None,
) -> list[str]:  # fmt: skip
    """Place random objects in and around a tray where there is room, and return their kinds.

    Args:
        builder: Collects the solids and surface materials of the scene. The new ones are added to it.
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        dice: The dice in the scene.
        tray: The tray, or None for an open table.
        drop_mm: Height of the floor of the tray above the table, in millimetres.
        reach_mm: Largest distance from the centre of an open table, in millimetres.
        count: Number of objects to try to place.
        kinds: Relative frequency of each kind. None means OBJECT_WEIGHTS.
    """
    there = []
    for _ in range(count):
        kind = chooser.draw_kind("clutter", kinds or OBJECT_WEIGHTS)
        for _ in range(2):
            is_out = tray is not None and chooser.rng.random() < (
                0.8 if kind in OUTSIDE_KINDS else 0.3
            )
            place = _open_place(chooser.rng, dice, tray, drop_mm, reach_mm, is_out=is_out)
            if _put(builder, chooser, kind, place, dice, None if is_out else tray):
                there.append(kind)
                break
    return there


def _open_place(
    rng: Generator, dice: Sequence[RestingDie], tray: TrayFloor | None, drop_mm: float, reach_mm: float,
    *, is_out: bool,
) -> Vector:  # fmt: skip
    """Return a random place (3,) for an object, usually one without a die."""
    for _ in range(8):
        place = _place(rng, tray, drop_mm, reach_mm, is_out=is_out)
        if all(np.hypot(*(d.at - place)[:2]) > 1.1 * d.edge_mm for d in dice):
            break
    return place


def _put(  # noqa: PLR0917 - all limits of a place
    builder: SceneBuilder, chooser: Chooser, kind: str, place: Vector, dice: Sequence[RestingDie], tray: TrayFloor | None
) -> bool:  # fmt: skip
    builder.move(place, chooser.rng.uniform(0, 2 * np.pi))
    before = len(builder.solids), len(builder.covers)
    BUILDERS[kind](builder, chooser)
    new, old = builder.solids[before[0] :], builder.solids[: before[0]]
    if _is_free(new, old, dice) and (tray is None or _is_within(new, tray)):
        return True
    del builder.solids[before[0] :], builder.covers[before[1] :]
    return False


def _place(
    rng: Generator, tray: TrayFloor | None, drop_mm: float, reach_mm: float, *, is_out: bool
) -> Vector:
    if is_out and tray is not None:
        angle = rng.uniform(0, 2 * np.pi)
        away = (
            np.linalg.norm(tray.outline, axis=1).max() * float(rng.uniform(0.95, 1.5))
            + tray.thick_mm
        )
        return np.array([away * np.cos(angle), away * np.sin(angle), -drop_mm])
    if tray is None:
        return np.array([*rng.uniform(-1, 1, 2) * reach_mm, 0.0])
    return np.array([*rng.uniform(-1, 1, 2) * np.abs(tray.outline).max(axis=0), 0.0])


def _is_free(new: list[Solid], old: list[Solid], dice: Sequence[RestingDie]) -> bool:
    if dice:
        places, edges = np.array([d.at for d in dice]), np.array([d.edge_mm for d in dice])
        if any((distance_to_box(solid, places) < 0.8 * edges + GAP_MM).any() for solid in new):
            return False
    others = [o for o in old if not o.fixed]
    if not others:
        return True
    there, here = (np.array([s.at for s in some]) for some in (others, new))
    reaches, own = (np.linalg.norm([s.box for s in some], axis=1) for some in (others, new))
    gaps = np.linalg.norm(here[:, None] - there[None], axis=2) - 0.6 * (
        own[:, None] + reaches[None]
    )
    return bool((gaps > 0).all())


def distance_to_box(solid: Solid, points: Vector) -> Vector:
    """Return the distances (n,) of points from the box around a solid, in millimetres.

    Args:
        solid: The solid, such as a foreign object.
        points: Points (n, 3) in millimetres.
    """
    own = np.abs((points - solid.at) @ solid.turn)
    return np.asarray(np.linalg.norm((own - solid.box).clip(0), axis=1))


def _is_within(new: list[Solid], tray: TrayFloor) -> bool:
    places = np.array(
        [
            s.at[:2] + s.turn[:2, k] * s.half[k] * way
            for s in new
            for k in range(3)
            for way in (-1, 1)
        ]
    )
    return bool(are_inside(tray, places, 0.3).all())
