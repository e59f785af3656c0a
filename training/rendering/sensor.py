"""Simulates cameras: their settings, which stay the same for an evening, and the images that they take of light."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class CameraStyle:
    """How a simulated camera turns light into an image. Blurs are in pixels."""

    gain: float
    balance: tuple[float, float, float]  # gain of red, green and blue
    vignette: float  # loss of brightness in the corners
    veil: float  # share of stray light
    blur: float
    shake: float  # length of motion blur
    shake_turn: float
    shot: float  # variance of the noise per unit of light
    dark: float  # standard deviation of the noise in the dark
    mosaic: bool  # a Bayer filter: one colour per pixel, the others interpolated
    gamma: float
    contrast: float
    saturation: float
    smooth: float  # strength of the noise filter
    sharp: float
    quality: int  # JPEG quality; 0 for no compression


def draw_camera_style(rng: Generator, *, moderate: bool = False) -> CameraStyle:
    """Draw the settings of a camera at random.

    Args:
        rng: Source of random numbers.
        moderate: Whether the settings are ones that people usually choose. If not, they may be extreme.
    """
    calm = 0.5 if moderate else 1.0
    red, green, blue = 2 ** rng.normal(0, 0.16 * calm, 3)
    shaken = rng.random() < (0.03 if moderate else 0.08)
    return CameraStyle(
        gain=float(2 ** rng.normal(0, 0.55 * calm)),
        balance=(float(red), float(green), float(blue)),
        vignette=float(rng.uniform(0, 0.45)) if rng.random() < 0.6 else 0.0,
        veil=float(rng.uniform(0, 0.1)) * calm if rng.random() < 0.2 else 0.0,
        blur=float(rng.uniform(0.3, 1.7)) * (0.6 if moderate else 1) if rng.random() < 0.5 else 0.0,
        shake=float(rng.uniform(2, 7)) if shaken else 0.0,
        shake_turn=float(rng.uniform(0, np.pi)),
        shot=float(10 ** rng.uniform(-4.3, -2.4 - 0.5 * moderate)),
        dark=float(10 ** rng.uniform(-3.3, -1.9 - 0.5 * moderate)),
        mosaic=bool(rng.random() < 0.6),
        gamma=float(rng.uniform(2.0, 2.4) if moderate else rng.uniform(1.7, 2.6)),
        contrast=float(rng.uniform(-0.3, 0.8)) * calm if rng.random() < 0.7 else 0.0,
        saturation=float(np.exp(rng.normal(0, 0.25 * calm))),
        smooth=float(rng.uniform(0, 1)) if rng.random() < 0.5 else 0.0,
        sharp=float(rng.uniform(0.2, 1.6)) if rng.random() < 0.5 else 0.0,
        quality=int(rng.uniform(80, 96) if moderate else rng.uniform(35, 96))
        if rng.random() < 0.75
        else 0,
    )


def draw_dim_style(rng: Generator) -> CameraStyle:
    """Draw the settings of a camera in a dim room, with noise, a smearing noise filter, and a dark or grainy image."""
    style = draw_camera_style(rng, moderate=True)
    return replace(
        style,
        gain=style.gain * float(2 ** rng.uniform(-2.2, 0.2)),
        shot=float(10 ** rng.uniform(-2.9, -1.6)),
        dark=float(10 ** rng.uniform(-2.3, -1.4)),
        smooth=float(rng.uniform(0.3, 1)) if rng.random() < 0.7 else 0.0,
        blur=max(style.blur, float(rng.uniform(0, 1.2))),
        quality=int(rng.uniform(40, 92)) if rng.random() < 0.8 else 0,
    )


def drift_style(style: CameraStyle, rng: Generator, share: float = 0.08) -> CameraStyle:
    """Return the settings of a camera a little later, when the light has changed by a few per cent.

    Args:
        style: The settings of the camera.
        rng: Source of random numbers.
        share: Twice the standard deviation of the change in brightness, as a logarithm.
    """
    return replace(style, gain=style.gain * float(np.exp(rng.normal(0, share / 2))))


def take_picture(light: Floats, style: CameraStyle, rng: Generator) -> Picture:
    """Return the 8-bit image that a camera takes of linear light.

    Args:
        light: Linear light (h, w, 3), with its channels in the order of `style.balance`.
        style: The settings of the camera.
        rng: Source of random numbers.
    """
    light = light * (np.array(style.balance, np.float32) * np.float32(style.gain))
    if style.vignette:
        light = light * _corners(light.shape, style.vignette)[..., None]
    if style.veil:
        light = light * np.float32(1 - style.veil) + np.float32(style.veil * light.mean())
    light = _blurred(light, style)
    seen = _noisy(light, style, rng)
    tone = np.clip(seen, 0, 1) ** np.float32(1 / style.gamma)
    if style.contrast:
        tone = tone + (tone * tone * (3 - 2 * tone) - tone) * np.float32(style.contrast)
    tone = _finished(np.asarray(tone, np.float32), style)
    picture = (tone.clip(0, 1) * 255 + 0.5).astype(np.uint8)
    if style.quality:
        code = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, style.quality])[1]
        picture = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return picture


def _corners(shape: tuple[int, ...], darker: float) -> Floats:
    y, x = np.ogrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
    return np.asarray(1 - darker * (x * x + y * y) / 2, np.float32)


def _blurred(light: Floats, style: CameraStyle) -> Floats:
    if style.blur > 0.25:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), style.blur), np.float32)
    if style.shake:
        size = int(style.shake) | 1
        kernel = np.zeros((size, size), np.float32)
        tip = np.array([np.cos(style.shake_turn), np.sin(style.shake_turn)]) * size / 2
        ends = [tuple(round(float(v)) for v in size // 2 + s * tip) for s in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0)  # type: ignore[arg-type]
        light = np.asarray(cv2.filter2D(light, -1, kernel / max(kernel.sum(), 1)), np.float32)
    return light


def _noisy(light: Floats, style: CameraStyle, rng: Generator) -> Floats:
    if style.mosaic and min(light.shape[:2]) > 8:
        return _through_mosaic(light, style, rng)
    sigma = np.sqrt(np.maximum(light, 0) * np.float32(style.shot) + np.float32(style.dark**2))
    return np.asarray(light + sigma * rng.standard_normal(light.shape, np.float32), np.float32)


def _through_mosaic(light: Floats, style: CameraStyle, rng: Generator) -> Floats:
    """Pass light through a Bayer filter, add noise, and return it with interpolated colours."""
    raw = light[..., 1].copy()
    raw[::2, ::2], raw[1::2, 1::2] = light[::2, ::2, 0], light[1::2, 1::2, 2]
    sigma = np.sqrt(np.maximum(raw, 0) * np.float32(style.shot) + np.float32(style.dark**2))
    raw = raw + sigma * rng.standard_normal(raw.shape, np.float32)
    code = (raw.clip(-0.02, 1.2) + 0.02) * np.float32(65535 / 1.22)
    full = cv2.cvtColor(code.astype(np.uint16), cv2.COLOR_BayerBG2RGB)
    return np.asarray(
        full.astype(np.float32) * np.float32(1.22 / 65535) - np.float32(0.02), np.float32
    )


def _finished(tone: Floats, style: CameraStyle) -> Floats:
    if style.smooth:
        soft = cv2.GaussianBlur(tone, (0, 0), 1.0)
        near = np.exp(-((tone - soft) ** 2) / np.float32((0.03 + 0.05 * style.smooth) ** 2))
        tone = tone + (soft - tone) * near * np.float32(style.smooth)
    if style.sharp:
        tone = tone + (tone - cv2.GaussianBlur(tone, (0, 0), 1.1)) * np.float32(style.sharp)
    if style.saturation != 1:
        grey = (tone @ np.full(3, 1 / 3, np.float32))[..., None]
        tone = grey + (tone - grey) * np.float32(style.saturation)
    return np.asarray(tone, np.float32)
