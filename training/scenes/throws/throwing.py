"""Simulates throws of dice into trays with MuJoCo until the dice lie still: flat, touching, cocked or stacked.

MuJoCo is needed only to make the library of throws (`python -m
training.scenes.throws.rest_library`), not to use it. The simulation works in centimetres.
"""

from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.random import Generator

from training.scenes.grounds.tray_shapes import are_inside, draw_tray_floor, make_wall_boxes
from training.scenes.throws.rest import Obstacle, Rest
from training.scenes.world import TrayFloor, Vector

CM_PER_MM = 0.1  # centimetres in a millimetre
STEP_S = 0.002
MAX_THROW_S = 5.0
STILL_SPEED = 0.3  # cm/s and rad/s
GRAVITY_CM_S2 = 981.0
MIN_SUPPORT = 0.5  # smallest vertical component of the normal of a contact that supports a die


@dataclass
class ThrowSetup:
    """The start of a throw: the tray, the sizes, positions and speeds of the dice, and obstacles in their way."""

    tray: TrayFloor
    edges_mm: Vector
    starts_mm: Vector  # (n, 3)
    speeds: Vector  # (n, 6) cm/s and rad/s
    slip: float  # coefficient of friction
    obstacles: list[Obstacle] = field(default_factory=list)
    open_floor: bool = False  # a table without walls


def simulate_throw(throwing: ThrowSetup, rng: Generator) -> Rest | None:
    """Simulate a throw until the dice have come to rest. Return None if they do not come to rest in time.

    Args:
        throwing: The start of the throw.
        rng: Source of random numbers for the rotations of the dice.
    """
    model = mujoco.MjSpec.from_string(_xml(throwing)).compile()
    data = mujoco.MjData(model)
    count = len(throwing.edges_mm)
    turns = rng.normal(size=(count, 4))
    pose = data.qpos.reshape(count, 7)
    pose[:, :3] = throwing.starts_mm * CM_PER_MM
    pose[:, 3:] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    data.qvel[:] = throwing.speeds.ravel()
    if not _settle(model, data):
        return None
    return _rest(throwing, model, data)


def _settle(model: mujoco.MjModel, data: mujoco.MjData) -> bool:
    still_checks = 0
    for _ in range(int(MAX_THROW_S / STEP_S / 25)):
        mujoco.mj_step(model, data, 25)
        still_checks = still_checks + 1 if np.abs(data.qvel).max() < STILL_SPEED else 0
        if still_checks == 3:
            return True
    # One or two dice may rock in a corner forever; such dice are left out.
    return bool((_speeds(data) < STILL_SPEED).mean() > 0.9)


def _speeds(data: mujoco.MjData) -> Vector:
    return np.abs(data.qvel.reshape(-1, 6)).max(axis=1)


def _rest(throwing: ThrowSetup, model: mujoco.MjModel, data: mujoco.MjData) -> Rest:
    count = len(throwing.edges_mm)
    pose = data.qpos.reshape(count, 7)
    at = pose[:, :3] / CM_PER_MM
    kept = (_speeds(data) < 2 * STILL_SPEED) & (at[:, 2] > 0)
    if not throwing.open_floor:
        kept &= are_inside(throwing.tray, at[:, :2])
    stacked, touching = _contacts(model, data, count)
    return Rest(
        throwing.tray,
        throwing.edges_mm[kept],
        at[kept],
        pose[kept, 3:].copy(),
        stacked[kept],
        touching[kept],
        tuple(throwing.obstacles),
        open_floor=throwing.open_floor,
    )


def _contacts(model: mujoco.MjModel, data: mujoco.MjData, count: int) -> tuple[Vector, Vector]:
    """Return which dice (n,) are supported by another die, and which touch another die."""
    stacked, touching = np.zeros(count, bool), np.zeros(count, bool)
    for k in range(data.ncon):
        contact = data.contact[k]
        one, other = (int(model.geom_bodyid[g]) - 1 for g in contact.geom)
        if contact.dist > 0.02 or min(one, other) < 0:
            continue
        touching[[one, other]] = True
        up = float(contact.frame[2])  # the contact normal points from the first body to the second
        if abs(up) > MIN_SUPPORT:
            stacked[other if up > 0 else one] = True
    return stacked, touching


def _xml(throwing: ThrowSetup) -> str:
    friction = f'friction="{throwing.slip:.3f} 0.002 0.0005"'
    solver = 'solref="0.006 1" solimp="0.95 0.99 0.0005"'
    fixed = "".join(_fixed(throwing))
    dice = "".join(
        f'<body><freejoint/><geom type="box" size="{e:.4f} {e:.4f} {e:.4f}" density="1.2"/></body>'
        for e in throwing.edges_mm * CM_PER_MM / 2
    )
    return f"""<mujoco><option timestep="{STEP_S}" gravity="0 0 -{GRAVITY_CM_S2}" cone="elliptic"
        impratio="5" iterations="30"/><size memory="64M"/>
        <default><geom {friction} {solver}/></default>
        <worldbody><geom type="plane" size="0 0 1"/>{fixed}{dice}</worldbody></mujoco>"""


def _fixed(throwing: ThrowSetup) -> list[str]:
    out = []
    if not throwing.open_floor:
        out += [_box(w.at, w.turn, w.half) for w in make_wall_boxes(throwing.tray, 5)]
    for one in throwing.obstacles:
        form = {"coin": "cylinder", "rod": "capsule", "bead": "sphere"}.get(one.kind, "box")
        size = {"cylinder": one.half[[0, 2]], "capsule": one.half[[0, 2]], "sphere": one.half[:1]}
        out.append(_geom(form, one.at, one.turn, size.get(form, one.half)))
    return out


def _box(at: Vector, turn: Vector, half: Vector) -> str:
    return _geom("box", at, turn, half)


def _geom(form: str, at: Vector, turn: Vector, size: Vector) -> str:
    axes = " ".join(f"{v:.5f}" for v in (*turn[:, 0], *turn[:, 1]))
    place = " ".join(f"{v * CM_PER_MM:.4f}" for v in at)
    sizes = " ".join(f"{v * CM_PER_MM:.4f}" for v in size)
    return f'<geom type="{form}" pos="{place}" xyaxes="{axes}" size="{sizes}"/>'


def draw_player_throw(rng: Generator, kind: str) -> ThrowSetup:
    """Draw the start of a player's throw of up to eight dice, into a tray or onto an open table.

    Args:
        rng: Source of random numbers.
        kind: Outline of the tray, one of `tray_shapes.OUTLINES`.
    """
    edge = float(np.exp(rng.uniform(np.log(8), np.log(22))))
    count = int(rng.integers(1, 9))
    cramped = rng.random() < 0.35
    width = (
        edge * float(rng.uniform(4, 8))
        if cramped
        else float(np.exp(rng.uniform(*np.log((110, 380)))))
    )
    tray = draw_tray_floor(kind, rng, width, width * float(rng.uniform(0.6, 1)))
    mixed = rng.random() < 0.12
    edges = edge * (rng.uniform(0.7, 1.4, count) if mixed else np.ones(count))
    way = rng.uniform(0, 2 * np.pi)
    ahead = np.array([np.cos(way), np.sin(way), 0])
    reach = np.linalg.norm(tray.outline, axis=1).min() * 0.45
    cluster = rng.normal(0, 0.6 * edge, (count, 3)) + [0, 0, tray.wall_mm + 2.5 * edge]
    cluster[:, 2] += np.arange(count) * edge * 0.7
    pace = float(rng.uniform(0, 90))
    speeds = np.column_stack([
        ahead * pace + rng.normal(0, 8, (count, 3)), rng.normal(0, 12, (count, 3))
    ])  # fmt: skip
    return ThrowSetup(
        tray, edges, cluster - ahead * reach, speeds, float(rng.uniform(0.25, 0.9)),
        draw_obstacles(rng, tray, edge, int(rng.integers(1, 8))) if rng.random() < 0.22 else [],
        open_floor=bool(rng.random() < 0.15),
    )  # fmt: skip


def draw_field_throw(rng: Generator, kind: str) -> ThrowSetup:
    """Draw the start of a throw of 40 to 80 dice of different sizes, so close together that some lean on each other.

    Args:
        rng: Source of random numbers.
        kind: Outline of the tray, one of `tray_shapes.OUTLINES`.
    """
    count = int(rng.integers(40, 81))
    edge = 16.0
    edges = edge * np.exp(rng.normal(0, 0.22, count)).clip(0.5, 1.7)
    share = float(rng.uniform(0.22, 0.5))  # share of the floor that is covered
    area = float((edges**2).sum()) / share
    ratio = float(rng.uniform(0.65, 1))
    tray = draw_tray_floor(kind, rng, np.sqrt(area / ratio), np.sqrt(area * ratio))
    span = np.ptp(tray.outline, axis=0) / 2 - 1.2 * edge
    starts = np.column_stack([
        rng.uniform(-0.75, 0.75, (count, 2)) * span, tray.wall_mm + 2 * edge + rng.permutation(count) * 3.0
    ])  # fmt: skip
    speeds = np.column_stack([rng.normal(0, 15, (count, 3)), rng.normal(0, 10, (count, 3))])
    blocks = (
        draw_obstacles(rng, tray, edge, int(rng.integers(8, 46))) if rng.random() < 0.75 else []
    )
    return ThrowSetup(tray, edges, starts, speeds, float(rng.uniform(0.3, 1.1)), blocks)


def draw_obstacles(rng: Generator, tray: TrayFloor, edge: float, count: int) -> list[Obstacle]:
    """Draw coins, rods, beads and other objects that lie in a tray, so that dice may end up leaning on them.

    Args:
        rng: Source of random numbers.
        tray: The floor of the tray and the shape of its walls.
        edge: Edge of the dice in millimetres.
        count: Number of obstacles.
    """
    span = np.ptp(tray.outline, axis=0) / 2
    out = []
    for kind in rng.choice(
        ["coin", "rod", "bead", "bit", "slab"], count, p=[0.32, 0.13, 0.1, 0.1, 0.35]
    ):
        at = np.array([*rng.uniform(-0.85, 0.85, 2) * span, 0.0])
        out.append(_obstacle(rng, str(kind), at, edge))
    return out


def _obstacle(rng: Generator, kind: str, at: Vector, edge: float) -> Obstacle:
    yaw = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    if kind == "coin":
        thick = float(rng.uniform(0.8, 2.8))
        half = np.array([r := rng.uniform(0.5, 0.85) * edge, r, thick / 2])
    elif kind == "rod":
        radius = float(np.exp(rng.uniform(*np.log((0.04, 0.3)))) * edge)
        half = np.array([radius, radius, rng.uniform(0.8, 4) * edge])
        turn = np.column_stack([turn[:, 1], [0, 0, 1], turn[:, 0]])  # the rod's own z is level
    elif kind == "bead":
        half = np.full(3, rng.uniform(0.06, 0.35) * edge)
    elif kind == "bit":
        half = rng.uniform(0.06, 0.3, 3) * edge
    else:
        half = np.array([*rng.uniform(0.6, 1.8, 2) * edge, rng.uniform(0.01, 0.1) * edge])
    height = half[0] if kind in ("rod", "bead") else half[2]
    return Obstacle(kind, at + (0, 0, height), turn, half)
