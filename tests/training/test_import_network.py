"""Exported networks: their outputs are the same after export and after import."""

import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(params=["near", "deep"])
def exported(tmp_path, request):
    """Return a network that reads one die, the inputs that it is adapted to, and its exported file."""
    import torch

    from training.learning.export import export_network
    from training.learning.networks import DieNet

    torch.manual_seed(3)
    kind = request.param
    net, shown = DieNet(kind), torch.rand(24, 7, 64, 64)
    net.train()
    for _ in range(5):
        net(shown)
    net.eval()
    path = tmp_path / f"{kind}.onnx"
    export_network(net, kind, path)
    return net, shown, path


def test_an_imported_network_gives_the_same_outputs_as_the_exported_one(exported):
    import torch

    from training.learning.import_network import import_network
    from training.learning.networks import DieNet

    net, shown, path = exported
    again = DieNet(path.stem)
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
    with pytest.raises(ValueError, match=rf"{path.stem}\.onnx holds another kind of network"):
        import_network(FloorNet(), path, torch.rand(1, 3, 64, 64))


@pytest.mark.parametrize("kind", ["finder", "change", "near", "wide", "deep"])
def test_training_can_go_on_from_each_network_in_the_repository(kind):
    import torch

    from training.learning.export import NETS
    from training.learning.import_network import import_network
    from training.learning.teach import new_network

    inputs = 6 if kind == "change" else 7
    import_network(new_network(kind), NETS / f"{kind}.onnx", torch.rand(4, inputs, 64, 64))


def test_the_file_of_a_network_with_other_connections_is_refused(tmp_path):
    import torch
    from torch import nn

    from training.learning.export import write_onnx
    from training.learning.import_network import import_network
    from training.learning.networks import Residual, conv_block

    shown = torch.rand(4, 6, 16, 16)
    plain = nn.Sequential(conv_block(6, 6), conv_block(6, 6)).eval()
    for _, norm, _ in plain:
        nn.init.normal_(norm.bias)  # otherwise the file would store equal values once
    write_onnx(plain, shown[:1], tmp_path / "plain.onnx")
    with pytest.raises(ValueError, match="holds another kind of network"):
        import_network(Residual(6), tmp_path / "plain.onnx", shown)


@pytest.fixture
def imagenet(tmp_path):
    """Return a file with random weights that has the form of that of EfficientNet-Lite0."""
    import torch

    from training.learning.networks import DieNet

    torch.manual_seed(5)
    weights = {name: torch.rand_like(value.float()) for name, value in DieNet("deep").body.state_dict().items()}  # fmt: skip
    weights["0.weight"] = torch.randn(32, 3, 3, 3)
    torch.save(weights, tmp_path / "imagenet.pth")
    return tmp_path / "imagenet.pth"


def test_weights_from_imagenet_see_an_image_as_they_did_before(imagenet):
    import torch
    from torch.nn import functional

    from training.learning.import_network import import_imagenet
    from training.learning.networks import DieNet

    net = DieNet("deep").eval()
    import_imagenet(net, imagenet)
    bgr, others = torch.rand(2, 3, 64, 64), torch.zeros(2, 4, 64, 64)
    weights = torch.load(imagenet, weights_only=True)
    seen = functional.conv2d(2 * bgr.flip(1) - 1, weights["0.weight"], stride=2, padding=1)
    expected = functional.batch_norm(
        seen, weights["1.running_mean"], weights["1.running_var"], weights["1.weight"], weights["1.bias"], eps=1e-3
    )  # fmt: skip

    with torch.no_grad():
        found = net.body[:2](torch.cat([bgr, others], 1))
    assert torch.allclose(found[..., 1:, 1:], expected[..., 1:, 1:], atol=1e-4)
    last = [name for name in weights if name.endswith("weight")][-1]
    assert torch.equal(net.body.state_dict()[last], weights[last])


def test_weights_of_another_network_are_refused(imagenet):
    import torch

    from training.learning.import_network import import_imagenet
    from training.learning.networks import DieNet

    torch.save({"weight": torch.rand(8, 3, 3, 3)}, imagenet)
    with pytest.raises(ValueError, match=r"imagenet\.pth holds no weights of EfficientNet-Lite0"):
        import_imagenet(DieNet("deep"), imagenet)


def save_palms(net, path):
    """Write the body of a network that finds hands in the form of the palm detector of MediaPipe."""
    import flatbuffers
    import numpy as np
    import tflite
    from torch import nn

    kinds = tflite.BuiltinOperator
    codes = [kinds.DEQUANTIZE, kinds.CONV_2D, kinds.DEPTHWISE_CONV_2D, kinds.PRELU]
    file, tensors, buffers, operators = flatbuffers.Builder(), [], [], []

    def table(kind, **fields):
        getattr(tflite, f"{kind}Start")(file)
        for field, value in fields.items():
            getattr(tflite, f"{kind}Add{field}")(file, value)
        return getattr(tflite, f"{kind}End")(file)

    def vector(start, offsets):
        start(file, len(offsets))
        for offset in reversed(offsets):
            file.PrependUOffsetTRelative(offset)
        return file.EndVector()

    def add_operator(kind, *inputs):
        output = 999 + len(tensors)
        ins, outs = (file.CreateNumpyVector(np.int32(one)) for one in (inputs, [output]))
        operators.append(table("Operator", OpcodeIndex=codes.index(kind), Inputs=ins, Outputs=outs))
        return output

    def add_weights(values, axes=None):
        array = values.detach().numpy().transpose(axes).astype(np.float16)
        buffers.append(table("Buffer", Data=file.CreateByteVector(array.tobytes())))
        shape = file.CreateNumpyVector(np.int32(array.shape))
        tensors.append(table("Tensor", Shape=shape, Buffer=len(buffers) - 1))
        return add_operator(kinds.DEQUANTIZE, len(tensors) - 1)

    for layer in (one for part in (net.scales, net.side, net.mix) for one in part.modules()):
        if isinstance(layer, nn.PReLU):
            add_operator(kinds.PRELU, 0, add_weights(layer.weight.reshape(1, 1, -1)))
        elif isinstance(layer, nn.Conv2d):
            kernel = layer.weight[..., -5:, -5:]
            is_deep = layer.groups > 1
            kind = kinds.DEPTHWISE_CONV_2D if is_deep else kinds.CONV_2D
            filled = add_weights(kernel, (1, 2, 3, 0) if is_deep else (0, 2, 3, 1))
            add_operator(kind, 0, filled, 0 if is_deep else add_weights(layer.bias))
    graph = table(
        "SubGraph",
        Tensors=vector(tflite.SubGraphStartTensorsVector, tensors),
        Operators=vector(tflite.SubGraphStartOperatorsVector, operators),
    )
    made = [table("OperatorCode", DeprecatedBuiltinCode=code) for code in codes]
    model = table(
        "Model",
        OperatorCodes=vector(tflite.ModelStartOperatorCodesVector, made),
        Subgraphs=vector(tflite.ModelStartSubgraphsVector, [graph]),
        Buffers=vector(tflite.ModelStartBuffersVector, buffers),
    )
    file.Finish(model)
    path.write_bytes(file.Output())


def test_weights_of_the_palm_detector_see_the_same_in_an_image_with_its_channels_reversed(tmp_path):
    import torch

    from training.learning.import_network import import_palms
    from training.learning.networks import HandNet

    torch.manual_seed(8)
    palms, net = HandNet().eval(), HandNet().eval()
    with torch.no_grad():
        for weights in palms.parameters():
            if weights.shape[2:] == (6, 6):
                weights[:, :, 0] = weights[..., 0] = 0
    save_palms(palms, tmp_path / "palms.tflite")
    import_palms(net, tmp_path / "palms.tflite")
    bgr = torch.rand(1, 3, 96, 64)

    with torch.no_grad():
        assert torch.allclose(net.body(bgr), palms.body(bgr.flip(1)), atol=1e-3)
        assert not torch.allclose(net.body(bgr), palms.body(bgr), atol=1e-3)


def test_weights_of_another_detector_are_refused(tmp_path):
    from training.learning.import_network import import_palms
    from training.learning.networks import HandNet

    less = HandNet()
    less.mix = less.mix[:1]
    save_palms(less, tmp_path / "palms.tflite")
    with pytest.raises(ValueError, match=r"palms\.tflite is not the file palm_detection_full"):
        import_palms(HandNet(), tmp_path / "palms.tflite")


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


def test_a_trained_network_can_be_exported_as_a_mean_with_the_one_in_the_repository():
    import torch

    from training.learning.export import NETS, mix_with_exported
    from training.learning.import_network import import_network
    from training.learning.teach import new_network

    shown = torch.rand(4, 7, 64, 64)
    trained, mean = new_network("near"), new_network("near")
    mean.load_state_dict(trained.state_dict())
    torch.manual_seed(5)  # layers that are only used in training keep random weights
    exported = new_network("near")
    import_network(exported, NETS / "near.onnx", shown)

    torch.manual_seed(5)
    mix_with_exported(mean, "near", shown, 0.25)

    for new, old, mixed in zip(
        trained.parameters(), exported.parameters(), mean.parameters(), strict=True
    ):
        assert torch.allclose(mixed, 0.25 * new + 0.75 * old, atol=1e-5)
