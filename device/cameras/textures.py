"""Felt and wood, drawn from noise: what keeps a simulated tray from looking like plastic."""

import cv2
import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]


def noise(rng: np.random.Generator, height: int, width: int) -> Floats32:
    return rng.standard_normal((height, width), dtype=np.float32)


def clouds(
    rng: np.random.Generator, height: int, width: int, *, across: int, down: int
) -> Floats32:
    """Smooth noise with about `across` by `down` blotches, of deviation near 1."""
    coarse = noise(rng, down, across)
    return np.asarray(
        cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32
    )


def felt(rng: np.random.Generator, height: int, width: int) -> Floats32:
    """Brightness around 1: fibres in two directions and a faint worn mottling."""
    grain = noise(rng, height, width)
    fibres = cv2.GaussianBlur(grain, (0, 0), sigmaX=2.4, sigmaY=0.7) + cv2.GaussianBlur(
        grain[::-1], (0, 0), sigmaX=0.7, sigmaY=2.4
    )
    mottling = clouds(rng, height, width, across=14, down=10)
    return np.asarray(1 + 0.13 * fibres + 0.025 * mottling, np.float32)


def wood(rng: np.random.Generator, height: int, width: int, *, rings: float) -> Floats32:
    """Brightness around 1, the grain running along the width; `rings` year rings across it."""
    bend = clouds(rng, height, width, across=5, down=3)
    across = np.linspace(0, rings, height, dtype=np.float32)[:, None]
    year_rings = np.sin(2 * np.pi * (across + 0.55 * bend))
    streaks = clouds(rng, height, width, across=max(4, width // 90), down=max(4, height // 3))
    pores = cv2.GaussianBlur(noise(rng, height, width), (0, 0), sigmaX=9, sigmaY=0.6)
    shades = clouds(rng, height, width, across=3, down=4)
    grain = 0.06 * year_rings + 0.05 * streaks + 0.22 * pores + 0.04 * shades
    return np.asarray(1 + grain, np.float32)
