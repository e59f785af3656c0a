"""Export a network for `vision`: python -m training.learning.export KIND OUT [--into FOLDER].

KIND.onnx contains 16-bit weights, which OpenCV converts to 32 bits when it loads the file. KIND.json describes which
output is which and how to scale log odds so that they are calibrated. It also contains the scores on the test sets.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from training.learning.exams import PURPOSES, grade
from training.learning.exams import load_saved_exams as kept_exams
from training.learning.losses import INPUTS, to_device
from training.learning.networks import (
    FINDER_OUTPUTS,
    FINDER_PLANES,
    HALF_SUFFIX,
    IMAGE_PLANES,
    die_outputs,
    output_slices,
)
from training.learning.odds_scaling import fit_output_scales
from training.learning.samples.die_sizes import PATCH_SIZES
from training.learning.samples.finder_samples import FINDER_KINDS
from training.learning.samples.sample_stream import concatenate
from training.learning.teach import BATCH_SIZES, EXAMPLE_COUNT, new_network, update_mean
from vision.crops import PLANES

NETS = Path(__file__).parents[2] / "vision" / "nets"
INPUT_SHAPES = {
    "finder": (1, FINDER_PLANES, 448, 576),
    "finder_alone": (1, IMAGE_PLANES, 448, 576),
    "change": (1, 6, 288, 384),
}
"""Input shapes of the networks that see a whole image.

When OpenCV 4 loads a file, it replaces a variable size with 1. Halving and doubling that size in the network gives 2,
so OpenCV refuses the file. The fixed size does not restrict use: any multiple of 32 pixels works.
"""
OUTPUTS = dict.fromkeys(FINDER_KINDS, FINDER_OUTPUTS) | {
    kind: die_outputs(kind) for kind in PATCH_SIZES
}
CHANGE_OUTPUTS = {"stands": 1}


def main() -> None:
    """Export one network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(BATCH_SIZES))
    parser.add_argument("out", type=Path, help="folder of the checkpoints")
    parser.add_argument("--into", type=Path, default=NETS)
    share = "share of the trained weights in a mean with those of the network in vision/nets, to which the rest belongs"
    parser.add_argument("--share", type=float, default=1.0, help=share)
    options = parser.parse_args()
    kind = options.kind
    net = new_network(kind)
    checkpoint = torch.load(options.out / f"{kind}.pt", map_location="cpu", weights_only=True)
    net.load_state_dict(checkpoint["mean"])
    exams = kept_exams(kind, options.out)
    if options.share < 1:
        few = {name: rows[:EXAMPLE_COUNT] for name, rows in next(iter(exams.values())).items()}
        mix_with_exported(
            net, kind, INPUTS[kind](to_device(few, torch.device("cpu"))), options.share
        )
    net.eval()
    path = options.into / f"{kind}.onnx"
    export_network(net, kind, path)
    fits = kind in OUTPUTS
    plain = concatenate([exams[name] for name in PURPOSES])
    description = {
        "outputs": {
            k: [s.start, s.stop]
            for k, s in output_slices(OUTPUTS.get(kind, CHANGE_OUTPUTS)).items()
        },
        "fitted": fit_output_scales(net, kind, plain) if fits else {},
        "steps": checkpoint["step"],
        "marks": {name: grade(net, kind, of, torch.device("cpu")) for name, of in exams.items()},
    }
    path.with_suffix(".json").write_text(json.dumps(description, indent=1, default=float) + "\n")
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


def mix_with_exported(
    net: torch.nn.Module, kind: str, examples: torch.Tensor, share: float
) -> None:
    """Replace the weights of a network by a weighted mean with those of the exported network of its kind.

    Args:
        net: The network.
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        examples: Inputs like those that the network was trained on.
        share: Weight of `net` in the mean, from 0 to 1.
    """
    from training.learning.import_network import import_network  # noqa: PLC0415 - only --share needs it

    exported = new_network(kind)
    import_network(exported, NETS / f"{kind}.onnx", examples)
    update_mean(net, exported, share)


def export_network(net: torch.nn.Module, kind: str, path: Path) -> None:
    """Write a network as an ONNX file, whose input is any number of patches or one image, depending on the network.

    Args:
        net: The network.
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
        path: The file to write.
    """
    example = torch.zeros(INPUT_SHAPES.get(kind) or (1, PLANES, *(2 * PATCH_SIZES[kind][:1])))
    write_onnx(net, example, path, any_number=kind not in INPUT_SHAPES)


def write_onnx(
    net: torch.nn.Module, example: torch.Tensor, path: Path, *, any_number: bool = False
) -> None:
    """Write a network as an ONNX file that OpenCV can load, with 16-bit weights.

    Args:
        net: The network.
        example: An input of the right shape.
        path: The file to write.
        any_number: Whether inputs may have any size along their first axis. If not, they must have the size of
            `example`.
    """
    torch.onnx.export(
        net, (example,), str(path), opset_version=13, dynamo=False,
        input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "n"}, "y": {0: "n"}} if any_number else None,
    )  # fmt: skip
    model = onnx.load(str(path))
    store_as_float16(model.graph)
    onnx.save(model, str(path))


def store_as_float16(graph: onnx.GraphProto) -> None:
    """Store the weights of an ONNX graph with 16 bits, and add nodes that convert them to 32 bits."""
    casts = []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < 2:
            continue
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + HALF_SUFFIX))
        casts.append(helper.make_node("Cast", [name + HALF_SUFFIX], [name], to=TensorProto.FLOAT))
    nodes = casts + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)


if __name__ == "__main__":
    main()
