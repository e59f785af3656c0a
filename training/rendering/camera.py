"""From traced light to what a camera hands over: exposure, colour cast, blur, noise, tone, JPEG."""

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Linear = NDArray[np.float32]
Picture = NDArray[np.uint8]


def photograph(light: Linear, rng: Generator) -> Picture:
    """(h, w, 3) linear BGR light to an 8-bit picture of a random camera."""
    light = light * np.float32(2 ** rng.normal(0, 0.55))
    light = light * (2 ** rng.normal(0, 0.16, 3)).astype(np.float32)
    if rng.random() < 0.15:
        light = light + np.float32(rng.uniform(0, 0.12))  # veiling glare
    light = _blurred(light, rng)
    if rng.random() < 0.75:
        light = _noisy(light, rng)
    shown = _toned(np.clip(light, 0, 1), rng)
    if rng.random() < 0.35:
        soft = cv2.GaussianBlur(shown, (0, 0), float(rng.uniform(0.6, 1.6)))
        shown = shown + (shown - soft) * np.float32(rng.uniform(0.3, 2))
    picture = (np.clip(shown, 0, 1) * 255 + 0.5).astype(np.uint8)
    picture = _recoloured(picture, rng)
    if rng.random() < 0.5:
        quality = int(rng.uniform(35, 95))
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        picture = cv2.imdecode(coded, cv2.IMREAD_COLOR).astype(np.uint8)
    return picture


def _blurred(light: Linear, rng: Generator) -> Linear:
    chance = rng.random()
    if chance < 0.35:
        return cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.4, 1.8))).astype(np.float32)
    if chance < 0.43:  # the dice or the hand moved
        length = int(rng.integers(3, 8))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        tip = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        middle = length / 2 - 0.5
        ends = [(round(middle + s * tip[0]), round(middle + s * tip[1])) for s in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0)
        return cv2.filter2D(light, -1, kernel / max(kernel.sum(), 1)).astype(np.float32)
    return light


def _noisy(light: Linear, rng: Generator) -> Linear:
    shot, dark = 10 ** rng.uniform(-4, -2.2), 10 ** rng.uniform(-3, -1.7)
    sigma = np.sqrt(np.maximum(light, 0) * shot + dark**2)
    noise = rng.standard_normal(light.shape, np.float32)
    if rng.random() < 0.5:  # demosaicing smears it
        noise = cv2.GaussianBlur(noise, (0, 0), 0.7) * np.float32(1.8)
    return np.asarray(light + sigma * noise, np.float32)


def _toned(light: Linear, rng: Generator) -> Linear:
    shown = light ** np.float32(1 / rng.uniform(1.7, 2.6))
    if rng.random() < 0.6:
        curve = shown * shown * (3 - 2 * shown)
        shown = shown + (curve - shown) * np.float32(rng.uniform(-0.3, 0.8))
    return np.asarray(shown, np.float32)


def _recoloured(picture: Picture, rng: Generator) -> Picture:
    chance = rng.random()
    if chance < 0.08:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        return np.repeat(grey[..., None], 3, axis=2)
    if chance < 0.2:
        return np.ascontiguousarray(picture[..., rng.permutation(3)])
    if chance < 0.5:
        hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.float32)
        hsv[..., 0] = (hsv[..., 0] + rng.uniform(-25, 25)) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.3, 1.4), 0, 255)
        return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)
    return picture
