"""Networks run in OpenCV, or in ONNX Runtime after a check that it gives the same answers."""

import json
from importlib.metadata import version
from importlib.resources import files
from threading import Thread
from weakref import ref

import numpy as np
import pytest

from vision import networks
from vision.networks import CHECKED_SHAPES, MAX_DIFFERENCE, choose_engine, differences, run


@pytest.fixture(autouse=True)
def _opencv_afterwards():
    yield
    networks.use_engine("opencv")


@pytest.fixture
def installed(monkeypatch):
    """Pretend that ONNX Runtime is installed, and count its checks."""
    checks = []
    monkeypatch.setattr(networks, "find_spec", lambda _: True)
    monkeypatch.setattr(networks, "_version", lambda _: "1.2.3")
    monkeypatch.setattr(networks, "import_module", lambda _: None)
    monkeypatch.setattr(
        networks, "_passes_check", lambda engine: bool(checks.append(engine)) or True
    )
    return checks


def test_every_network_of_vision_and_calibration_is_checked():
    found = {
        (room, path.name.removesuffix(".onnx"))
        for room in ("vision", "calibration")
        for path in files(room).joinpath("nets").iterdir()
        if path.name.endswith(".onnx")
    }

    assert set(CHECKED_SHAPES) == found


def test_without_onnx_runtime_opencv_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(networks, "find_spec", lambda _: None)

    assert choose_engine(tmp_path / "engine.json") == "opencv"
    assert not (tmp_path / "engine.json").exists()


def test_onnx_runtime_is_checked_once_and_again_after_an_update(tmp_path, monkeypatch, installed):
    record = tmp_path / "engine.json"

    assert choose_engine(record) == choose_engine(record) == "onnxruntime"
    assert len(installed) == 1

    monkeypatch.setattr(networks, "_version", lambda _: "1.2.4")
    choose_engine(record)
    assert len(installed) == 2


def test_onnx_runtime_is_checked_again_on_another_processor(tmp_path, monkeypatch, installed):
    record = tmp_path / "engine.json"
    choose_engine(record)
    monkeypatch.setattr(networks, "_processor_crc", lambda: 1)
    choose_engine(record)

    assert len(installed) == 2


def test_dice_are_still_read_if_onnx_runtime_is_damaged_after_its_check(
    tmp_path, monkeypatch, installed
):
    record = tmp_path / "engine.json"
    choose_engine(record)
    networks.use_engine("opencv")

    def damaged(name):
        raise ImportError(name)

    monkeypatch.setattr(networks, "import_module", damaged)

    assert choose_engine(record) == "opencv"
    assert run("near", np.zeros(CHECKED_SHAPES["vision", "near"], np.float32)).shape[0] == 3


def test_a_folder_named_like_onnx_runtime_is_not_an_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(networks, "find_spec", lambda _: True)
    monkeypatch.setattr(networks, "_version", lambda _: version("no-such-package"))

    assert choose_engine(tmp_path / "engine.json") == "opencv"


def test_the_networks_of_a_thread_are_freed_when_it_ends(monkeypatch):
    class Network:
        def __call__(self, inputs):
            return inputs

    made = []

    def new(*_):
        network = Network()
        made.append(ref(network))
        return network

    monkeypatch.setattr(networks, "_new_network", new)
    inputs = np.zeros((1, 7, 64, 64), np.float32)
    for _ in range(2):
        thread = Thread(target=run, args=("near", inputs))
        thread.start()
        thread.join()

    assert len(made) == 2
    assert [each() for each in made] == [None, None]


def test_an_engine_that_fails_its_check_is_not_used(tmp_path, monkeypatch, installed):
    monkeypatch.setattr(networks, "_passes_check", lambda _: False)
    record = tmp_path / "engine.json"

    assert choose_engine(record) == choose_engine(record) == "opencv"
    assert json.loads(record.read_text())["is_same"] is False


def test_no_engine_is_checked_if_the_companion_stops_before(tmp_path, installed):
    record = tmp_path / "engine.json"

    assert choose_engine(record, lambda: False) == "opencv"
    assert not installed
    assert not record.exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"versions": 3}'])
def test_a_damaged_record_repeats_the_check(tmp_path, installed, text):
    record = tmp_path / "engine.json"
    record.write_text(text)

    assert choose_engine(record) == "onnxruntime"
    assert len(installed) == 1


def test_a_record_that_cannot_be_written_does_no_harm(tmp_path, installed):
    assert choose_engine(tmp_path / "missing" / "engine.json") == "onnxruntime"


def test_an_engine_that_crashes_fails_its_check(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")

    assert not networks._passes_check("onnxruntime")


def test_onnx_runtime_gives_the_answers_of_opencv():
    pytest.importorskip("onnxruntime")

    assert max(difference for _, difference in differences("onnxruntime")) <= MAX_DIFFERENCE


def test_onnx_runtime_accepts_frames_of_any_size():
    pytest.importorskip("onnxruntime")
    for size in ((96, 160), (448, 576), (640, 32)):
        inputs = np.zeros((1, 3, *size), np.float32)
        expected = run("finder_alone", inputs)
        networks.use_engine("onnxruntime")

        assert np.allclose(run("finder_alone", inputs), expected, atol=MAX_DIFFERENCE)
        networks.use_engine("opencv")
