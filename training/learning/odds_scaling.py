"""Scales that calibrate the log odds of a network, fitted on samples that it was not taught.

A network that is too confident gives log odds that are too far from zero. Scaling them is enough to
correct that (Guo and others, On Calibration of Modern Neural Networks, 2017). A shift corrects for
how rare a case is in the exam.
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.learning.exams import find_peaks, run_network
from training.learning.losses import number_columns, to_device
from training.learning.networks import DIE_OUTPUTS, FINDER_OUTPUTS, split_outputs
from training.learning.samples.sample_stream import Arrays

Vector = NDArray[np.float64]
RIDGE = 0.002
"""Strength of the ridge penalty on the weights."""
SCALES = np.geomspace(0.3, 3, 61)


def fit_logistic(seen: Vector, truth: Vector) -> Vector:
    """Return (k,) weights of a logistic regression, fitted by Newton's method.

    Args:
        seen: (n, k) evidence.
        truth: (n,) whether each case is true.
    """
    weights = np.zeros(seen.shape[1])
    keep_small = RIDGE * len(seen) * np.eye(seen.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(seen @ weights, -30, 30)))
        slope = seen.T @ (truth - chance) - keep_small @ weights
        curve = (seen * (chance * (1 - chance))[:, None]).T @ seen + keep_small
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def fit_output_scales(net: nn.Module, kind: str, asked: Arrays) -> dict[str, dict[str, float]]:
    """Return `scale` and `shift` of each output that is log odds, and a scale for the faces.

    Args:
        net: The network.
        kind: Name of the network.
        asked: Samples that the network was not taught.
    """
    out = run_network(net, kind, asked, torch.device("cpu"))
    if kind == "finder":
        return {name: _platt_line(*both) for name, *both in _of_finder(out, asked)}
    lines = {name: _platt_line(*both) for name, *both in _of_die(out, asked)}
    return {"shown": {"scale": _temperature(out, asked)}} | lines


def _platt_line(odds: Vector, truth: Vector) -> dict[str, float]:
    """Return the scale and shift of log odds that make them calibrated (Platt, 1999)."""
    scale, shift = fit_logistic(np.column_stack([odds, np.ones(len(odds))]), truth.astype(float))
    return {"scale": round(float(scale), 3), "shift": round(float(shift), 3)}


def _of_finder(out: Tensor, asked: Arrays) -> Iterator[tuple[str, Vector, Vector]]:
    said = {name: values.numpy() for name, values in split_outputs(out, FINDER_OUTPUTS).items()}
    heats, are_dice = [], []
    for k in range(len(out)):
        rows, columns, hit, told = find_peaks(
            said["heat"][k], asked["maps"][k], asked["flags"][k, 3]
        )
        heats.append(said["heat"][k][rows, columns][told])
        are_dice.append(hit[told])
    yield "heat", np.concatenate(heats).astype(float), np.concatenate(are_dice)
    for name, where in (("hand", 0), ("thing", 1)):
        some = (slice(None), slice(None, None, 4), slice(None, None, 4))
        yield name, said[name][some].ravel().astype(float), asked["flags"][:, where][some].ravel()
    there = asked["maps"][:, 1] > 0
    yield "trouble", said["trouble"][there].astype(float), asked["flags"][:, 2][there]


def _of_die(out: Tensor, asked: Arrays) -> Iterator[tuple[str, Vector, Vector]]:
    said = split_outputs(out, DIE_OUTPUTS)
    batch = to_device({"numbers": asked["numbers"]}, torch.device("cpu"))
    for name in ("leaning", "hidden", "stacked"):
        told = number_columns(batch, f"{name}_weight") > 0
        yield (
            name,
            said[name][told].double().numpy(),
            number_columns(batch, name)[told].double().numpy(),
        )


def _temperature(out: Tensor, asked: Arrays) -> float:
    """Return the factor, one of SCALES, that makes the true faces likeliest."""
    batch = to_device({"numbers": asked["numbers"]}, torch.device("cpu"))
    told = number_columns(batch, "value_weight") > 0
    shown, value = (
        split_outputs(out, DIE_OUTPUTS)["shown"][told],
        number_columns(batch, "value")[told].long(),
    )
    missed = [nn.functional.cross_entropy(shown * float(s), value).item() for s in SCALES]
    return round(float(SCALES[int(np.argmin(missed))]), 3)
