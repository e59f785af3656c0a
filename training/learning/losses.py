"""Loss functions for training the networks, and the conversion of batches to network inputs."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training.learning.networks import (
    DIE_OUTPUTS,
    FINDER_OUTPUTS,
    LOW_DEG,
    VIEW_OUTPUTS,
    split_outputs,
)
from training.learning.samples.die_samples import NUMBER_NAMES
from training.learning.samples.die_sizes import PATCH_SIZES
from training.learning.samples.finder_samples import FINDER_KINDS
from training.learning.samples.sample_stream import Arrays

Losses = dict[str, Tensor]
OBJECT_WEIGHT = 2.0
"""Extra weight of cells with an object, which are rare."""
POSE_WEIGHT = 1.5
"""Weight of the losses for the pose of a die, which the networks learn late."""
SOFT_OUTPUTS = ("shown", "leaning", "hidden", "stacked")
"""Outputs that `anchor_loss` keeps close to those of another network. They come first in the output."""


def to_device(arrays: Arrays, device: torch.device) -> dict[str, Tensor]:
    """Convert arrays to tensors on a device.

    Args:
        arrays: Arrays by name.
        device: Device to compute on.
    """
    return {k: torch.from_numpy(np.ascontiguousarray(v)).to(device) for k, v in arrays.items()}


def finder_input(batch: Mapping[str, Tensor]) -> Tensor:
    """Return the input (n, 7, h, w) of a finder, from 0 to 1.

    Its channels are the image, the empty-tray image, and whether the latter is known.
    """
    both = torch.cat([batch["picture"], batch["empty"]], dim=3).permute(0, 3, 1, 2).float() / 255
    known = batch["known"].float()[:, None, None, None].expand(-1, 1, *both.shape[2:])
    return torch.cat([both, known], 1).contiguous(memory_format=torch.channels_last)


def image_input(batch: Mapping[str, Tensor]) -> Tensor:
    """Return the image as the input (n, 3, h, w) of a network that sees nothing else, from 0 to 1."""
    image = batch["picture"].permute(0, 3, 1, 2).float() / 255
    return image.contiguous(memory_format=torch.channels_last)


def die_batch_input(batch: Mapping[str, Tensor]) -> Tensor:
    """Return the input (n, 7, p, p) of a network that reads one die, as described in `vision.crops`."""
    pixels = batch["pixels"].float() / 255
    lean = batch["numbers"][:, :3, None, None].expand(-1, -1, *pixels.shape[2:])
    flat = batch["flat"].float()[:, None] / 255
    return torch.cat([pixels, lean, flat], 1).contiguous(memory_format=torch.channels_last)


def change_input(batch: Mapping[str, Tensor]) -> Tensor:
    """Return the input (n, 6, h, w) of a change network, from 0 to 1: image and empty-tray image."""
    both = torch.cat([batch["picture"], batch["empty"]], dim=3).permute(0, 3, 1, 2).float() / 255
    return both.contiguous(memory_format=torch.channels_last)


def change_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Losses:
    """Return the loss of a change network: a cross entropy in which cells with an object weigh more.

    Args:
        out: Output of the network.
        batch: Tensors of the samples, by name.
    """
    stands, known = batch["flags"].float().unbind(1)
    return {"stands": 3 * _weighted_bce(out[:, 0], stands, known * (1 + OBJECT_WEIGHT * stands))}


def finder_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Losses:
    """Return the losses of a finder by name.

    They are the focal loss of the heat map (Zhou and others, Objects as Points, 2019), cross entropies of hands, objects
    and untrustworthy dice, and absolute errors of the size, position and rotation of dice.

    Args:
        out: Output of the network.
        batch: Tensors of the samples, by name.
    """
    answers = split_outputs(out, FINDER_OUTPUTS)
    hand, thing, trouble, care, named_parts = batch["flags"].float().unbind(1)
    truth, weight = batch["maps"][:, 0].float(), batch["maps"][:, 1].float()
    dice = weight.sum().clamp(min=1)
    numbers = batch["maps"].float()

    def where_dice_are(name: str, first: int, count: int) -> Tensor:
        off = (
            answers[name].reshape(len(out), count, *out.shape[2:])
            - numbers[:, first : first + count]
        )
        return (off.abs() * weight[:, None]).sum() / dice

    return {
        "heat": _focal(answers["heat"], truth, care),
        "hand": 2 * _weighted_bce(answers["hand"], hand, named_parts),
        "thing": 3 * _weighted_bce(answers["thing"], thing, named_parts),
        "size": where_dice_are("size", 2, 1),
        "offset": 0.3 * where_dice_are("offset", 3, 2),
        "turn": 0.2 * where_dice_are("turn", 5, 2),
        "trouble": 0.5 * _weighted_bce(answers["trouble"], trouble, weight),
    }


def _focal(logit: Tensor, truth: Tensor, care: Tensor) -> Tensor:
    heat = torch.sigmoid(logit).clamp(1e-4, 1 - 1e-4)
    found = truth > 0.999
    hit = -torch.log(heat) * (1 - heat) ** 2 * found
    miss = -torch.log(1 - heat) * heat**2 * (1 - truth) ** 4 * ~found * care
    return (hit + miss).sum() / found.sum().clamp(min=1)


def _weighted_bce(logit: Tensor, truth: Tensor, weight: Tensor) -> Tensor:
    each = functional.binary_cross_entropy_with_logits(logit, truth, reduction="none")
    return (each * weight).sum() / weight.sum().clamp(min=1)


def number_columns(batch: Mapping[str, Tensor], *names: str) -> Tensor:
    """Return columns (n,) or (n, k) of the batch's `numbers`, selected by their names in NUMBER_NAMES."""
    some = batch["numbers"][:, [NUMBER_NAMES.index(name) for name in names]]
    return some[:, 0] if len(names) == 1 else some


def die_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Losses:
    """Return the losses of a network that reads one die, by name: cross entropies and absolute errors.

    Args:
        out: Output of the network.
        batch: Tensors of the samples, by name.
    """
    answers = split_outputs(out, DIE_OUTPUTS)
    losses = {"shown": _face_loss(answers["shown"], batch)}
    for name in ("leaning", "hidden", "stacked"):
        lies = _weighted_bce(
            answers[name], number_columns(batch, name), number_columns(batch, f"{name}_weight")
        )
        losses[name] = POSE_WEIGHT * lies
    off = number_columns(batch, "off_x", "off_y", "larger")
    losses["off"] = 2 * _absolute_error(answers["off"], off, number_columns(batch, "off_weight"))
    tilt = number_columns(batch, "tilt").clamp(max=4.5)[:, None]
    losses["tilt"] = 0.5 * _absolute_error(
        answers["tilt"][:, None], tilt, number_columns(batch, "tilt_weight")
    )
    stand = number_columns(batch, "stand_x", "stand_y")
    losses["stand"] = 2 * _absolute_error(
        answers["stand"], stand, number_columns(batch, "stand_weight")
    )
    parts = batch["parts"].flatten(1).float() / 255
    answered = out.shape[1] - parts.shape[1]
    seen = out[:, answered:]
    known = number_columns(batch, "parts_weight")[:, None].expand_as(seen)
    losses["parts"] = 2 * _weighted_bce(seen, parts, known)
    if answered > sum(DIE_OUTPUTS.values()):
        losses |= _view_losses(split_outputs(out, DIE_OUTPUTS | VIEW_OUTPUTS), batch)
    return losses


def _view_losses(answers: Mapping[str, Tensor], batch: Mapping[str, Tensor]) -> Losses:
    """Return the losses for how the camera sees a die. Only upright patches show that."""
    upright = number_columns(batch, "upright")
    known = (upright * number_columns(batch, "steep_weight"))[:, None].expand(-1, len(LOW_DEG))
    side, weight = number_columns(batch, "side"), upright * number_columns(batch, "side_weight")
    return {
        "low": 1.5 * _weighted_bce(answers["low"], is_low(batch), known),
        "side": _weighted_bce(answers["side"], side, weight),
    }


def is_low(batch: Mapping[str, Tensor]) -> Tensor:
    """Return whether the camera sees each die from more than each angle of LOW_DEG, as 0 or 1 (n, 3)."""
    steep = number_columns(batch, "steep")[:, None]
    return (steep > torch.tensor(LOW_DEG, device=steep.device) / 10).float()


def anchor_loss(out: Tensor, soft: Tensor, pose_weight: float = 1.0) -> Tensor:
    """Return how far the answers of a network are from those of another network, as cross entropies.

    Args:
        out: Output of the network.
        soft: SOFT_OUTPUTS (n, 10) of the other network.
        pose_weight: Weight of each of SOFT_OUTPUTS after the first one, which has a weight of 1.
    """
    answers = split_outputs(out, DIE_OUTPUTS)
    others = split_outputs(soft, {name: DIE_OUTPUTS[name] for name in SOFT_OUTPUTS})
    loss = -(others["shown"].softmax(1) * answers["shown"].log_softmax(1)).sum(1).mean()
    for name in SOFT_OUTPUTS[1:]:
        truth = torch.sigmoid(others[name])
        each = functional.binary_cross_entropy_with_logits(answers[name], truth)
        loss = loss + pose_weight * each
    return loss


def _face_loss(answers: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Return the cross entropy of the face, or of being a die at all if the face is unreadable."""
    value, weight = number_columns(batch, "value").long(), number_columns(batch, "value_weight")
    face = functional.cross_entropy(answers, value, reduction="none")
    some = answers.logsumexp(1) - answers[:, 1:].logsumexp(1)
    only_die = number_columns(batch, "die_weight") * number_columns(batch, "die") * (weight == 0)
    return (face * weight + some * only_die).sum() / (weight.sum() + only_die.sum()).clamp(min=1)


def _absolute_error(answers: Tensor, truth: Tensor, weight: Tensor) -> Tensor:
    return ((answers - truth).abs() * weight[:, None]).sum() / weight.sum().clamp(min=1)


LOSSES = (
    dict.fromkeys(FINDER_KINDS, finder_loss)
    | {"change": change_loss}
    | dict.fromkeys(PATCH_SIZES, die_loss)
)
INPUTS = {
    "finder": finder_input,
    "finder_alone": image_input,
    "change": change_input,
} | dict.fromkeys(PATCH_SIZES, die_batch_input)
