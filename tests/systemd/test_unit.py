"""The unit file, as systemd reads and rates it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNIT = SYSTEMD / "traykeeper.service"
EXPOSURE = 2.5
PORT_80 = (
    "[Service]\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"
    "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n"
)

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def drop_in(port, voice, state):
    """Return the drop-in that the installer writes for these settings."""
    install = SYSTEMD / "install"
    lines = install.read_text().partition("\ncase $mode in\n")[0]
    command = ["bash", "-c", f"{lines}\ndrop_in {port} {voice} '{state}'", install]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exposure(unit):
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"exposure level for \S+: ([\d.]+)", text)[1])


@needs_systemd
@pytest.mark.parametrize("state", ["", "/media/my disk"], ids=["usual", "matches elsewhere"])
def test_systemd_knows_every_line_of_the_unit(state, tmp_path):
    """systemd-analyze exits with 0 for an unknown key, but prints a warning."""
    unit = tmp_path / UNIT.name
    text = UNIT.read_text().replace("/opt/traykeeper/current/systemd/launch", "/bin/true")
    unit.write_text(text)
    extra = tmp_path / f"{UNIT.name}.d/install.conf"
    extra.parent.mkdir()
    extra.write_text(drop_in(80, "true", state))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if str(tmp_path) in line]

    assert complaints == []
    assert done.returncode == 0


@needs_systemd
@pytest.mark.parametrize("extra", ["", PORT_80], ids=["port 8000", "port 80"])
def test_the_exposure_of_the_service_is_low(extra, tmp_path):
    unit = tmp_path / UNIT.name
    unit.write_text(f"{UNIT.read_text()}\n{extra}")

    assert exposure(unit) < EXPOSURE


def test_the_unit_keeps_the_options_that_experience_has_shown_necessary():
    lines = UNIT.read_text().splitlines()

    assert "Type=notify" in lines
    assert "WorkingDirectory=/run/traykeeper" in lines  # lgpio's pipes
    assert "SupplementaryGroups=video gpio" in lines
    assert not any(line.startswith(("PrivateDevices=", "ProcSubset=")) for line in lines)
    (after,) = (line for line in lines if line.startswith("After="))
    assert "avahi-daemon.service" in after
    assert not any("network-online.target" in line for line in lines if not line.startswith("#"))
    assert "ProtectHostname=yes" not in lines  # the page must answer under a new name


@pytest.mark.parametrize(("made_for", "status"), [("python3.99", 2), ("", 0)])
def test_a_release_for_another_python_says_in_one_line_what_to_run(tmp_path, made_for, status):
    python = Path(os.path.realpath(sys.executable))
    (tmp_path / "systemd").mkdir()
    shutil.copy(SYSTEMD / "launch", tmp_path / "systemd")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(python)
    (tmp_path / "lib" / (made_for or python.name)).mkdir(parents=True)
    program = tmp_path / "bin/traykeeper"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    command = tmp_path / "traykeeper"
    command.symlink_to(tmp_path / "systemd/launch")
    done = subprocess.run([command, "play", "--x"], capture_output=True, text=True, check=False)

    assert done.returncode == status
    assert done.stdout == ("" if status else "play --x\n")
    assert done.stderr == (
        "traykeeper: it was installed for python3.99, which this system no longer has: "
        "run the installer again (sudo ./systemd/install)\n"
        if status
        else ""
    )


def test_the_user_is_in_exactly_two_groups():
    members = re.findall(
        r"^m traykeeper (\S+)$", (SYSTEMD / "traykeeper.sysusers").read_text(), re.MULTILINE
    )

    assert sorted(members) == ["gpio", "video"]
