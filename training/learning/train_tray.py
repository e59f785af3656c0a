"""Train a network that finds the tray: python -m training.learning.train_tray floor OUT --rests DIR.

`floor` learns which parts of a whole image are the floor of the tray. `frame` learns where the edges of the floor are,
given a guess at its four corners. Only images of trays with four corners are used. The command resumes from OUT/floor.pt
or OUT/frame.pt, or starts from the exported networks (--go-on), and writes a file in calibration/nets at the end.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from calibration.frame_fit import COLUMNS, INSIDE_PX, ROWS, SQUARE_PX
from calibration.tray_finder import INPUT_SIZE_PX
from training.learning.export import write_onnx
from training.learning.import_network import import_network
from training.learning.networks import FloorNet, FrameNet
from training.learning.samples.floor_samples import make_floor_batch
from training.learning.samples.frame_samples import make_frame_batch
from training.learning.samples.tray_images import FIRST_VIEW, TrayImages, load_tray_images
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose

NETS = Path(__file__).parents[2] / "calibration" / "nets"
END_SPREAD_PX = 0.006 * INSIDE_PX
"""Standard deviation of the target around a true edge, in pixels."""

EXAMPLE_COUNT = 16
"""Number of images from which the mean and variance in each layer of an imported network are estimated."""

HARD_LIGHT_SHARE = 0.4
"""Share of views with hard light, in which the black shadow of a wall is easily mistaken for the wall."""

CHECKPOINT_S = 300.0
"""Time between checkpoints, in seconds."""


def floor_loss(out: Tensor, truth: Tensor) -> Tensor:
    """Return the loss of the floor network: the sum of a cross entropy and a Dice loss.

    Args:
        out: Logits (n, 1, h, w) of the probability that each cell shows the floor.
        truth: Share (n, 1, h, w) of each cell that is floor.
    """
    seen = torch.sigmoid(out)
    both, either = (seen * truth).sum((1, 2, 3)), (seen + truth).sum((1, 2, 3))
    overlap = (2 * both + 50) / (either + 50)
    return functional.binary_cross_entropy_with_logits(out, truth) + 0.5 * (1 - overlap).mean()


def frame_loss(out: Tensor, ends: Tensor, floors: Tensor) -> Tensor:
    """Return the loss of the frame network: cross entropies of the edges and of the floor.

    The target for an edge is a narrow peak around its true row in each column.

    Args:
        out: Scores of the four sides and logits of the floor (n, 5, h, w).
        ends: Row of each edge (n, 4, k) at each of COLUMNS, NaN if there is none.
        floors: Share of each pixel that is floor (n, h, w).
    """
    rows = torch.from_numpy(ROWS.astype(np.float32))[None, :, None]
    columns = torch.from_numpy(COLUMNS)
    loss = []
    for side in range(4):
        score = torch.rot90(out[:, side], side, (1, 2))[:, : len(ROWS)][:, :, columns]
        true = ends[:, side, None]
        known = ~torch.isnan(true[:, 0])
        hill = torch.softmax(-(((rows - torch.nan_to_num(true)) / END_SPREAD_PX) ** 2) / 2, 1)
        off = -(hill * functional.log_softmax(score, 1)).sum(1)
        loss.append(off[known].sum() / known.sum().clamp(min=1))
    floor = functional.binary_cross_entropy_with_logits(out[:, 4], floors)
    return torch.stack(loss).mean() + 2 * floor


@dataclass(frozen=True, slots=True)
class TrayTask:
    """One of the networks that find the tray, and how it is trained.

    Attributes:
        net: Makes a network with random weights.
        samples: Takes a pool of images, a random generator and optionally a count, and returns inputs and
            the correct outputs.
        loss: Compares the outputs of the network with the correct ones.
        file: Name of the exported file.
        size: Width and height of the input in pixels.
    """

    net: Callable[[], nn.Module]
    samples: Callable[..., tuple[Tensor, ...]]
    loss: Callable[..., Tensor]
    file: str
    size: tuple[int, int]  # width and height of the input


TASKS = {
    "floor": TrayTask(FloorNet, make_floor_batch, floor_loss, "tray.onnx", INPUT_SIZE_PX),
    "frame": TrayTask(FrameNet, make_frame_batch, frame_loss, "frame.onnx", (SQUARE_PX, SQUARE_PX)),
}


def main() -> None:
    """Train a network for a number of minutes, and export it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=TASKS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--traced", type=Path, help="folder of path-traced images")
    parser.add_argument(
        "--views", type=int, default=5000, help="number of views; each takes 1.6 MB of memory"
    )
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--rate", type=float, default=2e-3)
    begin = "start from calibration/nets; use a --rate of about 1e-3"
    parser.add_argument("--go-on", action="store_true", help=begin)
    parser.add_argument(
        "--half",
        action="store_true",
        help="multiply in bfloat16, which is faster on some processors",
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    task = TASKS[options.kind]
    net, checkpoint = task.net(), options.out / f"{options.kind}.pt"
    if checkpoint.exists():
        net.load_state_dict(torch.load(checkpoint))
    if options.minutes:
        materials = Materials(options.rests, options.traced)
        source = ViewSource(materials, Purpose.TEACH, for_finder=True, hard=HARD_LIGHT_SHARE)
        pool = load_tray_images(source, options.views, options.out)
        if options.go_on and not checkpoint.exists():
            inputs, *_ = task.samples(pool, np.random.default_rng(FIRST_VIEW), EXAMPLE_COUNT)
            import_network(net, NETS / task.file, inputs)
        train(net, pool, task, options, checkpoint)
    export(net, task)


def train(
    net: nn.Module, pool: list[TrayImages], task: TrayTask, options: argparse.Namespace, checkpoint: Path
) -> None:  # fmt: skip
    """Train a network with AdamW, at a learning rate that falls along half a cosine.

    Args:
        net: The network.
        pool: Images of trays to draw from.
        task: How the network is trained.
        options: The parsed command line: `minutes`, `rate` and `half` are used.
        checkpoint: The checkpoint file to write.
    """
    rng = np.random.default_rng(time.time_ns())
    optimiser = torch.optim.AdamW(net.parameters(), options.rate, weight_decay=1e-3)
    net.train()
    started = saved = time.monotonic()
    step, mean = 0, 0.0
    while (share := (time.monotonic() - started) / 60 / options.minutes) < 1:
        slowed = min(1, (step + 1) / 200) * (0.5 + 0.5 * np.cos(np.pi * share))
        for group in optimiser.param_groups:
            group["lr"] = options.rate * slowed
        inputs, *truth = task.samples(pool, rng)
        with torch.autocast("cpu", torch.bfloat16, enabled=options.half):
            out = net(inputs)
        loss = task.loss(out.float(), *truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step, mean = step + 1, 0.98 * mean + 0.02 * loss.item()
        if step % 100 == 0:
            print(f"{share:4.0%} step {step} loss {mean / (1 - 0.98**step):.3f}", flush=True)
        if time.monotonic() - saved > CHECKPOINT_S:
            saved = time.monotonic()
            _save_checkpoint(net, checkpoint)
    _save_checkpoint(net, checkpoint)


def _save_checkpoint(net: nn.Module, checkpoint: Path) -> None:
    """Write a checkpoint. An interrupted write leaves the previous checkpoint intact."""
    part = checkpoint.with_suffix(".part")
    torch.save(net.state_dict(), part)
    part.replace(checkpoint)


def export(net: nn.Module, task: TrayTask, folder: Path = NETS) -> None:
    """Export a network as an ONNX file for OpenCV.

    Args:
        net: The trained network.
        task: The network's name and input size.
        folder: Folder for the exported file.
    """
    net.eval()
    wide, high = task.size
    out = folder / task.file
    write_onnx(net, torch.zeros(1, 3, high, wide), out)
    print(f"{out.name}: {out.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
