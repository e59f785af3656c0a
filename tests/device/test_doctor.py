"""The doctor: every check on real files and sockets, every complaint with its remedy."""

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from device.doctor import board, keeping, lan, parts, troubles
from device.doctor.finding import Level
from device.doctor.machine import Machine
from device.doctor.patient import System, admit
from device.doctor.report import pack_report, without_secrets
from device.doctor.troubles import Trouble
from device.doctor.visit import CHECKS, as_json_text, as_text, examine
from device.settings import Settings
from game.journal import Journal
from game.match import Match
from game.rulefile import load

DOC = (Path(__file__).parents[2] / "docs" / "troubleshoot.md").read_text("utf-8")
TROUBLES = [value for value in vars(troubles).values() if isinstance(value, Trouble)]
COMMAND = [str(Path(sys.executable).with_name("traykeeper"))]


@pytest.fixture
def patient(tmp_path):
    """A machine of plain files, on which nothing is installed."""
    settings = Settings(state=str(tmp_path / "state"), port=0, host="127.0.0.1")
    return System(Machine(tmp_path), settings, None, None, None, installed=False)


def write(patient, path, text):
    file = patient.machine.path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Programs that answer as those of a Pi would."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def add(name, answer):
        program = folder / name
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
        program.chmod(0o755)

    return add


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.says)
def test_every_complaint_has_its_remedy_on_the_page(trouble):
    assert f"| {trouble.says} | {trouble.remedy} |" in DOC


def test_every_check_says_one_line_on_this_very_machine():
    findings = examine(admit())

    assert findings.keys() == CHECKS.keys()
    for found in findings.values():
        assert found.line
        assert "\n" not in found.line
        assert (found.trouble is not None) == (found.level in (Level.WARNING, Level.FAILED))
    assert len(json.loads(as_json_text(findings))["checks"]) == len(CHECKS)


def test_a_sensor_on_the_flat_cable_is_seen_by_its_drivers_name(patient, monkeypatch):
    monkeypatch.setattr(parts, "find_spec", lambda _: True)
    write(patient, "/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    assert parts.camera(patient).line == "no camera is seen"
    write(patient, "/sys/class/video4linux/v4l-subdev0/name", "imx708_wide\n")

    assert parts.camera(patient).line == "imx708_wide"
    monkeypatch.setattr(parts, "find_spec", lambda _: None)
    assert "picamera2 is not installed" in parts.camera(patient).line


def test_the_running_companions_word_on_its_camera_counts(patient):
    seeing = replace(patient, state={"situation": "no match", "camera": "imx708"})
    blind = replace(patient, state={"situation": "no match", "camera": None})

    assert parts.camera(seeing).line == "imx708"
    assert parts.camera(blind).level is Level.FAILED


def test_pins_without_their_library_are_named(patient, monkeypatch):
    assert parts.pins(patient).level is Level.SKIPPED
    write(patient, "/dev/gpiochip0", "")
    monkeypatch.setattr(parts, "find_spec", lambda _: None)
    assert "lgpio is not installed" in parts.pins(patient).line
    monkeypatch.setattr(parts, "find_spec", lambda _: True)
    assert "button GPIO17, lamp GPIO22, 23, 24" in parts.pins(patient).line


def test_a_service_without_its_groups_is_named(patient):
    assert parts.rights(patient).level is Level.SKIPPED
    if shutil.which("systemd-sysusers") and not parts._is_member("traykeeper", "gpio"):
        assert "not in video and gpio" in parts.rights(replace(patient, installed=True)).line


@pytest.mark.parametrize(
    ("mounts", "level"),
    [
        ("/dev/mmcblk0p2 / ext4 rw,noatime 0 0", Level.OK),
        ("/dev/mmcblk0p2 / ext4 ro,noatime 0 0", Level.FAILED),
        ("", Level.SKIPPED),
    ],
)
def test_a_card_that_turned_read_only_is_found(patient, mounts, level):
    write(patient, "/proc/mounts", mounts)

    assert board.disk(patient).level is level


def test_a_service_that_may_write_its_folder_alone_is_no_worn_card(patient):
    folder = board.existing(patient.folder)
    mounts = f"/dev/mmcblk0p2 / ext4 ro 0 0\n/dev/mmcblk0p2 {folder} ext4 {{}} 0 0"
    write(patient, "/proc/mounts", mounts.format("rw"))
    assert board.disk(patient).level is Level.OK
    write(patient, "/proc/mounts", mounts.format("ro"))
    assert board.disk(patient).level is Level.FAILED


def test_errors_that_ext4_counted_are_found(patient):
    write(patient, "/proc/mounts", "/dev/mmcblk0p2 / ext4 rw 0 0")
    write(patient, "/sys/fs/ext4/mmcblk0p2/errors_count", "3\n")

    assert board.disk(patient).line == "the disk has had errors (mmcblk0p2: 3)"


@pytest.mark.parametrize(
    ("answer", "level"),
    [("0x0", Level.OK), ("0x50000", Level.WARNING), ("0x50005", Level.FAILED)],
)
def test_a_weak_supply_is_found_now_and_since_the_start(patient, programs, answer, level):
    programs("vcgencmd", f"throttled={answer}")

    assert board.power(patient).level is level


def test_a_weak_supply_is_found_by_the_kernels_alarm_too(patient):
    write(patient, "/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")

    assert board.power(patient).line == "the power supply is too weak (now)"


@pytest.mark.parametrize(("milli", "level"), [("47250", Level.OK), ("82100", Level.WARNING)])
def test_heat_is_told_in_degrees(patient, milli, level):
    write(patient, "/sys/class/thermal/thermal_zone0/temp", milli)

    assert board.heat(patient).level is level


def test_a_clock_that_nobody_set_is_named(patient, programs):
    programs("timedatectl", "no")
    assert board.clock(patient).line.startswith("the clock is not set")
    programs("timedatectl", "yes")
    assert board.clock(patient).level is Level.OK


def test_a_guest_network_is_named_with_the_way_out(patient, programs):
    programs("iwgetid", "Huber Gäste")
    found = lan.wifi(patient)
    assert found.line == "this looks like a guest Wi-Fi, which keeps devices apart (Huber Gäste)"
    assert "Without Wi-Fi" in found.trouble.remedy

    programs("iwgetid", "Huber")
    programs("ip", '[{"dst": "192.168.1.7", "lladdr": "dc:a6:32:01:02:03"}]')
    assert lan.wifi(patient).line == "Huber, one other device seen"


def test_no_address_means_no_network(patient, programs):
    programs("ip", "[]")
    assert lan.network(patient).level is Level.FAILED
    programs("ip", '[{"addr_info": [{"local": "192.168.1.5"}]}]')
    assert lan.network(patient).line == "192.168.1.5"


def test_a_name_that_another_device_has_is_told(patient, programs):
    programs("busctl", f's "{socket.gethostname()}.local"')
    assert lan.name(patient).level is Level.OK
    programs("busctl", f's "{socket.gethostname()}-2.local"')
    assert "another device has this name too" in lan.name(patient).line


def test_a_port_that_somebody_else_has_is_named(patient):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = replace(patient.settings, port=other.getsockname()[1])
        found = lan.port(replace(patient, settings=taken))

    assert found.line == f"the port is used by another program ({taken.port})"
    assert lan.port(patient).level is Level.OK


def test_a_damaged_journal_is_found(patient):
    path = patient.folder / "journal.db"
    with closing(Journal.open(path)) as journal:
        journal.start(Match.start(load("zilch"), ["Anna", "Ben"]))
    assert keeping.journal(patient).line == f"1 matches in {path}"
    path.write_bytes(b"no journal at all" * 500)
    assert keeping.journal(patient).level is Level.FAILED


def test_a_service_that_was_started_anew_is_told(patient, programs):
    here = replace(patient, installed=True)
    programs("systemctl", "ActiveState=active\nNRestarts=2")
    assert keeping.service(here).line == "the service had to be restarted (2 times)"
    programs("systemctl", "ActiveState=failed\nNRestarts=0")
    assert keeping.service(here).level is Level.FAILED


def test_settings_that_do_not_hold_are_one_failed_line(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("prot = 80\n")
    done = subprocess.run(
        [*COMMAND, "doctor", "--json", "--settings", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    told = {check["check"]: check for check in json.loads(done.stdout)["checks"]}

    assert done.returncode == 1
    assert "did you mean 'port'?" in told["settings"]["line"]
    assert told["settings"]["remedy"] == troubles.BAD_SETTINGS.remedy


def test_the_report_holds_no_secret_no_name_and_no_picture(patient, programs, tmp_path):
    programs("journalctl", "GET /?token=s3cret from dc:a6:32:01:02:03, PIN: 4711")
    found = as_text({"heat": board.heat(patient)})
    pack_report(tmp_path / "report.zip", patient, found, pictures=False)
    with ZipFile(tmp_path / "report.zip") as report:
        names = report.namelist()
        log = report.read("log.txt").decode()
        system = report.read("system.txt").decode()

    assert names == ["doctor.txt", "settings.toml", "system.txt", "log.txt", "service.txt"]
    assert log == "GET /?token=*** from **:**:**:**:**:**, PIN: ***"
    assert "numpy" in system


@pytest.mark.parametrize("word", ["password=hunter2", "'psk': 'hunter2'", "secret: hunter2"])
def test_secrets_are_blotted_out_however_they_are_written(word):
    assert "hunter2" not in without_secrets(word)


def test_pictures_go_in_only_with_a_report(tmp_path):
    done = subprocess.run(
        [*COMMAND, "doctor", "--pictures"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--zip report.zip" in done.stderr
    nowhere = str(tmp_path / "no" / "report.zip")
    done = subprocess.run(
        [*COMMAND, "doctor", "--zip", nowhere], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no report can be written there" in done.stderr
