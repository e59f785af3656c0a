"""The small networks, run by OpenCV's own dnn module on one thread.

Beside NAME.onnx lies NAME.json: which of its outputs is what, and how its log odds are to be scaled
and shifted so that they are honest.
"""

import json
from collections.abc import Mapping
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


def run_named(name: str, inputs: Floats) -> Mapping[str, Floats]:
    """The same by the names of its outputs: (n, count, ...), without that axis where there is one."""
    out = run(name, inputs)
    told = _told(name)
    return {
        output: _honest(out[:, first:end], told["fitted"].get(output, {}))
        for output, (first, end) in told["outputs"].items()
    }


def _honest(logits: Floats, fit: Mapping[str, float]) -> Floats:
    honest = logits * np.float32(fit.get("scale", 1)) + np.float32(fit.get("shift", 0))
    return honest[:, 0] if honest.shape[1] == 1 else honest


@cache
def _told(name: str) -> Mapping[str, Any]:
    told: Mapping[str, Any] = json.loads(
        files("vision").joinpath("nets", f"{name}.json").read_text()
    )
    return told


def sigmoid(logit: Floats) -> Floats:
    """Log odds -> chances, each by itself."""
    return np.asarray(1 / (1 + np.exp(-logit)), np.float32)


def softmax(logits: Floats) -> Floats:
    """(n,) -> the chances of n cases of which one is true."""
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), np.float32)


@cache
def _net(room: str, name: str, _thread: int) -> Any:
    """A network keeps its buffers: every thread has one of its own."""
    data = files(room).joinpath("nets", f"{name}.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
