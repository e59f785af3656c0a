"""Train a network: python -m training.learning.train finder PICTURES --minutes 30."""

import argparse
import time
from functools import partial
from itertools import count
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.learning.networks import Finder, Reader, TiltNetwork
from training.learning.samples import HELD_BACK, Traced, load, patches, pictures, view
from training.learning.tilt_samples import stances
from vision.face_reader import READERS

RELOAD_S = 240.0
FILLED = 12_000
"""So many samples are made first where learning goes on: few are soon known by heart."""
ROOM = {"finder": 1500}
MOST_ROOM = 40_000  # samples kept in memory: about 3 GB
Batch = dict[str, Tensor]


class Memory:
    """Samples made so far: each batch is a quarter new and drawn from all of them.

    Making a sample costs as much as learning from it, and a sample is worth a second look. Every
    few minutes it looks for pictures that came meanwhile.
    """

    def __init__(self, kind: str, folders: list[Path], size: int) -> None:
        self.make = MAKERS[kind]
        self.folders, self.size, self.room = folders, size, ROOM.get(kind, MOST_ROOM)
        self.pool: dict[str, Traced] = {}
        self.rng = np.random.default_rng(time.time_ns())
        self.kept: Batch = {}
        self.made = 0
        self.looked = 0.0

    def batch(self) -> Batch:
        """The next batch."""
        if time.monotonic() - self.looked > RELOAD_S:
            self._look()
        fresh = self.make(list(self.pool.values()), self.rng, self.size // 4)
        if not self.kept:
            self.kept = {k: v.new_empty((self.room, *v.shape[1:])) for k, v in fresh.items()}
        places = (self.made + np.arange(self.size // 4)) % self.room
        for k, v in fresh.items():
            self.kept[k][places] = v
        self.made += self.size // 4
        old = self.rng.integers(0, min(self.made, self.room), self.size - self.size // 4)
        chosen = torch.from_numpy(np.concatenate([places, old]))
        return {k: v[chosen] for k, v in self.kept.items()}

    def fill(self, enough: int) -> None:
        """Make so many samples."""
        while self.made < enough:
            self.batch()

    def _look(self) -> None:
        self.looked = time.monotonic()
        for path in (path for folder in self.folders for path in sorted(folder.glob("*.json"))):
            name = path.stem
            if name.isdigit() and name not in self.pool and int(name) % HELD_BACK:
                self.pool[name] = load(path.with_suffix(".png"))


def views(pool: list[Traced], rng: np.random.Generator, size: int) -> Batch:
    """A batch for the finder."""
    seen = [view(pool, rng) for _ in range(size)]
    batch = {k: torch.from_numpy(np.stack([m[k] for _, m in seen])) for k in seen[0][1]}
    batch["x"] = as_input(np.stack([p for p, _ in seen]))
    return batch


def dice(
    pool: list[Traced], rng: np.random.Generator, size: int, patch_die: tuple[int, int]
) -> Batch:
    """A batch for a reader."""
    got = []
    while len(got) < size:
        got += patches(pool[int(rng.integers(len(pool)))], rng, 24, patch_die)
    got = got[:size]
    pixels = as_input(np.stack([p.pixels for p in got]))
    lean = torch.from_numpy(np.stack([p.lean for p in got]))
    planes = lean[:, :, None, None].expand(-1, -1, *pixels.shape[2:])
    return {
        "x": torch.cat([pixels, planes], 1),
        "value": torch.tensor([p.value for p in got]),
        "value_weight": torch.tensor([p.value_weight for p in got], dtype=torch.float32),
        "trouble": torch.tensor([p.trouble for p in got], dtype=torch.float32),
        "trouble_weight": torch.tensor([p.trouble_weight for p in got], dtype=torch.float32),
        "off": torch.tensor([p.off for p in got], dtype=torch.float32),
        "off_weight": torch.tensor([p.off_weight for p in got], dtype=torch.float32),
    }


READS = {name: partial(dice, patch_die=sizes) for name, sizes in READERS.items()}


def stands(pool: list[Traced], rng: np.random.Generator, size: int) -> Batch:
    """A batch for the network that says whether a die lies flat."""
    got = []
    while len(got) < size:
        got += stances(pool[int(rng.integers(len(pool)))], rng, 8)
    got = got[:size]
    flat = torch.from_numpy(np.stack([s.flat for s in got]))[:, None]
    numbers = ("cocked", "cocked_weight", "stacked", "off", "off_weight")
    batch = {k: torch.tensor([getattr(s, k) for s in got], dtype=torch.float32) for k in numbers}
    return {"x": torch.cat([as_input(np.stack([s.pixels for s in got])), flat], 1), **batch}


MAKERS = {"finder": views, "standing": stands, **READS}
"""Of batches, for each kind of network."""


def as_input(pictures: np.ndarray) -> Tensor:
    """(n, h, w, 3) uint8 to (n, 3, h, w) 0..1."""
    return torch.from_numpy(pictures.transpose(0, 3, 1, 2).astype(np.float32) / 255)


def finder_loss(out: Tensor, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Focal loss for the heat, the rest where dice are."""
    heat, truth = torch.sigmoid(out[:, 0]).clamp(1e-4, 1 - 1e-4), batch["heat"]
    found = truth > 0.999
    hit = -torch.log(heat) * (1 - heat) ** 2 * found
    miss = -torch.log(1 - heat) * heat**2 * (1 - truth) ** 4 * ~found * batch["care"]
    count = found.sum().clamp(min=1)
    parts = {"heat": (hit + miss).sum() / count}
    parts["hand"] = 2 * functional.binary_cross_entropy_with_logits(out[:, 1], batch["hand"])
    weight = batch["weight"]
    dice_count = weight.sum().clamp(min=1)
    parts["size"] = ((out[:, 2] - batch["size"]).abs() * weight).sum() / dice_count
    parts["offset"] = (
        0.3 * ((out[:, 3:5] - batch["offset"]).abs() * weight[:, None]).sum() / dice_count
    )
    parts["turn"] = 0.2 * ((out[:, 5:7] - batch["turn"]).abs() * weight[:, None]).sum() / dice_count
    trouble = functional.binary_cross_entropy_with_logits(
        out[:, 7], batch["trouble"], reduction="none"
    )
    parts["trouble"] = 0.5 * (trouble * weight).sum() / dice_count
    value = functional.cross_entropy(out[:, 8:], batch["value"].long(), reduction="none")
    parts["value"] = (value * batch["value_weight"]).sum() / batch["value_weight"].sum().clamp(
        min=1
    )
    total = torch.stack(list(parts.values())).sum()
    return total, {k: v.item() for k, v in parts.items()}


def reader_loss(out: Tensor, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Cross entropies."""
    value = functional.cross_entropy(out[:, :7], batch["value"], reduction="none")
    trouble = functional.binary_cross_entropy_with_logits(
        out[:, 7:10], batch["trouble"], reduction="none"
    )
    parts = {
        "value": (value * batch["value_weight"]).sum() / batch["value_weight"].sum(),
        "trouble": (trouble * batch["trouble_weight"]).sum() / batch["trouble_weight"].sum(),
    }
    off = (out[:, 10:] - batch["off"]).abs() * batch["off_weight"][:, None]
    parts["off"] = off.sum() / batch["off_weight"].sum()
    right = (out[:, :7].argmax(1) == batch["value"]).float() * batch["value_weight"]
    told = {k: v.item() for k, v in parts.items()}
    told["right"] = float(right.sum() / batch["value_weight"].sum())
    flagged = ((out[:, 7:10] > 0).float() == batch["trouble"]).float() * batch["trouble_weight"]
    told["flagged"] = float(flagged.sum() / batch["trouble_weight"].sum())
    return parts["value"] + parts["trouble"] + 2 * parts["off"], told


def standing_loss(out: Tensor, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Cross entropies, and how far off in edges."""
    cocked, stacked = (
        functional.binary_cross_entropy_with_logits(out[:, k], batch[name], reduction="none")
        for k, name in enumerate(("cocked", "stacked"))
    )
    weight = batch["cocked_weight"]
    off = torch.linalg.norm(out[:, 2:] - batch["off"], dim=1)
    known = batch["off_weight"].sum().clamp(min=1)
    parts = {
        "cocked": (cocked * weight).sum() / weight.sum(),
        "stacked": stacked.mean(),
        "off": (off * batch["off_weight"]).sum() / known,
    }
    told = {k: v.item() for k, v in parts.items()}
    right = ((out[:, 0] > 0).float() == batch["cocked"]).float() * weight
    told["flagged"] = float(right.sum() / weight.sum())
    return parts["cocked"] + parts["stacked"] + 2 * parts["off"], told


def network(kind: str) -> nn.Module:
    """One that has learnt nothing yet."""
    if kind in READERS:
        return Reader(READERS[kind][0])
    return {"finder": Finder, "standing": TiltNetwork}[kind]()


def main() -> None:
    """Train for so many minutes, from a checkpoint where there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["finder", "standing", *READERS])
    parser.add_argument("pictures", type=pictures)
    parser.add_argument(
        "--also", type=pictures, action="append", help="further pictures to learn from"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--rate", type=float, default=2e-3)
    options = parser.parse_args()
    out = options.out or options.pictures / f"{options.kind}.pt"
    folders = [options.pictures, *(options.also or [])]
    held = [load(p.with_suffix(".png")) for f in folders for p in sorted(f.glob("*0.json"))]
    net = network(options.kind)
    if out.exists():
        net.load_state_dict(torch.load(out))
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    size = 16 if options.kind == "finder" else 128
    loss = {"finder": finder_loss, "standing": standing_loss}.get(options.kind, reader_loss)
    memory = Memory(options.kind, folders, size)
    exam = [memory.make(held, np.random.default_rng(k), size) for k in range(12)] if held else []
    cv2.setNumThreads(0)
    torch.set_num_threads(options.threads)
    if out.exists():
        memory.fill(min(FILLED, memory.room))
    steer = torch.optim.AdamW(net.parameters(), options.rate, weight_decay=1e-2)
    begun = time.monotonic()
    mean: dict[str, float] = {}
    for step in count(1):
        share = (time.monotonic() - begun) / 60 / options.minutes
        if share >= 1:
            break
        for group in steer.param_groups:
            group["lr"] = options.rate * min(1, step / 100) * (0.5 + 0.5 * np.cos(np.pi * share))
        net.train()
        batch = memory.batch()
        shown = batch["x"].contiguous(memory_format=torch.channels_last)
        total, parts = loss(net(shown), batch)
        steer.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        steer.step()
        mean = {k: mean.get(k, v) * 0.98 + v * 0.02 for k, v in parts.items()}
        if step % 200 == 0:
            print(
                f"{share:4.0%} step {step} learnt {_told(mean)} held {_told(_exam(net, exam, loss))}",
                flush=True,
            )
            torch.save(net.state_dict(), out)
    torch.save(net.state_dict(), out)
    print(f"held back: {_told(_exam(net, exam, loss))}")


def _exam(net: nn.Module, exam: list[Batch], loss: object) -> dict[str, float]:
    net.eval()
    with torch.no_grad():
        told = [loss(net(b["x"]), b)[1] for b in exam]  # type: ignore[operator]
    return {k: sum(t[k] for t in told) / len(told) for k in told[0]} if told else {}


def _told(parts: dict[str, float]) -> str:
    return " ".join(f"{k} {v:.3f}" for k, v in parts.items())


if __name__ == "__main__":
    main()
