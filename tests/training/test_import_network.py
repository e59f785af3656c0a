"""Exported networks: their outputs are the same after export and after import."""

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def exported(tmp_path):
    """Return a network that reads one die, the inputs that it is adapted to, and its exported file."""
    import torch

    from training.learning.export import export_network
    from training.learning.networks import DieNet

    torch.manual_seed(3)
    net, shown = DieNet("near"), torch.rand(24, 7, 64, 64)
    net.train()
    for _ in range(5):
        net(shown)
    net.eval()
    export_network(net, "near", tmp_path / "near.onnx")
    return net, shown, tmp_path / "near.onnx"


def test_an_imported_network_gives_the_same_outputs_as_the_exported_one(exported):
    import torch

    from training.learning.import_network import import_network
    from training.learning.networks import DieNet

    net, shown, path = exported
    again = DieNet("near")
    import_network(again, path, shown)

    with torch.no_grad():
        assert torch.allclose(again(shown), net(shown), atol=0.01)
        again.train()
        assert torch.allclose(again(shown)[:, :7], net(shown)[:, :7], atol=0.5)


def test_the_file_of_a_different_kind_of_network_is_refused(exported):
    import torch

    from training.learning.import_network import import_network
    from training.learning.networks import FloorNet

    *_, path = exported
    with pytest.raises(ValueError, match=r"near\.onnx holds another kind of network"):
        import_network(FloorNet(), path, torch.rand(1, 3, 64, 64))


@pytest.mark.parametrize("kind", ["floor", "frame"])
def test_a_tray_network_gives_the_same_outputs_in_opencv_as_in_torch_and_can_be_imported(
    kind, tmp_path
):
    import cv2
    import numpy as np
    import torch

    from training.learning.import_network import import_network
    from training.learning.train_tray import TASKS, export

    torch.manual_seed(4)
    task = TASKS[kind]
    net, shown = task.net(), torch.rand(6, 3, *task.size[::-1])
    net.train()
    for _ in range(3):
        net(shown)
    export(net, task, tmp_path)
    run = cv2.dnn.readNetFromONNX(str(tmp_path / task.file))
    run.setInput(shown[:1].numpy())
    again = task.net()
    import_network(again, tmp_path / task.file, shown)

    with torch.no_grad():
        said = net(shown)
        assert np.allclose(run.forward(), said[:1], atol=0.02)
        assert torch.allclose(again.eval()(shown), said, atol=0.05)
