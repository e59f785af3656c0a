"""Changes the colours and contrast of images at random, so that networks do not depend on hues or styles."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
SPECTRUM_SPREAD = 0.3
"""Standard deviation of the logarithm of the factor by which a Fourier amplitude is multiplied."""


@dataclass(frozen=True)
class Tint:
    """One way to change the colours of an image. An image and its empty-tray image are changed in the same way."""

    order: tuple[int, int, int] | None = None  # new order of the channels
    grey: bool = False
    hue: float = 0.0  # shift of the hue, where 180 is a full turn
    saturation: float = 1.0
    spectrum: int = 0  # seed for a change of Fourier amplitudes; 0 for none
    cast: tuple[float, float, float, float] | None = (
        None  # shift of Lab, and factor of its contrast
    )

    def apply(self, picture: Picture) -> Picture:
        """Return an image (h, w, 3) BGR with changed colours."""
        if self.grey:
            one = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
            return np.repeat(one[..., None], 3, axis=2).astype(np.uint8)
        if self.order is not None:
            return np.ascontiguousarray(picture[..., self.order])
        if self.hue or self.saturation != 1:
            hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.float32)
            hsv[..., 0] = (hsv[..., 0] + self.hue) % 180
            hsv[..., 1] = np.clip(hsv[..., 1] * self.saturation, 0, 255)
            return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)
        if self.cast is not None:
            return _restyled(picture, self.cast)
        if self.spectrum:
            return _with_other_amplitudes(picture, self.spectrum)
        return picture


def _restyled(picture: Picture, cast: tuple[float, float, float, float]) -> Picture:
    """Return an image with a different mean and contrast in CIE L*a*b*.

    `cast` contains the shift of each channel and the contrast factor.
    """
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float32)
    mean = lab.mean(axis=(0, 1))
    lab = (lab - mean) * np.float32(cast[3]) + mean + np.array(cast[:3], np.float32)
    return np.asarray(cv2.cvtColor(lab.clip(0, 255).astype(np.uint8), cv2.COLOR_LAB2BGR), np.uint8)


def _with_other_amplitudes(picture: Picture, seed: int) -> Picture:
    """Return an image whose coarse Fourier amplitudes are multiplied by smooth random factors.

    The phases stay the same, so outlines stay where they are. Only the style changes (Yang and Soatto,
    FDA: Fourier Domain Adaptation for Semantic Segmentation, 2020).
    """
    rng = np.random.default_rng(seed)
    size = picture.shape[1], picture.shape[0]
    spectra = np.fft.rfft2(picture.astype(np.float32), axes=(0, 1))
    factors = np.exp(rng.normal(0, SPECTRUM_SPREAD, (6, 6, 3))).astype(np.float32)
    rows, columns = (cv2.resize(factors, (spectra.shape[1], spectra.shape[0] // 2 + 1)),) * 2
    down = np.concatenate([rows, columns[::-1][: spectra.shape[0] - len(rows)]])
    down[0, 0] = 1  # keep the mean brightness
    out = np.fft.irfft2(spectra * down, s=size[::-1], axes=(0, 1))
    return np.asarray(out.clip(0, 255), np.uint8)


def draw_tint(rng: Generator) -> Tint:
    """Draw a random change of colours. About half of the draws change nothing."""
    chance = rng.random()
    if chance < 0.07:
        return Tint(grey=True)
    if chance < 0.17:
        first, second, third = (int(k) for k in rng.permutation(3))
        return Tint(order=(first, second, third))
    if chance < 0.4:
        return Tint(hue=float(rng.uniform(-25, 25)), saturation=float(rng.uniform(0.3, 1.4)))
    if chance < 0.48:
        shift = rng.normal(0, (18, 7, 9))
        factor = float(np.exp(rng.normal(0, 0.25)))
        return Tint(cast=(float(shift[0]), float(shift[1]), float(shift[2]), factor))
    if chance < 0.54:
        return Tint(spectrum=1 + int(rng.integers(2**31 - 1)))
    return Tint()
