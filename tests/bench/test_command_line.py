import pytest
from click.testing import CliRunner

from device.cli import cli, main
from device.commands import bench


@pytest.mark.parametrize("name", bench.DEVELOPER_BENCHMARKS)
def test_every_benchmark_is_a_command_in_a_checkout(name):
    done = CliRunner().invoke(cli, ["bench", name, "--help"])

    assert done.exit_code == 0, done.output
    assert f"traykeeper bench {name}" in done.output


def test_an_installed_package_without_the_benchmarks_says_where_they_are(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    with pytest.raises(SystemExit) as exited:
        main(["bench", "vision"])

    assert exited.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("traykeeper: bench vision: this benchmark is not part of the installed")
    assert "make bench" in line


def test_an_installed_package_without_the_benchmarks_still_shows_the_help(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    done = CliRunner().invoke(cli, ["bench", "--help"])

    assert done.exit_code == 0, done.output
    assert "traykeeper bench fit" in done.output
