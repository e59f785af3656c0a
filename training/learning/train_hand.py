"""Train the network that finds hands: python -m training.learning.train_hand PALMS OUT --photographs FOLDER.

The body of the network is MediaPipe's palm detector, which has learnt from photographs of hands: PALMS is its file
palm_detection_full.tflite. The body is converted and stays unchanged. Two new layers learn from rendered trays which cells
show a hand, and from photographs without hands which do not. The command writes OUT/hand.onnx.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import onnx
import tflite
from numpy.random import Generator
from numpy.typing import NDArray
from onnx import NodeProto, helper, numpy_helper

from training.learning.export import store_as_float16
from training.rendering import own_settings
from training.rendering.own_settings import PlannedThrow, draw_setting, stage_throw
from training.rendering.picture_files import auto_exposure
from training.rendering.ray_caster import cast_picture
from training.rendering.sensor import draw_camera_style, take_picture
from training.scenes.kept_out import Purpose
from training.scenes.world import Part
from vision.finder import HAND_PX, HAND_STRIDE
from vision.images import padded_input
from vision.networks import sigmoid

FIRST_SEED, SCENES = 67_000_000, 320
RENDERED_SCALE = 0.25
"""The input of the network is so small that larger images would show no more."""
COPIES = 3
"""Number of samples of each rendered tray. All but the first are cropped, turned and recoloured."""
NETS, HIDDEN, EPOCHS, BATCH = 3, 24, 14, 256
"""The new layers contain this many small networks, whose outputs are averaged."""
RATE, DECAY, DROPPED = 2e-3, 3e-3, 0.2
"""Learning rate at the start, weight decay, and share of the features that a training step ignores."""
MIN_HAND, MAX_NO_HAND = 0.5, 0.02
"""A cell shows a hand or none if a hand covers more than the first or less than the second part of it. Others are ignored."""
HAND_WEIGHT = 0.3
"""Weight of all cells with a hand, compared with that of all cells without one."""
BODY_OUTPUT_SHAPE = [1, 12, 12, 256]
INPUT_SHAPE = (1, 3, 160, 192)

Array = NDArray[np.float32]
Sample = tuple[Array, Array]
"""Features (cells, channels), and the part of each cell (cells,) that shows a hand."""


def convert_body(source: Path) -> onnx.ModelProto:  # noqa: C901, PLR0915 - a case for each kind of layer
    """Return the layers of the palm detector before its last ones as an ONNX network for BGR images from 0 to 1."""
    model = tflite.Model.GetRootAsModel(source.read_bytes(), 0)
    graph = model.Subgraphs(0)
    names = {n: name for name, n in vars(tflite.BuiltinOperator).items() if isinstance(n, int)}
    weights: dict[int, NDArray[np.generic]] = {}
    nodes: list[NodeProto] = []
    stored: dict[str, NDArray[np.generic]] = {}

    def value(tensor: int) -> NDArray[np.generic]:
        if tensor in weights:
            return weights[tensor]
        one = graph.Tensors(tensor)
        kinds = {tflite.TensorType.FLOAT16: np.float16, tflite.TensorType.INT32: np.int32}
        data = model.Buffers(one.Buffer()).DataAsNumpy().tobytes()
        return np.frombuffer(data, kinds.get(one.Type(), np.float32)).reshape(one.ShapeAsNumpy())

    def store(name: str, values: NDArray[np.generic]) -> str:
        stored[name] = np.ascontiguousarray(values)
        return name

    def add(kind: str, inputs: list[str], out: int, **options: object) -> None:
        nodes.append(helper.make_node(kind, inputs, [f"t{out}"], **options))

    for number in range(graph.OperatorsLength()):
        layer = graph.Operators(number)
        code = model.OperatorCodes(layer.OpcodeIndex())
        kind = names[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        ins, out = [int(k) for k in layer.InputsAsNumpy()], int(layer.Outputs(0))
        first = "x" if ins[0] == graph.Inputs(0) else f"t{ins[0]}"
        if kind == "DEQUANTIZE":
            weights[out] = value(ins[0]).astype(np.float32)
        elif kind in {"CONV_2D", "DEPTHWISE_CONV_2D"}:
            is_full = kind == "CONV_2D"
            options = tflite.Conv2DOptions() if is_full else tflite.DepthwiseConv2DOptions()
            options.Init(layer.BuiltinOptions().Bytes, layer.BuiltinOptions().Pos)
            kernel = value(ins[1]).transpose((0, 3, 1, 2) if is_full else (3, 0, 1, 2))
            if first == "x":  # the palm detector expects RGB
                kernel = kernel[:, ::-1]
            side, stride = kernel.shape[2], options.StrideH()
            before = (side - stride) // 2 if side > stride else 0
            after = max(side - stride, 0) - before
            add("Conv", [first, store(f"w{out}", kernel), store(f"b{out}", value(ins[2]))], out,
                kernel_shape=[side, side], strides=[stride, stride],
                pads=[before, before, after, after], group=1 if is_full else len(kernel))  # fmt: skip
        elif kind == "PRELU":
            add("PRelu", [first, store(f"a{out}", value(ins[1]).reshape(-1, 1, 1))], out)
        elif kind == "ADD":
            add("Add", [first, f"t{ins[1]}"], out)
        elif kind == "MAX_POOL_2D":
            add("MaxPool", [first], out, kernel_shape=[2, 2], strides=[2, 2])
        elif kind == "PAD":  # adds channels
            pads = value(ins[1])[[0, 3, 1, 2]].T.astype(np.int64).ravel()
            add("Pad", [first, store(f"p{out}", pads)], out, mode="constant")
        elif kind == "RESIZE_BILINEAR":
            scales = np.array([1, 1, 2, 2], np.float32)
            values = numpy_helper.from_array(scales)
            nodes.append(helper.make_node("Constant", [], [f"s{out}"], value=values))
            add("Resize", [first, "", f"s{out}"], out, mode="linear",
                coordinate_transformation_mode="half_pixel")  # fmt: skip
    shapes = {k: list(graph.Tensors(k).ShapeAsNumpy()) for k in range(graph.TensorsLength())}
    made = {node.output[0] for node in nodes}
    last = [f"t{k}" for k in shapes if shapes[k] == BODY_OUTPUT_SHAPE and f"t{k}" in made][-1]
    needed, kept = {last}, []
    for node in reversed(nodes):
        if node.output[0] in needed:
            kept.append(node)
            needed |= set(node.input)
    kept[0].output[0] = "y"
    return _model(kept[::-1], {k: v for k, v in stored.items() if k in needed}, 256)


def _model(
    nodes: list[NodeProto], stored: dict[str, NDArray[np.generic]], channels: int
) -> onnx.ModelProto:
    _, planes, height, width = INPUT_SHAPE
    out = [1, channels, height // HAND_STRIDE, width // HAND_STRIDE]
    float32 = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "hand",
        [helper.make_tensor_value_info("x", float32, [1, planes, height, width])],
        [helper.make_tensor_value_info("y", float32, out)],
        [numpy_helper.from_array(values, name) for name, values in stored.items()],
    )
    opset = helper.make_opsetid("", 13)
    return helper.make_model(graph, opset_imports=[opset], ir_version=7)


def render_trays(count: int) -> Iterator[tuple[NDArray[np.uint8], Array]]:
    """Yield images of trays, three in four with a hand, and for each the pixels (height, width) that show it, from 0 to 1."""
    own_settings.TRACED_SCALE = RENDERED_SCALE
    for number in range(count):
        rng = np.random.default_rng([number, 57])
        here = draw_setting(FIRST_SEED + number, Purpose.ORDINARY)
        has_hand = number % 4 != 3
        plan = PlannedThrow(
            int(rng.integers(1, 5)), hand=has_hand, things=not has_hand or number % 3 == 0
        )
        picture = cast_picture(stage_throw(here, plan, here.seed + 1), empty=False)
        light = picture.light.clip(0)
        style = replace(draw_camera_style(rng, moderate=True), quality=0)
        image = take_picture((light * auto_exposure(light, rng)).astype(np.float32), style, rng)
        yield np.ascontiguousarray(image[..., ::-1]), (picture.part == Part.HAND).astype(np.float32)


def vary(image: NDArray[np.uint8], hand: Array, rng: Generator) -> tuple[NDArray[np.uint8], Array]:
    """Crop, turn, mirror and recolour an image, and the pixels that show a hand in the same way."""
    if rng.random() < 0.6:
        height, width = (int(side * rng.uniform(0.45, 0.95)) for side in hand.shape)
        top = int(rng.integers(hand.shape[0] - height + 1))
        left = int(rng.integers(hand.shape[1] - width + 1))
        part = slice(top, top + height), slice(left, left + width)
        image, hand = image[part], hand[part]
    quarters = int(rng.integers(4))
    image, hand = np.rot90(image, quarters), np.rot90(hand, quarters)
    if rng.random() < 0.5:
        image, hand = image[:, ::-1], hand[:, ::-1]
    factors = np.exp(rng.normal(0, 0.25)) * np.exp(rng.normal(0, 0.06, 3))
    return (image * factors).clip(0, 255).astype(np.uint8), np.ascontiguousarray(hand)


def make_sample(body: cv2.dnn.Net, image: NDArray[np.uint8], hand: Array) -> Sample:
    """Return the features of all cells of an image, and the part of each that shows a hand."""
    height, width = hand.shape
    scale = min(2.0, HAND_PX / max(height, width))
    size = max(32, round(width * scale)), max(32, round(height * scale))
    body.setInput(padded_input(cv2.resize(image, size, interpolation=cv2.INTER_AREA), 32))
    rows, columns = (-(-side // HAND_STRIDE) for side in (size[1], size[0]))
    features = body.forward()[0, :, :rows, :columns]
    padded = np.zeros((rows * HAND_STRIDE, columns * HAND_STRIDE), np.float32)
    padded[: size[1], : size[0]] = cv2.resize(hand, size, interpolation=cv2.INTER_AREA)
    parts = padded.reshape(rows, HAND_STRIDE, columns, HAND_STRIDE).mean((1, 3))
    return features.reshape(len(features), -1).T.copy(), parts.ravel()


def train_heads(samples: list[Sample]) -> list[list[Array]]:
    """Return two layers that map the features of a cell to the log odds of a hand.

    Returns:
        Weights and shift of the first layer, then those of the second.
    """
    features = np.concatenate([one for one, _ in samples])
    parts = np.concatenate([parts for _, parts in samples])
    is_clear = (parts > MIN_HAND) | (parts < MAX_NO_HAND)
    features, truth = features[is_clear], (parts[is_clear] > MIN_HAND).astype(np.float32)
    mean, spread = features.mean(0), features.std(0) + 1e-3
    features = (features - mean) / spread
    weights = np.where(truth > 0, HAND_WEIGHT * (truth == 0).sum() / truth.sum(), 1.0)
    weights /= weights.mean()
    nets = [_train_net(features, truth, weights, np.random.default_rng(k)) for k in range(NETS)]
    first = np.concatenate([net[0].T for net in nets]) / spread
    return [
        first[:, :, None, None],
        np.concatenate([net[1] for net in nets]) - first @ mean,
        np.concatenate([net[2] for net in nets])[None, :, None, None] / NETS,
        np.mean([net[3] for net in nets], 0),
    ]


def _train_net(features: Array, truth: Array, weights: Array, rng: Generator) -> list[Array]:
    """Train a small network with Adam (Kingma and Ba, 2015) and return its weights and shifts."""
    inputs = features.shape[1]
    net = [rng.normal(0, inputs**-0.5, (inputs, HIDDEN)), np.zeros(HIDDEN),
           rng.normal(0, HIDDEN**-0.5, HIDDEN), np.zeros(1)]  # fmt: skip
    net = [values.astype(np.float32) for values in net]
    means, squares = ([np.zeros_like(values) for values in net] for _ in range(2))
    steps = EPOCHS * (len(features) // BATCH)
    for step in range(1, steps + 1):
        batch = rng.integers(len(features), size=BATCH)
        seen = features[batch] * (rng.random((BATCH, inputs)) > DROPPED) / np.float32(1 - DROPPED)
        hidden = (seen @ net[0] + net[1]).clip(0)
        error = weights[batch] * (sigmoid(hidden @ net[2] + net[3]) - truth[batch]) / BATCH
        back = np.outer(error, net[2]) * (hidden > 0)
        slopes = [seen.T @ back + DECAY * net[0], back.sum(0),
                  hidden.T @ error + DECAY * net[2], np.array([error.sum()])]  # fmt: skip
        rate = RATE * (1 - step / (steps + 1))
        for k, slope in enumerate(slopes):
            means[k] = 0.9 * means[k] + 0.1 * slope
            squares[k] = 0.999 * squares[k] + 0.001 * slope**2
            spread = np.sqrt(squares[k] / (1 - 0.999**step)) + 1e-8
            net[k] = (net[k] - rate * means[k] / (1 - 0.9**step) / spread).astype(np.float32)
    return net


def main() -> None:
    """Convert the body, train the new layers, and write the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("palms", type=Path, help="palm_detection_full.tflite")
    parser.add_argument("out", type=Path, help="folder for hand.onnx")
    parser.add_argument("--photographs", type=Path, required=True, help="folder without hands")
    parser.add_argument("--scenes", type=int, default=SCENES)
    options = parser.parse_args()
    rng = np.random.default_rng(3)
    model = convert_body(options.palms)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "hand.onnx"
    onnx.save(model, path)
    body = cv2.dnn.readNetFromONNX(str(path))
    samples = []
    for image, hand in render_trays(options.scenes):
        samples.append(make_sample(body, image, hand))
        samples += [make_sample(body, *vary(image, hand, rng)) for _ in range(COPIES - 1)]
    for photograph in sorted(options.photographs.rglob("*.jp*g")):
        found = cv2.imread(str(photograph))
        image, none = np.asarray(found, np.uint8), np.zeros(found.shape[:2], np.float32)
        samples.append(
            make_sample(body, *((image, none) if rng.random() < 0.5 else vary(image, none, rng)))
        )
    nodes = list(model.graph.node)
    nodes[-1].output[0] = "features"
    stored = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    names = ("head1", "shift1", "head2", "shift2")
    layers = [values.astype(np.float32) for values in train_heads(samples)]
    stored |= dict(zip(names, layers, strict=True))
    nodes += [
        helper.make_node("Conv", ["features", "head1", "shift1"], ["hidden"], kernel_shape=[1, 1]),
        helper.make_node("Relu", ["hidden"], ["active"]),
        helper.make_node("Conv", ["active", "head2", "shift2"], ["y"], kernel_shape=[1, 1]),
    ]
    model = _model(nodes, stored, 1)
    store_as_float16(model.graph)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    print(f"{path}: {path.stat().st_size / 1024:.0f} kB, {len(samples)} samples")


if __name__ == "__main__":
    main()
