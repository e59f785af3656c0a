"""Train the network that finds hands: python -m training.learning.train_hand PALMS OUT --photographs FOLDER.

Training starts with the weights of MediaPipe's palm detector, which has learnt from photographs of hands: PALMS is its file
palm_detection_full.tflite. The network learns from rendered trays which cells show a hand, and from photographs without hands which
do not. The trays are kept in OUT/hands. Every 50 steps the command writes OUT/hand.onnx and prints how many hands are found.
"""

import argparse
import math
import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from training.learning.export import write_onnx
from training.learning.import_network import import_palms
from training.learning.networks import HandNet
from training.learning.teach import update_mean
from training.rendering import own_settings
from training.rendering.own_settings import PlannedThrow, draw_setting, stage_throw
from training.rendering.picture_files import auto_exposure
from training.rendering.ray_caster import cast_picture
from training.rendering.sensor import draw_camera_style, take_picture
from training.scenes.kept_out import Purpose
from training.scenes.world import Part
from vision.finder import HAND_PX, HAND_STRIDE, MIN_CERTAIN_HAND_LOG_ODDS, MIN_HAND_CELLS

FIRST_SEED, TRAYS = 67_000_000, 700
KEPT_OUT = 8
"""One rendered tray in this many is of kinds that are kept out of training, and one photograph in this many is kept out as well. They
show how well hands are found."""
RENDERED_SCALE = 0.25
"""The input of the network is so small that larger images would show no more."""
INPUT_SIZE_PX = (HAND_PX, 160)
STEPS, BATCH, LOG_STEPS, GRADE_STEPS = 450, 32, 10, 50
HEAD_STEPS, WARM_UP_STEPS = 100, 50
"""Number of steps in which only the new layers learn, because their random weights would spoil the others; and number of steps after
that in which the learning rate of the others rises."""
FIRST_SCALE_STEPS = 2
"""The layers of the first scale learn only in every other step, because they take half of the time."""
RATE, BODY_RATE, SLOWER = 2e-3, 2e-4, 0.9
"""Learning rates at the start: of the new layers, of the last layers of the body, and the factor from each scale to the one before it.
The body must not forget real hands, of which the samples have none."""
MEAN_DECAY = 0.99
"""Share of the running mean of the weights that is kept at each step. This mean is what gets exported."""
ANCHOR = 0.3
"""Weight of the mean squared difference, in standard deviations, between the features and those of the palm detector."""
MIN_HAND, MAX_NO_HAND = 0.5, 0.02
"""A cell counts as a hand if a hand covers more than the first share of it, and as free if a hand covers less than the second share.
Other cells are ignored."""
HAND_WEIGHT = 0.3
"""Weight of all cells with a hand, compared with that of all cells without one."""

Array = NDArray[np.float32]
Example = tuple[NDArray[np.uint8], Array]
"""An image (height, width, 3), and for each pixel whether it shows a hand, from 0 to 1 (height, width)."""


def render_tray(number: int) -> Example:
    """Render a tray, with a hand in three of four numbers."""
    own_settings.TRACED_SCALE = RENDERED_SCALE
    rng = np.random.default_rng([number, 57])
    purpose = Purpose.ORDINARY if number % KEPT_OUT else Purpose.KEPT_OUT
    here = draw_setting(FIRST_SEED + number, purpose)
    has_hand = number % 4 != 3
    plan = PlannedThrow(
        int(rng.integers(1, 5)), hand=has_hand, things=not has_hand or number % 3 == 0
    )
    picture = cast_picture(stage_throw(here, plan, here.seed + 1), empty=False)
    light = picture.light.clip(0)
    style = replace(draw_camera_style(rng, moderate=True), quality=0)
    image = take_picture((light * auto_exposure(light, rng)).astype(np.float32), style, rng)
    return np.ascontiguousarray(image[..., ::-1]), (picture.part == Part.HAND).astype(np.float32)


def load_tray(number: int, folder: Path) -> Example:
    """Return a rendered tray from a folder, into which it is rendered first if necessary."""
    paths = folder / f"h{number:04d}.jpg", folder / f"h{number:04d}.png"
    if not paths[1].exists():
        image, hand = render_tray(number)
        cv2.imwrite(str(paths[0]), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        cv2.imwrite(str(paths[1]), hand * 255)
    hand = np.asarray(cv2.imread(str(paths[1]), cv2.IMREAD_GRAYSCALE), np.float32) / 255
    return np.asarray(cv2.imread(str(paths[0])), np.uint8), hand


def load_photograph(path: Path) -> Example:
    """Return a photograph without a hand, shrunk so that the longer side has at most twice the pixels of the network's input."""
    image = np.asarray(cv2.imread(str(path)), np.uint8)
    if (scale := 2 * HAND_PX / max(image.shape)) < 1:
        size = round(image.shape[1] * scale), round(image.shape[0] * scale)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return image, np.zeros(image.shape[:2], np.float32)


def vary(image: NDArray[np.uint8], hand: Array, rng: Generator) -> tuple[Array, Array]:
    """Turn, crop, mirror and recolour an image, and let a hand in it have another skin, glove or sleeve."""
    pixels = image.astype(np.float32)
    if rng.random() < 0.5:
        height, width = hand.shape
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), rng.uniform(-30, 30), 1)
        border = cv2.BORDER_REFLECT_101
        pixels, hand = (
            np.asarray(cv2.warpAffine(one, turn, (width, height), borderMode=border), np.float32)
            for one in (pixels, hand)
        )
    if rng.random() < 0.6:
        height, width = (int(side * rng.uniform(0.45, 0.95)) for side in hand.shape)
        top = int(rng.integers(hand.shape[0] - height + 1))
        left = int(rng.integers(hand.shape[1] - width + 1))
        part = slice(top, top + height), slice(left, left + width)
        pixels, hand = pixels[part], hand[part]
    if rng.random() < 0.5:
        pixels, hand = pixels[:, ::-1], hand[:, ::-1]
    if rng.random() < 0.5:
        tint = np.exp(rng.normal(0, 0.3)) * np.exp(rng.normal(0, 0.12, 3)).astype(np.float32)
        pixels = pixels * (1 + hand[..., None] * (tint - 1))
    if rng.random() < 0.15:
        pixels = np.repeat(pixels.mean(2, keepdims=True), 3, 2)
    pixels = pixels * np.exp(rng.normal(0, 0.25)) * np.exp(rng.normal(0, 0.06, 3))
    return pixels.clip(0, 255).astype(np.float32), hand


def make_sample(image: Array, hand: Array) -> tuple[Array, Array]:
    """Return an input of the network, and the part of each cell that shows a hand.

    Args:
        image: Image (height, width, 3) from 0 to 255. If it is upright, it is turned.
        hand: For each pixel whether it shows a hand, from 0 to 1.

    Returns:
        The input (3, rows, columns) from 0 to 1, and a part for each cell, -1 outside the image.
    """
    if hand.shape[0] > hand.shape[1]:
        image, hand = np.rot90(image), np.rot90(hand)
    columns, rows = INPUT_SIZE_PX
    scale = min(2.0, HAND_PX / hand.shape[1])
    size = max(32, round(hand.shape[1] * scale)), max(32, round(hand.shape[0] * scale))
    shrunk, seen = (
        cv2.resize(np.ascontiguousarray(one), size, interpolation=cv2.INTER_AREA)[:rows]
        for one in (image, hand)
    )
    below, right = rows - len(seen), columns - size[0]
    padded = cv2.copyMakeBorder(shrunk, 0, below, 0, right, cv2.BORDER_REPLICATE)
    parts = np.pad(seen, ((0, below), (0, right)))
    parts = parts.reshape(rows // HAND_STRIDE, HAND_STRIDE, -1, HAND_STRIDE).mean((1, 3))
    parts[-(-len(seen) // HAND_STRIDE) :] = -1
    parts[:, -(-size[0] // HAND_STRIDE) :] = -1
    return np.ascontiguousarray((padded / np.float32(255)).transpose(2, 0, 1)), parts


def make_batch(trays: list[Example], photographs: list[Example], rng: Generator) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return varied samples, half of them of rendered trays and half of photographs.

    Returns:
        Inputs (n, 3, h, w) and parts (n, 1, h/16, w/16), as from `make_sample`, all turned by the same number of quarters.
    """
    samples = []
    for k in range(BATCH):
        kind = photographs if k % 2 else trays
        inputs, parts = make_sample(*vary(*kind[rng.integers(len(kind))], rng))
        if rng.random() < 0.2:
            blurred = [cv2.GaussianBlur(one, (0, 0), rng.uniform(0.4, 1.2)) for one in inputs]
            inputs = np.stack(blurred).astype(np.float32)
        if rng.random() < 0.3:
            inputs = inputs + rng.normal(0, rng.uniform(0, 0.04), inputs.shape)
        samples.append((inputs.clip(0, 1).astype(np.float32), parts[None]))
    turns = int(rng.integers(4))
    inputs, parts = (
        torch.rot90(torch.from_numpy(np.stack(all_)), turns, (2, 3))
        for all_ in zip(*samples, strict=True)
    )
    return inputs.contiguous(memory_format=torch.channels_last), parts


def hand_loss(out: Tensor, parts: Tensor) -> Tensor:
    """Return the cross entropy of log odds, given the parts of the cells that show a hand."""
    shown, free = out[parts > MIN_HAND], out[(parts < MAX_NO_HAND) & (parts >= 0)]
    missed = functional.softplus(-shown).sum() / max(len(shown), 1)
    return functional.softplus(free).mean() + HAND_WEIGHT * missed


def parameter_groups(net: HandNet) -> list[dict[str, object]]:
    """Return the layers of a network with their highest learning rates and the steps in which they begin to learn."""
    body = [nn.ModuleList([net.side, net.mix]), *reversed(net.scales)]
    groups = [
        {"params": list(part.parameters()), "peak": BODY_RATE * SLOWER**k, "begin": HEAD_STEPS}
        for k, part in enumerate(body)
    ]
    return [*groups, {"params": list(net.out.parameters()), "peak": RATE, "begin": 0}]


def grade(net: HandNet, examples: list[Example]) -> str:
    """Return in how many images the network finds hands, of those with and of those without a hand."""
    found: dict[bool, list[bool]] = {True: [], False: []}
    net.eval()
    with torch.no_grad():
        for image, hand in examples:
            inputs, parts = make_sample(image.astype(np.float32), hand)
            log_odds = net(torch.from_numpy(inputs[None]))[0, 0].numpy()[parts >= 0]
            is_found = bool((log_odds > MIN_CERTAIN_HAND_LOG_ODDS).sum() >= MIN_HAND_CELLS)
            found[bool((parts > MIN_HAND).any())].append(is_found)
    hands, others = found[True], found[False]
    return f"found {sum(hands)} of {len(hands)} hands, {sum(others)} false ones in {len(others)} images"


def train(net: HandNet, trays: list[Example], photographs: list[Example], options: argparse.Namespace) -> HandNet:  # fmt: skip
    """Train a network, and return one with the running mean of its weights."""
    rng, begun = np.random.default_rng(FIRST_SEED), time.monotonic()
    taught, others = (
        [one for k, one in enumerate(of) if k % KEPT_OUT] for of in (trays, photographs)
    )
    kept_out = trays[::KEPT_OUT] + photographs[::KEPT_OUT]
    mean, palms = deepcopy(net), deepcopy(net).eval()
    optimiser = torch.optim.AdamW(parameter_groups(net), RATE, weight_decay=1e-3)
    losses: list[float] = []
    for step in range(options.steps):
        eased = 0.5 + 0.5 * math.cos(math.pi * step / options.steps)
        for group in optimiser.param_groups:
            warmth = min(1.0, max(0, step - group["begin"]) / WARM_UP_STEPS)
            group["lr"] = group["peak"] * warmth * eased
        inputs, parts = make_batch(taught, others, rng)
        net.train()
        net.scales[0].requires_grad_(step % FIRST_SCALE_STEPS == 0)  # type: ignore[operator]
        with torch.no_grad():
            before = palms.body(inputs)
        features = net.body(inputs) if step > HEAD_STEPS else before
        spread = before.std((0, 2, 3), keepdim=True) + 0.01
        moved = ((features - before) / spread).square().mean()
        loss = hand_loss(net.out(features), parts)
        optimiser.zero_grad()
        (loss + ANCHOR * moved).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        update_mean(mean, net, min(MEAN_DECAY, step / (step + 10)))
        losses.append(loss.item())
        if (step + 1) % LOG_STEPS == 0:
            recent = np.mean(losses[-LOG_STEPS:])
            print(f"step {step + 1} loss {recent:.4f} features moved {moved.item():.4f} {time.monotonic() - begun:.0f} s", flush=True)  # fmt: skip
        if (step + 1) % GRADE_STEPS == 0 or step + 1 == options.steps:
            print(f"  {grade(mean, kept_out)}", flush=True)
            columns, rows = INPUT_SIZE_PX
            write_onnx(mean, torch.zeros(1, 3, rows, columns), options.out / "hand.onnx")
    return mean


def main() -> None:
    """Render trays, train the network and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("palms", type=Path, help="palm_detection_full.tflite")
    parser.add_argument("out", type=Path, help="folder for rendered trays and hand.onnx")
    parser.add_argument("--photographs", type=Path, required=True, help="folder without hands")
    parser.add_argument("--trays", type=int, default=TRAYS)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    torch.manual_seed(FIRST_SEED)
    folder = options.out / "hands"
    folder.mkdir(parents=True, exist_ok=True)
    net = HandNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    import_palms(net, options.palms)
    trays = []
    for number in range(options.trays):
        trays.append(load_tray(number, folder))
        if number % 100 == 99:
            print(f"{number + 1} trays", flush=True)
    paths = sorted(p for p in options.photographs.rglob("*") if p.suffix in {".jpg", ".jpeg", ".png"})  # fmt: skip
    train(net, trays, [load_photograph(path) for path in paths], options)


if __name__ == "__main__":
    main()
