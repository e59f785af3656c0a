"""Write a network for vision: python -m training.learning.export KIND OUT [--into vision/nets].

KIND.onnx holds weights of 16 bits, which OpenCV makes 32 again when it reads them; KIND.json says which
of its outputs is what, how log odds are to be scaled so that they are honest, and how it did in its exams.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from training.learning.exams import examined
from training.learning.exams import kept as kept_exams
from training.learning.honest_odds import fitted
from training.learning.networks import DIE, FINDER, FINDER_INPUTS, HALF, slices
from training.learning.samples.die_sizes import DIE_SIZES
from training.learning.samples.sample_makers import joined
from training.learning.teach import BATCH, network
from vision.crops import PLANES

NETS = Path(__file__).parents[2] / "vision" / "nets"
LOOKS = {"finder": (1, FINDER_INPUTS, 448, 576), "change": (1, 6, 288, 384)}
"""A size that is left open is 1 to OpenCV 4 when it reads the file: halved and doubled again it is 2, and
the file is refused. Sizes that are told do not bind: any multiple of 32 pixels will do."""
OUTPUTS = {"finder": FINDER, "near": DIE, "wide": DIE}
CHANGE = {"stands": 1}


def main() -> None:
    """One network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(BATCH))
    parser.add_argument("out", type=Path, help="where training.learning.teach keeps it")
    parser.add_argument("--into", type=Path, default=NETS)
    options = parser.parse_args()
    kind = options.kind
    net = network(kind)
    checkpoint = torch.load(options.out / f"{kind}.pt", map_location="cpu", weights_only=True)
    net.load_state_dict(checkpoint["mean"])
    net.eval()
    path = options.into / f"{kind}.onnx"
    write(net, kind, path)
    asked = kept_exams(kind, options.out)
    fits = kind in OUTPUTS
    told = {
        "outputs": {k: [s.start, s.stop] for k, s in slices(OUTPUTS.get(kind, CHANGE)).items()},
        "fitted": fitted(net, kind, joined(list(asked.values()))) if fits else {},
        "steps": checkpoint["step"],
        "marks": {name: examined(net, kind, of, torch.device("cpu")) for name, of in asked.items()},
    }
    path.with_suffix(".json").write_text(json.dumps(told, indent=1, default=float) + "\n")
    print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


def write(net: torch.nn.Module, kind: str, path: Path) -> None:
    """As ONNX, for any number of patches, or for one picture."""
    example = torch.zeros(LOOKS.get(kind) or (1, PLANES, *(2 * DIE_SIZES[kind][:1])))
    as_onnx(net, example, path, any_number=kind not in LOOKS)


def as_onnx(
    net: torch.nn.Module, example: torch.Tensor, path: Path, *, any_number: bool = False
) -> None:
    """For OpenCV, with weights of 16 bits; for such an input, or for any number of them."""
    torch.onnx.export(
        net, (example,), str(path), opset_version=13, dynamo=False,
        input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "n"}, "y": {0: "n"}} if any_number else None,
    )  # fmt: skip
    model = onnx.load(str(path))
    halve(model.graph)
    onnx.save(model, str(path))


def halve(graph: onnx.GraphProto) -> None:
    """Keep weights as 16 bits; a node of their own makes each 32 again."""
    casts = []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < 2:
            continue
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + HALF))
        casts.append(helper.make_node("Cast", [name + HALF], [name], to=TensorProto.FLOAT))
    nodes = casts + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)


if __name__ == "__main__":
    main()
