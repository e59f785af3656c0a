"""What a network is asked that it was never taught: taught kinds of new seeds, and kinds kept out.

The exam of a kind is made once and kept as a file, so that numbers of different hours compare.
"""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.learning.losses import INPUTS, column, to_device
from training.learning.networks import DIE, FINDER, named
from training.learning.samples.finder_samples import AROUND
from training.learning.samples.photographs import Photographs, Share
from training.learning.samples.sample_makers import WHOLE, Arrays, joined, samples, trouble
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose
from vision.finder import STRIDE

WHAT = {"taught": Purpose.TEACH, "kept_out": Purpose.STRANGE, "hard": Purpose.STRANGE}
"""Whose kinds an exam shows; `hard` ones are full of what makes dice hard to read."""
PHOTOGRAPHS, SHOTS = "photographs", 4
"""Name of the exam on real photographs that are kept out of teaching, and samples of each."""
HARDER = 2.0
"""How many times as often as in teaching a hard exam shows each trouble."""
FIRST = 1_000
"""Numbers of views; those to learn from begin far above."""
VIEWS = {"finder": (36, 3), "change": (36, 3), "near": (50, 30), "wide": (50, 30)}
"""How many, and samples of each."""
LIKELY, NEAR = -0.85, 0.5
"""From these log odds on a die is found, as vision does; and so near to its middle, in edges."""
LEAST, FULL = -4.0, 0.999
"""Log odds of places that are looked at at all; and the heat in the middle of a die."""
SURE = 0.99
CLEAR = 0.95
"""Chance from which on a wrong answer counts as silent."""
BLOT = 9
"""Cells: a small die."""
AT_ONCE = 64


def exam(kind: str, materials: Materials, folder: Path) -> dict[str, Arrays]:
    """Load the exams of a network, and make those that are missing.

    Args:
        kind: Name of the network.
        materials: Throws, and the photographs if there are any.
        folder: Folder of the checkpoints, in which the exams are kept.
    """
    for name, purpose in WHAT.items():
        path = _path(kind, folder, name)
        if not path.exists():
            hard = name == "hard"
            np.savez(path, **_made(kind, materials, purpose, hard=hard))  # type: ignore[arg-type]
    path = _path(kind, folder, PHOTOGRAPHS)
    if materials.photographs is not None and kind != "change" and not path.exists():
        np.savez(path, **_photographed(kind, materials.photographs))  # type: ignore[arg-type]
    return kept(kind, folder)


def kept(kind: str, folder: Path) -> dict[str, Arrays]:
    """Load the exams of a network that have been made.

    Args:
        kind: Name of the network.
        folder: Folder of the checkpoints, in which the exams are kept.
    """
    out = {}
    for name in (*WHAT, PHOTOGRAPHS):
        path = _path(kind, folder, name)
        if path.exists():
            with np.load(path) as file:
                out[name] = dict(file)
    return out


def _path(kind: str, folder: Path, name: str) -> Path:
    return folder / f"exam_{kind}_{name}.npz"


def _made(kind: str, materials: Materials, purpose: Purpose, *, hard: bool) -> Arrays:
    harder = {name: min(1.0, HARDER * chance) for name, chance in trouble(kind).items()}
    source = ViewSource(
        materials, purpose, for_finder=kind in WHOLE, trouble=harder if hard else None
    )
    count, each = VIEWS[kind]
    first = FIRST + count if hard else FIRST
    parts = []
    for number in range(first, first + count):
        view = source.view(number, cast_only=True)
        parts.append(samples(view, np.random.default_rng([number, 9]), each, kind))
    return joined([part for part in parts if part])


def _photographed(kind: str, places: Path) -> Arrays:
    """Make the exam on the photographs that are kept out of teaching: one view of each."""
    photographs = Photographs.load(places, Share.KEPT_OUT)
    whole = kind in WHOLE
    count = len(photographs.rows)
    parts = [
        samples(
            photographs.view(number, whole=whole), np.random.default_rng([number, 9]), SHOTS, kind
        )
        for number in range(count)
    ]
    return joined([part for part in parts if part])


def examined(net: nn.Module, kind: str, asked: Arrays, device: torch.device) -> dict[str, float]:
    """How well it does."""
    said = answers(net, kind, asked, device)
    match kind:
        case "finder":
            return _finder_marks(said, asked)
        case "change":
            return _change_marks(said, asked)
    return _die_marks(said, asked)


def answers(net: nn.Module, kind: str, asked: Arrays, device: torch.device) -> Tensor:
    """(n, ...) what it says to each."""
    net.eval()
    rows = len(next(iter(asked.values())))
    outs = []
    with torch.no_grad():
        for begin in range(0, rows, AT_ONCE):
            part = {k: v[begin : begin + AT_ONCE] for k, v in asked.items()}
            outs.append(net(INPUTS[kind](to_device(part, device))).float().cpu())
    return torch.cat(outs)


def _finder_marks(out: Tensor, asked: Arrays) -> dict[str, float]:
    """By whether the empty tray was known: dice found, false ones a piece, pieces without, things (overlap)."""
    said = named(out, FINDER)
    heat = said["heat"].numpy()
    marks = {}
    for name, which in (("known", asked["known"] > 0), ("unknown", asked["known"] == 0)):
        if not which.any():
            continue
        counts = np.array([_found(heat[k], asked, k) for k in np.flatnonzero(which)])
        found, there, false = counts.sum(axis=0)
        marks[f"clean_{name}"] = float((counts[:, 2] == 0).mean())
        seen = said["thing"].numpy()[which] > 0
        thing = asked["flags"][which, 1] > 0
        marks[f"found_{name}"] = found / max(there, 1)
        marks[f"false_{name}"] = false / max(which.sum(), 1)
        marks[f"thing_{name}"] = float((seen & thing).sum() / max((seen | thing).sum(), 1))
    hand, true_hand = said["hand"].numpy() > 0, asked["flags"][:, 0] > 0
    marks["hand"] = float((hand & true_hand).sum() / max((hand | true_hand).sum(), 1))
    weight = asked["maps"][:, 1].astype(np.float32)
    trouble = (said["trouble"].numpy() > 0) == (asked["flags"][:, 2] > 0)
    marks["trouble"] = float((trouble * weight).sum() / weight.sum())
    off = np.abs(said["size"].numpy() - asked["maps"][:, 2]) * weight
    marks["size_off"] = float(off.sum() / weight.sum())
    return marks


def _found(heat: NDArray[np.float32], asked: Arrays, k: int) -> tuple[int, int, int]:
    """Dice found, dice there, and places that are none, in one piece."""
    maps = asked["maps"][k].astype(np.float32)
    rows, columns, hit, told = tops(heat, maps, asked["flags"][k, 3])
    likely = heat[rows, columns] > LIKELY
    return int((hit & likely).sum()), int((maps[0] > FULL).sum()), int((~hit & told & likely).sum())


def tops(
    odds: NDArray[np.float32], maps: NDArray[Any], care: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows and columns where heat is highest around; whether it is a die's best place; if it is told.

    Other places about a die are not told of: vision keeps the best of them.
    """
    peaks = (odds >= cv2.dilate(odds, np.ones((3, 3), np.uint8))) & (odds > LEAST)
    places = np.argwhere(peaks)
    places = places[np.argsort(-odds[tuple(places.T)])]
    middles = np.argwhere(maps[0] > FULL)
    sizes = np.exp(maps[2][tuple(middles.T)].astype(float)) / STRIDE
    away = np.linalg.norm(places[:, None] - middles[None], axis=2) / np.maximum(sizes, 1)[None]
    hit = np.zeros(len(places), bool)
    told = (care[tuple(places.T)] > 0) & ~(away < AROUND).any(axis=1)
    for k in range(len(places)):
        near = np.flatnonzero(away[k] < NEAR)
        if len(near):
            hit[k], told[k] = True, True
            away[:, near[away[k][near].argmin()]] = np.inf
    return places[:, 0], places[:, 1], hit, told


def _change_marks(out: Tensor, asked: Arrays) -> dict[str, float]:
    """Of all that stands the share seen, of what is seen the share that stands; pieces without a false blot."""
    stands, told = (asked["flags"][:, k] > 0 for k in (0, 1))
    seen = out.numpy()[:, 0] > 0
    wrong = (seen & told & ~stands).astype(np.uint8)
    blots = [cv2.connectedComponentsWithStats(one)[2][1:, cv2.CC_STAT_AREA] for one in wrong]
    return {
        "seen": float((seen & stands).sum() / max(stands.sum(), 1)),
        "true": float((seen & stands).sum() / max((seen & told).sum(), 1)),
        "clean": float(np.mean([(areas < BLOT).all() for areas in blots])),
    }


def _die_marks(out: Tensor, asked: Arrays) -> dict[str, float]:
    """Shares right: faces, no die; surely wrong; how dice lie; and by how many degrees the tilt is off."""
    said = named(out, DIE)
    batch = to_device({"numbers": asked["numbers"]}, torch.device("cpu"))
    value, weight = column(batch, "value").long(), column(batch, "value_weight") > 0
    chances = torch.softmax(said["shown"], 1)
    best, right = chances.max(1).values, chances.argmax(1) == value
    die, none = weight & (value > 0), weight & (value == 0)
    said_right = chances[torch.arange(len(value)), value].clamp(min=1e-6)
    marks = {
        "face_loss": -float(said_right[weight].log().mean()),
        "silent": _mean((best > CLEAR)[weight] & ~right[weight]),
        "face": _mean(right[die]), "none": _mean(right[none]),
        "surely_wrong": _mean((best > SURE)[die] & ~right[die]),
        "sure": _mean((best > SURE)[die]),
    }  # fmt: skip
    for name in ("leaning", "hidden", "stacked"):
        told = column(batch, f"{name}_weight") > 0
        true = column(batch, name) > 0.5
        marks[f"{name}_seen"] = _mean((said[name] > 0)[told & true])
        marks[f"{name}_false"] = _mean((said[name] > 0)[told & ~true])
        marks[f"{name}_auc"] = area_under_curve(said[name][told].numpy(), true[told].numpy())
    told = column(batch, "tilt_weight") > 0
    marks["tilt_off_deg"] = 10 * _mean((said["tilt"] - column(batch, "tilt")).abs()[told])
    return marks


def area_under_curve(odds: NDArray[np.float32], truth: NDArray[np.bool_]) -> float:
    """Return the chance that a true case gets higher odds than a false one; 0.5 where one kind is missing.

    Args:
        odds: (n,) what a network said.
        truth: (n,) whether it is so.
    """
    true, false = odds[truth], np.sort(odds[~truth])
    if not len(true) or not len(false):
        return 0.5
    below = np.searchsorted(false, true, "left") + np.searchsorted(false, true, "right")
    return float(below.mean() / 2 / len(false))


def _mean(some: Tensor) -> float:
    return float(some.float().mean()) if len(some) else 0.0
