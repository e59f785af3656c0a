"""Fits scales that calibrate the log odds of a network, on samples that were not used for training.

A network that is too confident gives log odds that are too far from zero. Scaling them is enough to correct that (Guo
and others, On Calibration of Modern Neural Networks, 2017). A shift corrects for how rare a case is in the samples.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.learning.exams import find_peaks, run_network
from training.learning.losses import is_low, number_columns, to_device
from training.learning.networks import DIE_OUTPUTS, FINDER_OUTPUTS, VIEW_OUTPUTS, split_outputs
from training.learning.samples.finder_samples import FINDER_KINDS
from training.learning.samples.sample_stream import Arrays
from vision.decision import Evidence

Vector = NDArray[np.float64]
RIDGE = 0.002
"""Strength of the ridge penalty on the weights."""
SCALES = np.geomspace(0.3, 3, 61)
EVIDENCE_NAMES = tuple(field.name for field in fields(Evidence))


def fit_logistic(seen: Vector, truth: Vector) -> Vector:
    """Return the weights (k,) of a logistic regression, fitted by Newton's method.

    Args:
        seen: Evidence (n, k) about n cases.
        truth: Whether each case is true (n,), as 0 or 1.
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


def fit_evidence(
    cases: Sequence[tuple[tuple[float, ...], bool]], names: Sequence[str]
) -> dict[str, float]:
    """Return the weights of a sum of evidence, fitted to labelled cases.

    Args:
        cases: For each case, the evidence in the order of the fields of `vision.decision.Evidence`, and whether that for which
            it is evidence is true.
        names: The fields of `Evidence` that the sum uses.
    """
    seen, truths = zip(*cases, strict=True)
    columns = [EVIDENCE_NAMES.index(name) for name in names]
    weights = fit_logistic(np.array(seen)[:, columns], np.array(truths, float))
    return {name: round(float(w), 3) for name, w in zip(names, weights, strict=True)}


def fit_output_scales(net: nn.Module, kind: str, samples: Arrays) -> dict[str, dict[str, float]]:
    """Return, by output, the `scale` and `shift` that calibrate its log odds, and a `scale` for the face logits.

    Args:
        net: The network.
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        samples: Samples that were not used for training the network.
    """
    out = run_network(net, kind, samples, torch.device("cpu"))
    if kind in FINDER_KINDS:
        return {name: _platt_line(*both) for name, *both in _of_finder(out, samples)}
    lines = {name: _platt_line(*both) for name, *both in _of_die(out, samples)}
    return {"shown": {"scale": _temperature(out, samples)}} | lines


def _platt_line(odds: Vector, truth: Vector) -> dict[str, float]:
    """Return the scale and shift that calibrate log odds (Platt, 1999), given which cases are true."""
    scale, shift = fit_logistic(np.column_stack([odds, np.ones(len(odds))]), truth.astype(float))
    return {"scale": round(float(scale), 3), "shift": round(float(shift), 3)}


def _of_finder(out: Tensor, samples: Arrays) -> Iterator[tuple[str, Vector, Vector]]:
    answers = {name: values.numpy() for name, values in split_outputs(out, FINDER_OUTPUTS).items()}
    heats, are_dice = [], []
    for k in range(len(out)):
        rows, columns, hit, known = find_peaks(
            answers["heat"][k], samples["maps"][k], samples["flags"][k, 3]
        )
        heats.append(answers["heat"][k][rows, columns][known])
        are_dice.append(hit[known])
    yield "heat", np.concatenate(heats).astype(float), np.concatenate(are_dice)
    for name, where in (("hand", 0), ("thing", 1)):
        some = (slice(None), slice(None, None, 4), slice(None, None, 4))
        yield (
            name,
            answers[name][some].ravel().astype(float),
            samples["flags"][:, where][some].ravel(),
        )
    present = samples["maps"][:, 1] > 0
    yield "trouble", answers["trouble"][present].astype(float), samples["flags"][:, 2][present]


def _of_die(out: Tensor, samples: Arrays) -> Iterator[tuple[str, Vector, Vector]]:
    answers = split_outputs(out, DIE_OUTPUTS)
    batch = to_device({"numbers": samples["numbers"]}, torch.device("cpu"))
    for name in ("leaning", "hidden", "stacked"):
        known = number_columns(batch, f"{name}_weight") > 0
        yield (
            name,
            answers[name][known].double().numpy(),
            number_columns(batch, name)[known].double().numpy(),
        )
    if out.shape[1] == sum(DIE_OUTPUTS.values()):
        return
    answers = split_outputs(out, DIE_OUTPUTS | VIEW_OUTPUTS)
    for name, truth in (("low", is_low(batch)), ("side", number_columns(batch, "side"))):
        column = "steep_weight" if name == "low" else "side_weight"
        known = number_columns(batch, column) > 0
        yield name, answers[name][known].double().numpy().ravel(), truth[known].numpy().ravel()


def _temperature(out: Tensor, samples: Arrays) -> float:
    """Return the scale, one of SCALES, that makes the true faces most likely."""
    batch = to_device({"numbers": samples["numbers"]}, torch.device("cpu"))
    known = number_columns(batch, "value_weight") > 0
    logits, value = (
        split_outputs(out, DIE_OUTPUTS)["shown"][known],
        number_columns(batch, "value")[known].long(),
    )
    losses = [nn.functional.cross_entropy(logits * float(s), value).item() for s in SCALES]
    return round(float(SCALES[int(np.argmin(losses))]), 3)
