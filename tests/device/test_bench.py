import re

import cv2
import pytest
from click.testing import CliRunner

from device import bench
from device.cli import cli
from device.machine_fit import load
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module", autouse=True)
def _answers_remembered():
    """Run the networks for every input, because benchmarks time them."""


@pytest.fixture
def quick(monkeypatch):
    """Measure for a few seconds instead of a minute."""
    for name in ("READS", "PHONES", "SECONDS"):
        monkeypatch.setattr(bench, name, 2)
    monkeypatch.setattr(bench, "GRACE_S", PATIENCE_S)
    yield
    cv2.setNumThreads(1)


def report(*words):
    done = CliRunner().invoke(cli, ["bench", "fit", *words])

    assert done.exit_code == 0, done.output
    return done.output


def test_fit_prints_what_to_expect_and_which_settings_to_use(quick, tmp_path):
    output = report("--keep", "--state", str(tmp_path))
    fit = load(tmp_path)

    assert re.search(
        r"^press to reading: \d+\.\d s after the dice have stopped, ", output, re.MULTILINE
    )
    assert re.search(r"^phones: .*\d+ are updated within 0\.5 s$", output, re.MULTILINE)
    assert re.search(
        r"^memory: at most \d+ MB .* plus 130 MB for the system, of \d+ MB", output, re.MULTILINE
    )
    assert f'picture = "{fit.picture_px}", threads = "{fit.threads}"' in output
    assert re.search(r"^picture +1 thread +2 threads.* memory$", output, re.MULTILINE)
    for width_px in (2304, 1536, 1152):
        assert re.search(rf"^{width_px}( +\d+\.\d\d s)+ +\d+ MB$", output, re.MULTILINE)


@pytest.mark.parametrize(
    ("memory_mb", "picture_px", "expected"),
    [
        (3800.0, 2304, "of 3800 MB\n"),
        (420.0, 1536, "of 420 MB: not enough for larger pictures\n"),
        (256.0, 1152, "of 256 MB: not enough, stop other programs\n"),
    ],
)
def test_fit_rules_out_pictures_that_need_too_much_memory_and_says_so(
    memory_mb, picture_px, expected, monkeypatch
):
    reads_s = {(width_px, 1): 0.1 for width_px in (2304, 1536, 1152)}
    peaks_mb = {2304: 270.0, 1536: 260.0, 1152: 250.0}
    monkeypatch.setattr(bench, "_phone_s", lambda: 0.002)
    monkeypatch.setattr(bench, "_reads", lambda: (reads_s, peaks_mb))
    monkeypatch.setattr(bench.fits, "total_memory_mb", lambda: memory_mb)
    output = report()

    assert expected in output
    assert f'best settings: picture = "{picture_px}"' in output
