import re

import cv2
import pytest
from click.testing import CliRunner

from device.bench import fit as bench
from device.cli import cli
from device.machine_fit import kept


@pytest.fixture
def quick(monkeypatch):
    """A few seconds instead of a minute."""
    for name in ("READS", "PHONES", "SECONDS"):
        monkeypatch.setattr(bench, name, 2)
    yield
    cv2.setNumThreads(1)


def report(*words):
    done = CliRunner().invoke(cli, ["bench", "fit", *words])

    assert done.exit_code == 0, done.output
    return done.output


def test_it_says_what_to_expect_and_what_to_set(quick, tmp_path):
    said = report("--keep", "--state", str(tmp_path))
    fit = kept(tmp_path)

    assert re.search(r"^press to reading: \d+\.\d s after the dice stopped, ", said, re.MULTILINE)
    assert re.search(r"^phones: .*\d+ are told within 0\.5 s$", said, re.MULTILINE)
    assert re.search(r"^memory: \d+ MB at most .* and 130 beside it, of \d+ MB", said, re.MULTILINE)
    assert f'picture = "{fit.picture_px}", threads = "{fit.threads}"' in said
    assert re.search(r"^picture +1 thread +2 threads.* memory$", said, re.MULTILINE)
    for width_px in (2304, 1536, 1152):
        assert re.search(rf"^{width_px}( +\d+\.\d\d s)+ +\d+ MB$", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("memory_mb", "picture_px", "told"),
    [
        (3800.0, 2304, "of 3800 MB\n"),
        (420.0, 1536, "of 420 MB: larger pictures have no room\n"),
        (256.0, 1152, "of 256 MB: too little, switch off what else runs here\n"),
    ],
)
def test_what_has_no_room_is_not_chosen_and_said(memory_mb, picture_px, told, monkeypatch):
    reads_s = {(width_px, 1): 0.1 for width_px in (2304, 1536, 1152)}
    peaks_mb = {2304: 270.0, 1536: 260.0, 1152: 250.0}
    monkeypatch.setattr(bench, "_phone_s", lambda: 0.002)
    monkeypatch.setattr(bench, "_reads", lambda: (reads_s, peaks_mb))
    monkeypatch.setattr(bench.fits, "memory_mb_here", lambda: memory_mb)
    said = report()

    assert told in said
    assert f'what suits it: picture = "{picture_px}"' in said
