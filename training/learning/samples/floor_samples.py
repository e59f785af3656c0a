"""Makes samples for the network that finds the floor of a tray in a whole image."""

import cv2
import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor

from calibration.rectify import network_input
from calibration.tray_finder import INPUT_SIZE_PX
from training.learning.samples.camera_shots import photograph
from training.learning.samples.tray_images import TrayImages

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]


def make_floor_batch(
    pool: list[TrayImages], rng: Generator, count: int = 12
) -> tuple[Tensor, Tensor]:
    """Return network inputs (n, 3, h, w), and the share of each cell that is floor (n, 1, h/2, w/2).

    Args:
        pool: Images of trays to draw from.
        rng: Source of random numbers.
        count: Number of samples.
    """
    both = [_floor(pool[int(rng.integers(len(pool)))], rng) for _ in range(count)]
    floor = torch.from_numpy(np.stack([y for _, y in both]))
    inputs = np.concatenate([network_input(x) for x, _ in both])
    return torch.from_numpy(inputs), floor[:, None]


def _floor(view: TrayImages, rng: Generator) -> tuple[Picture, Floats]:
    wide, high = INPUT_SIZE_PX
    height, width = view.lights[0].shape[:2]
    turn = rng.uniform(-0.5, 0.5) if rng.random() < 0.6 else rng.uniform(-np.pi, np.pi)
    scale = min(wide / width, high / height) * np.exp(rng.uniform(np.log(0.75), np.log(1.5)))
    c, s, flip = np.cos(turn) * scale, np.sin(turn) * scale, rng.choice((-1, 1))
    linear = np.array([[c * flip, -s], [s * flip, c]])
    middle = 0.6 * view.tray.mean(axis=0) + 0.4 * np.array([width, height]) / 2
    middle = middle + rng.normal(0, 0.06, 2) * (width, height)
    matrix = np.column_stack([linear, np.array([wide, high]) / 2 - linear @ middle])
    picture = photograph(view.seen(rng, matrix.astype(np.float32), INPUT_SIZE_PX), rng)
    mask = np.zeros((high, wide), np.float32)
    corners = view.tray @ linear.T + matrix[:, 2]
    cv2.fillPoly(mask, [np.rint(corners * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    return picture, np.asarray(
        cv2.resize(mask, (wide // 2, high // 2), interpolation=cv2.INTER_AREA), np.float32
    )
