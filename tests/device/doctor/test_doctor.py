"""The doctor: every check on real files and sockets, and every problem with its remedy."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import replace
from errno import EACCES
from pathlib import Path
from threading import Event
from time import monotonic
from zipfile import ZipFile

import numpy as np
import pytest

from device.cameras import camera_opener
from device.cameras.base import Frame
from device.cli import main
from device.commands import doctor
from device.commands.doctor import CHECKS, examine, findings_as_text, pack_report, redacted
from device.doctor import checks, problems
from device.doctor import system as doctor_system
from device.doctor.problems import Level, Trouble
from device.doctor.system import Machine, System, open_system
from device.settings import SYSTEM_FILE, Settings
from game.journal.journal import Journal
from game.match.match import Match
from game.rules.rule_files import load
from tests.waiting import PATIENCE_S

DOC = (Path(__file__).parents[3] / "docs" / "troubleshoot.md").read_text("utf-8")
TROUBLES = [value for value in vars(problems).values() if isinstance(value, Trouble)]
ANYBODY = 65534
COMMAND = [str(Path(sys.executable).with_name("traykeeper"))]


@pytest.fixture
def system(tmp_path):
    """A machine made of plain files, on which nothing is installed."""
    settings = Settings(state=str(tmp_path / "state"), port=0, host="127.0.0.1")
    return System(Machine(tmp_path), settings, None, None, None, installed=False)


def write(system, path, text):
    file = system.machine.path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Programs that answer like those of a Pi."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def add(name, answer):
        program = folder / name
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
        program.chmod(0o755)

    return add


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: str(trouble.says))
def test_every_problem_has_its_remedy_on_the_page(trouble):
    assert f"| {trouble.says} | {trouble.remedy} |" in DOC


def test_every_check_prints_one_line_on_this_machine():
    findings = examine(open_system())

    assert findings.keys() == CHECKS.keys()
    for found in findings.values():
        assert str(found.line)
        assert "\n" not in str(found.line)
        assert (found.trouble is not None) == (found.level in (Level.WARNING, Level.FAILED))
    json.dumps([found.to_json(name) for name, found in findings.items()])


class OneFrame:
    """A camera that shows one image again and again."""

    name = "imx708"

    def __init__(self, image):
        self.image, self.is_open = image, True

    def capture(self):
        return Frame(self.image, monotonic())

    def close(self):
        self.is_open = False


def with_camera(system, open_it, camera="picamera2"):
    machine = replace(system.machine, camera_opener=lambda _: open_it)
    return replace(system, machine=machine, settings=replace(system.settings, camera=camera))


def test_without_a_companion_the_doctor_takes_a_picture_and_closes_the_camera(system):
    shown = OneFrame(np.random.default_rng(1).integers(0, 255, (90, 160, 3), np.uint8))
    found = checks.camera(with_camera(system, lambda: shown))

    assert (found.level, str(found.line)) == (Level.OK, "imx708")
    assert not shown.is_open


def test_a_camera_that_does_not_open_shows_nothing_or_hangs_is_a_failure(system, monkeypatch):
    monkeypatch.setattr(checks, "HUNG_S", 0.1)
    black, hanging = OneFrame(np.zeros((90, 160, 3), np.uint8)), Event()
    found = [
        checks.camera(with_camera(system, camera_opener("usb:97"), "usb:97")),
        checks.camera(with_camera(system, lambda: hanging.wait() and black)),
    ]
    hanging.set()
    monkeypatch.setattr(checks, "HUNG_S", PATIENCE_S)
    found.append(checks.camera(with_camera(system, lambda: black)))

    assert {each.level for each in found} == {Level.FAILED}
    assert "/dev/video97" in str(found[0].line)
    assert "not responding" in str(found[1].line)
    assert "black" in str(found[2].line)


def test_cameras_that_need_no_hardware_are_not_opened(system):
    lines = [
        str(checks.camera(with_camera(system, pytest.fail, camera)).line)
        for camera in ("sim:green", "phone")
    ]

    assert lines == ["not needed: sim:green", "not needed: phone"]


@pytest.mark.parametrize(
    ("answer", "level"),
    [
        ("17: ip    pu | lo // GPIO17 = input", Level.WARNING),
        ("17: ip    pu | hi // GPIO17 = input", Level.OK),
        ("17: no    pd | lo // GPIO17 = none", Level.OK),
    ],
)
def test_a_button_that_is_down_is_found(system, programs, monkeypatch, answer, level):
    monkeypatch.setattr(checks, "find_spec", lambda _: True)
    write(system, "/dev/gpiochip0", "")
    programs("pinctrl", answer)

    assert checks.pins(system).level is level


def test_the_report_reduces_the_address_of_a_network_camera():
    hidden = redacted('camera = "rtsp://me:secret@10.0.0.7/live?pw=secret"')

    assert hidden == 'camera = "rtsp://10.0.0.7:554"'


def test_the_running_companion_reports_its_own_camera(system):
    seeing = replace(system, state={"situation": "no match", "camera": "imx708"})
    blind = replace(system, state={"situation": "no match", "camera": None})

    assert str(checks.camera(seeing).line) == "imx708"
    assert checks.camera(blind).level is Level.FAILED


def test_pins_that_the_running_companion_cannot_use_are_a_warning(system, monkeypatch):
    """The checks of the chip and its library find nothing."""
    write(system, "/dev/gpiochip0", "")
    monkeypatch.setattr(checks, "find_spec", lambda _: True)
    said = {"check": "lamp", "level": "ok", "line": "no problems"}
    monkeypatch.setattr(checks, "fetch", lambda _: [said])
    running = replace(system, state={"situation": "no match", "camera": None})
    assert checks.pins(running).level is Level.OK
    said |= {"level": "warning", "line": "the button has failed (no permission)"}
    found = checks.pins(running)

    assert (found.level, str(found.line)) == (
        Level.WARNING,
        "the button has failed (no permission)",
    )
    assert found.trouble is problems.LAMP_FAILED


def test_pins_without_their_library_are_a_failure(system, monkeypatch):
    assert checks.pins(system).level is Level.SKIPPED
    write(system, "/dev/gpiochip0", "")
    monkeypatch.setattr(checks, "find_spec", lambda _: None)
    assert checks.pins(system).level is Level.SKIPPED
    write(system, "/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5")
    assert "lgpio is not installed" in str(checks.pins(system).line)
    monkeypatch.setattr(checks, "find_spec", lambda _: True)
    assert "button GPIO17, lamp GPIO22, 23, 24" in str(checks.pins(system).line)


def test_a_service_without_its_groups_is_a_failure(system):
    assert checks.rights(system).level is Level.SKIPPED
    if shutil.which("systemd-sysusers") and not checks._is_member("traykeeper", "gpio"):
        assert "not in video and gpio" in str(checks.rights(replace(system, installed=True)).line)


@pytest.mark.parametrize(
    ("mounts", "model", "level"),
    [
        ("tmpfs / tmpfs rw 0 0", "", Level.WARNING),
        (
            "tmpfs-root /media/root-rw tmpfs rw 0 0\noverlay / overlay rw,upperdir=/media/root-rw/up 0 0",
            "",
            Level.WARNING,
        ),
        (
            "overlay / overlay rw,lowerdir=/lower,upperdir=/upper/data 0 0",
            "Raspberry Pi 4",
            Level.WARNING,
        ),
        ("overlay / overlay rw,lowerdir=/l,upperdir=/var/lib/docker/x 0 0", "", Level.OK),
        (
            "/dev/sda1 /data ext4 rw 0 0\noverlay / overlay rw,lowerdir=/l,upperdir=/data/up 0 0",
            "Raspberry Pi 4",
            Level.OK,
        ),
    ],
)
def test_a_state_folder_in_memory_is_a_warning(system, mounts, model, level):
    write(system, "/proc/mounts", mounts)
    write(system, "/proc/device-tree/model", model)

    assert checks.disk(system).level is level


@pytest.mark.parametrize(
    ("mounts", "level"),
    [
        ("/dev/mmcblk0p2 / ext4 rw,noatime 0 0", Level.OK),
        ("/dev/mmcblk0p2 / ext4 ro,noatime 0 0", Level.FAILED),
        ("", Level.SKIPPED),
    ],
)
def test_a_read_only_card_is_found(system, mounts, level):
    write(system, "/proc/mounts", mounts)

    assert checks.disk(system).level is level


def test_a_service_that_may_write_only_its_folder_does_not_mean_a_worn_card(system):
    folder = checks.existing(system.folder)
    mounts = f"/dev/mmcblk0p2 / ext4 ro 0 0\n/dev/mmcblk0p2 {folder} ext4 {{}} 0 0"
    write(system, "/proc/mounts", mounts.format("rw"))
    assert checks.disk(system).level is Level.OK
    write(system, "/proc/mounts", mounts.format("ro"))
    assert checks.disk(system).level is Level.FAILED


def test_errors_counted_by_ext4_are_found(system):
    write(system, "/proc/mounts", "/dev/mmcblk0p2 / ext4 rw 0 0")
    write(system, "/sys/fs/ext4/mmcblk0p2/errors_count", "3\n")

    assert str(checks.disk(system).line) == "the disk has had errors (mmcblk0p2: 3)"


@pytest.mark.parametrize(
    ("answer", "level"),
    [("0x0", Level.OK), ("0x50000", Level.WARNING), ("0x50005", Level.FAILED)],
)
def test_low_voltage_is_found_now_and_since_the_start(system, programs, answer, level):
    programs("vcgencmd", f"throttled={answer}")

    assert checks.power(system).level is level


def test_low_voltage_is_found_by_the_alarm_of_the_kernel(system):
    write(system, "/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")

    assert str(checks.power(system).line) == "the power supply is too weak (now)"


def test_low_voltage_is_reported_after_it_is_over(system):
    write(system, "/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    write(system, "/proc/sys/kernel/random/boot_id", "this boot\n")
    assert checks.power(system).level is Level.OK
    system.folder.mkdir()
    record = {"boot": "this boot", "when": "2026-11-26T20:14:00"}
    (system.folder / "low-voltage.json").write_text(json.dumps(record))

    found = checks.power(system)
    assert found.level is Level.WARNING
    assert "last noticed at 20:14" in str(found.line)


@pytest.mark.parametrize(("milli", "level"), [("47250", Level.OK), ("82100", Level.WARNING)])
def test_the_temperature_is_reported_in_degrees(system, milli, level):
    write(system, "/sys/class/thermal/thermal_zone0/temp", milli)

    assert checks.heat(system).level is level


def test_an_unset_clock_is_a_warning(system, programs):
    programs("timedatectl", "no")
    assert str(checks.clock(system).line).startswith("the clock is not set")
    programs("timedatectl", "yes")
    assert checks.clock(system).level is Level.OK


def test_a_guest_wifi_is_a_warning_with_a_remedy(system, programs):
    programs("iwgetid", "Huber Gäste")
    found = doctor.wifi(system)
    assert (
        str(found.line)
        == "this looks like a guest Wi-Fi, which isolates devices from each other (Huber Gäste)"
    )
    assert "Without Wi-Fi" in str(found.trouble.remedy)

    programs("iwgetid", "Huber")
    programs("ip", '[{"dst": "192.168.1.7", "lladdr": "dc:a6:32:01:02:03"}]')
    assert str(doctor.wifi(system).line) == "Huber, one other device seen"


def test_a_machine_without_an_address_has_no_network(system, programs):
    programs("ip", "[]")
    assert doctor.network(system).level is Level.FAILED
    programs("ip", '[{"addr_info": [{"local": "192.168.1.5"}]}]')
    assert str(doctor.network(system).line) == "192.168.1.5"


def test_an_address_of_another_machine_as_host_is_a_failure(system, programs):
    programs("ip", '[{"addr_info": [{"local": "192.168.1.5"}, {"local": "fd00::7"}]}]')

    def network(host):
        return doctor.network(replace(system, settings=replace(system.settings, host=host)))

    for host in ("192.168.1.5", "fd00::7", "", "::", "127.0.0.1", "den.local"):
        assert network(host).level is Level.OK
    assert "no network card has the address" in str(network("192.168.1.6").line)
    elsewhere = replace(system, settings=replace(system.settings, host="203.0.113.9"))
    assert doctor.port(elsewhere).trouble is problems.HOST_ELSEWHERE


SIX = (
    '[{"addr_info": [{"local": "fd00::7"}, {"local": "fd00::8", "temporary": true}, '
    '{"local": "fd00::9", "deprecated": true}]}]'
)


def test_a_network_with_ipv6_only_needs_a_server_for_ipv6(system, programs):
    programs("ip", SIX)
    found = doctor.network(system)
    assert found.level is Level.FAILED
    assert 'write `host = "::"`' in str(found.trouble.remedy)

    six = replace(system, settings=replace(system.settings, host="::"))
    assert str(doctor.network(six).line) == "fd00::7"
    assert doctor.port(six).level is Level.OK


def test_a_host_name_that_another_device_has_is_a_warning(system, programs):
    programs("busctl", f's "{socket.gethostname()}.local"')
    assert doctor.name(system).level is Level.OK
    programs("busctl", f's "{socket.gethostname()}-2.local"')
    found = doctor.name(system)

    assert "another device has the same name" in str(found.line)
    assert "install --name den" in str(found.trouble.remedy)  # it also restarts Avahi


def test_a_port_used_by_another_program_is_a_failure(system):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = replace(system.settings, port=other.getsockname()[1])
        found = doctor.port(replace(system, settings=taken))

    assert str(found.line) == f"the port is in use by another program ({taken.port})"
    assert doctor.port(system).level is Level.OK


def test_a_port_that_this_user_may_not_use_is_reported_if_another_program_has_it(
    system, monkeypatch
):
    def refuse(*_):
        raise PermissionError(EACCES, "Permission denied")

    monkeypatch.setattr(doctor, "create_socket", refuse)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = replace(system.settings, port=other.getsockname()[1])
        busy = doctor.port(replace(system, settings=taken))
    free = doctor.port(replace(system, settings=taken))

    assert busy.trouble is problems.PORT_TAKEN
    assert free.trouble is problems.PORT_NOT_ALLOWED


def test_safe_mode_is_a_warning(system):
    assert checks.safe_mode(system).level is Level.SKIPPED
    assert checks.safe_mode(replace(system, state={"safe_mode": False})).level is Level.OK
    found = checks.safe_mode(replace(system, state={"safe_mode": True}))

    assert (found.level, found.trouble) == (Level.WARNING, problems.SAFE_MODE)


@pytest.fixture
def pages(monkeypatch):
    """The states of companions, keyed by the addresses of their pages."""
    states = {}
    monkeypatch.setattr(
        doctor_system, "fetch", lambda url: states.get(url.removesuffix("api/v1/state"))
    )
    return states


@pytest.mark.parametrize("port", [8000, 8080])
def test_a_companion_in_safe_mode_is_found_at_another_port(tmp_path, pages, port):
    file = tmp_path / "settings.toml"
    file.write_text("port = 80\n")
    safe = {"situation": "no match", "safe_mode": True}
    pages[f"http://127.0.0.1:{port}/"] = safe
    found = open_system(str(file), Machine(tmp_path))

    assert found.state == safe
    assert found.address == f"http://127.0.0.1:{port}/"


def test_another_companion_at_the_port_of_safe_mode_is_not_the_one_in_the_settings(tmp_path, pages):
    file = tmp_path / "settings.toml"
    file.write_text("port = 80\n")
    pages["http://127.0.0.1:8000/"] = {"situation": "no match", "safe_mode": False}

    assert open_system(str(file), Machine(tmp_path)).state is None


def test_a_mistake_in_one_line_does_not_hide_the_port(tmp_path, pages):
    """Safe mode reads the settings in the same way."""
    file = tmp_path / "settings.toml"
    file.write_text("port = 81\nlamp = blue\n")
    pages["http://127.0.0.1:81/"] = {"situation": "no match", "safe_mode": True}
    found = open_system(str(file), Machine(tmp_path))

    assert found.state is not None
    assert checks.settings(found).level is Level.FAILED


def with_secret(system, path):
    settings = replace(system.settings, mqtt="mqtt://localhost", mqtt_secret=str(path))
    return replace(system, settings=settings)


def test_a_missing_secret_is_reported_with_all_other_checks(system, tmp_path):
    found = examine(with_secret(system, tmp_path / "mqtt.toml"))

    assert found.keys() == CHECKS.keys()
    assert found["broker"].level is Level.FAILED
    assert "mqtt_secret (for the club: --secret): the file does not exist" in str(
        found["broker"].line
    )


@contextmanager
def without_rights():
    """Within the block, tests that root runs have the rights of a user who owns nothing."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(ANYBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_a_secret_that_only_the_service_may_read_is_skipped(system, tmp_path):
    secret = tmp_path / "mqtt.toml"
    secret.write_text('user = "club"\npassword = "1"\n')
    secret.chmod(0)
    with without_rights():
        found = doctor.broker(with_secret(system, secret))

    assert found.level is Level.SKIPPED
    assert f"you do not have permission to read {secret}" in str(found.line)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can try what the service may read")
def test_root_finds_files_that_the_service_may_not_read(system, public_folder):
    system.folder.mkdir()
    os.chown(system.folder, ANYBODY, ANYBODY)
    secret = public_folder / "secret.toml"
    secret.write_text('secret = "0123456789abcdef"\n')
    secret.chmod(0o600)
    webhook = replace(system.settings, webhook="http://127.0.0.1:9/", webhook_secret=str(secret))
    asked = {
        "settings": replace(system, settings_path=secret, installed=True),
        "broker": with_secret(system, secret),
        "webhook": replace(system, settings=webhook),
    }
    found = {name: CHECKS[name](asked[name]) for name in asked}
    os.chown(secret, ANYBODY, ANYBODY)
    owned = CHECKS["settings"](asked["settings"])

    assert found["settings"].trouble is problems.SETTINGS_NOT_READABLE
    assert {found[name].trouble for name in ("broker", "webhook")} == {problems.NOT_READABLE}
    assert str(secret) in str(found["broker"].line)
    assert owned.level is Level.OK


def test_a_secret_in_a_folder_that_is_hidden_from_the_service_is_a_failure(system):
    write(system, "/home/pi/mqtt.toml", 'user = "club"\npassword = "1"\n')
    service = replace(system, settings_path=SYSTEM_FILE, installed=True)
    link = system.machine.path("/etc/traykeeper/mqtt.toml")
    link.parent.mkdir(parents=True)
    link.symlink_to(system.machine.path("/home/pi/mqtt.toml"))
    found = doctor.broker(with_secret(service, link))

    assert found.trouble is problems.NOT_READABLE
    assert str(link) in str(found.line)
    assert "not in /etc/traykeeper, copy it there" in str(found.trouble.remedy)
    assert doctor.broker(with_secret(system, link)).trouble is problems.NO_BROKER


def test_settings_that_this_user_may_not_read_are_skipped_with_what_depends_on_them(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('camera = "usb:97"\nport = 80\n')
    file.chmod(0)
    with without_rights():
        machine = Machine(tmp_path, camera_opener=lambda _: pytest.fail)
        hidden = System(machine, Settings(), file, "no permission", None, installed=True)
        found = examine(hidden, ("settings", "camera", "port", "version"))

    for name in ("settings", "camera", "port"):
        assert found[name].level is Level.SKIPPED
        assert "try sudo traykeeper doctor" in str(found[name].line)
    assert found["version"].level is Level.OK


def test_a_damaged_journal_is_a_failure(system):
    path = system.folder / "journal.db"
    with closing(Journal.open(path)) as journal:
        journal.start(Match.start(load("zilch"), ["Anna", "Ben"]))
    assert str(checks.journal(system).line) == f"one match in {path}"
    path.write_bytes(b"no journal at all" * 500)
    assert checks.journal(system).level is Level.FAILED


def test_restarts_of_the_service_are_a_warning(system, programs):
    here = replace(system, installed=True)
    programs("systemctl", "ActiveState=active\nNRestarts=2")
    assert str(checks.service(here).line) == "the service had to be restarted (2 times)"
    programs("systemctl", "ActiveState=failed\nNRestarts=0")
    assert checks.service(here).level is Level.FAILED


def test_invalid_settings_are_one_failure(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("prot = 80\n")
    done = subprocess.run(
        [*COMMAND, "doctor", "--json", "--settings", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}

    assert done.returncode == 1
    assert "did you mean 'port'?" in checks["settings"]["line"]
    assert checks["settings"]["remedy"] == str(problems.BAD_SETTINGS.remedy)


def test_the_exit_status_is_0_if_no_check_fails(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--json", "heat"])

    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out)["ok"]


@pytest.mark.usefixtures("in_1970")
def test_a_report_is_written_whatever_the_clock_says(system, tmp_path):
    pack_report(tmp_path / "report.zip", system, "found", pictures=False)

    with ZipFile(tmp_path / "report.zip") as report:
        assert report.read("doctor.txt").startswith(b"found")


def test_a_report_contains_no_secret_no_name_and_no_picture(system, programs, tmp_path):
    programs("journalctl", "GET /?token=s3cret from dc:a6:32:01:02:03, PIN: 4711")
    found = findings_as_text({"heat": checks.heat(system)})
    pack_report(tmp_path / "report.zip", system, found, pictures=False)
    with ZipFile(tmp_path / "report.zip") as report:
        names = report.namelist()
        log = report.read("log.txt").decode()
        system = report.read("system.txt").decode()

    assert names == ["doctor.txt", "settings.toml", "system.txt", "log.txt", "service.txt"]
    assert log == "GET /?token=*** from **:**:**:**:**:**, PIN: ***"
    assert "numpy" in system


@pytest.mark.parametrize("word", ["password=hunter2", "'psk': 'hunter2'", "secret: hunter2"])
def test_secrets_are_masked_in_every_notation(word):
    assert "hunter2" not in redacted(word)


def test_pictures_need_a_report(tmp_path):
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
    assert "the report cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("record", "level", "line"),
    [
        (None, Level.OK, "no USB stick has been used yet"),
        ("took=2026-11-23 20:15\nfailed=\n", Level.OK, "was copied at 2026-11-23 20:15"),
        ("took=2026-11-23 20:15\nfailed=full\n", Level.WARNING, "full: it did not get the last"),
        ("took=\nfailed=not-read\n", Level.WARNING, "the USB stick cannot be read"),
    ],
)
def test_the_last_backup_on_a_stick_is_reported(system, record, level, line):
    if record is not None:
        write(system, checks.STICK, record)
    found = checks.stick(system)

    assert found.level is level
    assert line in str(found.line)


def test_every_reason_that_the_script_for_sticks_records_has_a_remedy():
    script = (Path(__file__).parents[3] / "systemd" / "carry").read_text()

    assert set(re.findall(r"trouble ([a-z-]+) ", script)) == checks.STICK_TROUBLES.keys()
