"""The small networks, run by OpenCV's own dnn module on one thread."""

from functools import cache
from importlib.resources import files
from threading import get_ident
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def run(name: str, inputs: Floats, *, room: str = "vision") -> Floats:
    """What the network `name` of a room makes of (n, channels, h, w)."""
    net = _net(room, name, get_ident())
    net.setInput(inputs)
    out: Floats = net.forward()
    return out


def chance(logit: Floats) -> Floats:
    """Log odds -> chances, each by itself."""
    return np.asarray(1 / (1 + np.exp(-logit)), np.float32)


def chances(logits: Floats) -> Floats:
    """(n,) -> the chances of n cases of which one is true."""
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), np.float32)


@cache
def _net(room: str, name: str, _thread: int) -> Any:
    """A network keeps its buffers: every thread has one of its own."""
    data = files(room).joinpath("nets", f"{name}.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
