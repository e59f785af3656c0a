"""Log odds that mean what they say: fitted on what a network was not taught.

A network that is surer than it is right says odds that are too long; as Guo and others show (On
Calibration of Modern Neural Networks, 2017) to scale them is enough, and shifting sets right how rare
in the exam a case is.
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.learning.exams import answers, tops
from training.learning.losses import column, to_device
from training.learning.networks import DIE, FINDER, named
from training.learning.samples.sample_makers import Arrays

Vector = NDArray[np.float64]
CAUTION = 0.002
"""Weights are kept small by so much."""
SCALES = np.geomspace(0.3, 3, 61)


def fit(seen: Vector, truth: Vector) -> Vector:
    """(k,) weights of (n, k) that make the truth (n,) likeliest: logistic regression by Newton."""
    weights = np.zeros(seen.shape[1])
    keep_small = CAUTION * len(seen) * np.eye(seen.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(seen @ weights, -30, 30)))
        slope = seen.T @ (truth - chance) - keep_small @ weights
        curve = (seen * (chance * (1 - chance))[:, None]).T @ seen + keep_small
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def fitted(net: nn.Module, kind: str, asked: Arrays) -> dict[str, dict[str, float]]:
    """For each output that is log odds, its `scale` and `shift`; for chances to be compared, a scale."""
    out = answers(net, kind, asked, torch.device("cpu"))
    if kind == "finder":
        return {name: _line(*both) for name, *both in _of_finder(out, asked)}
    lines = {name: _line(*both) for name, *both in _of_die(out, asked)}
    return {"shown": {"scale": _scale(out, asked)}} | lines


def _line(odds: Vector, truth: Vector) -> dict[str, float]:
    """A straight line through log odds."""
    scale, shift = fit(np.column_stack([odds, np.ones(len(odds))]), truth.astype(float))
    return {"scale": round(float(scale), 3), "shift": round(float(shift), 3)}


def _of_finder(out: Tensor, asked: Arrays) -> Iterator[tuple[str, Vector, Vector]]:
    said = {name: values.numpy() for name, values in named(out, FINDER).items()}
    heats, are_dice = [], []
    for k in range(len(out)):
        rows, columns, hit, told = tops(said["heat"][k], asked["maps"][k], asked["flags"][k, 3])
        heats.append(said["heat"][k][rows, columns][told])
        are_dice.append(hit[told])
    yield "heat", np.concatenate(heats).astype(float), np.concatenate(are_dice)
    for name, where in (("hand", 0), ("thing", 1)):
        some = (slice(None), slice(None, None, 4), slice(None, None, 4))
        yield name, said[name][some].ravel().astype(float), asked["flags"][:, where][some].ravel()
    there = asked["maps"][:, 1] > 0
    yield "trouble", said["trouble"][there].astype(float), asked["flags"][:, 2][there]


def _of_die(out: Tensor, asked: Arrays) -> Iterator[tuple[str, Vector, Vector]]:
    said = named(out, DIE)
    batch = to_device({"numbers": asked["numbers"]}, torch.device("cpu"))
    for name in ("leaning", "hidden", "stacked"):
        told = column(batch, f"{name}_weight") > 0
        yield name, said[name][told].double().numpy(), column(batch, name)[told].double().numpy()


def _scale(out: Tensor, asked: Arrays) -> float:
    """By how much what a die shows is to be scaled: the likeliest of SCALES."""
    batch = to_device({"numbers": asked["numbers"]}, torch.device("cpu"))
    told = column(batch, "value_weight") > 0
    shown, value = named(out, DIE)["shown"][told], column(batch, "value")[told].long()
    missed = [nn.functional.cross_entropy(shown * float(s), value).item() for s in SCALES]
    return round(float(SCALES[int(np.argmin(missed))]), 3)
