"""Takes shots of a view, a rendered tray: cut out, rotated, scaled and exposed by a random camera.

Each shot has a different camera, so that a view can be used many times. The empty-tray image of a shot is like that of a
real tray: the same camera took it a little earlier, in slightly different light, and may have been nudged since then.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.tray_views import TrayView, TrueDice
from training.rendering.sensor import CameraStyle, draw_camera_style, draw_dim_style, take_picture
from training.rendering.tints import draw_tint
from training.scenes.world import Part

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
MAX_AREA_SCALE = 0.7  # below this scale, area averaging keeps fine texture from turning into noise
LIGHT_DRIFT = 0.1  # largest change of the light since the tray was empty, as a logarithm
COLOUR_DRIFT = 0.03  # standard deviation of the change of each colour since then, as a logarithm
REEXPOSED_CHANCE = 0.15  # probability that the camera has changed its exposure since then
SLIP_PX = 1.0  # largest movement of the camera since then
MODERATE_SHARE = 0.8  # share of cameras with the settings that people usually choose
DIM_SHARE = 0.06  # share of cameras in a dim room
KNOWN_CHANCE = 0.7  # probability that a shot has an empty-tray image if its view has one: half of all shots have it


@dataclass(frozen=True)
class CameraShot:
    """An image that a network may receive, and the true labels in the image's pixel coordinates."""

    picture: Picture  # (h, w, 3) BGR
    empty: Picture | None  # (h, w, 3) BGR
    part: NDArray[np.uint8]  # (h, w)
    die: NDArray[np.int16]  # (h, w)
    dice: TrueDice
    into: Floats  # (2, 3) affine map from the pixels of the view to those of the shot


def take_shot(view: TrayView, into: Floats, size: tuple[int, int], rng: Generator) -> CameraShot:
    """Take an image of a view with a random camera.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
        into: Affine map (2, 3) from pixels of the view to pixels of the image.
        size: Width and height of the image.
        rng: Source of random numbers.
    """
    style, colours = _camera(rng), draw_tint(rng)
    light = warp_light(view.light, into, size)
    picture = colours.apply(take_picture(light, _bgr(style), rng))
    empty = None
    if view.empty is not None and rng.random() < KNOWN_CHANCE:
        there = warp_light(view.empty, _slipped(into, rng), size)
        empty = colours.apply(take_picture(there, _bgr(_before(style, rng)), rng))
    flat = {"flags": cv2.INTER_NEAREST, "borderMode": cv2.BORDER_CONSTANT}
    part = cv2.warpAffine(view.part, into, size, borderValue=Part.GROUND, **flat)
    die = cv2.warpAffine(view.die, into, size, borderValue=-1, **flat)
    dice = replace(
        view.dice,
        quads=transform_points(view.dice.quads, into),
        foot=transform_points(view.dice.foot, into),
    )
    return CameraShot(
        picture, empty, np.asarray(part, np.uint8), np.asarray(die, np.int16), dice, into
    )


def photograph(light: Floats, rng: Generator) -> Picture:
    """Return the image that a random camera takes, given the linear light that reaches it.

    Args:
        light: Linear BGR light (h, w, 3).
        rng: Source of random numbers.
    """
    return draw_tint(rng).apply(take_picture(light, _bgr(_camera(rng)), rng))


def _camera(rng: Generator) -> CameraStyle:
    """Draw a camera. Most cameras have the settings that people usually choose."""
    if rng.random() < DIM_SHARE:
        return draw_dim_style(rng)
    return draw_camera_style(rng, moderate=rng.random() < MODERATE_SHARE)


def _before(style: CameraStyle, rng: Generator) -> CameraStyle:
    """Return the settings of the camera while the tray was empty: light and exposure may have been different."""
    gain = style.gain * float(np.exp(rng.uniform(-LIGHT_DRIFT, LIGHT_DRIFT)))
    if rng.random() < REEXPOSED_CHANCE:
        gain *= float(2 ** rng.normal(0, 0.4))
    red, green, blue = style.balance * np.exp(rng.normal(0, COLOUR_DRIFT, 3))
    return replace(style, gain=gain, balance=(float(red), float(green), float(blue)))


def _bgr(style: CameraStyle) -> CameraStyle:
    """Return the camera with its colour gains in the order blue, green, red."""
    return replace(style, balance=style.balance[::-1])


def _slipped(into: Floats, rng: Generator) -> Floats:
    """Return the affine map as it was before the camera was nudged, which happens in half of the shots."""
    if rng.random() < 0.5:
        return into
    slip = rng.uniform(-SLIP_PX, SLIP_PX, 2)
    return np.asarray(into + np.column_stack([np.zeros((2, 2)), slip]), np.float32)


def affine_map(
    rng: Generator, scale: float, centre: Floats, size: tuple[int, int], spin: float
) -> Floats:
    """Return an affine map (2, 3) that rotates, scales and, half of the time, mirrors an image around a point.

    Args:
        rng: Source of random numbers.
        scale: Pixels of the result per pixel of the image.
        centre: Point (2,) that moves to the centre of the result.
        size: Width and height of the result.
        spin: Rotation in radians.
    """
    c, s = np.cos(spin) * scale, np.sin(spin) * scale
    flip = -1 if rng.random() < 0.5 else 1
    linear = np.array([[c * flip, -s], [s * flip, c]])
    shift = (np.array(size) - 1) / 2 - linear @ np.asarray(centre)
    return np.column_stack([linear, shift]).astype(np.float32)


def transform_points(points: Floats, into: Floats) -> Floats:
    """Apply an affine map to points (..., 2).

    Args:
        points: Points (..., 2).
        into: Affine map (2, 3).
    """
    return np.asarray(points @ into[:, :2].T + into[:, 2], np.float32)


def warp_light(light: Floats, into: Floats, size: tuple[int, int]) -> Floats:
    """Apply an affine map to an image of light. Pixels at its border are repeated beyond the border.

    Args:
        light: Linear light (h, w, 3).
        into: Affine map (2, 3).
        size: Width and height of the result.
    """
    scale = float(np.sqrt(abs(np.linalg.det(into[:, :2]))))
    if scale < MAX_AREA_SCALE:
        light = np.asarray(
            cv2.resize(light, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32
        )
        into = np.column_stack([into[:, :2] / scale, into[:, 2]])
    out = cv2.warpAffine(light, into, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.float32)
