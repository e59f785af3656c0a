"""The installer and the unit under trixie's systemd: readiness, watchdog, hardening, power cut."""

import json
import os
import re
import shutil
from contextlib import suppress

import pytest

from tests.virtual_pi.appliance import LOCK, OLDER, Appliance, base, empty_disk, installed

NEEDS = [program for program in ("debootstrap", "nsenter", "unshare") if not shutil.which(program)]

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.skipif(os.geteuid() != 0, reason="boots a system in namespaces: needs root"),
    pytest.mark.skipif(
        bool(NEEDS), reason=f"missing: {', '.join(NEEDS)} (apt install debootstrap)"
    ),
]

WHEELS = "PIP_NO_INDEX=1 PIP_FIND_LINKS=/home/pi/wheels"
INSTALL = "/home/pi/traykeeper/systemd/install"


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    """Trixie with the layer that the installer adds."""
    root = base()
    return [installed(root, tmp_path_factory.mktemp("install")), root]


@pytest.fixture
def boot(layers, tmp_path):
    """Return a function that boots the installed system; all are switched off at the end."""
    running = []

    def start(disk=None, work="machine"):
        appliance = Appliance.boot(layers, tmp_path / work, disk)
        running.append(appliance)
        return appliance

    yield start
    for appliance in running:
        appliance.kill()


@pytest.fixture
def pi(boot):
    """An installed and running system."""
    appliance = boot()
    appliance.run(INSTALL)
    return appliance


def test_the_installer_starts_the_service_and_prints_address_and_code(boot):
    pi = boot()
    said = pi.run(INSTALL)

    assert "http://traykeeper.local:8000/" in said
    assert "▀" in said or "█" in said
    assert pi.shown("ActiveState") == "active"
    assert pi.shown("StatusText").startswith("Serving http://")
    assert pi.http("/healthz")["status"] != "failed"


def test_a_second_install_changes_nothing_on_the_system(pi):
    before = pi.run("find /etc /opt/traykeeper/releases -maxdepth 1 | sort")
    started = pi.shown("ExecMainStartTimestampMonotonic")
    pi.run(INSTALL)

    assert pi.run("find /etc /opt/traykeeper/releases -maxdepth 1 | sort") == before
    assert pi.shown("ExecMainStartTimestampMonotonic") >= started
    assert "FAILED" not in pi.run(f"{INSTALL} --check")


def test_the_service_runs_unprivileged_and_hardened(pi):
    pid = pi.shown("MainPID")
    status = dict(
        line.split(":\t", 1)
        for line in pi.run(f"cat /proc/{pid}/status").splitlines()
        if ":\t" in line
    )
    groups = pi.run(f"getent group {status['Groups']}").split()

    assert status["Uid"].split()[0] != "0"
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert int(status["CapEff"], 16) == 0
    assert {line.split(":")[0] for line in groups} == {"traykeeper", "video", "gpio"}
    inside = f"nsenter -t {pid} -m"
    assert "Read-only" in pi.run(f"{inside} touch /usr/x 2>&1 || true")
    assert pi.run(f"{inside} ls /home").strip() == ""


def test_a_killed_service_is_restarted(pi):
    pid = pi.shown("MainPID")
    pi.run(f"kill -9 {pid}")
    pi.until(lambda: pi.shown("ActiveState") == "active" and pi.shown("MainPID") not in ("0", pid))

    assert pi.http("/healthz")["status"] != "failed"


def test_the_watchdog_restarts_a_hung_loop_but_not_a_healthy_one(pi):
    """Lock the journal so that the loop hangs while the page still answers."""
    pi.run(
        "mkdir -p /run/systemd/system/traykeeper.service.d;"
        "printf '[Service]\\nWatchdogSec=3\\n' > /run/systemd/system/traykeeper.service.d/w.conf;"
        "systemctl daemon-reload; systemctl restart traykeeper; sleep 8"
    )
    assert pi.shown("NRestarts") == "0"
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    locked = (
        "import sqlite3,time; db=sqlite3.connect('/var/lib/traykeeper/journal.db',"
        "isolation_level=None); db.execute('BEGIN EXCLUSIVE'); print('locked', flush=True); time.sleep(10)"
    )
    pi.run(
        f'python3 -c "{locked}" >/tmp/locked 2>&1 & until grep -q locked /tmp/locked; do sleep .1; done;'
        f"{pi.asking('/api/v1/match', {'names': ['Cleo', 'Dan']})} >/dev/null 2>&1 || true"
    )
    pi.until(lambda: pi.shown("NRestarts") != "0")
    pi.until(lambda: pi.shown("ActiveState") == "active")

    assert "Watchdog timeout" in pi.run("journalctl --no-pager -u traykeeper")


def lasting(pi):
    """Return the match in the state, without the camera and the phones."""
    state = pi.http("/api/v1/state")
    return {name: state[name] for name in ("players", "turns", "throw", "situation")}


def test_a_power_cut_during_a_match_loses_no_banked_points(boot, tmp_path):
    pi = boot(disk=empty_disk(tmp_path / "card.img"))
    pi.run(INSTALL)
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    for dice in ([1, 1, 1, 2, 3, 4], [5, 5, 5, 2, 3, 4], [1, 1, 1, 2, 3, 4]):
        pi.http("/api/v1/dice", {"dice": dice})
        pi.http("/api/v1/bank", {})
    pi.http("/api/v1/dice", {"dice": [1, 2, 3, 4, 6, 6]})
    before = lasting(pi)
    pi.run(
        "echo never synced > /var/lib/traykeeper/witness"
    )  # to be sure that the cut is a hard one
    after = boot(disk=pi.cut_power(), work="again")
    after.run(INSTALL)

    assert [player["score"] for player in before["players"]] == [2000, 500]
    assert lasting(after) == before
    assert after.run("cat /var/lib/traykeeper/witness 2>/dev/null || true") == ""


def test_an_update_does_not_interrupt_a_match(pi):
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    said = pi.run(f"{INSTALL} --update 2>&1 || true")

    assert "a match is under way" in said


def test_an_update_keeps_the_match_and_makes_a_backup(pi):
    before = pi.run("readlink /opt/traykeeper/current")
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    match = lasting(pi)
    pi.run("echo '# newer' >> /home/pi/traykeeper/device/app.py")
    pi.run(f"{WHEELS} {INSTALL} --update --in-a-match")

    assert pi.run("readlink /opt/traykeeper/current") != before
    assert lasting(pi) == match
    assert "journal.db" in pi.run("ls /var/lib/traykeeper-backups/*/state")
    assert "FAILED" not in pi.run(f"{INSTALL} --check")


def packages(pi):
    """Return the packages of this release, as lines of a list."""
    said = pi.run("/opt/traykeeper/current/bin/pip freeze --local --exclude traykeeper --all")
    return {line.lower() for line in said.splitlines() if not line.startswith("pip==")}


def test_the_release_has_exactly_the_locked_wheels(pi):
    locked = pi.run(f"grep == {LOCK}").replace("\\", "").split()
    report = json.loads(pi.run("cat /opt/traykeeper/current/packages.json"))
    taken = [item["download_info"]["url"] for item in report["install"]]

    assert packages(pi) == set(locked)
    assert len(taken) == len(locked)
    assert all(url.endswith(".whl") for url in taken)


def test_an_update_to_other_packages_and_back_keeps_the_match(pi):
    """Going back is fast: the previous release is kept and needs neither network nor wheels."""
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    pi.http("/api/v1/dice", {"dice": [1, 1, 1, 2, 3, 4]})
    match, before = lasting(pi), packages(pi)
    release = pi.run("readlink /opt/traykeeper/current")
    pi.run(
        f"cp {LOCK} /root/lock; hash=$(pip3 hash -a sha256 /home/pi/wheels/segno-1.6.1-*.whl | tail -1);"
        f"sed -i -E '/^segno==/,/[^\\\\]$/d' {LOCK}; echo \"{OLDER} $hash\" >> {LOCK}"
    )
    pi.run(f"{WHEELS} {INSTALL} --update --in-a-match")
    assert packages(pi) ^ before == {OLDER, next(p for p in before if p.startswith("segno=="))}
    assert lasting(pi) == match
    pi.run(f"cp /root/lock {LOCK}; PIP_NO_INDEX=1 {INSTALL} --update --in-a-match")

    assert pi.run("readlink /opt/traykeeper/current") == release
    assert packages(pi) == before
    assert lasting(pi) == match


def test_the_doctor_finds_nothing_wrong(pi):
    said = pi.run("traykeeper doctor --zip /tmp/report.zip || true")

    for line in ("ok     settings", "ok     service", "ok     rights", "ok     port"):
        assert line in said
    failed = [line.split()[1] for line in said.splitlines() if line.startswith("FAILED")]
    assert set(failed) <= {"network"}  # it has none


def test_an_update_that_does_not_start_is_undone(pi):
    """Make a version that can be imported but does not start."""
    before = pi.run("readlink /opt/traykeeper/current")
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    pi.http("/api/v1/dice", {"dice": [1, 1, 1, 2, 3, 4]})
    match = lasting(pi)
    pi.run(
        "cd /home/pi/traykeeper && printf '\\ndef run(options):\\n    raise SystemExit(3)\\n'"
        " >> device/app.py"
    )
    said = pi.run(f"{WHEELS} {INSTALL} --update --in-a-match 2>&1 || true")

    assert "the previous version is running again" in said
    assert lasting(pi) == match
    assert pi.run("readlink /opt/traykeeper/current") == before
    assert pi.http("/healthz")["status"] != "failed"


DYING_PAGE = """
_start = Server.start
def _dying(self):
    from threading import Timer
    _start(self)
    Timer(20, self.stop).start()
Server.start = _dying
"""
DYING_CAMERA = """
_watch = SimulatedTray.preview
def _dying(self, *args, **options):
    import time
    if time.monotonic() - _began_s > 20:
        raise CameraError(Message("it broke"))
    return _watch(self, *args, **options)
SimulatedTray.preview = _dying
_began_s = __import__("time").monotonic()
"""
CRASHING = """
_notify = notify
def notify(*words, **options):
    import os
    from threading import Timer
    if words == ("READY=1",):
        Timer(8, os.abort).start()
    return _notify(*words, **options)
"""
"""New versions that start well, appended to `device/app.py`."""


def has_entered_a_throw(pi):
    with suppress(AssertionError):  # it may be restarting at this moment
        pi.http("/api/v1/dice", {"dice": [1, 1, 1, 2, 3, 4]})
    with suppress(AssertionError):
        return bool(pi.http("/api/v1/state")["throw"])
    return False


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (DYING_PAGE, "its page does not answer"),
        (DYING_CAMERA, "its camera does not work"),
        (CRASHING, "it had to be restarted 3 times|it started in safe mode"),
    ],
    ids=["page dies", "camera dies", "crashes"],
)
def test_an_update_that_fails_after_its_start_is_undone_with_what_was_played_since(pi, fault, why):
    before = pi.run("readlink /opt/traykeeper/current")
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    pi.run(f"cat >> /home/pi/traykeeper/device/app.py <<'END'\n{fault}\nEND")
    pi.run(f"{WHEELS} {INSTALL} --update --in-a-match")
    assert pi.run("readlink /opt/traykeeper/current") != before
    pi.until(lambda: has_entered_a_throw(pi))
    pi.until(lambda: pi.run("readlink /opt/traykeeper/current") == before, 240)
    pi.until(lambda: pi.shown("ActiveState") == "active", 60)
    pi.until(lambda: not pi.ask("ls /opt/traykeeper/watched"))

    assert lasting(pi)["throw"]["dice"] == [1, 1, 1, 2, 3, 4]
    assert re.search(why, pi.run("cat /opt/traykeeper/undone"))
    assert re.search(why, pi.run("traykeeper doctor || true"))
    assert not pi.http("/api/v1/state")["safe_mode"]


def test_an_update_that_works_is_watched_and_stays(pi):
    pi.run("echo '# newer' >> /home/pi/traykeeper/device/app.py")
    pi.run(f"{WHEELS} {INSTALL} --update")
    after = pi.run("readlink /opt/traykeeper/current")

    pi.until(lambda: pi.ask("systemctl is-active traykeeper-watch") == "active")
    assert "camera=yes" in pi.run("cat /opt/traykeeper/watched")
    pi.run(f"{INSTALL} --go-back 'I prefer it'")
    assert pi.run("readlink /opt/traykeeper/current") != after
    assert "I prefer it" in pi.run("cat /opt/traykeeper/undone")


def test_the_watch_tells_a_service_that_somebody_stopped_from_one_that_ended(pi):
    script = "/opt/traykeeper/current/systemd/watch"
    ask = (
        f'python3 -c \'import runpy; watch = runpy.run_path("{script}");'
        ' print(watch["is_at_rest"](watch["service"]()))\''
    )
    assert pi.run(ask) == "False\n"
    pi.run(f"kill -9 {pi.shown('MainPID')}")
    pi.until(lambda: pi.shown("SubState") == "auto-restart")
    assert pi.run(ask) == "False\n"
    pi.until(lambda: pi.shown("ActiveState") == "active")
    pi.run("systemctl stop traykeeper")
    assert pi.run(ask) == "True\n"
    pi.run("systemctl start traykeeper")
    assert pi.run(ask) == "False\n"


def test_three_failed_starts_lead_to_safe_mode_and_one_tap_leads_out(pi):
    pi.http("/api/v1/match", {"names": ["Anna", "Ben"]})
    pi.run("echo 'prot = 1' >> /etc/traykeeper/settings.toml; systemctl restart traykeeper || true")
    pi.until(lambda: "in safe mode" in pi.shown("StatusText"), 60)
    state = pi.http("/api/v1/state")
    assert state["safe_mode"]
    assert "(settings)" in state["troubles"][0]
    assert "prot is not a setting" in state["troubles"][0]
    pi.http("/api/v1/dice", {"dice": [1, 1, 1, 2, 3, 4]})
    pi.http("/api/v1/bank", {})
    pi.run("sed -i '$d' /etc/traykeeper/settings.toml")
    pi.http("/api/v1/leave-safe-mode", {})
    pi.until(
        lambda: pi.shown("ActiveState") == "active" and "safe mode" not in pi.shown("StatusText"),
        60,
    )

    state = pi.http("/api/v1/state")
    assert not state["safe_mode"]
    assert [player["score"] for player in state["players"]] == [1000, 0]


def test_a_process_that_is_killed_at_the_pins_three_times_does_without_them(pi):
    """A driver ends the process, so that no error can be caught."""
    pins = pi.run("ls /opt/traykeeper/current/lib/python3*/site-packages/device/hardware/pins.py")
    broken = "\n\ndef open_pins(warn=None):\n    os.abort()\n"
    pi.run(f"printf '{broken}' >> {pins.strip()}; systemctl restart traykeeper || true")
    pi.until(lambda: "in safe mode" in pi.shown("StatusText"), 60)

    assert "(button and lamp)" in pi.http("/api/v1/state")["troubles"][0]


def test_an_uninstall_keeps_matches_and_settings_and_purge_keeps_nothing(pi):
    pi.run(f"cp -r /home/pi/traykeeper /root/; {INSTALL} --uninstall")
    left = pi.run(
        "find / -xdev -name '*traykeeper*' -not -path '/home/*' -not -path '/root/*'"
        " -not -path '/proc/*' -not -path '/sys/*' | sort"
    ).split()

    assert left == ["/etc/traykeeper", "/var/lib/traykeeper"]
    pi.run(f"{INSTALL} --uninstall --purge")
    assert "no such user" in pi.run("id traykeeper 2>&1 || true")
    assert pi.run("ls -d /etc/traykeeper /var/lib/traykeeper 2>/dev/null || true") == ""


def test_only_the_button_may_shut_down_the_pi(pi):
    ask = (
        "busctl call org.freedesktop.login1 /org/freedesktop/login1"
        " org.freedesktop.login1.Manager CanPowerOff"
    )

    assert pi.run(f"setpriv --reuid traykeeper --clear-groups {ask}").strip() == 's "yes"'
    assert pi.run(f"setpriv --reuid nobody --clear-groups {ask}").strip() != 's "yes"'


def test_no_request_from_the_network_shuts_down_the_system(pi):
    with pytest.raises(AssertionError, match="409"):
        pi.http("/api/v1/hold", {"seconds": 5.5})

    assert pi.http("/healthz")["status"] != "failed"


def test_the_service_can_shut_down_the_system(pi):
    """Shut down like the button, through logind and polkit."""
    user = "setpriv --reuid traykeeper --regid traykeeper --clear-groups --no-new-privs"
    code = "from device.hardware import systemd; systemd._power_off(); import time; time.sleep(5)"
    python = f"/opt/traykeeper/current/bin/python -c '{code}'"
    pi.run(f"nsenter -t {pi.shown('MainPID')} -m -- {user} {python} >/dev/null 2>&1 &")

    assert pi.process.wait(timeout=60) is not None
