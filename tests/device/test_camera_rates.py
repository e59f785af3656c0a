from click.testing import CliRunner

from device import bench
from device.cli import cli


def test_the_rates_that_a_machine_can_follow_are_printed_for_each_size(monkeypatch):
    monkeypatch.setattr(bench, "DECODED", 3)
    monkeypatch.setattr(bench, "median_ms", lambda work, runs, clock: (work() is None) + 40.0)
    monkeypatch.setattr(bench, "_video_ms", lambda images: 25.0 * len(images))
    done = CliRunner().invoke(cli, ["bench", "camera"])

    lines = done.output.splitlines()
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in lines[1:4]] == ["1920x1080", "1280x720", "640x360"]
    assert lines[1].split()[1:] == ["40.0", "ms", "40.0", "ms", "10/s", "75.0", "ms", "5/s"]


def test_a_real_measurement_names_a_rate(monkeypatch):
    monkeypatch.setattr(bench, "DECODED", 2)
    monkeypatch.setattr(bench, "STREAM_WIDTHS_PX", (640,))
    done = CliRunner().invoke(cli, ["bench", "camera"])

    assert "640x360" in done.output
    assert "/s" in done.output
