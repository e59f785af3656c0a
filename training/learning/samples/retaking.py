"""A view taken by a camera: cut out, turned, scaled, exposed, with noise; and its empty tray likewise.

Every time another camera, so a view may be taken often. The empty tray is as a companion has it: by
the same camera, a little earlier, in light that has drifted, perhaps not quite as the camera stands now.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.tray_views import TrayView, TrueDice
from training.rendering.sensor import CameraStyle, camera_style, dim_style, taken
from training.rendering.tints import tint
from training.scenes.world import Part

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
SHRUNK = 0.7  # below this a picture is shrunk by areas first, or fine texture turns to noise
DRIFT = 0.1  # of the light, since the tray was empty
CAST = 0.03  # of each colour, since then
REEXPOSED = 0.15  # chance that the camera has set itself anew since
SLIP_PX = 1.0  # at most the camera has moved since, where it has
MODERATE = 0.8  # of cameras
DIM = 0.06  # of cameras are in a dim room
KNOWN = 0.7  # chance that the empty tray is known where there is a picture of it: half of all


@dataclass(frozen=True)
class Retake:
    """A picture as a network may see it, and the truth in its pixels."""

    picture: Picture  # (h, w, 3) BGR
    empty: Picture | None  # (h, w, 3) BGR
    part: NDArray[np.uint8]  # (h, w)
    die: NDArray[np.int16]  # (h, w)
    dice: TrueDice
    into: Floats  # (2, 3) from the view's pixels to these


def retake(view: TrayView, into: Floats, size: tuple[int, int], rng: Generator) -> Retake:
    """A view through an affine map (2, 3) into `size` (width, height)."""
    style, colours = _camera(rng), tint(rng)
    light = warp(view.light, into, size)
    picture = colours.of(taken(light, _bgr(style), rng))
    empty = None
    if view.empty is not None and rng.random() < KNOWN:
        there = warp(view.empty, _slipped(into, rng), size)
        empty = colours.of(taken(there, _bgr(_before(style, rng)), rng))
    flat = {"flags": cv2.INTER_NEAREST, "borderMode": cv2.BORDER_CONSTANT}
    part = cv2.warpAffine(view.part, into, size, borderValue=Part.GROUND, **flat)
    die = cv2.warpAffine(view.die, into, size, borderValue=-1, **flat)
    dice = replace(view.dice, quads=moved(view.dice.quads, into), foot=moved(view.dice.foot, into))
    return Retake(picture, empty, np.asarray(part, np.uint8), np.asarray(die, np.int16), dice, into)


def photographed(light: Floats, rng: Generator) -> Picture:
    """(h, w, 3) linear light BGR as any camera takes it."""
    return tint(rng).of(taken(light, _bgr(_camera(rng)), rng))


def _camera(rng: Generator) -> CameraStyle:
    """Most of them as people mean them to be set."""
    if rng.random() < DIM:
        return dim_style(rng)
    return camera_style(rng, moderate=rng.random() < MODERATE)


def _before(style: CameraStyle, rng: Generator) -> CameraStyle:
    """The camera as it was when the tray was empty, in the light of then."""
    gain = style.gain * float(np.exp(rng.uniform(-DRIFT, DRIFT)))
    if rng.random() < REEXPOSED:
        gain *= float(2 ** rng.normal(0, 0.4))
    red, green, blue = style.balance * np.exp(rng.normal(0, CAST, 3))
    return replace(style, gain=gain, balance=(float(red), float(green), float(blue)))


def _bgr(style: CameraStyle) -> CameraStyle:
    """The same for channels in the order blue, green, red."""
    return replace(style, balance=style.balance[::-1])


def _slipped(into: Floats, rng: Generator) -> Floats:
    """The map as it was before the camera was nudged, half of the times."""
    if rng.random() < 0.5:
        return into
    slip = rng.uniform(-SLIP_PX, SLIP_PX, 2)
    return np.asarray(into + np.column_stack([np.zeros((2, 2)), slip]), np.float32)


def affine(
    rng: Generator, scale: float, centre: Floats, size: tuple[int, int], spin: float
) -> Floats:
    """(2, 3) a map that turns, mirrors as often as not, and scales around `centre` into the middle."""
    c, s = np.cos(spin) * scale, np.sin(spin) * scale
    flip = -1 if rng.random() < 0.5 else 1
    linear = np.array([[c * flip, -s], [s * flip, c]])
    shift = (np.array(size) - 1) / 2 - linear @ np.asarray(centre)
    return np.column_stack([linear, shift]).astype(np.float32)


def moved(points: Floats, into: Floats) -> Floats:
    """(..., 2) points through an affine map."""
    return np.asarray(points @ into[:, :2].T + into[:, 2], np.float32)


def warp(light: Floats, into: Floats, size: tuple[int, int]) -> Floats:
    """(h, w, 3) light through an affine map; beyond its border its last pixels are repeated."""
    scale = float(np.sqrt(abs(np.linalg.det(into[:, :2]))))
    if scale < SHRUNK:
        light = np.asarray(
            cv2.resize(light, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32
        )
        into = np.column_stack([into[:, :2] / scale, into[:, 2]])
    out = cv2.warpAffine(light, into, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.float32)
