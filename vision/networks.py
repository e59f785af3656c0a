"""The small neural networks, and the engines that can run them.

OpenCV's dnn module always works. ONNX Runtime, which the extra `fast` installs, is faster. `choose_engine`
selects it after a check in a separate process has shown that it gives the same answers on this computer.

Next to each NAME.onnx, NAME.json describes what the output channels mean, and how to scale and shift the
log odds so that they are calibrated.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from threading import local
from typing import Any
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Network = Callable[[Floats], Floats]
"""Runs one network: (n, channels, height, width) to its raw output."""

MAX_DIFFERENCE = 1e-3
"""An engine gives the same answers if none of its outputs differs from OpenCV's by more than this."""

CHECK_TIMEOUT_S = 300
"""Time limit for checking an engine, which takes about two seconds on a desktop computer."""

MAX_BATCH = 2
"""Number of patches that OpenCV processes at once. Larger batches are no faster, and their buffers take more memory."""

DEPTHWISE_NETWORKS = ("near", "wide", "deep")
"""Networks with depthwise convolutions, which the new engine of OpenCV 5 computes twice as fast as its classic one. The classic
engine is faster for most of the others, and the new one cannot load `hand` (docs/decisions/reading.md)."""

CHECKED_SHAPES = {
    ("vision", "finder"): (1, 7, 352, 576),
    ("vision", "finder_alone"): (1, 3, 352, 576),
    ("vision", "hand"): (1, 3, 128, 192),
    ("vision", "change"): (1, 6, 224, 384),
    ("vision", "near"): (3, 7, 64, 64),
    ("vision", "wide"): (3, 7, 64, 64),
    ("vision", "deep"): (3, 7, 64, 64),
    ("calibration", "tray"): (1, 3, 160, 192),
    ("calibration", "frame"): (1, 3, 160, 160),
}
"""Every network, with a typical input shape."""

_PROCESSOR_FIELDS = ("model name", "CPU part", "flags", "Features")
"""Fields of /proc/cpuinfo that say what a processor can do, on x86 and on ARM."""

_engine = "opencv"


class _LoadedNetworks(local):
    """The networks of one thread. They own their buffers, so threads cannot share them; they are freed when the thread ends."""

    def __init__(self) -> None:
        self.engine = ""
        self.networks: dict[tuple[str, str], Network] = {}


_loaded = _LoadedNetworks()


def run(name: str, inputs: Floats, *, room: str = "vision") -> Floats:
    """Run a network and return its raw output.

    Args:
        name: File name of the network, without its extension.
        inputs: Inputs (n, channels, height, width).
        room: Package whose `nets` folder contains the network.
    """
    return _load(_engine, room, name)(inputs)


def run_named(name: str, inputs: Floats) -> Mapping[str, Floats]:
    """Run a network and return its calibrated outputs by name.

    Args:
        name: File name of the network in `vision/nets`, without its extension.
        inputs: Inputs (n, channels, height, width).

    Returns:
        An array (n, channels, ...) for each output; an output with a single channel has no channel axis.
    """
    out = run(name, inputs)
    description = _description(name)
    return {
        output: _calibrated(out[:, first:end], description["fitted"].get(output, {}))
        for output, (first, end) in description["outputs"].items()
    }


def sigmoid(log_odds: Floats) -> Floats:
    """Convert log odds to probabilities."""
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float32)


def softmax(logits: Floats) -> Floats:
    """Return the probabilities (n,) of n mutually exclusive cases from their logits (n,)."""
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum(), np.float32)


def installed_engines() -> tuple[str, ...]:
    """Return the names of the engines that could be used, whether or not they give the same answers."""
    return ("opencv", "onnxruntime") if find_spec("onnxruntime") else ("opencv",)


def use_engine(name: str) -> None:
    """Run all networks with this engine from now on: "opencv" or "onnxruntime"."""
    global _engine  # noqa: PLW0603 - one engine serves all threads
    _engine = name


def choose_engine(record: Path, wait: Callable[[], bool] = lambda: True) -> str:
    """Use ONNX Runtime if it is installed and gives the same answers as OpenCV, and return the name of the chosen engine.

    The first call after an installation or update, or on another processor, runs the check in a process of its own,
    because an engine that does not suit the processor can crash. Until the check is over, OpenCV stays in use.

    Args:
        record: File in which the result of the check is kept for the next start.
        wait: Called before the check, which keeps a core busy for some seconds. The check is skipped if it
            returns False.
    """
    if "onnxruntime" not in installed_engines():
        return _engine
    try:
        found = _version("onnxruntime")
    except ImportError:  # a folder with this name, but no package
        return _engine
    versions = (
        f"onnxruntime {found}, OpenCV {cv2.__version__}, numpy {np.__version__}, "
        f"{_networks_crc():08x}, {_processor_crc():08x}"
    )
    result = _read_record(record)
    if result.get("versions") != versions:
        if not wait():
            return _engine
        result = {"versions": versions, "is_same": _passes_check("onnxruntime")}
        with suppress(OSError):  # the next start repeats the check
            record.write_text(json.dumps(result), "utf-8")
    if result.get("is_same") and _can_be_imported("onnxruntime"):
        use_engine("onnxruntime")
    return _engine


def differences(engine: str) -> Iterator[tuple[str, float]]:
    """Yield each network's name and the largest difference between its outputs from an engine and from OpenCV."""
    rng = np.random.default_rng(0)
    for (room, name), shape in CHECKED_SHAPES.items():
        inputs = rng.random(shape, dtype=np.float32)
        # Networks that were kept in memory would add 130 MB, which a small Pi does not have.
        expected, found = (_new_network(e, _path(room, name))(inputs) for e in ("opencv", engine))
        yield name, float(np.abs(expected - found).max())


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _networks_crc() -> int:
    """Return a checksum of all networks. When it changes, the engine must be checked again."""
    checksum = 0
    for room, name in CHECKED_SHAPES:
        checksum = crc32(_path(room, name).read_bytes(), checksum)
    return checksum


def _processor_crc() -> int:
    """Return a checksum of what the processor can do. It changes when the card is moved to another computer."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return 0
    return crc32("\n".join(sorted({x for x in lines if x.startswith(_PROCESSOR_FIELDS)})).encode())


def _can_be_imported(package: str) -> bool:
    try:
        import_module(package)
    except Exception:  # noqa: BLE001 - whatever a damaged installation raises, OpenCV still works
        return False
    return True


def _version(package: str) -> str:
    # Imported only when needed, which saves 4 MB if the extra is not installed.
    from importlib.metadata import version  # noqa: PLC0415

    return version(package)


def _passes_check(engine: str) -> bool:
    import subprocess  # noqa: PLC0415 - as above

    command = [sys.executable, "-m", "vision.networks", engine]
    try:
        done = subprocess.run(command, check=False, timeout=CHECK_TIMEOUT_S, capture_output=True)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _calibrated(logits: Floats, fit: Mapping[str, float]) -> Floats:
    log_odds = logits * np.float32(fit.get("scale", 1)) + np.float32(fit.get("shift", 0))
    return log_odds[:, 0] if log_odds.shape[1] == 1 else log_odds


@cache
def _description(name: str) -> Mapping[str, Any]:
    text = files("vision").joinpath("nets", f"{name}.json").read_text()
    description: Mapping[str, Any] = json.loads(text)
    return description


def _path(room: str, name: str) -> Path:
    return Path(str(files(room).joinpath("nets", f"{name}.onnx")))


def _load(engine: str, room: str, name: str) -> Network:
    """Return a network of this thread. Those of the previous engine are freed when another one is chosen."""
    if _loaded.engine != engine:
        _loaded.engine, _loaded.networks = engine, {}
    if (room, name) not in _loaded.networks:
        _loaded.networks[room, name] = _new_network(engine, _path(room, name))
    return _loaded.networks[room, name]


def _new_network(engine: str, path: Path) -> Network:
    return _load_onnxruntime(path) if engine == "onnxruntime" else _load_opencv(path)


def _load_opencv(path: Path) -> Network:
    # OpenCV 5.0.0.93 ignores `engine` when it reads a network from memory. OpenCV 4 has one engine.
    options = {}
    if hasattr(cv2.dnn, "ENGINE_CLASSIC"):
        is_depthwise = path.stem in DEPTHWISE_NETWORKS
        options["engine"] = cv2.dnn.ENGINE_NEW if is_depthwise else cv2.dnn.ENGINE_CLASSIC
    net = cv2.dnn.readNetFromONNX(str(path), **options)

    def run_network(inputs: Floats) -> Floats:
        outputs = []
        for first in range(0, len(inputs), MAX_BATCH):
            net.setInput(inputs[first : first + MAX_BATCH])
            outputs.append(np.array(net.forward(), np.float32))
        return np.concatenate(outputs)

    return run_network


def _load_onnxruntime(path: Path) -> Network:
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = max(1, cv2.getNumThreads()), 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only: freed sizes cause warnings

    def session(data: bytes) -> Any:
        return runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    data = path.read_bytes()
    found = session(data)
    *_, height, width = found.get_inputs()[0].shape
    if path.stem in {"finder", "finder_alone", "hand", "change"}:
        found = session(_with_free_size(data, height, width))
    name = found.get_inputs()[0].name

    def run_network(inputs: Floats) -> Floats:
        return np.asarray(found.run(None, {name: inputs})[0], np.float32)

    return run_network


def _with_free_size(data: bytes, height: int, width: int) -> bytes:
    """Replace the fixed input size in an ONNX file with names, which stand for any size.

    OpenCV 4 refuses a network without a fixed size but accepts inputs of other sizes; ONNX Runtime refuses other
    sizes. In the file, a dimension is the byte 0A, a length, and then either 08 and a number or 12, a length and
    a name.
    """
    fixed = b"".join(b"\x0a\x03\x08" + bytes([n & 127 | 128, n >> 7]) for n in (height, width))
    return data.replace(fixed, b"\x0a\x03\x12\x01h\x0a\x03\x12\x01w", 1)


def main(engine: str) -> int:
    """Print how much the outputs of an engine differ from OpenCV's, and return 1 if any differs too much."""
    cv2.setNumThreads(1)
    found = dict(differences(engine))
    for name, difference in found.items():
        print(f"{name}: {difference:.1e}")  # noqa: T201
    return int(not all(difference <= MAX_DIFFERENCE for difference in found.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
