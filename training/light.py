"""How linear light is kept in a picture file: 16 bits, square-root coded, up to HEADROOM times white."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

HEADROOM = 4.0


def coded(light: NDArray[np.float32], rng: Generator) -> NDArray[np.uint16]:
    """(h, w, 3) RGB light as BGR, exposed as a camera's automatic would, within a stop or so."""
    level = float(np.percentile(light.max(axis=2), rng.uniform(60, 98)))
    exposed = light * (rng.uniform(0.35, 0.95) / max(level, 1e-6))
    code = np.sqrt(np.clip(exposed / HEADROOM, 0, 1)) * 65535
    out: NDArray[np.uint16] = code[..., ::-1].astype(np.uint16)
    return out


def decoded(code: NDArray[np.uint16]) -> Any:
    """(h, w, 3) float32 light, in the order of the channels there."""
    root = code.astype(np.float32) * np.float32(1 / 65535)
    return root * root * np.float32(HEADROOM)
