"""How linear light is kept in a picture file: 16 bits, square-root coded, up to HEADROOM times white."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADROOM = 4.0


def coded(light: NDArray[np.float32]) -> NDArray[np.uint16]:
    """(h, w, 3) light as it is kept, in the order of the channels there."""
    code: NDArray[np.float32] = np.sqrt(np.clip(light / HEADROOM, 0, 1)) * 65535
    return code.astype(np.uint16)


def decoded(code: NDArray[np.uint16]) -> Any:
    """(h, w, 3) float32 light, in the order of the channels there."""
    root = code.astype(np.float32) * np.float32(1 / 65535)
    return root * root * np.float32(HEADROOM)
