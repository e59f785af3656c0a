"""The small neural networks, run by OpenCV's dnn module on one thread.

Beside each NAME.onnx, NAME.json says which output channels mean what, and how to scale and shift the
log odds so that they are calibrated.
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
    """Run a network and return its raw output.

    Args:
        name: File name of the network, without its extension.
        inputs: (n, channels, height, width).
        room: Package whose `nets` folder holds the network.
    """
    net = _load(room, name, get_ident())
    net.setInput(inputs)
    out: Floats = net.forward()
    return out


def run_named(name: str, inputs: Floats) -> Mapping[str, Floats]:
    """Run a network and return its calibrated outputs by name.

    Args:
        name: File name of the network in `vision/nets`, without its extension.
        inputs: (n, channels, height, width).

    Returns:
        An array (n, channels, ...) for each output; an output of one channel has no channel axis.
    """
    out = run(name, inputs)
    description = _description(name)
    return {
        output: _calibrated(out[:, first:end], description["fitted"].get(output, {}))
        for output, (first, end) in description["outputs"].items()
    }


def sigmoid(log_odds: Floats) -> Floats:
    """Return the probability that belongs to each log odds."""
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float32)


def softmax(logits: Floats) -> Floats:
    """Return the probabilities (n,) of n exclusive cases from their logits (n,)."""
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), np.float32)


def _calibrated(logits: Floats, fit: Mapping[str, float]) -> Floats:
    log_odds = logits * np.float32(fit.get("scale", 1)) + np.float32(fit.get("shift", 0))
    return log_odds[:, 0] if log_odds.shape[1] == 1 else log_odds


@cache
def _description(name: str) -> Mapping[str, Any]:
    text = files("vision").joinpath("nets", f"{name}.json").read_text()
    description: Mapping[str, Any] = json.loads(text)
    return description


@cache
def _load(room: str, name: str, _thread: int) -> Any:
    """Load a network for one thread: a network owns its buffers, so threads cannot share it."""
    data = files(room).joinpath("nets", f"{name}.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
