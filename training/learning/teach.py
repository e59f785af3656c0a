"""Teach a network: python -m training.learning.teach finder OUT --rests DIR --traced DIR.

`finder` says where dice are; `near` and `wide` what one die shows and how it lies; `change` what is new
in a tray. Each begins with nothing, or with what vision has (--from), or goes on from OUT/KIND.pt, wherever
it was stopped. A line of
OUT/KIND.jsonl is written every so many steps, with the marks of both exams now and then.
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import cv2
import torch
from torch import nn

from training.learning.exams import exam, examined
from training.learning.losses import INPUTS, LOSSES, to_device
from training.learning.networks import ChangeNet, DieReader, Finder
from training.learning.samples.sample_makers import Arrays, Recipe, SampleStream
from training.learning.samples.view_source import Materials

BATCH = {"finder": 16, "change": 16, "near": 128, "wide": 128}
SEEDS = {"finder": 10_000_000, "near": 20_000_000, "change": 30_000_000, "wide": 40_000_000}
"""Of the first view: networks that shall agree for reasons of their own see different ones."""
WARM_UP = 300
TOLD_STEPS, KEPT_STEPS, EXAM_STEPS = 50, 200, 1000
EXAMPLES = 128
"""Enough to tell how far the layers of a network are spread."""
AVERAGED = 0.998
"""Of the mean network stays at each step: it is calmer than the one that learns."""


def network(kind: str) -> nn.Module:
    """One that has learnt nothing yet."""
    match kind:
        case "finder":
            return Finder()
        case "change":
            return ChangeNet()
    return DieReader(kind)


class Lesson:
    """A network that learns, the mean of what it was lately, and where it stands."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.kind, self.rate, self.steps = options.kind, options.rate, options.steps
        self.device, self.half = torch.device(options.device), options.half
        torch.manual_seed(SEEDS[self.kind])
        self.net = network(self.kind).to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.mean = network(self.kind).to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.mean.load_state_dict(self.net.state_dict())
        self.steer = torch.optim.AdamW(self.net.parameters(), self.rate, weight_decay=1e-2)
        self.step = 0
        self.number = SEEDS[self.kind]

    def begin_with(self, path: Path, shown: Arrays) -> None:
        """Begin with what was exported; `shown` is some of what it sees."""
        from training.learning.revive import revive  # noqa: PLC0415 - wants onnx, which need not be there

        few = {name: rows[:EXAMPLES] for name, rows in shown.items()}
        revive(self.net, path, INPUTS[self.kind](to_device(few, self.device)))
        self.mean.load_state_dict(self.net.state_dict())

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint."""
        kept = torch.load(path, map_location=self.device, weights_only=True)
        self.net.load_state_dict(kept["net"])
        self.mean.load_state_dict(kept["mean"])
        self.steer.load_state_dict(kept["steer"])
        self.step, self.number = kept["step"], kept["number"]
        torch.manual_seed(self.number)

    def keep(self, path: Path, number: int) -> None:
        """Write a checkpoint, whole or not at all."""
        part = path.with_suffix(".part")
        torch.save(
            {"net": self.net.state_dict(), "mean": self.mean.state_dict(), "steer": self.steer.state_dict(),
             "step": self.step, "number": number, "kind": self.kind}, part,
        )  # fmt: skip
        part.replace(path)

    def learn(self, arrays: Arrays) -> dict[str, float]:
        """One step; what was missed."""
        for group in self.steer.param_groups:
            group["lr"] = self.rate * self._slowed()
        batch = to_device(arrays, self.device)
        self.net.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            out = self.net(INPUTS[self.kind](batch))
        missed = LOSSES[self.kind](out.float(), batch)
        self.steer.zero_grad()
        torch.stack(list(missed.values())).sum().backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.steer.step()
        self.step += 1
        self._average()
        return {k: v.item() for k, v in missed.items()}

    def _slowed(self) -> float:
        """Up to full speed, then down along half a cosine."""
        share = min(1.0, self.step / self.steps)
        eased = 0.02 + 0.49 * (1 + math.cos(math.pi * share))
        return min(1.0, (self.step + 1) / WARM_UP) * eased

    def _average(self) -> None:
        new = self.net.state_dict()
        with torch.no_grad():
            for name, value in self.mean.state_dict().items():
                if value.is_floating_point():
                    value.lerp_(new[name], 1 - AVERAGED)
                else:
                    value.copy_(new[name])


class _Log:
    """A line on the screen and one in a file, every TOLD_STEPS."""

    def __init__(self, path: Path, batch: int) -> None:
        self._path, self._batch = path, batch
        self._since, self._missed, self._steps = time.monotonic(), {}, 0  # type: ignore[var-annotated]

    def step(self, missed: dict[str, float]) -> None:
        self._steps += 1
        for name, value in missed.items():
            self._missed[name] = self._missed.get(name, 0.0) + value

    def tell(self, step: int, number: int, marks: dict[str, dict[str, float]]) -> None:
        """Write what was missed on the average, how fast it goes, and marks if there are any."""
        now = time.monotonic()
        row: dict[str, Any] = {
            "step": step, "view": number, "samples_s": round(self._steps * self._batch / (now - self._since), 1),
            "missed": {k: round(v / max(self._steps, 1), 4) for k, v in self._missed.items()},
        }  # fmt: skip
        row |= {k: {name: round(v, 4) for name, v in of.items()} for k, of in marks.items()}
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        told = " ".join(f"{k} {v}" for k, v in row["missed"].items())
        print(f"step {step} view {number} {row['samples_s']} samples/s: {told}", flush=True)
        for name, of in marks.items():
            print(f"  {name}: " + " ".join(f"{k} {v:.3f}" for k, v in of.items()), flush=True)
        self._since, self._missed, self._steps = time.monotonic(), {}, 0


def main() -> None:
    """Learn until so many steps are done."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    torch.set_num_threads(options.threads)
    materials = Materials(options.rests, options.traced, options.photographs)
    kind, kept = options.kind, options.out / f"{options.kind}.pt"
    asked = exam(kind, materials, options.out)
    lesson = Lesson(options)
    if kept.exists():
        lesson.restore(kept)
    elif options.begin:
        lesson.begin_with(options.begin / f"{kind}.onnx", next(iter(asked.values())))
    stream = SampleStream(
        Recipe(kind, materials, lesson.number), lesson.number, options.workers, options.again
    )
    log = _Log(options.out / f"{kind}.jsonl", options.batch or BATCH[kind])
    if not lesson.step:
        log.tell(0, lesson.number, _marks(lesson, asked))
    while lesson.step < options.steps:
        log.step(lesson.learn(stream.batch(options.batch or BATCH[kind])))
        if lesson.step % KEPT_STEPS == 0:
            lesson.keep(kept, stream.number)
        if lesson.step % TOLD_STEPS == 0:
            marks = _marks(lesson, asked) if lesson.step % EXAM_STEPS == 0 else {}
            log.tell(lesson.step, stream.number, marks)
    lesson.keep(kept, stream.number)
    stream.close()


def _marks(lesson: Lesson, asked: dict[str, Arrays]) -> dict[str, dict[str, float]]:
    return {k: examined(lesson.mean, lesson.kind, v, lesson.device) for k, v in asked.items()}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(BATCH))
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="of scenes.throws.rest_library")
    parser.add_argument("--traced", type=Path, help="of rendering.make_pictures")
    photographs = "file of places of learning.samples.photographs"
    parser.add_argument("--photographs", type=Path, help=photographs)
    begin = "folder of exported networks to begin with, vision/nets, say; a --rate of 5e-4 fits"
    parser.add_argument("--from", type=Path, dest="begin", help=begin)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--again", type=int, default=2, help="how often each sample is shown")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    half = "multiply in bfloat16, where that is fast"
    parser.add_argument("--half", action="store_true", help=half)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


if __name__ == "__main__":
    main()
