"""Makes samples for the finder: crops of an image and of the empty-tray image, and the true labels of each cell."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.camera_shots import CameraShot, affine_map, take_shot
from training.learning.samples.tray_views import UNKNOWN_PART, TrayView, TrueDice, mean_edges
from training.scenes.truth import COCKED_DEG, MIN_SEEN
from training.scenes.world import Part
from vision.finder import STRIDE

Floats = NDArray[np.float32]
FINDER_KINDS = ("finder", "finder_alone")
"""Networks that find dice. The second one is trained separately and sees no empty-tray image."""
PIECE_PX = (320, 256)
"""Width and height of an image crop."""
DIE_RANGE_PX = (7.0, 60.0)
"""Range of the edges of dice in most crops."""
LARGE_RANGE_PX, LARGE_SHARE = (60.0, 140.0), 0.12
"""Range of the edges of large dice, which may fill half of a crop, and the share of crops that show them."""
MAX_ENLARGEMENT = 1.6
"""Largest factor by which light is enlarged."""
MIN_SEEN_TO_LEARN = 0.35
"""If less than this share of its top is visible, a die is not used for training."""
IGNORED_RADIUS, CENTRE_RADIUS = 0.9, 0.18
"""Distance from the centre of a die, in die edges, within which other peaks are ignored, and within which the network
learns its size, position and rotation."""


@dataclass(frozen=True)
class FinderSample:
    """An image crop, and the true labels of its cells of STRIDE by STRIDE pixels.

    Attributes:
        picture: Crop (h, w, 3) BGR.
        empty: The same crop (h, w, 3) BGR of the empty-tray image, or zeros if that is not known.
        known: Whether the empty-tray image is known.
        flags: Five masks (5, h/4, w/4): hand, foreign object, die that is not trustworthy, cells whose heat is used
            for training, and cells whose hand and object masks are used.
        maps: Seven maps (7, h/4, w/4): heat, weight, size, offset (2), and cosine and sine of the rotation.
    """

    picture: NDArray[np.uint8]
    empty: NDArray[np.uint8]
    known: bool
    flags: NDArray[np.uint8]
    maps: NDArray[np.float16]


def make_finder_sample(view: TrayView, rng: Generator) -> FinderSample:
    """Return a crop of a view as a random camera takes it, with its labels.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
        rng: Source of random numbers.
    """
    die_px = LARGE_RANGE_PX if rng.random() < LARGE_SHARE else DIE_RANGE_PX
    shot = take_shot(view, choose_piece(view, rng, die_px), PIECE_PX, rng)
    flags, maps = _cells(shot)
    empty = np.zeros_like(shot.picture) if shot.empty is None else shot.empty
    return FinderSample(shot.picture, empty, shot.empty is not None, flags, maps)


def choose_piece(view: TrayView, rng: Generator, die_px: tuple[float, float]) -> Floats:
    """Choose a crop of a view at random, and return the affine map (2, 3) from the view to the crop.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
        rng: Source of random numbers.
        die_px: Smallest and largest edge of dice in the crop.
    """
    full = np.array(view.part.shape[::-1], float)
    spin = float(rng.choice([0, 0.5, 1, 1.5]) * np.pi)
    if rng.random() < 0.5:
        spin += float(rng.normal(0, 0.1))
    size = np.array(PIECE_PX, float)
    across = size[::-1] if abs(np.sin(spin)) > 0.5 else size
    cover = float((across / full).max())
    if len(view.dice.quads):
        edge = float(np.median(mean_edges(view.dice.quads)))
        scale = float(np.exp(rng.uniform(*np.log(die_px)))) / edge
        if cover * edge < 1.3 * die_px[1]:
            scale = max(scale, cover)
        middle = view.dice.quads[int(rng.integers(len(view.dice.quads)))].mean(axis=0)
        centre = middle + rng.uniform(-0.45, 0.45, 2) * size / scale
    else:
        scale, centre = max(cover, float(rng.uniform(0.3, 1.2))), rng.uniform(0, 1, 2) * full
    scale = min(scale, MAX_ENLARGEMENT)
    return affine_map(rng, scale, _inside(centre, across / scale / 2, full), PIECE_PX, spin)


def _inside(centre: Floats, half: Floats, full: Floats) -> Floats:
    """Return the centre of a crop, moved so that the crop lies inside the image if possible.

    `half` is half the size of the crop, and `full` is the size of the image.
    """
    kept = np.clip(centre, half, np.maximum(half, full - half))
    return np.where(2 * half < full, kept, full / 2)


def _cells(shot: CameraShot) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    wide, high = PIECE_PX[0] // STRIDE, PIECE_PX[1] // STRIDE
    flags = np.zeros((5, high, wide), np.uint8)
    flags[0], flags[1] = (_share(shot.part == part) for part in (Part.HAND, Part.FOREIGN_OBJECT))
    flags[3] = 1
    flags[4] = _share(shot.part != UNKNOWN_PART)
    maps = np.zeros((7, high, wide), np.float32)
    for k in range(len(shot.dice.quads)):
        _mark(shot.dice, k, flags, maps)
    return flags, maps.astype(np.float16)


def _share(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return, for each cell of STRIDE by STRIDE pixels, whether a mask covers most of it."""
    size = (mask.shape[1] // STRIDE, mask.shape[0] // STRIDE)
    mean = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return np.asarray(mean > 0.5, bool)


def _mark(dice: TrueDice, k: int, flags: NDArray[np.uint8], maps: Floats) -> None:
    quad, edge = dice.quads[k], float(mean_edges(dice.quads[k : k + 1])[0])
    high, wide = flags.shape[1:]
    ys, xs = np.mgrid[0:high, 0:wide].astype(np.float32)
    cx, cy = quad.mean(axis=0) / STRIDE - 0.5
    far = np.hypot(xs - cx, ys - cy) * STRIDE / edge
    outside = not (-0.5 <= cx < wide - 0.5 and -0.5 <= cy < high - 0.5)
    if outside or dice.seen[k] < MIN_SEEN_TO_LEARN:
        flags[3][far < IGNORED_RADIUS] = 0
        return
    sigma = max(0.55, 0.11 * edge / STRIDE)
    hill = np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * sigma**2))
    row, column = int(np.clip(round(float(cy)), 0, high - 1)), int(np.clip(round(float(cx)), 0, wide - 1))  # fmt: skip
    hill[row, column] = 1
    near = far < CENTRE_RADIUS
    near[row, column] = True
    along = quad[1] - quad[0]
    angle = 4 * np.arctan2(along[1], along[0])
    maps[0] = np.maximum(maps[0], hill)
    maps[1:, near] = np.stack(
        [np.full(near.sum(), v, np.float32) for v in (1 / near.sum(), np.log(edge))]
        + [cx - xs[near], cy - ys[near]]
        + [np.full(near.sum(), v, np.float32) for v in (np.cos(angle), np.sin(angle))]
    )
    flags[2][near] = not _is_trustworthy(dice, k, (wide * STRIDE, high * STRIDE))


def _is_trustworthy(dice: TrueDice, k: int, size: tuple[int, int]) -> bool:
    """Return whether die `k` lies entirely inside the image crop, and is flat, visible and not stacked."""
    whole = (dice.quads[k] >= 0).all() and (dice.quads[k] < size).all()
    flat = dice.tilt_deg[k] <= COCKED_DEG and not dice.stacked[k]
    return bool(whole and flat and dice.seen[k] >= MIN_SEEN)
