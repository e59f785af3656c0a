"""A network goes on from what was exported, and is the same until it learns."""

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def exported(tmp_path):
    """A network of one die that has learnt a little, what it is shown, and its file."""
    import torch

    from training.learning.export import write
    from training.learning.networks import DieReader

    torch.manual_seed(3)
    net, shown = DieReader("near"), torch.rand(24, 7, 64, 64)
    net.train()
    for _ in range(5):
        net(shown)
    net.eval()
    write(net, "near", tmp_path / "near.onnx")
    return net, shown, tmp_path / "near.onnx"


def test_a_network_put_back_says_what_the_exported_one_said(exported):
    import torch

    from training.learning.networks import DieReader
    from training.learning.revive import revive

    net, shown, path = exported
    again = DieReader("near")
    revive(again, path, shown)

    with torch.no_grad():
        assert torch.allclose(again(shown), net(shown), atol=0.01)
        again.train()
        assert torch.allclose(again(shown)[:, :7], net(shown)[:, :7], atol=0.5)


def test_another_network_is_not_put_back(exported):
    import torch

    from training.learning.networks import Floor
    from training.learning.revive import revive

    *_, path = exported
    with pytest.raises(ValueError, match=r"near\.onnx holds another network"):
        revive(Floor(), path, torch.rand(1, 3, 64, 64))


@pytest.mark.parametrize("kind", ["floor", "frame"])
def test_a_network_of_the_tray_says_to_opencv_what_it_says_and_is_put_back(kind, tmp_path):
    import cv2
    import numpy as np
    import torch

    from training.learning.revive import revive
    from training.learning.train_tray import LESSONS, export

    torch.manual_seed(4)
    lesson = LESSONS[kind]
    net, shown = lesson.net(), torch.rand(6, 3, *lesson.size[::-1])
    net.train()
    for _ in range(3):
        net(shown)
    export(net, lesson, tmp_path)
    run = cv2.dnn.readNetFromONNX(str(tmp_path / lesson.file))
    run.setInput(shown[:1].numpy())
    again = lesson.net()
    revive(again, tmp_path / lesson.file, shown)

    with torch.no_grad():
        said = net(shown)
        assert np.allclose(run.forward(), said[:1], atol=0.02)
        assert torch.allclose(again.eval()(shown), said, atol=0.05)
