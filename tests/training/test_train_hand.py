"""The training of the network that finds hands: its samples, and that training changes every layer."""

from argparse import Namespace

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def white_hand():
    """Return a dark image with a white hand, and the pixels that show the hand."""
    hand = np.zeros((120, 160), np.float32)
    hand[30:90, 70:160] = 1
    return np.repeat((hand[..., None] * 200).astype(np.uint8), 3, 2), hand


def test_three_of_four_rendered_trays_have_a_hand_and_are_rendered_once(tmp_path):
    from training.learning.train_hand import load_tray

    first = [load_tray(number, tmp_path) for number in (1, 2, 3)]
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = [load_tray(number, tmp_path) for number in (1, 2, 3)]

    assert [hand.max() > 0 for _, hand in first] == [True, True, False]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == written
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_a_varied_image_still_shows_the_hand_where_it_is_said_to_be(white_hand, seed):
    from training.learning.train_hand import vary

    pixels, hand = vary(*white_hand, np.random.default_rng(seed))

    assert pixels.shape == (*hand.shape, 3)
    assert 0.05 < hand.mean() < 1
    assert (((pixels.max(2) > pixels.max() / 2) == (hand > 0.5)).mean()) > 0.98


def test_a_sample_says_which_cells_show_a_hand_and_which_lie_outside_the_image(white_hand):
    from training.learning.train_hand import make_sample

    image, hand = white_hand
    inputs, parts = make_sample(image[:100].astype(np.float32), hand[:100])

    assert inputs.shape == (3, 160, 192)
    assert parts.shape == (10, 12)
    assert (parts[8:] == -1).all()  # 100 of 160 pixels are 120 of 192
    assert (parts[3:6, 6:] == 1).all()
    assert (parts[:2] == 0).all()


def test_training_changes_every_layer_and_keeps_the_features_close(
    white_hand, tmp_path, monkeypatch
):
    import torch

    from training.learning import train_hand
    from training.learning.networks import HandNet

    monkeypatch.setattr(train_hand, "BATCH", 2)
    monkeypatch.setattr(train_hand, "HEAD_STEPS", 1)
    torch.manual_seed(3)
    net = HandNet()
    before = {name: value.clone() for name, value in net.named_parameters()}
    image, hand = white_hand
    options = Namespace(steps=6, out=tmp_path)
    mean = train_hand.train(net, [(image, hand)] * 4, [(image, hand * 0)] * 2, options)

    assert [
        name for name, value in net.named_parameters() if torch.equal(value, before[name])
    ] == []
    body = [name for name in before if not name.startswith("out.")]
    moved = dict(net.named_parameters())
    assert all(torch.allclose(moved[name], before[name], atol=1e-3) for name in body)
    assert not any(value.requires_grad and value.isnan().any() for value in mean.parameters())


def test_an_exported_network_finds_the_same_in_opencv_in_images_of_any_size(tmp_path):
    import cv2
    import torch

    from training.learning.export import write_onnx
    from training.learning.networks import HandNet

    torch.manual_seed(4)
    net = HandNet()
    with torch.no_grad():
        net(torch.rand(4, 3, 160, 192))
    write_onnx(net.eval(), torch.zeros(1, 3, 160, 192), tmp_path / "hand.onnx")
    run = cv2.dnn.readNetFromONNX(str(tmp_path / "hand.onnx"))

    for size in ((160, 192), (192, 128)):
        shown = torch.rand(1, 3, *size)
        run.setInput(shown.numpy())
        with torch.no_grad():
            assert np.allclose(run.forward(), net(shown), atol=0.02)
