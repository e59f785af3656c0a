"""Everyday things in and around a tray: which, where, and none of them in a die."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from training.scenes.grounds.tray_shapes import inside
from training.scenes.kept_out import Chooser
from training.scenes.things import large_things as large
from training.scenes.things import small_things as small
from training.scenes.workbench import Workbench
from training.scenes.world import RestingDie, Solid, TrayFloor, Vector

Builder = Callable[[Workbench, Chooser], None]
BUILDERS: dict[str, Builder] = {
    "coin": small.coin, "ring": small.ring, "bottle_cap": small.bottle_cap, "pawn": small.pawn,
    "polyhedron": small.polyhedron, "cube": small.cube, "sugar": small.sugar, "domino": small.domino,
    "brick": small.brick, "button": small.button, "marble": small.marble, "crumbs": small.crumbs,
    "screw": small.screw, "nut": small.nut, "token": small.token, "oddment": small.oddment,
    "pen": large.pen, "pencil": large.pencil, "card": large.card, "cable": large.cable,
    "usb_stick": large.usb_stick, "sd_card": large.sd_card, "keys": large.keys,
    "keyboard": large.keyboard, "phone": large.phone, "cup": large.cup, "battery": large.battery,
    "paperclip": large.paperclip,
}  # fmt: skip
KINDS = dict.fromkeys(BUILDERS, 1.0) | {"coin": 2.0, "pen": 1.5, "pencil": 1.5, "cube": 2.0, "oddment": 3.0,
                                            "keyboard": 1.5, "crumbs": 1.5}  # fmt: skip
ORDINARY = {"coin": 0.4, "pen": 0.3, "crumbs": 0.3}
OUTSIDE = ("card", "phone", "cup", "keyboard")
"""Too large for a tray, most times."""
GAP_MM = 0.6


def strew(  # noqa: PLR0917 - where it may
    bench: Workbench, chooser: Chooser, dice: Sequence[RestingDie], tray: TrayFloor | None, drop_mm: float,
    reach_mm: float, count: int, kinds: dict[str, float] | None = None,
) -> list[str]:  # fmt: skip
    """Things where there is room; what kinds they are."""
    there = []
    for _ in range(count):
        kind = chooser.kind("clutter", kinds or KINDS)
        for _ in range(2):
            is_out = tray is not None and chooser.rng.random() < (0.8 if kind in OUTSIDE else 0.3)
            place = _open_place(chooser.rng, dice, tray, drop_mm, reach_mm, is_out=is_out)
            if _put(bench, chooser, kind, place, dice, None if is_out else tray):
                there.append(kind)
                break
    return there


def _open_place(
    rng: Generator, dice: Sequence[RestingDie], tray: TrayFloor | None, drop_mm: float, reach_mm: float,
    *, is_out: bool,
) -> Vector:  # fmt: skip
    """A place with no die on it, most times."""
    for _ in range(8):
        place = _place(rng, tray, drop_mm, reach_mm, is_out=is_out)
        if all(np.hypot(*(d.at - place)[:2]) > 1.1 * d.edge_mm for d in dice):
            break
    return place


def _put(  # noqa: PLR0917 - as above
    bench: Workbench, chooser: Chooser, kind: str, place: Vector, dice: Sequence[RestingDie], tray: TrayFloor | None
) -> bool:  # fmt: skip
    bench.move(place, chooser.rng.uniform(0, 2 * np.pi))
    before = len(bench.solids), len(bench.covers)
    BUILDERS[kind](bench, chooser)
    new, old = bench.solids[before[0] :], bench.solids[: before[0]]
    if _is_free(new, old, dice) and (tray is None or _is_within(new, tray)):
        return True
    del bench.solids[before[0] :], bench.covers[before[1] :]
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
        if any((away(solid, places) < 0.8 * edges + GAP_MM).any() for solid in new):
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


def away(solid: Solid, points: Vector) -> Vector:
    """(n,) how far points (n, 3) are from the box around a solid."""
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
    return bool(inside(tray, places, 0.3).all())
