"""The networks of `vision/nets` as a beginning: what they know is kept where shapes fit.

In an ONNX file what a batch was normalised by is folded into the weights. Here it is drawn out
again, so that learning can go on. New inputs begin at zero: at first nothing changes.
"""

from itertools import chain, pairwise
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

NETS = Path(__file__).parents[2] / "vision" / "nets"
HALF = "_half"
"""At the end of the name of a weight of 16 bits."""
CELLS = 64 // 8
"""Of a die's network, along a side of what its first full layer looks at."""
GATE = 4.0
"""How strongly a change is told: and by so much nothing is, where the empty tray is not known."""
SAME_OUTPUTS = {"finder": 8, "near": 13, "wide": 13}
"""So many of the outputs mean the same as before, where the network was another one."""


def begin(net: nn.Module, kind: str, path: Path, shown: Tensor) -> None:
    """Give a network the weights of an ONNX file; let it expect what it gets of `shown`."""
    layers = _layers(net, shown)
    for k, ((layer, norm), (weight, bias)) in enumerate(zip(layers, _weights(path), strict=True)):
        is_last = k == len(layers) - 1
        rows = len(weight)
        if is_last and rows != len(layer.weight):
            rows = SAME_OUTPUTS[kind]
            layer.weight.data[rows:] = 0
        _put(layer.weight.data, weight[:rows])
        if norm is not None:
            norm.running_var.data.fill_(1 - norm.eps)
        (norm or layer).bias.data[:rows] = bias[:rows]  # type: ignore[union-attr]
        if norm is not None and k == 0 and kind == "finder" and rows < len(layer.weight):
            _see_changes(layer.weight.data[rows:], norm.bias.data[rows:])
    _normalise([norm for _, norm in layers if norm is not None], net, shown)


def _see_changes(weight: Tensor, bias: Tensor) -> None:
    """Let new filters tell what is brighter, darker, bluer, redder than the empty tray, where that is known."""
    light, hue = torch.ones(3), torch.tensor([1.5, 0.0, -1.5])
    for row, way in enumerate((light, -light, hue, -hue)):
        mean = (GATE / 3 * way / 9)[:, None, None].expand(3, 3, 3)
        weight[row, :3], weight[row, 3:6], weight[row, 6] = mean, -mean, GATE / 9
    bias[:] = -GATE


def _layers(
    net: nn.Module, shown: Tensor
) -> list[tuple[nn.Conv2d | nn.Linear, nn.BatchNorm2d | None]]:
    """Layers with weights in the order in which they work, each with what normalises it."""
    rows = [list(part) for part in net.modules() if isinstance(part, nn.Sequential)]
    pairs = chain.from_iterable(pairwise(row) for row in rows)
    norms = {layer: norm for layer, norm in pairs if isinstance(norm, nn.BatchNorm2d)}
    order: list[nn.Module] = []
    hooks = [
        layer.register_forward_hook(lambda one, *_: order.append(one))
        for layer in net.modules() if isinstance(layer, nn.Conv2d | nn.Linear)
    ]  # fmt: skip
    net.eval()
    with torch.no_grad():
        net(shown[:1])
    for hook in hooks:
        hook.remove()
    return [(layer, norms.get(layer)) for layer in order]  # type: ignore[misc]


def _weights(path: Path) -> list[tuple[Tensor, Tensor]]:
    """Of each layer in order; such as `training.learning.export` wrote with 16 bits, too."""
    graph = onnx.load(str(path)).graph
    held = {w.name.removesuffix(HALF): _tensor(w) for w in graph.initializer}
    return [
        (held[node.input[1]], held[node.input[2]])
        for node in graph.node if node.op_type in ("Conv", "Gemm")
    ]  # fmt: skip


def _tensor(weight: onnx.TensorProto) -> Tensor:
    return torch.tensor(numpy_helper.to_array(weight).copy()).float()


def _put(into: Tensor, weight: Tensor) -> None:
    """The old weights where they fit; to the old outputs, new inputs begin at zero."""
    is_looking = weight.dim() == 2 and weight.shape[1] < into.shape[1]
    old = _widened(weight, into.shape[1]) if is_looking else weight
    into[: len(old)] = 0
    into[: len(old), : old.shape[1]] = old


def _widened(weight: Tensor, inputs: int) -> Tensor:
    """(n, c k k) for k by k cells as one for the CELLS by CELLS of a larger patch, with zeros around."""
    cells = round(CELLS * (weight.shape[1] / inputs) ** 0.5)
    around = (CELLS - cells) // 2
    square = weight.reshape(len(weight), -1, cells, cells)
    return nn.functional.pad(square, (around,) * 4).reshape(len(weight), inputs)


def _normalise(norms: list[nn.BatchNorm2d], net: nn.Module, shown: Tensor) -> None:
    """Let each expect the mean and the spread of what it gets; the network says the same as before."""
    hooks = [norm.register_forward_pre_hook(_expect) for norm in norms]
    with torch.no_grad():
        net(shown)
    for hook in hooks:
        hook.remove()


def _expect(norm: nn.BatchNorm2d, given: tuple[Tensor]) -> None:
    variance, mean = torch.var_mean(given[0], dim=(0, 2, 3), correction=0)
    scale = norm.weight.data / torch.sqrt(norm.running_var + norm.eps)
    norm.bias.data += scale * (mean - norm.running_mean)
    norm.weight.data = scale * torch.sqrt(variance + norm.eps)
    norm.running_mean.data, norm.running_var.data = mean, variance
