"""Teach the networks that find the tray: python -m training.learning.train_tray floor OUT --rests DIR.

`floor` learns which spots of a whole picture are the tray's floor; `side` where, across a side of a
guessed frame, the floor ends. Only pictures with a tray of four corners teach. Writes
calibration/nets/*.onnx at the end; training goes on from OUT/floor.pt or side.pt, or begins with what
calibration has (--go-on).
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import cv2
import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from calibration.tray_finder import ACROSS, ALONG, ENDS, OFFSETS, REACH, SEEN_PX, laid_out, sampled
from training.learning.networks import Floor, Side
from training.learning.revive import revive
from training.learning.samples.retaking import photographed
from training.learning.samples.tray_views import TrayView
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
NETS = Path(__file__).parents[2] / "calibration" / "nets"
SMALL_PX = 448  # of the longer side: as much as either network sees
ROOM = 0.12  # of the picture: a corner may lie so far outside
CLEAR = 0.006  # of the tray's width: how sharply an end is to be told
LEAST_CORNERS = 3
EXAMPLES = 16
FIRST = 60_000_000
"""Number of the first view."""


@dataclass(frozen=True, eq=False)
class TrayLight:
    """A view with a tray, small: linear light (h, w, 3) with dice and, if it is there, without; four corners."""

    lights: tuple[NDArray[np.float16], ...]
    tray: Floats

    @classmethod
    def of(cls, view: TrayView, tray: Floats) -> Self:
        scale = SMALL_PX / max(view.light.shape[:2])
        both = [light for light in (view.light, view.empty) if light is not None]
        small = [
            cv2.resize(light, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            for light in both
        ]
        lights = tuple(light.astype(np.float16) for light in small)
        return cls(lights, np.asarray(tray * scale, np.float32))

    def seen(
        self, rng: Generator, matrix: Floats | None = None, size: tuple[int, int] = (0, 0)
    ) -> Floats:
        """Its light, through an affine map if there is one."""
        light = self.lights[int(rng.integers(len(self.lights)))].astype(np.float32)
        if matrix is not None:
            light = cv2.warpAffine(light, matrix, size, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[assignment]
        return light


def views(source: ViewSource, count: int, folder: Path) -> list[TrayLight]:
    """So many in which most of the tray is seen: made once, and kept for the other network."""
    kept = folder / f"trays_{count}.npz"
    if not kept.exists():
        arrays = {}
        for k, view in enumerate(_made(source, count)):
            arrays |= {f"{k}_{j}": light for j, light in enumerate(view.lights)} | {
                f"{k}": view.tray
            }
            print(f"\r{k + 1} of {count} trays", end="", flush=True)
        np.savez(kept.with_suffix(".part.npz"), **arrays)  # type: ignore[arg-type]
        kept.with_suffix(".part.npz").replace(kept)
        print()
    with np.load(kept) as file:
        return [
            TrayLight(tuple(file[f"{k}_{j}"] for j in (0, 1) if f"{k}_{j}" in file), file[f"{k}"])
            for k in range(count)
        ]


def _made(source: ViewSource, count: int) -> Iterator[TrayLight]:
    number = FIRST
    while count:
        view = source.view(number)
        number += 1
        if view.tray is None:
            continue
        size = np.array(view.part.shape[::-1])
        near = (view.tray > -ROOM * size) & (view.tray < (1 + ROOM) * size)
        if near.all(axis=1).sum() >= LEAST_CORNERS:
            count -= 1
            yield TrayLight.of(view, view.tray)


def floors(pool: list[TrayLight], rng: Generator, count: int = 12) -> tuple[Tensor, Tensor]:
    """Pictures, and how much of each spot is floor."""
    both = [_floor(pool[int(rng.integers(len(pool)))], rng) for _ in range(count)]
    return _as_input([x for x, _ in both]), torch.from_numpy(np.stack([y for _, y in both]))[
        :, None
    ]


def _floor(view: TrayLight, rng: Generator) -> tuple[Picture, Floats]:
    wide, high = SEEN_PX
    height, width = view.lights[0].shape[:2]
    turn = rng.uniform(-0.5, 0.5) if rng.random() < 0.6 else rng.uniform(-np.pi, np.pi)
    scale = min(wide / width, high / height) * np.exp(rng.uniform(np.log(0.75), np.log(1.5)))
    c, s, flip = np.cos(turn) * scale, np.sin(turn) * scale, rng.choice((-1, 1))
    linear = np.array([[c * flip, -s], [s * flip, c]])
    middle = 0.6 * view.tray.mean(axis=0) + 0.4 * np.array([width, height]) / 2
    middle = middle + rng.normal(0, 0.06, 2) * (width, height)
    matrix = np.column_stack([linear, np.array([wide, high]) / 2 - linear @ middle])
    picture = photographed(view.seen(rng, matrix.astype(np.float32), SEEN_PX), rng)
    mask = np.zeros((high, wide), np.float32)
    corners = view.tray @ linear.T + matrix[:, 2]
    cv2.fillPoly(mask, [np.rint(corners * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    return picture, np.asarray(
        cv2.resize(mask, (wide // 2, high // 2), interpolation=cv2.INTER_AREA), np.float32
    )


def floor_loss(out: Tensor, truth: Tensor) -> Tensor:
    """Cross entropy, and how little what is seen and what is true overlap."""
    seen = torch.sigmoid(out)
    both, either = (seen * truth).sum((1, 2, 3)), (seen + truth).sum((1, 2, 3))
    overlap = (2 * both + 50) / (either + 50)
    return functional.binary_cross_entropy_with_logits(out, truth) + 0.5 * (1 - overlap).mean()


def sides(pool: list[TrayLight], rng: Generator, count: int = 6) -> tuple[Tensor, Tensor]:
    """Sides of guessed frames laid out straight, and where the floor ends: NaN where none does."""
    strips, ends = [], []
    for _ in range(count):
        view = pool[int(rng.integers(len(pool)))]
        picture = photographed(view.seen(rng), rng)
        for _ in range(3):
            guess = _guessed(view.tray, rng)
            for side in range(4):
                points, out = laid_out(guess, side)
                strip, end = sampled(picture, points), _true_end(view.tray, guess, side, out)
                back = rng.random() < 0.5
                strips.append(strip[::-1] if back else strip)
                ends.append(end[::-1] if back else end)
    return _as_input(strips), torch.from_numpy(np.stack(ends).astype(np.float32))


def _guessed(tray: Floats, rng: Generator) -> Floats:
    """A frame as far off as the first network leaves it."""
    wide = _width(tray)
    off = np.exp(rng.normal(np.log(0.03), 0.5))
    moved = tray + rng.normal(0, off, tray.shape) * wide
    middle = tray.mean(axis=0)
    grown = middle + (moved - middle) * np.exp(rng.normal(0, off))
    return np.asarray(grown + rng.normal(0, off, 2) * wide * 0.7, np.float64)


def _true_end(tray: Floats, guess: Floats, side: int, out: Floats) -> Floats:
    """How far outwards from the guessed side the true one lies, in widths, at each of ENDS."""
    start, way = guess[side], guess[(side + 1) % 4] - guess[side]
    first, along = tray[side], tray[(side + 1) % 4] - tray[side]
    normal = np.array([-along[1], along[0]])
    base = start + ENDS[:, None] * way
    away = ((first - base) @ normal) / (out @ normal)
    at = ((base + away[:, None] * out - first) @ along) / (along @ along)
    share = away / _width(guess)
    there = (at > -0.01) & (at < 1.01) & (np.abs(share) < REACH * 0.97)
    return np.where(there, share, np.nan)


def _width(corners: Floats) -> float:
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean())


def side_loss(out: Tensor, truth: Tensor) -> Tensor:
    """Cross entropy against a narrow hill around the true end."""
    known = ~torch.isnan(truth)
    offsets = torch.from_numpy(OFFSETS.astype(np.float32))
    away = (offsets[None, None] - torch.nan_to_num(truth)[..., None]) / CLEAR
    hill = torch.softmax(-(away**2) / 2, -1)
    missed = -(hill * functional.log_softmax(out[:, 0], -1)).sum(-1)
    return missed[known].mean()


def _as_input(pictures: list[Picture]) -> Tensor:
    return torch.from_numpy(np.stack(pictures).transpose(0, 3, 1, 2).astype(np.float32) / 255)


Samples = Callable[[list[TrayLight], Generator], tuple[Tensor, Tensor]]
Loss = Callable[[Tensor, Tensor], Tensor]


def main() -> None:
    """Train for so many minutes and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["floor", "side"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="of scenes.throws.rest_library")
    parser.add_argument("--traced", type=Path, help="of rendering.make_pictures")
    parser.add_argument("--views", type=int, default=1500)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--rate", type=float, default=3e-3)
    begin = "begin with calibration/nets instead of with nothing; a --rate of 1e-3 fits"
    parser.add_argument("--go-on", action="store_true", help=begin)
    parser.add_argument("--half", action="store_true", help="multiply in bfloat16")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    is_floor = options.kind == "floor"
    net: nn.Module = Floor() if is_floor else Side()
    kept = options.out / f"{options.kind}.pt"
    if kept.exists():
        net.load_state_dict(torch.load(kept))
    if options.minutes:
        made, loss = (floors, floor_loss) if is_floor else (sides, side_loss)
        source = ViewSource(
            Materials(options.rests, options.traced), Purpose.TEACH, for_finder=True
        )
        pool = views(source, options.views, options.out)
        if options.go_on and not kept.exists():
            shown, _ = made(pool, np.random.default_rng(FIRST), EXAMPLES)
            revive(net, _exported(is_floor=is_floor), shown)
        train(net, pool, made, loss, options)
        torch.save(net.state_dict(), kept)
    export(net, is_floor=is_floor)


def train(
    net: nn.Module, pool: list[TrayLight], samples: Samples, loss: Loss, options: argparse.Namespace
) -> None:  # fmt: skip
    """By AdamW, the rate falling as half a cosine."""
    rng = np.random.default_rng(time.time_ns())
    steer = torch.optim.AdamW(net.parameters(), options.rate, weight_decay=1e-3)
    net.train()
    begun, step, mean = time.monotonic(), 0, 0.0
    while (share := (time.monotonic() - begun) / 60 / options.minutes) < 1:
        slowed = min(1, (step + 1) / 200) * (0.5 + 0.5 * np.cos(np.pi * share))
        for group in steer.param_groups:
            group["lr"] = options.rate * slowed
        shown, truth = samples(pool, rng)
        with torch.autocast("cpu", torch.bfloat16, enabled=options.half):
            out = net(shown)
        missed = loss(out.float(), truth)
        steer.zero_grad()
        missed.backward()
        steer.step()
        step, mean = step + 1, 0.98 * mean + 0.02 * missed.item()
        if step % 100 == 0:
            print(f"{share:4.0%} step {step} learnt {mean / (1 - 0.98**step):.3f}", flush=True)


def export(net: nn.Module, *, is_floor: bool) -> None:
    """Write it for OpenCV."""
    net.eval()
    wide, high = SEEN_PX
    example = torch.zeros(1, 3, high, wide) if is_floor else torch.zeros(4, 3, ALONG, ACROSS)
    out = _exported(is_floor=is_floor)
    many = None if is_floor else {"x": {0: "n"}, "y": {0: "n"}}  # see training.learning.export
    torch.onnx.export(
        net, (example,), str(out), opset_version=13, dynamo=False,
        input_names=["x"], output_names=["y"], dynamic_axes=many,
    )  # fmt: skip
    print(f"{out.name}: {out.stat().st_size / 1024:.0f} kB")


def _exported(*, is_floor: bool) -> Path:
    return NETS / ("tray.onnx" if is_floor else "side.onnx")


if __name__ == "__main__":
    main()
