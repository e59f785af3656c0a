"""The unit file, as systemd reads and rates it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNIT = SYSTEMD / "traykeeper.service"
EXPOSURE = 2.5
PORT_80 = (
    "[Service]\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"
    "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n"
)
ELSEWHERE = '[Service]\nReadWritePaths="-/media/my disk"\n'

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def exposure(unit):
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"exposure level for \S+: ([\d.]+)", text)[1])


@needs_systemd
@pytest.mark.parametrize("extra", ["", ELSEWHERE], ids=["usual", "matches elsewhere"])
def test_systemd_knows_every_line_of_the_unit(extra, tmp_path):
    """systemd-analyze exits with 0 for an unknown key, but prints a warning."""
    unit = tmp_path / UNIT.name
    text = UNIT.read_text().replace("/opt/traykeeper/current/bin/traykeeper", "/bin/true")
    unit.write_text(f"{text}\n{extra}")
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if UNIT.name in line]

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
    assert "network-online.target" in after


def test_the_user_is_in_exactly_two_groups():
    members = re.findall(
        r"^m traykeeper (\S+)$", (SYSTEMD / "traykeeper.sysusers").read_text(), re.MULTILINE
    )

    assert sorted(members) == ["gpio", "video"]
