"""Write the trained networks for OpenCV: python -m training.learning.export PICTURES."""

import argparse
from pathlib import Path

import torch

from training.learning.networks import Finder, Reader, TiltNetwork
from vision.face_reader import READERS

NETS = Path(__file__).parents[2] / "vision" / "nets"


def main() -> None:
    """finder.pt, the readers and standing.pt to ONNX."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    folder = parser.parse_args().pictures
    NETS.mkdir(exist_ok=True)
    _write(Finder(), folder / "finder.pt", torch.zeros(1, 3, 224, 384), many=False)
    for name, (px, _) in READERS.items():
        _write(Reader(px), folder / f"{name}.pt", torch.zeros(1, 6, px, px), many=True)
    _write(TiltNetwork(), folder / "standing.pt", torch.zeros(1, 4, 64, 64), many=True)


def _write(net: torch.nn.Module, weights: Path, example: torch.Tensor, *, many: bool) -> None:
    """As ONNX, for any number of patches, or for one picture.

    A size that is left open is 1 to OpenCV 4 when it reads the file: halved and doubled again it is
    2, and the file is refused. Sizes that are told do not bind: any multiple of 32 px will do.
    """
    net.load_state_dict(torch.load(weights))
    net.eval()
    out = NETS / f"{weights.stem}.onnx"
    torch.onnx.export(
        net, (example,), str(out), opset_version=13, dynamo=False,
        input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "n"}, "y": {0: "n"}} if many else None,
    )  # fmt: skip
    print(f"{out.name}: {out.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
