"""The format of linear light in image files: 16 bits, square-root encoded.

The largest value is HEADROOM times white.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADROOM = 4.0


def encode_light(light: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return (h, w, 3) light as it is stored, with the same order of channels."""
    code: NDArray[np.float32] = np.sqrt(np.clip(light / HEADROOM, 0, 1)) * 65535
    return code.astype(np.uint16)


def decode_light(code: NDArray[np.uint16]) -> Any:
    """Return (h, w, 3) float32 light from its stored form, with the same order of channels."""
    root = code.astype(np.float32) * np.float32(1 / 65535)
    return root * root * np.float32(HEADROOM)
