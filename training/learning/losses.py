"""What a network is told it missed, and batches as it wants them."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training.learning.networks import DIE, FINDER, named
from training.learning.samples.die_samples import NUMBERS
from training.learning.samples.sample_makers import Arrays

Missed = dict[str, Tensor]
RARE = 2.0
LYING = 1.5
"""How a die lies is learnt late."""


def to_device(arrays: Arrays, device: torch.device) -> dict[str, Tensor]:
    """As tensors there."""
    return {k: torch.from_numpy(np.ascontiguousarray(v)).to(device) for k, v in arrays.items()}


def finder_input(batch: Mapping[str, Tensor]) -> Tensor:
    """(n, 7, h, w) of 0..1."""
    both = torch.cat([batch["picture"], batch["empty"]], dim=3).permute(0, 3, 1, 2).float() / 255
    known = batch["known"].float()[:, None, None, None].expand(-1, 1, *both.shape[2:])
    return torch.cat([both, known], 1).contiguous(memory_format=torch.channels_last)


def die_batch_input(batch: Mapping[str, Tensor]) -> Tensor:
    """(n, 7, p, p), see `vision.crops`."""
    pixels = batch["pixels"].float() / 255
    lean = batch["numbers"][:, :3, None, None].expand(-1, -1, *pixels.shape[2:])
    flat = batch["flat"].float()[:, None] / 255
    return torch.cat([pixels, lean, flat], 1).contiguous(memory_format=torch.channels_last)


def change_input(batch: Mapping[str, Tensor]) -> Tensor:
    """(n, 6, h, w) of 0..1."""
    both = torch.cat([batch["picture"], batch["empty"]], dim=3).permute(0, 3, 1, 2).float() / 255
    return both.contiguous(memory_format=torch.channels_last)


def change_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Missed:
    """Cross entropy; what stands is rare, and counts for more."""
    stands, told = batch["flags"].float().unbind(1)
    return {"stands": 3 * _weighed(out[:, 0], stands, told * (1 + RARE * stands))}


def finder_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Missed:
    """Focal loss for the heat, as in Zhou and others, Objects as Points (2019); the rest where dice are."""
    said = named(out, FINDER)
    hand, thing, trouble, care, named_parts = batch["flags"].float().unbind(1)
    truth, weight = batch["maps"][:, 0].float(), batch["maps"][:, 1].float()
    dice = weight.sum().clamp(min=1)
    numbers = batch["maps"].float()

    def where_dice_are(name: str, first: int, count: int) -> Tensor:
        off = (
            said[name].reshape(len(out), count, *out.shape[2:]) - numbers[:, first : first + count]
        )
        return (off.abs() * weight[:, None]).sum() / dice

    return {
        "heat": _focal(said["heat"], truth, care),
        "hand": 2 * _weighed(said["hand"], hand, named_parts),
        "thing": 3 * _weighed(said["thing"], thing, named_parts),
        "size": where_dice_are("size", 2, 1),
        "offset": 0.3 * where_dice_are("offset", 3, 2),
        "turn": 0.2 * where_dice_are("turn", 5, 2),
        "trouble": 0.5 * _weighed(said["trouble"], trouble, weight),
    }


def _focal(logit: Tensor, truth: Tensor, care: Tensor) -> Tensor:
    heat = torch.sigmoid(logit).clamp(1e-4, 1 - 1e-4)
    found = truth > 0.999
    hit = -torch.log(heat) * (1 - heat) ** 2 * found
    miss = -torch.log(1 - heat) * heat**2 * (1 - truth) ** 4 * ~found * care
    return (hit + miss).sum() / found.sum().clamp(min=1)


def _weighed(logit: Tensor, truth: Tensor, weight: Tensor) -> Tensor:
    each = functional.binary_cross_entropy_with_logits(logit, truth, reduction="none")
    return (each * weight).sum() / weight.sum().clamp(min=1)


def column(batch: Mapping[str, Tensor], *names: str) -> Tensor:
    """(n,) or (n, k) of the numbers of samples."""
    some = batch["numbers"][:, [NUMBERS.index(name) for name in names]]
    return some[:, 0] if len(names) == 1 else some


def die_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Missed:
    """Cross entropies, and how far off the numbers are."""
    said = named(out, DIE)
    missed = {"shown": _shown(said["shown"], batch)}
    for name in ("leaning", "hidden", "stacked"):
        lies = _weighed(said[name], column(batch, name), column(batch, f"{name}_weight"))
        missed[name] = LYING * lies
    off = column(batch, "off_x", "off_y", "larger")
    missed["off"] = 2 * _apart(said["off"], off, column(batch, "off_weight"))
    tilt = column(batch, "tilt").clamp(max=4.5)[:, None]
    missed["tilt"] = 0.5 * _apart(said["tilt"][:, None], tilt, column(batch, "tilt_weight"))
    stand = column(batch, "stand_x", "stand_y")
    missed["stand"] = 2 * _apart(said["stand"], stand, column(batch, "stand_weight"))
    parts = batch["parts"].flatten(1).float() / 255
    seen = out[:, sum(DIE.values()) :]
    told = column(batch, "parts_weight")[:, None].expand_as(seen)
    missed["parts"] = 2 * _weighed(seen, parts, told)
    return missed


def _shown(said: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Where the face is not to be told, whether it is a die."""
    value, weight = column(batch, "value").long(), column(batch, "value_weight")
    face = functional.cross_entropy(said, value, reduction="none")
    some = said.logsumexp(1) - said[:, 1:].logsumexp(1)
    only_die = column(batch, "die_weight") * column(batch, "die") * (weight == 0)
    return (face * weight + some * only_die).sum() / (weight.sum() + only_die.sum()).clamp(min=1)


def _apart(said: Tensor, truth: Tensor, weight: Tensor) -> Tensor:
    return ((said - truth).abs() * weight[:, None]).sum() / weight.sum().clamp(min=1)


LOSSES = {"finder": finder_loss, "change": change_loss, "near": die_loss, "wide": die_loss}
INPUTS = {
    "finder": finder_input,
    "change": change_input,
    "near": die_batch_input,
    "wide": die_batch_input,
}
