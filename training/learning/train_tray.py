"""Teach the networks that find the tray: python -m training.learning.train_tray floor OUT --rests DIR.

`floor` learns which spots of a whole picture are the tray's floor; `frame` where, around a guessed
frame, the floor ends. Only pictures with a tray of four corners teach. Writes calibration/nets/*.onnx
at the end; training goes on from OUT/floor.pt or frame.pt, or begins with what calibration has
(--go-on).
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
from training.learning.export import as_onnx
from training.learning.networks import Floor, FrameEnds
from training.learning.revive import revive
from training.learning.samples.floor_samples import floors
from training.learning.samples.frame_samples import frames
from training.learning.samples.tray_lights import FIRST, TrayLight, views
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose

NETS = Path(__file__).parents[2] / "calibration" / "nets"
CLEAR_PX = 0.006 * INSIDE_PX
"""How sharply an end is to be told."""

EXAMPLES = 16
"""Pictures tell how far the layers of a network that is put back are spread."""

HARD = 0.4
"""So many views have hard light: the black shadow of a wall is what a wall is mistaken for."""

KEEP_S = 300.0
"""How often what was learnt so far is written down."""


def floor_loss(out: Tensor, truth: Tensor) -> Tensor:
    """Cross entropy, and how little what is seen and what is true overlap."""
    seen = torch.sigmoid(out)
    both, either = (seen * truth).sum((1, 2, 3)), (seen + truth).sum((1, 2, 3))
    overlap = (2 * both + 50) / (either + 50)
    return functional.binary_cross_entropy_with_logits(out, truth) + 0.5 * (1 - overlap).mean()


def frame_loss(out: Tensor, ends: Tensor, floors: Tensor) -> Tensor:
    """Cross entropy against a narrow hill around each true end; and what of the square is floor."""
    rows = torch.from_numpy(ROWS.astype(np.float32))[None, :, None]
    columns = torch.from_numpy(COLUMNS)
    missed = []
    for side in range(4):
        score = torch.rot90(out[:, side], side, (1, 2))[:, : len(ROWS)][:, :, columns]
        true = ends[:, side, None]
        known = ~torch.isnan(true[:, 0])
        hill = torch.softmax(-(((rows - torch.nan_to_num(true)) / CLEAR_PX) ** 2) / 2, 1)
        off = -(hill * functional.log_softmax(score, 1)).sum(1)
        missed.append(off[known].sum() / known.sum().clamp(min=1))
    floor = functional.binary_cross_entropy_with_logits(out[:, 4], floors)
    return torch.stack(missed).mean() + 2 * floor


@dataclass(frozen=True, slots=True)
class TrayLesson:
    """A network, and how it learns.

    `samples`, of a pool, a generator and perhaps so many pictures, gives what it sees and what `loss`
    compares with what it says.
    """

    net: Callable[[], nn.Module]
    samples: Callable[..., tuple[Tensor, ...]]
    loss: Callable[..., Tensor]
    file: str
    size: tuple[int, int]  # width and height of what it sees


LESSONS = {
    "floor": TrayLesson(Floor, floors, floor_loss, "tray.onnx", INPUT_SIZE_PX),
    "frame": TrayLesson(FrameEnds, frames, frame_loss, "frame.onnx", (SQUARE_PX, SQUARE_PX)),
}


def main() -> None:
    """Train for so many minutes and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=LESSONS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="of scenes.throws.rest_library")
    parser.add_argument("--traced", type=Path, help="of rendering.make_pictures")
    parser.add_argument("--views", type=int, default=5000, help="1.6 MB of memory each")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--rate", type=float, default=2e-3)
    begin = "begin with calibration/nets instead of with nothing; a --rate of 1e-3 fits"
    parser.add_argument("--go-on", action="store_true", help=begin)
    parser.add_argument("--half", action="store_true", help="multiply in bfloat16")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    lesson = LESSONS[options.kind]
    net, kept = lesson.net(), options.out / f"{options.kind}.pt"
    if kept.exists():
        net.load_state_dict(torch.load(kept))
    if options.minutes:
        materials = Materials(options.rests, options.traced)
        source = ViewSource(materials, Purpose.TEACH, for_finder=True, hard=HARD)
        pool = views(source, options.views, options.out)
        if options.go_on and not kept.exists():
            shown, *_ = lesson.samples(pool, np.random.default_rng(FIRST), EXAMPLES)
            revive(net, NETS / lesson.file, shown)
        train(net, pool, lesson, options, kept)
    export(net, lesson)


def train(
    net: nn.Module, pool: list[TrayLight], lesson: TrayLesson, options: argparse.Namespace, kept: Path
) -> None:  # fmt: skip
    """By AdamW, the rate falling as half a cosine."""
    rng = np.random.default_rng(time.time_ns())
    steer = torch.optim.AdamW(net.parameters(), options.rate, weight_decay=1e-3)
    net.train()
    begun = saved = time.monotonic()
    step, mean = 0, 0.0
    while (share := (time.monotonic() - begun) / 60 / options.minutes) < 1:
        slowed = min(1, (step + 1) / 200) * (0.5 + 0.5 * np.cos(np.pi * share))
        for group in steer.param_groups:
            group["lr"] = options.rate * slowed
        shown, *truth = lesson.samples(pool, rng)
        with torch.autocast("cpu", torch.bfloat16, enabled=options.half):
            out = net(shown)
        missed = lesson.loss(out.float(), *truth)
        steer.zero_grad()
        missed.backward()
        steer.step()
        step, mean = step + 1, 0.98 * mean + 0.02 * missed.item()
        if step % 100 == 0:
            print(f"{share:4.0%} step {step} learnt {mean / (1 - 0.98**step):.3f}", flush=True)
        if time.monotonic() - saved > KEEP_S:
            saved = time.monotonic()
            _keep(net, kept)
    _keep(net, kept)


def _keep(net: nn.Module, kept: Path) -> None:
    """All of it or nothing."""
    part = kept.with_suffix(".part")
    torch.save(net.state_dict(), part)
    part.replace(kept)


def export(net: nn.Module, lesson: TrayLesson, folder: Path = NETS) -> None:
    """Write it for OpenCV."""
    net.eval()
    wide, high = lesson.size
    out = folder / lesson.file
    as_onnx(net, torch.zeros(1, 3, high, wide), out)
    print(f"{out.name}: {out.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
