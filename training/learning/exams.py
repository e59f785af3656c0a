"""Tests a network on exams, sets of samples that are never used for training.

One exam has new scenes of the kinds used for training, another has kinds that are kept out of training. The
exams of a network are made once and kept in files, so that scores from different days can be compared.
"""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.learning.losses import INPUTS, is_low, number_columns, to_device
from training.learning.networks import DIE_OUTPUTS, FINDER_OUTPUTS, VIEW_OUTPUTS, split_outputs
from training.learning.samples.die_sizes import PATCH_SIZES
from training.learning.samples.finder_samples import IGNORED_RADIUS
from training.learning.samples.photographs import Photographs, PhotoSplit
from training.learning.samples.sample_stream import (
    WHOLE_TRAY_KINDS,
    Arrays,
    concatenate,
    make_samples,
    trouble_of,
)
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose
from vision.finder import STRIDE

PURPOSES = {"taught": Purpose.TEACH, "kept_out": Purpose.KEPT_OUT}
"""The purpose of the views in the two plain exams."""
EXAMS = {**PURPOSES, "hard": Purpose.KEPT_OUT}
"""The purpose of the views in each rendered exam. In the `hard` exam, all features that make dice hard to read
are more frequent."""
PHOTO_EXAM, SAMPLES_PER_PHOTO = "photographs", 4
"""Name of the exam on real photographs that are kept out of training, and the number of samples of each
photograph."""
TROUBLE_FACTOR = 2.0
"""How many times as often as in training the hard exam shows each difficulty."""
FIRST_VIEW = 1_000
"""Number of the first view. Views for training have much higher numbers."""
EXAM_SIZES = dict.fromkeys(WHOLE_TRAY_KINDS, (36, 3)) | dict.fromkeys(PATCH_SIZES, (50, 30))
"""Number of views in each exam, and number of samples of each view."""
MIN_DIE_LOG_ODDS, MAX_OFFSET_EDGES = -0.85, 0.5
"""Log odds from which a die counts as found, as in `vision`, and the largest distance between the detection and
the centre of the die, in die edges."""
MIN_PEAK_LOG_ODDS, PEAK_HEAT = -4.0, 0.999
"""Log odds below which a peak is ignored, and the value of the true heat map at the centre of a die."""
SURE_PROBABILITY = 0.99
SILENT_PROBABILITY = 0.95
"""Probability from which a wrong answer counts as a silent error."""
MIN_BLOT_CELLS = 9
"""A false foreign object counts if it covers at least this many cells, about as many as a small die."""
BATCH_SIZE = 64


def load_exams(kind: str, materials: Materials, folder: Path) -> dict[str, Arrays]:
    """Return the exams (test sets) of a network by name, after making those that are missing.

    Args:
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        materials: Files with simulated throws, and with path-traced images and photographs if there are any.
        folder: Folder with the checkpoints, in which the test sets are kept as well.
    """
    for name, purpose in EXAMS.items():
        path = _path(kind, folder, name)
        if not path.exists():
            hard = name == "hard"
            np.savez(path, **_made(kind, materials, purpose, hard=hard))  # type: ignore[arg-type]
    path = _path(kind, folder, PHOTO_EXAM)
    if materials.photographs is not None and kind != "change" and not path.exists():
        np.savez(path, **_photographed(kind, materials.photographs))  # type: ignore[arg-type]
    return load_saved_exams(kind, folder)


def load_saved_exams(kind: str, folder: Path) -> dict[str, Arrays]:
    """Return, by name, those exams (test sets) of a network that have already been made.

    Args:
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        folder: Folder with the checkpoints, in which the test sets are kept as well.
    """
    out = {}
    for name in (*EXAMS, PHOTO_EXAM):
        path = _path(kind, folder, name)
        if path.exists():
            with np.load(path) as file:
                out[name] = dict(file)
    return out


def _path(kind: str, folder: Path, name: str) -> Path:
    return folder / f"exam_{kind}_{name}.npz"


def _made(kind: str, materials: Materials, purpose: Purpose, *, hard: bool) -> Arrays:
    harder = {name: min(1.0, TROUBLE_FACTOR * chance) for name, chance in trouble_of(kind).items()}
    source = ViewSource(
        materials, purpose, for_finder=kind in WHOLE_TRAY_KINDS, trouble=harder if hard else None
    )
    count, each = EXAM_SIZES[kind]
    first = FIRST_VIEW + count if hard else FIRST_VIEW
    parts = []
    for number in range(first, first + count):
        view = source.view(number, cast_only=True)
        parts.append(make_samples(view, np.random.default_rng([number, 9]), each, kind))
    return concatenate([part for part in parts if part])


def _photographed(kind: str, places: Path) -> Arrays:
    """Make the exam (test set) from the photographs that are kept out of training."""
    photographs = Photographs.load(places, PhotoSplit.KEPT_OUT)
    whole = kind in WHOLE_TRAY_KINDS
    count = len(photographs.rows)
    parts = [
        make_samples(
            photographs.view(number, whole=whole),
            np.random.default_rng([number, 9]),
            SAMPLES_PER_PHOTO,
            kind,
        )
        for number in range(count)
    ]
    return concatenate([part for part in parts if part])


def grade(net: nn.Module, kind: str, samples: Arrays, device: torch.device) -> dict[str, float]:
    """Return the scores of a network on one test set, by name.

    Args:
        net: The network.
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        samples: Arrays of the samples in the test set, by name.
        device: Device to compute on.
    """
    answers = run_network(net, kind, samples, device)
    match kind:
        case "finder" | "finder_alone":
            return _finder_grades(answers, samples)
        case "change":
            return _change_grades(answers, samples)
    return _die_grades(answers, samples)


def run_network(net: nn.Module, kind: str, samples: Arrays, device: torch.device) -> Tensor:
    """Return the outputs (n, ...) of a network for all samples.

    Args:
        net: The network.
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        samples: Arrays of n samples, by name.
        device: Device to compute on.
    """
    net.eval()
    rows = len(next(iter(samples.values())))
    outs = []
    with torch.no_grad():
        for begin in range(0, rows, BATCH_SIZE):
            part = {k: v[begin : begin + BATCH_SIZE] for k, v in samples.items()}
            outs.append(net(INPUTS[kind](to_device(part, device))).float().cpu())
    return torch.cat(outs)


def _finder_grades(out: Tensor, samples: Arrays) -> dict[str, float]:
    """Return the scores of a finder, with and without the empty-tray image.

    The scores are the share of dice that are found, the number of false dice per image crop, the share of crops
    without false dice, and the overlap (intersection over union) of foreign objects.
    """
    answers = split_outputs(out, FINDER_OUTPUTS)
    heat = answers["heat"].numpy()
    grades = {}
    for name, which in (("known", samples["known"] > 0), ("unknown", samples["known"] == 0)):
        if not which.any():
            continue
        counts = np.array([_found(heat[k], samples, k) for k in np.flatnonzero(which)])
        found, present, false = counts.sum(axis=0)
        grades[f"clean_{name}"] = float((counts[:, 2] == 0).mean())
        seen = answers["thing"].numpy()[which] > 0
        thing = samples["flags"][which, 1] > 0
        grades[f"found_{name}"] = found / max(present, 1)
        grades[f"false_{name}"] = false / max(which.sum(), 1)
        grades[f"thing_{name}"] = float((seen & thing).sum() / max((seen | thing).sum(), 1))
    hand, true_hand = answers["hand"].numpy() > 0, samples["flags"][:, 0] > 0
    grades["hand"] = float((hand & true_hand).sum() / max((hand | true_hand).sum(), 1))
    weight = samples["maps"][:, 1].astype(np.float32)
    trouble = (answers["trouble"].numpy() > 0) == (samples["flags"][:, 2] > 0)
    grades["trouble"] = float((trouble * weight).sum() / weight.sum())
    off = np.abs(answers["size"].numpy() - samples["maps"][:, 2]) * weight
    grades["size_off"] = float(off.sum() / weight.sum())
    return grades


def _found(heat: NDArray[np.float32], samples: Arrays, k: int) -> tuple[int, int, int]:
    """Return the numbers of dice found, of dice present, and of false detections in image crop `k`."""
    maps = samples["maps"][k].astype(np.float32)
    rows, columns, hit, known = find_peaks(heat, maps, samples["flags"][k, 3])
    likely = heat[rows, columns] > MIN_DIE_LOG_ODDS
    return (
        int((hit & likely).sum()),
        int((maps[0] > PEAK_HEAT).sum()),
        int((~hit & known & likely).sum()),
    )


def find_peaks(
    odds: NDArray[np.float32], maps: NDArray[Any], care: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the peaks of a heat map of dice, best first, and which of them are dice.

    If several peaks are on one die, only the best one counts, because `vision` keeps only that one.

    Args:
        odds: Log odds (h, w) of a die in each cell.
        maps: True maps (7, h, w) of a finder sample.
        care: Mask (h, w), 1 in cells that are used for training.

    Returns:
        Rows, columns, whether each peak is the best on its die, and whether it counts.
    """
    peaks = (odds >= cv2.dilate(odds, np.ones((3, 3), np.uint8))) & (odds > MIN_PEAK_LOG_ODDS)
    places = np.argwhere(peaks)
    places = places[np.argsort(-odds[tuple(places.T)])]
    middles = np.argwhere(maps[0] > PEAK_HEAT)
    sizes = np.exp(maps[2][tuple(middles.T)].astype(float)) / STRIDE
    away = np.linalg.norm(places[:, None] - middles[None], axis=2) / np.maximum(sizes, 1)[None]
    hit = np.zeros(len(places), bool)
    known = (care[tuple(places.T)] > 0) & ~(away < IGNORED_RADIUS).any(axis=1)
    for k in range(len(places)):
        near = np.flatnonzero(away[k] < MAX_OFFSET_EDGES)
        if len(near):
            hit[k], known[k] = True, True
            away[:, near[away[k][near].argmin()]] = np.inf
    return places[:, 0], places[:, 1], hit, known


def _change_grades(out: Tensor, samples: Arrays) -> dict[str, float]:
    """Return the scores of a change network, which tells objects from shadows.

    The scores are its recall and precision in cells of the image, and the share of image crops without a false
    object.
    """
    stands, known = (samples["flags"][:, k] > 0 for k in (0, 1))
    seen = out.numpy()[:, 0] > 0
    wrong = (seen & known & ~stands).astype(np.uint8)
    blots = [cv2.connectedComponentsWithStats(one)[2][1:, cv2.CC_STAT_AREA] for one in wrong]
    return {
        "seen": float((seen & stands).sum() / max(stands.sum(), 1)),
        "true": float((seen & stands).sum() / max((seen & known).sum(), 1)),
        "clean": float(np.mean([(areas < MIN_BLOT_CELLS).all() for areas in blots])),
    }


def _die_grades(out: Tensor, samples: Arrays) -> dict[str, float]:
    """Return the scores of a network that reads one die.

    The scores are how often faces are right, wrong, or wrong with high confidence (silent), how well cocked, hidden and
    stacked dice are recognised (AUC is the area under the ROC curve), the mean error of the tilt in degrees, and, for
    `deep`, how well it recognises a low camera and sides of dice.
    """
    answers = split_outputs(out, DIE_OUTPUTS)
    batch = to_device({"numbers": samples["numbers"]}, torch.device("cpu"))
    value, weight = number_columns(batch, "value").long(), number_columns(batch, "value_weight") > 0
    chances = torch.softmax(answers["shown"], 1)
    best, right = chances.max(1).values, chances.argmax(1) == value
    die, none = weight & (value > 0), weight & (value == 0)
    said_right = chances[torch.arange(len(value)), value].clamp(min=1e-6)
    grades = {
        "face_loss": -float(said_right[weight].log().mean()),
        "silent": _mean((best > SILENT_PROBABILITY)[weight] & ~right[weight]),
        "face": _mean(right[die]), "none": _mean(right[none]),
        "surely_wrong": _mean((best > SURE_PROBABILITY)[die] & ~right[die]),
        "sure": _mean((best > SURE_PROBABILITY)[die]),
    }  # fmt: skip
    for name in ("leaning", "hidden", "stacked"):
        known = number_columns(batch, f"{name}_weight") > 0
        true = number_columns(batch, name) > 0.5
        grades[f"{name}_seen"] = _mean((answers[name] > 0)[known & true])
        grades[f"{name}_false"] = _mean((answers[name] > 0)[known & ~true])
        grades[f"{name}_auc"] = area_under_curve(answers[name][known].numpy(), true[known].numpy())
    known = number_columns(batch, "tilt_weight") > 0
    grades["tilt_off_deg"] = 10 * _mean(
        (answers["tilt"] - number_columns(batch, "tilt")).abs()[known]
    )
    if out.shape[1] > sum(DIE_OUTPUTS.values()):
        seen = split_outputs(out, DIE_OUTPUTS | VIEW_OUTPUTS)
        known = number_columns(batch, "steep_weight") > 0
        grades["low_auc"] = area_under_curve(
            seen["low"][known].numpy().ravel(), is_low(batch)[known].numpy().ravel() > 0
        )
        known = number_columns(batch, "side_weight") > 0
        side = number_columns(batch, "side")[known] > 0
        grades["side_auc"] = area_under_curve(seen["side"][known].numpy(), side.numpy())
    return grades


def area_under_curve(odds: NDArray[np.float32], truth: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve: the probability that a true case gets higher odds than a false one.

    If all cases are true, or all are false, the result is 0.5.

    Args:
        odds: Log odds (n,) that a network returned.
        truth: Whether each case is true (n,).
    """
    true, false = odds[truth], np.sort(odds[~truth])
    if not len(true) or not len(false):
        return 0.5
    below = np.searchsorted(false, true, "left") + np.searchsorted(false, true, "right")
    return float(below.mean() / 2 / len(false))


def _mean(some: Tensor) -> float:
    return float(some.float().mean()) if len(some) else 0.0
