"""The networks of one die as they are in `vision/nets`, to be taught further.

    python -m training.learning.checkpoints restore PICTURES
    python -m training.learning.checkpoints blend BEFORE AFTER OUT

`restore` writes PICTURES/reader48.pt, reader64.pt and standing.pt. In an ONNX file what a batch was
normalised by is folded into the weights; here it is drawn out again, so that learning goes on where it
stopped. `blend` writes half of one checkpoint and half of another that was taught on from it: what was
taught further knows the new pictures and forgets of the old ones; half way it may know both.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from training.learning.export import NETS
from training.learning.samples import load, pictures
from training.learning.train import MAKERS, network
from vision.face_reader import READERS

ENOUGH, PATCHES = 100, 1_500


def main() -> None:
    """Restore checkpoints from the shipped networks, or blend two."""
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("restore").add_argument("pictures", type=pictures)
    blending = verbs.add_parser("blend")
    for name in ("before", "after", "out"):
        blending.add_argument(name, type=Path)
    options = parser.parse_args()
    if options.verb == "restore":
        restore(options.pictures)
    else:
        blend(options.before, options.after, options.out)


def restore(folder: Path) -> None:
    """Write the checkpoints of the shipped networks."""
    pool = [load(path.with_suffix(".png")) for path in sorted(folder.glob("*[1-9].json"))[:ENOUGH]]
    for kind in (*READERS, "standing"):
        net = unfolded(kind, NETS / f"{kind}.onnx")
        normalise(net, MAKERS[kind](pool, np.random.default_rng(0), PATCHES)["x"])
        torch.save(net.state_dict(), folder / f"{kind}.pt")
        print(f"{kind}.pt")


def blend(first: Path, second: Path, out: Path) -> None:
    """Write the mean of two checkpoints."""
    before, after = torch.load(first), torch.load(second)
    mean = {k: (v + after[k]) / 2 if v.is_floating_point() else v for k, v in before.items()}
    torch.save(mean, out)


def unfolded(kind: str, path: Path) -> nn.Module:
    """The network of an ONNX file; its normalisations change nothing yet."""
    graph = onnx.load(str(path)).graph
    weights = {w.name: torch.tensor(numpy_helper.to_array(w).copy()) for w in graph.initializer}
    pairs = {
        op: [[weights[k] for k in node.input[1:]] for node in graph.node if node.op_type == op]
        for op in ("Conv", "Gemm")
    }
    net = network(kind).eval()
    for (conv, norm), (weight, bias) in zip(_blocks(net), pairs["Conv"], strict=True):
        conv.weight.data = weight
        norm.running_mean.data.zero_()
        norm.running_var.data.fill_(1 - norm.eps)
        norm.bias.data = bias
    layers = [layer for layer in net.modules() if isinstance(layer, nn.Linear)]
    for layer, (weight, bias) in zip(layers, pairs["Gemm"], strict=True):
        layer.weight.data, layer.bias.data = weight, bias
    return net


def normalise(net: nn.Module, patches: Tensor) -> None:
    """Let each normalisation expect what it gets of these patches; the network says the same."""
    hooks = [norm.register_forward_pre_hook(_expect) for _, norm in _blocks(net)]
    with torch.no_grad():
        net(patches)
    for hook in hooks:
        hook.remove()


def _expect(norm: nn.BatchNorm2d, given: tuple[Tensor]) -> None:
    variance, mean = torch.var_mean(given[0], dim=(0, 2, 3), correction=0)
    scale = norm.weight.data / torch.sqrt(norm.running_var + norm.eps)
    norm.bias.data += scale * (mean - norm.running_mean)
    norm.weight.data = scale * torch.sqrt(variance + norm.eps)
    norm.running_mean.data, norm.running_var.data = mean, variance


def _blocks(net: nn.Module) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    flat = [module for module in net.modules() if isinstance(module, nn.Conv2d | nn.BatchNorm2d)]
    return list(zip(flat[::2], flat[1::2], strict=True))


if __name__ == "__main__":
    main()
