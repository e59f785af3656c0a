"""Train `near` and `wide` together on a GPU: python -m training.learning.teach_pair OUT --rests DIR.

The command continues from the networks in `vision/nets`. Worker processes render views all the time. The GPU keeps all
their samples, and trains both networks on them with several learning rates at once until the time is up. Each
variant gets a folder in OUT, from which `training.learning.export` can export the networks.
"""

import argparse
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.learning.export import NETS
from training.learning.import_network import import_network
from training.learning.losses import SOFT_OUTPUTS, anchor_loss, die_batch_input, die_loss
from training.learning.networks import DIE_OUTPUTS, DieNet, split_outputs
from training.learning.samples.pair_samples import PAIR, PairRecipe, PairStream
from training.learning.samples.sample_stream import Arrays, concatenate
from training.learning.samples.view_source import Materials
from training.learning.teach import update_mean
from training.learning.variation import Batch, turn_samples, vary_colours
from vision.crops import VIEWS

FIRST_VIEW = 100_000_000
"""Number of the first view."""
CAPACITY = 400_000
"""Number of samples of each network that the GPU keeps, which take 7 GB for each network. Further ones are dropped."""
CHUNK_ROWS, EXAMPLE_ROWS = 1024, 512
"""Number of samples that are copied to the GPU together, and number used for loading an exported network."""
MEAN_DECAY = 0.999
"""Share of the running mean of the weights that is kept at each step."""
WARM_UP_SHARE = 0.2
"""Share of the training time in which the learning rate rises."""
LOSS_DECAY = 0.98
LOG_S = 20.0


@dataclass(frozen=True)
class Variant:
    """One way to train.

    Attributes:
        name: Name of the folder for its networks.
        rate: Highest learning rate.
        anchor: Weight of the loss that keeps the answers close to those of the network at the start.
    """

    name: str
    rate: float
    anchor: float


VARIANTS = (Variant("low", 4e-4, 0.3), Variant("high", 1.5e-3, 0.3), Variant("bold", 4e-3, 0.0))


class SampleStore:
    """All samples of one network on the GPU, with the answers of the network at the start."""

    def __init__(self, start: nn.Module, device: torch.device, capacity: int) -> None:
        self.count = 0
        self._start, self._device, self._capacity = start, device, capacity
        self._rows: Batch = {}
        self._waiting: list[Arrays] = []

    def add(self, arrays: Arrays) -> None:
        """Add samples. They are copied to the GPU when there are enough of them, because small copies are slow."""
        self._waiting.append(arrays)
        if sum(len(one["numbers"]) for one in self._waiting) >= CHUNK_ROWS:
            self._copy(concatenate(self._waiting))
            self._waiting = []

    def batch(self, size: int) -> Batch:
        """Return `size` random samples (a multiple of eight), an eighth of them in each orientation."""
        places = torch.randint(0, self.count, (size,), device=self._device)
        rows = {name: kept[places] for name, kept in self._rows.items()}
        each = size // len(VIEWS)
        parts = [
            turn_samples({name: some[k * each : (k + 1) * each] for name, some in rows.items()}, view)
            for k, view in enumerate(VIEWS)
        ]  # fmt: skip
        return {name: torch.cat([part[name] for part in parts]) for name in rows}

    def _copy(self, arrays: Arrays) -> None:
        size = min(len(arrays["numbers"]), self._capacity - self.count)
        if size <= 0:
            return
        rows = {
            name: torch.from_numpy(np.ascontiguousarray(some[:size])).to(self._device)
            for name, some in arrays.items()
        }
        rows["soft"] = mean_answers(self._start, rows)
        if not self._rows:
            self._rows = {
                name: torch.zeros((self._capacity, *some.shape[1:]), dtype=some.dtype, device=self._device)
                for name, some in rows.items()
            }  # fmt: skip
        for name, some in rows.items():
            self._rows[name][self.count : self.count + size] = some
        self.count += size


def mean_answers(net: nn.Module, rows: Batch) -> Tensor:
    """Return a network's SOFT_OUTPUTS (n, 10) as log odds, each the mean over all orientations of the samples.

    Args:
        net: A network that reads one die.
        rows: Samples (n rows) of that network.
    """
    net.eval()
    with torch.no_grad():
        answers = [
            split_outputs(net(die_batch_input(turn_samples(rows, view))).float(), DIE_OUTPUTS)
            for view in VIEWS
        ]
    faces = torch.stack([one["shown"].softmax(1) for one in answers]).mean(0).clamp(min=1e-6).log()
    others = [torch.stack([one[name] for one in answers]).mean(0) for name in SOFT_OUTPUTS[1:]]
    return torch.cat([faces, torch.stack(others, 1)], 1)


class VariantTrainer:
    """One network that is trained in one way, and the running mean of its weights."""

    def __init__(self, variant: Variant, kind: str, start: nn.Module, device: torch.device) -> None:
        self.variant, self.kind, self.steps = variant, kind, 0
        self._net, self._mean = (
            DieNet(kind).to(device, memory_format=torch.channels_last) for _ in range(2)
        )  # type: ignore[call-overload]
        self._net.load_state_dict(start.state_dict())
        self._mean.load_state_dict(start.state_dict())
        self._optimiser = torch.optim.AdamW(self._net.parameters(), variant.rate, weight_decay=1e-2)
        self._losses: Batch = {}

    def step(self, batch: Batch, share: float) -> None:
        """Train on one batch.

        Args:
            batch: Samples, with the answers of the network at the start.
            share: Share of the training time that is over, which determines the learning rate.
        """
        rate = self.variant.rate * learning_rate_factor(share)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._net.train()
        with torch.autocast(batch["numbers"].device.type, torch.bfloat16):
            out = self._net(die_batch_input(batch))
        losses = die_loss(out.float(), batch)
        if self.variant.anchor:
            losses["anchor"] = self.variant.anchor * anchor_loss(out.float(), batch["soft"])
        self._optimiser.zero_grad()
        torch.stack(list(losses.values())).sum().backward()
        nn.utils.clip_grad_norm_(self._net.parameters(), 5.0)
        self._optimiser.step()
        self.steps += 1
        update_mean(self._mean, self._net, MEAN_DECAY)
        for name, loss in losses.items():
            before = self._losses.get(name, loss.detach())
            self._losses[name] = torch.lerp(loss.detach(), before, LOSS_DECAY)

    def save(self, folder: Path) -> None:
        """Write the running mean of the weights as a checkpoint for `training.learning.export`."""
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: value.cpu() for name, value in self._mean.state_dict().items()}
        torch.save(
            {"mean": weights, "step": self.steps, "kind": self.kind}, folder / f"{self.kind}.pt"
        )

    def progress(self) -> str:
        """Return a line with the recent losses."""
        losses = " ".join(f"{name} {float(loss):.3f}" for name, loss in self._losses.items())
        return f"{self.variant.name} {self.kind} step {self.steps}: {losses}"


def learning_rate_factor(share: float) -> float:
    """Return the factor of the learning rate after a share of the training time: a warm-up, and half a cosine."""
    warm = min(1.0, (share + 0.002) / WARM_UP_SHARE)
    return warm * (0.01 + 0.495 * (1 + math.cos(math.pi * min(1.0, share))))


def train(options: argparse.Namespace) -> None:
    """Train all variants until the time is up.

    Args:
        options: The options of the command.
    """
    begun, device = time.monotonic(), torch.device(options.device)
    torch.manual_seed(FIRST_VIEW)
    torch.backends.cudnn.benchmark = True
    recipe = PairRecipe(
        Materials(options.rests, options.traced, options.photographs), options.first
    )
    stream = PairStream(recipe, options.workers)
    first = _first_views(stream)
    starts = {
        kind: _start(kind, concatenate([view[kind] for view in first])).to(device) for kind in PAIR
    }
    stores = {kind: SampleStore(starts[kind], device, options.capacity) for kind in PAIR}
    trainers = [
        VariantTrainer(one, kind, starts[kind], device) for one in VARIANTS for kind in PAIR
    ]
    views, due, ready_s = 0, 0.0, 0.0
    while (now_s := time.monotonic() - begun) < options.seconds:
        for view in [*first, *stream.take()]:
            views += 1
            for kind, samples in view.items():
                stores[kind].add(samples)
        first = []
        if now_s >= due:
            due = now_s + LOG_S
            _log(options.out, now_s, views, stores, trainers)
        if min(store.count for store in stores.values()) < options.least:
            ready_s = now_s
            time.sleep(0.2)
            continue
        for trainer in trainers:
            share = (now_s - ready_s) / (options.seconds - ready_s)
            trainer.step(vary_colours(stores[trainer.kind].batch(options.batch)), share)
    for trainer in trainers:
        trainer.save(options.out / trainer.variant.name)
    _log(options.out, now_s, views, stores, trainers)
    stream.close()


def _first_views(stream: PairStream) -> list[Mapping[str, Arrays]]:
    """Wait for the views from which the exported networks are loaded, and return them."""
    views: list[Mapping[str, Arrays]] = []
    while sum(len(view["near"]["numbers"]) for view in views) < EXAMPLE_ROWS:
        time.sleep(0.2)
        views += stream.take()
    return views


def _start(kind: str, examples: Arrays) -> DieNet:
    net = DieNet(kind)
    some = {name: torch.from_numpy(rows[:EXAMPLE_ROWS]) for name, rows in examples.items()}
    import_network(net, NETS / f"{kind}.onnx", die_batch_input(some))
    return net


def _log(
    out: Path,
    now_s: float,
    views: int,
    stores: Mapping[str, SampleStore],
    trainers: list[VariantTrainer],
) -> None:
    """Append the progress to a file, and print it."""
    samples = " ".join(f"{kind} {store.count}" for kind, store in stores.items())
    lines = [f"{now_s:.0f} s: {views} views, samples {samples}"]
    lines += [trainer.progress() for trainer in trainers]
    print("\n".join(lines), flush=True)
    with (out / "progress.txt").open("a") as file:
        file.write("\n".join(lines) + "\n")


def main() -> None:
    """Train both networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--traced", type=Path, help="folder of path-traced images")
    photographs = "JSON file of training.learning.samples.photographs"
    parser.add_argument("--photographs", type=Path, help=photographs)
    parser.add_argument("--seconds", type=float, default=3600, help="how long to train")
    parser.add_argument("--workers", type=int, default=15)
    parser.add_argument("--least", type=int, default=16_000, help="samples before the first step")
    parser.add_argument("--first", type=int, default=FIRST_VIEW, help="number of the first view")
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--capacity", type=int, default=CAPACITY)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    train(options)


if __name__ == "__main__":
    main()
