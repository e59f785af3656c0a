"""Simulate thousands of throws and store how the dice lie: python -m training.scenes.throws.rest_library DIR.

The command writes `rests.npz` for training, and `rests_kept_out.npz` with trays whose outlines are kept out of training.
A rest is a throw whose dice have come to rest.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.kept_out import KEPT_OUT
from training.scenes.throws.rest import Obstacle, Rest
from training.scenes.world import TrayFloor, Vector

OUTLINE_WEIGHTS = {"rectangle": 0.6, "rounded": 0.1, "hexagon": 0.07, "octagon": 0.08, "round": 0.08, "cut": 0.07,
            "pentagon": 0.1}  # fmt: skip
OBSTACLE_KINDS = ("coin", "rod", "bead", "bit", "slab")
TEACHING_FILE, KEPT_OUT_FILE = "rests.npz", "rests_kept_out.npz"
MIN_FIELD_DICE = 10
"""A throw with at least this number of dice counts as a field."""


@dataclass(frozen=True)
class RestLibrary:
    """Simulated throws whose dice have come to rest, and lists of throws that have something in common.

    Attributes:
        rests: The throws.
        fields: Numbers of the throws with dozens of dice.
        tables: Numbers of the throws that resemble players' throws.
        tricky: Numbers of the throws in `tables` in which a die is tilted, lies on another die or touches one.
        leaning: Numbers of the throws in `tables` in which a die is tilted by more than 3 degrees.
    """

    rests: tuple[Rest, ...]
    fields: NDArray[np.int64]
    tables: NDArray[np.int64]
    tricky: NDArray[np.int64]
    leaning: NDArray[np.int64]

    def pick(self, rng: Generator, group: NDArray[np.int64]) -> Rest:
        """Return a random throw of a group.

        Args:
            rng: Source of random numbers.
            group: Numbers of the throws to choose from, such as `tables`.
        """
        return self.rests[int(rng.choice(group))]


def group_rests(rests: list[Rest]) -> RestLibrary:
    """Make a library of simulated throws, grouped by their number of dice and by how the dice lie."""
    fields = np.array([len(r.edges_mm) >= MIN_FIELD_DICE for r in rests])
    tricky = np.array(
        [bool(r.stacked.any() or r.touching.any() or (r.tilts_deg() > 3).any()) for r in rests]
    )
    leaning = np.array([bool((r.tilts_deg() > 3).any()) for r in rests])
    groups = (fields, ~fields, ~fields & tricky, ~fields & leaning)
    return RestLibrary(tuple(rests), *(np.flatnonzero(g) for g in groups))


def save_rests(rests: list[Rest], path: Path) -> None:
    """Write simulated throws to a compressed file.

    Args:
        rests: The throws, after the dice have come to rest.
        path: The file to write.
    """
    np.savez_compressed(
        path,
        counts=np.array([(len(r.edges_mm), len(r.tray.outline), len(r.obstacles)) for r in rests], np.int32),
        trays=np.array([_tray_row(r) for r in rests], np.float32),
        outlines=np.concatenate([r.tray.outline for r in rests]).astype(np.float32),
        dice=np.concatenate([_dice_rows(r) for r in rests]).astype(np.float32),
        obstacles=np.array([_obstacle_row(o) for r in rests for o in r.obstacles], np.float32).reshape(-1, 16),
    )  # fmt: skip


def load_rests(path: Path) -> RestLibrary:
    """Load the library of simulated throws from a file that `save_rests` has written."""
    with np.load(path) as file:
        counts, trays, outlines, dice, blocks = (
            file[k].astype(np.float64) for k in ("counts", "trays", "outlines", "dice", "obstacles")
        )
    starts = np.concatenate([np.zeros((1, 3)), counts.cumsum(axis=0)]).astype(int)
    rests = []
    for k, row in enumerate(trays):
        a, b = starts[k], starts[k + 1]
        corners = outlines[a[1] : b[1]]
        some = dice[a[0] : b[0]]
        tray = TrayFloor(corners, row[0], row[1], row[2], corners if row[4] else None)
        blocks_here = tuple(_obstacle(o) for o in blocks[a[2] : b[2]])
        rests.append(Rest(tray, some[:, 0], some[:, 1:4], some[:, 4:8], some[:, 8] > 0, some[:, 9] > 0,
                          blocks_here, open_floor=bool(row[3])))  # fmt: skip
    return group_rests(rests)


def _tray_row(rest: Rest) -> tuple[float, ...]:
    tray = rest.tray
    return (tray.wall_mm, tray.thick_mm, tray.slope_deg, rest.open_floor, tray.corners is not None)


def _dice_rows(rest: Rest) -> Vector:
    return np.column_stack([rest.edges_mm, rest.at, rest.quaternions, rest.stacked, rest.touching])


def _obstacle_row(one: Obstacle) -> list[float]:
    return [OBSTACLE_KINDS.index(one.kind), *one.at, *one.turn.ravel(), *one.half]


def _obstacle(row: Vector) -> Obstacle:
    return Obstacle(OBSTACLE_KINDS[int(row[0])], row[1:4], row[4:13].reshape(3, 3), row[13:16])


def make_rest(seed: int, *, kept_out: bool, field_share: float) -> Rest | None:
    """Simulate one throw. Return None if the dice do not come to rest in time.

    Args:
        seed: Number of the throw.
        kept_out: Whether the tray has an outline that is kept out of training.
        field_share: Probability that the throw is a field of dozens of dice.
    """
    from training.scenes.throws.throwing import draw_field_throw, draw_player_throw, simulate_throw  # noqa: PLC0415

    rng = np.random.default_rng([seed, kept_out])
    names = [k for k in OUTLINE_WEIGHTS if (k in KEPT_OUT["tray"]) is kept_out]
    weights = np.array([OUTLINE_WEIGHTS[k] for k in names])
    kind = str(rng.choice(names, p=weights / weights.sum()))
    throw = draw_field_throw if rng.random() < field_share else draw_player_throw
    rest = simulate_throw(throw(rng, kind), rng)
    return rest if rest is not None and len(rest.edges_mm) else None


def main() -> None:
    """Simulate throws, and write the files for training and for tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument(
        "--fields",
        type=float,
        default=0.08,
        help="share of throws that are fields of dozens of dice",
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, kept_out, count in (
        (TEACHING_FILE, False, options.count),
        (KEPT_OUT_FILE, True, options.count // 10),
    ):
        done = []
        for seed in range(count):
            done.append(make_rest(seed, kept_out=kept_out, field_share=options.fields))
            print(f"\r{seed + 1} of {count} throws", end="", flush=True)
        print()
        rests = [r for r in done if r is not None]
        save_rests(rests, options.folder / name)
        print(f"{name}: {len(rests)} rests, {sum(len(r.edges_mm) for r in rests)} dice")


if __name__ == "__main__":
    main()
