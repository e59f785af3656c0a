"""A picamera2 that cannot be used is reported in one sentence with the remedy, and dice are not simulated instead."""

import json
import subprocess
import sys
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar
from signal import SIGTERM
from urllib.request import urlopen

import pytest

from device.cli import main
from tests.campaigns.phone import COMMAND, Played
from tests.waiting import PATIENCE_S, until

LIBRARY = "/usr/lib/python3/dist-packages/libcamera/_libcamera.so"

BROKEN = {
    "a library that does not fit": (
        f"raise ImportError('{LIBRARY}: undefined symbol: _ZN9libcamera8controls6AeModeE')",
        f"picamera2 cannot be loaded ({LIBRARY}: undefined symbol: _ZN9libcamera8controls6AeModeE)",
        "run `sudo apt full-upgrade`",
    ),
    "another numpy": (
        "raise ValueError('numpy.dtype size changed: expected 96 from C header,\\n got 88')",
        "picamera2 cannot be loaded (numpy.dtype size changed: expected 96 from C header, got 88)",
        "run `sudo apt full-upgrade`",
    ),
    "libcamera does not start": (
        "class Picamera2:\n    def global_camera_info(): raise RuntimeError('no manager')",
        "libcamera cannot list the cameras (no manager)",
        "run `sudo apt full-upgrade`",
    ),
    "a missing part": (
        "import libcamera_of_this_picamera2",
        "picamera2 or a part of it is not installed (No module named 'libcamera_of_this_picamera2')",
        "run `sudo apt install python3-picamera2",
    ),
    "no camera": (
        "class Picamera2:\n    def global_camera_info(): return []",
        "no camera found",
        "check both ends of the ribbon cable",
    ),
}


@pytest.fixture(params=BROKEN)
def sentence(request, tmp_path, monkeypatch):
    """A picamera2 that fails in one way; return how the sentence about it begins, and its remedy."""
    code, begins, remedy = BROKEN[request.param]
    library = tmp_path / "library"
    (library / "picamera2").mkdir(parents=True)
    (library / "picamera2" / "__init__.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(library))
    monkeypatch.syspath_prepend(library)
    yield begins, remedy
    sys.modules.pop("picamera2", None)


@contextmanager
def played(tmp_path):
    """A table that is started with `--camera auto`, and the file with its messages."""
    with (tmp_path / "stderr").open("w") as stderr:
        table = Played(tmp_path / "state", CookieJar(), "--camera", "auto", stderr=stderr)
        try:
            yield table
        finally:
            table.process.send_signal(SIGTERM)
            table.process.communicate(timeout=PATIENCE_S)
    assert table.process.returncode == 0


def says(text, sentence):
    """Return whether a text contains the sentence, and no traceback."""
    return all(words in text for words in sentence) and "Traceback" not in text


def test_every_part_says_what_to_do_and_nobody_simulates_dice(sentence, tmp_path, capsys):
    settings = tmp_path / "settings.toml"
    with played(tmp_path) as table:
        settings.write_text(f'port = {table.port}\nstate = "{tmp_path}/state"\n')
        state = until(lambda: "No camera" in (state := table.state())["message"] and state)
        with urlopen(f"http://localhost:{table.port}/healthz") as answer:
            health = json.load(answer)
        running = doctors_line(settings, capsys)
        assert table.post("match", names=["Anna", "Ben"])["players"]
    stopped = doctors_line(settings, capsys)

    assert not state["simulated"]
    assert state["camera"] is None
    assert says(state["message"], sentence)
    assert health["status"] == "warning"
    assert [says(trouble["line"], sentence) for trouble in health["troubles"]] == [True]
    assert says((tmp_path / "stderr").read_text(), sentence)
    assert says((tmp_path / "state" / "log.txt").read_text(), sentence)
    assert says(running, sentence)
    assert running == stopped


def doctors_line(settings, capsys):
    with suppress(SystemExit):
        main(["doctor", "--json", "--settings", str(settings)])
    checks = json.loads(capsys.readouterr().out)["checks"]
    (camera,) = (check for check in checks if check["check"] == "camera")
    assert camera["level"] == "failed"
    return camera["line"]


def test_the_list_of_cameras_says_it_in_one_line(sentence):
    done = subprocess.run([COMMAND, "cameras"], capture_output=True, text=True, check=False)

    if sentence[0] != "no camera found":
        (line,) = done.stderr.splitlines()
        assert says(line, sentence)
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.usefixtures("sentence")
@pytest.mark.parametrize("sentence", ["another numpy"], indirect=True)
def test_dice_are_simulated_if_somebody_asks_for_it(tmp_path):
    table = Played(tmp_path, CookieJar(), "--camera", "sim")
    try:
        assert table.state()["simulated"]
    finally:
        table.kill()
        table.gone()
