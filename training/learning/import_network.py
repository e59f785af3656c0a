"""Loads the weights with which the training of a network starts.

They are those of an exported file, of EfficientNet-Lite0, or of MediaPipe's palm detector.

In an exported file, each batch normalisation is folded into the convolution before it. This module gives every
normalisation the mean and variance of its convolution's outputs for a set of sample inputs, and compensates for them.
The network returns the same outputs as before, and its layers learn at their usual pace.
"""

from pathlib import Path

import cv2
import numpy as np
import onnx
import tflite
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from training.learning.networks import HALF_SUFFIX, MOBILE_STEM, DieNet, HandNet

Weights = tuple[Tensor, Tensor]
NEW_CHANNEL_DEVIATION = 0.02
"""Standard deviation of the random weights for the input channels that images do not have."""
MAX_DIFFERENCE = 0.01
"""Largest difference between an output of an exported file and that of the network into which it was loaded."""
LAYERS = (nn.Conv2d, nn.Linear, nn.BatchNorm2d)


def import_network(net: nn.Module, path: Path, example: Tensor) -> None:
    """Load the weights of an exported file into a network.

    Layers that are not exported keep their random weights.

    Args:
        net: A new network of the same kind.
        path: The exported file.
        example: Inputs of the network. The more there are, the less the loss rises in the first training steps.

    Raises:
        ValueError: If the file contains a different kind of network.
    """
    net.eval()
    layers = _in_order(net, example)
    weights = _weights(path)
    if len(weights) != sum(not isinstance(layer, nn.BatchNorm2d) for layer in layers):
        raise _other_kind(path)
    left = iter(weights)
    with torch.no_grad():
        for layer, after in zip(layers, [*layers[1:], None], strict=True):
            if not isinstance(layer, nn.BatchNorm2d):
                _fill(layer, after, next(left), path)
        _spread(net, [one for one in layers if isinstance(one, nn.BatchNorm2d)], example)
        exported = cv2.dnn.readNetFromONNX(str(path))
        exported.setInput(np.ascontiguousarray(example[:1].cpu().numpy()))
        again = net(example[:1]).cpu().numpy()
    # Layers of the same sizes can be connected differently.
    if not np.allclose(again, exported.forward(), atol=MAX_DIFFERENCE):
        raise _other_kind(path)


def import_imagenet(net: DieNet, path: Path) -> None:
    """Load the weights of EfficientNet-Lite0, which were trained on ImageNet, into the body of a network.

    The weights are for RGB from -1 to 1. They are adapted to BGR from 0 to 1, and the further channels of the network
    get random weights.

    Args:
        net: A network that reads one die.
        path: The file of weights (.pth).

    Raises:
        ValueError: If the file does not contain weights of EfficientNet-Lite0.
    """
    weights = list(torch.load(path, map_location="cpu", weights_only=True).values())
    own = list(net.body.state_dict().values())
    first, mean = weights[0], own[3]
    expected = [(MOBILE_STEM, 3, *own[0].shape[2:]), *(one.shape for one in own[1:])]
    if [one.shape for one in weights[: len(own)]] != expected:
        raise ValueError(
            f"{path} holds no weights of EfficientNet-Lite0; install training/learn.txt again"
        )
    for value, loaded in zip(own[1:], weights[1:], strict=False):
        value.copy_(loaded)
    own[0].normal_(0, NEW_CHANNEL_DEVIATION)
    own[0][:, :3] = 2 * first.flip(1)
    mean.add_(first.sum((1, 2, 3)))


def import_palms(net: HandNet, path: Path) -> None:
    """Load the weights of MediaPipe's palm detector, which were trained on photographs of hands, into the body of a network.

    The weights are for RGB from 0 to 1. They are adapted to BGR.

    Args:
        net: The network.
        path: The file palm_detection_full.tflite.

    Raises:
        ValueError: If the file contains a different kind of network.
    """
    kinds = (nn.Conv2d, nn.PReLU)
    layers = [one for part in (net.scales, net.side, net.mix) for one in part.modules() if isinstance(one, kinds)]  # fmt: skip
    own = [value for layer in layers for value in layer.parameters()]
    loaded = [
        functional.pad(one, (1, 0, 1, 0)) if place.shape[2:] == (6, 6) else one
        for place, one in zip(own, _palm_weights(path), strict=False)
    ]
    if [one.shape for one in loaded] != [one.shape for one in own]:
        raise ValueError(f"{path} is not the file palm_detection_full.tflite of mediapipe 0.10.21")
    loaded[0] = loaded[0].flip(1)
    with torch.no_grad():
        for value, weights in zip(own, loaded, strict=True):
            value.copy_(weights)


def _palm_weights(path: Path) -> list[Tensor]:
    """Return the weights and shifts of each layer in a TensorFlow Lite file, in order, except shifts before another convolution."""
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    graph = model.Subgraphs(0)
    halves: dict[int, int] = {}
    weights: list[Tensor] = []

    def add(tensor: int, axes: tuple[int, ...]) -> None:
        one = graph.Tensors(halves[tensor])
        values = np.frombuffer(model.Buffers(one.Buffer()).DataAsNumpy().tobytes(), np.float16)
        shaped = values.reshape(one.ShapeAsNumpy()).transpose(axes)
        weights.append(torch.tensor(np.ascontiguousarray(shaped, np.float32)))

    for number in range(graph.OperatorsLength()):
        layer = graph.Operators(number)
        code = model.OperatorCodes(layer.OpcodeIndex())
        inputs = layer.InputsAsNumpy().tolist()
        match code.BuiltinCode():
            case tflite.BuiltinOperator.DEQUANTIZE:
                halves[layer.Outputs(0)] = inputs[0]
            case tflite.BuiltinOperator.CONV_2D:
                add(inputs[1], (0, 3, 1, 2))
                add(inputs[2], (0,))
            case tflite.BuiltinOperator.DEPTHWISE_CONV_2D:  # its shift is zero
                add(inputs[1], (3, 0, 1, 2))
            case tflite.BuiltinOperator.PRELU:
                add(inputs[1], (2, 0, 1))
                weights[-1] = weights[-1].flatten()
    return weights


def _other_kind(path: Path) -> ValueError:
    return ValueError(
        f"{path} holds another kind of network; omit --from to start with random weights"
    )


def _in_order(net: nn.Module, example: Tensor) -> list[nn.Module]:
    """Return the layers of a network in the order in which data passes through them."""
    seen: list[nn.Module] = []
    hooks = [
        layer.register_forward_pre_hook(lambda module, _: seen.append(module))
        for layer in net.modules()
        if isinstance(layer, LAYERS)
    ]
    with torch.no_grad():
        net(example[:1])
    for hook in hooks:
        hook.remove()
    return seen


def _weights(path: Path) -> list[Weights]:
    """Return the weight and bias of each layer in an exported file, in order."""
    graph = onnx.load(str(path)).graph
    arrays = {
        one.name.removesuffix(HALF_SUFFIX): numpy_helper.to_array(one) for one in graph.initializer
    }
    nodes = [node for node in graph.node if node.op_type in ("Conv", "Gemm")]
    return [(_tensor(arrays[n.input[1]]), _tensor(arrays[n.input[2]])) for n in nodes]


def _tensor(array: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(array.astype(np.float32))


def _fill(layer: nn.Module, after: nn.Module | None, weights: Weights, path: Path) -> None:
    """Set the weights of a layer, and let the batch normalisation after it do nothing but add the bias."""
    weight, bias = weights
    if layer.weight.shape != weight.shape:
        raise _other_kind(path)
    layer.weight.copy_(weight)  # type: ignore[operator]
    if layer.bias is not None:
        layer.bias.copy_(bias)  # type: ignore[operator]
    elif isinstance(after, nn.BatchNorm2d):
        after.running_mean.zero_()  # type: ignore[union-attr]
        after.running_var.fill_(1 - after.eps)  # type: ignore[union-attr]
        after.weight.fill_(1)
        after.bias.copy_(bias)


def _spread(net: nn.Module, norms: list[nn.BatchNorm2d], example: Tensor) -> None:
    """Let each batch normalisation normalise its input for `example`, and scale the result back."""
    met: dict[nn.Module, Weights] = {}

    def meet(norm: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        met[norm] = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3))

    hooks = [norm.register_forward_pre_hook(meet) for norm in norms]
    net(example)
    for hook in hooks:
        hook.remove()
    for norm in norms:
        mean, var = met[norm]
        norm.running_mean.copy_(mean)  # type: ignore[union-attr]
        norm.running_var.copy_(var)  # type: ignore[union-attr]
        norm.weight.copy_((var + norm.eps).sqrt())
        norm.bias.add_(mean)
