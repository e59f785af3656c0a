"""Encodes linear light for image files: 16 bits per channel, square-root encoded.

The largest value is HEADROOM times white.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADROOM = 4.0


def encode_light(light: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Encode light (h, w, 3) as it is stored. The order of the channels stays the same."""
    code: NDArray[np.float32] = np.sqrt(np.clip(light / HEADROOM, 0, 1)) * 65535
    return code.astype(np.uint16)


def decode_light(code: NDArray[np.uint16]) -> Any:
    """Decode stored light to float32 (h, w, 3). The order of the channels stays the same."""
    root = code.astype(np.float32) * np.float32(1 / 65535)
    return root * root * np.float32(HEADROOM)
