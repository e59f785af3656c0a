"""Training of one network: which weights it starts with, and which answers its answers should resemble."""

import argparse
from pathlib import Path

import numpy as np
import pytest

NETS = Path(__file__).parents[2] / "vision" / "nets"

COUNT = 32


@pytest.fixture
def samples():
    """Return samples of one die with random pixels and labels, as arrays."""
    from training.learning.samples.die_samples import NUMBER_NAMES

    rng = np.random.default_rng(4)

    def some_bytes(*shape):
        return rng.integers(0, 256, (COUNT, *shape)).astype(np.uint8)

    numbers = rng.random((COUNT, len(NUMBER_NAMES))).astype(np.float32)
    numbers[:, NUMBER_NAMES.index("value")] = rng.integers(0, 7, COUNT)
    return {
        "pixels": some_bytes(3, 64, 64), "flat": some_bytes(64, 64), "parts": some_bytes(3, 16, 16), "numbers": numbers,
    }  # fmt: skip


def trainer_of(kind, **changes):
    from training.learning.teach import Trainer

    usual = {"kind": kind, "rate": 1e-3, "steps": 100, "device": "cpu", "half": False, "vary": False, "resemble": None}  # fmt: skip
    return Trainer(argparse.Namespace(**usual | changes))


def test_wide_can_start_with_the_layers_of_deep(samples):
    import torch

    from training.learning.import_network import import_network
    from training.learning.losses import die_batch_input, to_device
    from training.learning.networks import DieNet

    trainer = trainer_of("wide")
    trainer.load_exported(NETS / "deep.onnx", samples)
    deep = DieNet("deep")
    import_network(
        deep, NETS / "deep.onnx", die_batch_input(to_device(samples, torch.device("cpu")))
    )

    started, expected = trainer.net.state_dict(), deep.state_dict()
    exported = [name for name in started if name.startswith(("body", "neck", "out"))]
    assert all(torch.equal(started[name], expected[name]) for name in exported)
    assert {name.split(".")[0] for name in expected.keys() - started.keys()} == {"view"}


@pytest.mark.parametrize(
    ("kind", "begin"), [("near", "change"), ("finder", "near"), ("wide", "finder")]
)
def test_a_network_cannot_start_with_the_weights_of_other_layers(kind, begin, monkeypatch, capsys):
    from training.learning import teach

    words = ["teach", kind, "out", "--rests", "rests", "--from", str(NETS / f"{begin}.onnx")]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit):
        teach.main()

    assert f"{kind} has other layers than {begin}.onnx; omit --from" in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("option", ["--from", "--resemble"])
@pytest.mark.parametrize("name", ["vision/nets", "nothing.onnx"])
def test_a_network_that_is_not_a_file_is_refused_before_any_work(option, name, monkeypatch, capsys):
    from training.learning import teach

    monkeypatch.setattr("sys.argv", ["teach", "near", "out", "--rests", "rests", option, name])
    with pytest.raises(SystemExit):
        teach.main()

    assert f"{name} is not a file; name one exported network" in capsys.readouterr().err
    assert not Path("out").exists()


def test_the_answers_in_training_come_closer_to_those_that_they_should_resemble(samples):
    samples["numbers"][:] = 0  # without labels, only the other network's answers count
    trainer = trainer_of("near", resemble=NETS / "near.onnx", rate=1e-2)
    losses = [trainer.train_step(samples)["anchor"] for _ in range(30)]

    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("option", ["--vary", f"--resemble={NETS / 'near.onnx'}"])
def test_options_for_networks_that_read_one_die_are_refused_for_others(option, monkeypatch, capsys):
    from training.learning import teach

    monkeypatch.setattr("sys.argv", ["teach", "finder", "out", "--rests", "rests", option])
    with pytest.raises(SystemExit):
        teach.main()

    assert "only for networks that read one die" in capsys.readouterr().err


def test_each_channel_is_filtered_in_32_bits_on_a_cpu():
    import torch

    from training.learning.networks import DepthwiseConv

    filtered = DepthwiseConv(8, 8, 3, groups=8)
    with torch.autocast("cpu", torch.bfloat16):
        assert filtered(torch.rand(1, 8, 6, 6)).dtype == torch.float32


def test_the_finder_alone_learns_from_the_same_samples_without_the_empty_tray():
    from training.learning.samples.sample_stream import make_samples
    from training.learning.samples.tray_views import cast_evening
    from training.scenes.kept_out import Purpose

    view = cast_evening(3, Purpose.TEACH, empty=True)
    samples = make_samples(view, np.random.default_rng(1), 8, "finder_alone")
    assert samples["known"].any()
    losses = [
        trainer_of("finder_alone").train_step(changed)
        for changed in (samples, samples | {"empty": 255 - samples["empty"]})
    ]

    assert losses[0] == losses[1]
    trainer = trainer_of("finder_alone")
    heat = [trainer.train_step(samples)["heat"] for _ in range(20)]
    assert heat[-1] < heat[0]
