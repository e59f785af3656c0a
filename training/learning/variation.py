"""Variations of samples of one die, so that a network can be trained on the same samples several times."""

import torch
from torch import Tensor

from training.learning.samples.die_samples import NUMBER_NAMES
from vision.crops import View, patch_to_view

VECTORS = (("lean_x", "lean_y"), ("off_x", "off_y"), ("stand_x", "stand_y"))
"""Numbers of a sample that are directions in the patch. They turn with it."""
MIRRORED: View = (0, True)

Batch = dict[str, Tensor]


def turn_samples(rows: Batch, view: View) -> Batch:
    """Rotate and mirror samples, including the directions in their labels.

    Args:
        rows: Samples of a network that reads one die.
        view: Quarter turns and mirroring to apply.
    """
    turn, is_mirrored = view
    out = dict(rows)
    for name in ("pixels", "flat", "parts"):
        turned = torch.rot90(rows[name], turn, (-2, -1))
        out[name] = turned.flip(-1) if is_mirrored else turned
    numbers = rows["numbers"].clone()
    matrix = torch.from_numpy(patch_to_view(view)).to(numbers)
    for names in VECTORS:
        columns = [NUMBER_NAMES.index(name) for name in names]
        numbers[:, columns] = rows["numbers"][:, columns] @ matrix.T
    out["numbers"] = numbers
    return out


def mirror_half(batch: Batch) -> Batch:
    """Mirror the first half of the samples. Upright patches stay upright."""
    half = len(batch["numbers"]) // 2
    mirrored = turn_samples({name: some[:half] for name, some in batch.items()}, MIRRORED)
    return {name: torch.cat([mirrored[name], some[half:]]) for name, some in batch.items()}


def vary_colours(batch: Batch) -> Batch:
    """Change the brightness, colour, contrast and noise of half of the patches."""
    pixels = batch["pixels"].float() / 255

    def spread(channels: int, deviation: float) -> Tensor:
        return deviation * torch.randn(len(pixels), channels, 1, 1, device=pixels.device)

    is_changed = (torch.rand(len(pixels), 1, 1, 1, device=pixels.device) < 0.5).float()
    gain = torch.exp(is_changed * (spread(1, 0.15) + spread(3, 0.05)))
    gamma = torch.exp(is_changed * spread(1, 0.15))
    noise = is_changed * spread(1, 0.01) * torch.randn_like(pixels)
    changed = ((pixels * gain).clamp(1e-4, 1) ** gamma + noise).clamp(0, 1)
    return batch | {"pixels": changed * 255}
