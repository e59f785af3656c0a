import cv2
import pytest
from click.testing import CliRunner

from device.cli import cli
from vision.networks import installed_engines


@pytest.fixture(autouse=True)
def _one_thread_afterwards():
    yield
    cv2.setNumThreads(1)


def test_vision_times_a_reading_and_a_reference_pass_with_the_given_threads():
    done = CliRunner().invoke(cli, ["bench", "vision", "--runs", "1", "--threads", "2"])
    head, *lines = done.output.splitlines()

    assert done.exit_code == 0, done.output
    assert head.split()[:6] == ["picture", "read", "ms", "pass", "ms", "ratio"]
    assert head.endswith("six dice, median of 1, 2 threads")
    assert [(line[:24].strip(), line.split()[-1]) for line in lines] == [
        (f"{size}{knowledge}", engine)
        for size in ("1536x864", "640x360")
        for engine in installed_engines()
        for knowledge in ("", ", tray known", ", table known")
    ]
    assert all(float(n) > 0 for line in lines for n in line[24:].split()[:-1])
    assert cv2.getNumThreads() == 2
