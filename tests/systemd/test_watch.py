"""The watch over an update: fifty failures in a model of the Pi, and the script on a real page."""

import json
import os
import random
import socket
import sys
from contextlib import closing
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType

import numpy as np
import pytest

from tests.clock import Clock
from tests.mjpeg_server import MjpegServer
from tests.waiting import PATIENCE_S

FILE = Path(__file__).parents[2] / "systemd" / "watch"
LONGEST_OUTAGE_S = 300.0
"""Longest time from a failure to a version that works."""

PICTURE_OF_NOISE = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)

RETURN_S = 40.0
"""Time to go back on a slow Pi: the old version is stopped, copied and started."""


@pytest.fixture(scope="module")
def script():
    """The script as a module, without a compiled file next to it."""
    module = ModuleType("watch")
    module.__file__ = str(FILE)
    sys.modules["watch"] = module  # its dataclasses look the module up
    try:
        exec(compile(FILE.read_text("utf-8"), FILE, "exec"), module.__dict__)  # noqa: S102 - ours
    finally:
        del sys.modules["watch"]
    return module


PICTURE_S = 30.0
"""Time in which the old version takes a picture on a slow Pi, and the new one starts again."""

KINDS = {
    "page never answers": lambda _: {"answers": False},
    "page dies": lambda _: {"answers": False},
    "page comes and goes": lambda s: {"answers": s % 20 >= 12},
    "camera never works": lambda _: {"has_camera": False},
    "camera dies": lambda _: {"has_camera": False},
    "camera comes and goes": lambda s: {"has_camera": s % 20 >= 12},
    "crashes at once": lambda s: {"restarts": int(s // 4) + 1},
    "crashes soon": lambda s: {"restarts": int(s // 40) + 1},
    "hangs until the watchdog acts": lambda s: {"answers": s % 45 > 30, "restarts": int(s // 45)},
    "safe mode": lambda _: {"is_safe": True},
}
"""What a look shows of each kind of failure, from the seconds since it began."""


class Pi:
    """A model of the Pi on which the new version fails in one way.

    Args:
        script: The module of the watch.
        kind: How the new version fails.
        at_s: When it begins to fail, after the update.
        cut_s: When the power is cut, after the update; None if it is not.
        failing_returns: How many attempts to go back fail.
    """

    def __init__(self, script, kind, at_s, cut_s=None, failing_returns=0):
        self.script, self.kind, self.at_s, self.cut_s = script, kind, at_s, cut_s
        self.clock, self.version, self.failing_returns = Clock(0.0), "new", failing_returns

    @property
    def works(self):
        look = self.look()
        return look.answers and look.has_camera and not look.is_safe

    def look(self):
        failing_s = self.clock() - self.at_s
        is_failing = self.version == "new" and self.kind and failing_s >= 0
        fails = KINDS[self.kind](failing_s) if is_failing else {}
        return self.script.Look(**{"answers": True} | fails)

    def old_sees(self):
        self.clock.now_s += PICTURE_S
        return True

    def pause(self, seconds):
        if self.cut_s is not None and self.clock() + seconds >= self.cut_s:
            self.clock.now_s = self.cut_s + 25.0  # until it has booted again
            self.cut_s = None
            raise PowerCut
        self.clock.now_s += seconds

    def run(self):
        """Watch, from the start again after a power cut, and go back as the script does."""
        try:
            why = self.script.watch(
                self.look, old_sees=self.old_sees, clock=self.clock, pause=self.pause
            )
        except PowerCut:
            return self.run()
        while why and self.version == "new":
            self.clock.now_s += RETURN_S
            if self.failing_returns:
                self.failing_returns -= 1
            else:
                self.version = "old"
        return why


class PowerCut(Exception):  # noqa: N818 - no error
    """The power is cut."""


def failures():
    chance = random.Random(47)
    for number in range(50):
        kind = [*KINDS][number % len(KINDS)]
        at_s = (
            0.0 if kind in ("page never answers", "camera never works") else chance.uniform(0, 500)
        )
        cut_s = chance.uniform(1, 590) if number % 3 == 0 else None
        yield pytest.param(kind, at_s, cut_s, number % 7 == 0, id=f"{number + 1}: {kind}")


@pytest.mark.parametrize(("kind", "at_s", "cut_s", "fails_once"), [*failures()])
def test_every_failure_ends_on_a_working_version_within_five_minutes(
    script, kind, at_s, cut_s, fails_once
):
    pi = Pi(script, kind, at_s, cut_s, int(fails_once))
    why = pi.run()

    assert why
    assert pi.version == "old"
    assert pi.works
    assert pi.clock() - at_s <= LONGEST_OUTAGE_S


def test_a_version_that_works_stays(script):
    pi = Pi(script, "", 0.0)

    assert pi.run() == ""
    assert pi.version == "new"
    assert pi.clock() >= script.WATCH_S


def test_a_failure_after_the_watch_changes_nothing(script):
    pi = Pi(script, "page dies", 700.0)

    assert pi.run() == ""


def test_a_short_silence_is_not_a_failure(script):
    """The service was restarted once, or the Pi was busy."""
    watch = script.Watch(restarts=2, old_sees=pytest.fail)

    for _ in range(9):
        assert watch.judge(script.Look(False, restarts=3), 5.0) == ""
    assert watch.judge(script.Look(True, restarts=4), 5.0) == ""


def test_a_service_that_somebody_stops_is_not_a_failure_and_is_watched_when_it_runs_again(script):
    """The service is stopped for an hour. When it runs again, its page fails, and that counts."""
    clock = Clock(0.0)

    def look():
        now_s = clock()
        if 100 <= now_s < 3700:
            return script.Look(answers=False, is_stopped=True)
        return script.Look(answers=now_s < 4000)

    def pause(seconds):
        clock.now_s += seconds

    why = script.watch(look, old_sees=pytest.fail, clock=clock, pause=pause)

    assert why == "its page does not answer"
    assert clock() == 4000 + script.MOST_BAD_S - script.LOOK_S


def test_time_for_which_the_service_is_stopped_does_not_count_as_watched(script):
    clock = Clock(0.0)

    def look():
        return script.Look(answers=True, is_stopped=clock() < 3600)

    def pause(seconds):
        clock.now_s += seconds

    assert script.watch(look, old_sees=pytest.fail, clock=clock, pause=pause) == ""
    assert clock() == pytest.approx(3600 + script.WATCH_S, abs=script.LOOK_S)


def test_restarts_are_counted_from_zero_after_somebody_has_started_the_service(script):
    """systemd then counts from 0 again."""
    watch = script.Watch(restarts=2, old_sees=pytest.fail)

    for count in (0, 1, 2):
        assert watch.judge(script.Look(True, restarts=count), 5.0) == ""
    assert watch.judge(script.Look(True, restarts=3), 5.0) == "it had to be restarted 3 times"


@pytest.mark.parametrize(
    ("unit", "is_stopped"),
    [
        ("ActiveState=inactive\nNRestarts=0\n", True),
        ("ActiveState=deactivating\nNRestarts=0\nJob=712\n", True),
        (
            "ActiveState=failed\nNRestarts=0\n",
            True,
        ),  # it was killed because it did not stop in time
        ("ActiveState=deactivating\nNRestarts=0\n", False),  # the watchdog ends it
        ("ActiveState=activating\nNRestarts=4\nJob=712\n", False),  # it is being restarted
        ("ActiveState=active\nNRestarts=0\n", False),
        ("", False),
    ],
)
def test_only_a_person_stops_the_service(script, unit, is_stopped):
    assert script.is_at_rest(script.pairs(unit)) == is_stopped


def test_a_camera_that_the_old_version_cannot_use_either_is_not_a_failure(script):
    """It is asked ever more rarely, because the service is stopped for that."""
    clock, asked = Clock(0.0), []

    def pause(seconds):
        clock.now_s += seconds

    def old_sees():
        asked.append(clock())
        clock.now_s += PICTURE_S

    look = partial(script.Look, answers=True, has_camera=False)

    assert script.watch(look, old_sees=old_sees, clock=clock, pause=pause) == ""
    assert asked == [60, 60 + 120 + PICTURE_S, 60 + 120 + 240 + 2 * PICTURE_S]


def test_a_camera_that_the_old_version_can_use_again_is_a_failure(script):
    """Another viewer holds the camera for three minutes; the new version does not see it afterwards either."""
    clock = Clock(0.0)

    def pause(seconds):
        clock.now_s += seconds

    look = partial(script.Look, answers=True, has_camera=False)
    why = script.watch(look, old_sees=lambda: clock() > 180, clock=clock, pause=pause)

    assert (why, clock()) == ("its camera does not work", 420)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("", "http://127.0.0.1:8000"),
        ("port = 80\n", "http://127.0.0.1:80"),
        ('host = "::"\n', "http://127.0.0.1:8000"),
        ('host = "fd00::20"\nport = 81\n', "http://[fd00::20]:81"),
        ("port = = 1\n", "http://127.0.0.1:8000"),
        (None, "http://127.0.0.1:8000"),
    ],
)
def test_the_page_is_requested_at_the_address_in_the_settings(script, tmp_path, text, address):
    file = tmp_path / "settings.toml"
    if text is not None:
        file.write_text(text)

    assert script.page(file) == address


class Health(BaseHTTPRequestHandler):
    """The part of a page that the watch requests."""

    body = b""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


def checks(**levels):
    found = [{"check": name.replace("_", " "), "level": level} for name, level in levels.items()]
    return json.dumps(found).encode()


@pytest.fixture
def look_at(script, monkeypatch):
    """A look that waits for the answer as long as a busy machine needs."""
    monkeypatch.setattr(script, "LOOK_S", PATIENCE_S)
    return script.look_at


def running(restarts=0, pid=1):
    """Return what systemd reports about a service that is running."""
    return {"ActiveState": "active", "MainPID": str(pid), "NRestarts": str(restarts)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (checks(camera="ok"), {"answers": True}),
        (checks(camera="warning"), {"answers": True, "has_camera": False}),
        (checks(safe_mode="warning", camera="skipped"), {"answers": True, "is_safe": True}),
        (b"<html>", {"answers": False}),
        (b"7", {"answers": False}),
        (b'[{"check": 1}]', {"answers": False}),
    ],
)
def test_a_check_reads_the_health_that_the_page_reports(script, look_at, body, expected):
    handler = type("Said", (Health,), {"body": body})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.05,)).start()
        try:
            found = look_at(f"http://127.0.0.1:{server.server_port}", running(2))
        finally:
            server.shutdown()

    assert found == script.Look(restarts=2, **expected)


def test_an_answer_that_is_not_http_is_not_a_page(script, look_at):
    def answer(server):
        connection, _ = server.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(b"no http\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=answer, args=(server,)).start()
        found = look_at(f"http://127.0.0.1:{server.getsockname()[1]}", running())

    assert found == script.Look(answers=False)


def test_a_check_reports_that_no_page_answers(script, look_at):
    assert look_at("http://127.0.0.1:9", running()) == script.Look(answers=False)


def test_a_check_reports_that_the_service_is_stopped(script, look_at):
    found = look_at("http://127.0.0.1:9", {"ActiveState": "inactive"})

    assert found == script.Look(answers=False, is_stopped=True)


@pytest.fixture
def settings(tmp_path):
    """The settings file at the update."""
    file = tmp_path / "settings.toml"
    file.write_text("port = 80\n")
    return file


def version_of(script, settings, units, refuses):
    """Return the running version, about which systemd reports one unit for each check."""
    digest = sha256(b"port = 80\n").hexdigest()
    return script.RunningVersion(refuses, settings, digest, iter(units).__next__)


def test_a_port_that_is_saved_counts_only_when_the_service_starts_with_it(
    script, settings, monkeypatch
):
    asked = []
    monkeypatch.setattr(script, "look_at", lambda address, _: asked.append(address))
    units = [running(pid=1), running(pid=1), running(pid=2), running(pid=2, restarts=1)]
    version = version_of(script, settings, units, lambda _: False)
    version.look()
    settings.write_text("port = 8080\n")
    for _ in range(2):
        version.look()
    settings.write_text("port = 8081\n")
    version.look()

    assert asked == [f"http://127.0.0.1:{port}" for port in (80, 80, 8080, 8081)]


def test_starts_that_fail_at_a_mistake_in_new_settings_are_not_the_fault_of_the_version(
    script, settings, monkeypatch
):
    """The service is in safe mode until somebody corrects the settings and starts it normally."""
    clock, starts_s = Clock(0.0), (100, 110, 120, 130, 300)
    monkeypatch.setattr(
        script, "look_at", lambda _, unit: script.Look(True, restarts=int(unit["NRestarts"]))
    )

    def pause(seconds):
        clock.now_s += seconds
        if clock() == 90:
            settings.write_text("lamp = blue\n")
        if clock() == 200:
            settings.write_text("lamp = 'none'\n")

    def ask():
        number = sum(at_s <= clock() for at_s in starts_s)
        return running(restarts=number, pid=number)

    version = script.RunningVersion(
        lambda file: "blue" in file.read_text(), settings, sha256(b"port = 80\n").hexdigest(), ask
    )

    assert script.watch(version.look, old_sees=pytest.fail, clock=clock, pause=pause) == ""
    assert clock() == 200 + script.WATCH_S


def test_two_restarts_for_new_settings_on_a_slow_pi_do_not_undo_the_update(
    script, settings, monkeypatch
):
    """Whether the version refuses them is asked in a second process, which delays the start of the service."""
    clock, starts_s, asked_s = Clock(0.0), (100, 200), []
    monkeypatch.setattr(
        script, "look_at", lambda *_: script.Look(clock() >= max(ready_s, default=0))
    )
    ready_s = []

    def pause(seconds):
        clock.now_s += seconds
        if clock() in starts_s:
            settings.write_text("port = 8080\n")
            ready_s.append(clock() + 25)

    def refuses(_):
        asked_s.append(clock())
        clock.now_s += 20
        ready_s[-1] += 20
        return False

    digest = sha256(b"port = 80\n").hexdigest()
    version = script.RunningVersion(
        refuses, settings, digest, lambda: running(pid=1 + len(ready_s))
    )

    assert script.watch(version.look, old_sees=pytest.fail, clock=clock, pause=pause) == ""
    assert asked_s == [100]


def test_settings_that_have_not_changed_since_the_update_are_never_the_reason(script, settings):
    """The new version fails although its settings are those with which it was installed."""
    version = version_of(script, settings, [running(2)], pytest.fail)

    assert not version.look().is_stopped


def test_settings_about_which_the_version_gave_no_answer_are_asked_about_again(script, settings):
    settings.write_text("port = 8080\n")
    answers = iter([None, True])
    version = script.RunningVersion(
        lambda _: next(answers), settings, "another", lambda: running(pid=next(pids))
    )
    pids = iter((1, 2))

    version.look()
    assert version.look().is_stopped


@pytest.mark.parametrize(
    ("said", "refuses"), [("exit 2", True), ("echo 80", False), ("exit 1", False)]
)
def test_only_a_version_that_says_so_refuses_settings(script, old_release, settings, said, refuses):
    release, calls = old_release(said)

    assert script.refuses(release, settings) == refuses
    assert calls.read_text() == f"settings --get port {settings}\n"


PICTURE = {"checks": [{"check": "camera", "level": "ok", "line": "imx708", "remedy": None}]}


@pytest.fixture
def old_release(script, tmp_path, monkeypatch):
    """Return a function that makes a release whose doctor prints a text, and the calls of systemctl."""
    programs, calls = tmp_path / "programs", tmp_path / "calls"
    programs.mkdir()
    (programs / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{calls}\n')
    (programs / "runuser").write_text(
        '#!/bin/sh\n[ "$1 $2 $3" = "-u traykeeper --" ] && shift 3 && "$@"\n'
    )
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(script, "PICTURE_S", PATIENCE_S)

    def make(said):
        command = tmp_path / "release/bin/traykeeper"
        command.parent.mkdir(parents=True)
        command.write_text(f'#!/bin/sh\necho "$@" >>{calls}\n{said}\n')
        for program in (*programs.iterdir(), command):
            program.chmod(0o755)
        return tmp_path / "release", calls

    return make


@pytest.mark.parametrize(
    ("said", "sees"),
    [
        (f"echo '{json.dumps(PICTURE)}'", True),
        (f"echo '{json.dumps(PICTURE).replace('ok', 'skipped')}'", True),
        (f"echo '{json.dumps(PICTURE).replace('ok', 'failed')}'; exit 1", False),
        ("echo 'traykeeper: no such command' >&2; exit 2", False),
        ("echo '[]'", False),
    ],
    ids=["picture", "simulated", "no picture", "too old", "nonsense"],
)
def test_the_old_version_takes_a_picture_while_the_service_is_stopped(
    script, old_release, said, sees
):
    release, calls = old_release(said)

    assert script.sees(release) == sees
    assert calls.read_text().splitlines() == [
        "stop traykeeper.service",
        "doctor --json --settings /etc/traykeeper/settings.toml camera",
        "start traykeeper.service",
    ]


def test_a_picture_that_takes_too_long_is_none_and_the_service_starts_again(
    script, old_release, monkeypatch
):
    release, calls = old_release("exec sleep 600")
    monkeypatch.setattr(script, "PICTURE_S", 0.1)

    assert not script.sees(release)
    assert calls.read_text().splitlines()[-1] == "start traykeeper.service"


def test_a_network_camera_that_accepts_but_sends_nothing_is_not_the_fault_of_the_update(
    script, home, tmp_path, monkeypatch
):
    """Another viewer holds the camera. The real doctor of this version stands in for that of the old one."""
    settings = tmp_path / "settings.toml"
    monkeypatch.setattr(script, "SETTINGS", settings)
    monkeypatch.setattr(script, "PICTURE_S", PATIENCE_S)
    (home / "releases/1/bin").mkdir()
    (home / "releases/1/bin/traykeeper").symlink_to(Path(sys.executable).with_name("traykeeper"))
    run = script.subprocess.run
    monkeypatch.setattr(
        script.subprocess,
        "run",
        lambda command, **options: command[0] == "runuser" and run(command[4:], **options),
    )
    with closing(MjpegServer(lambda: PICTURE_OF_NOISE)) as camera:
        settings.write_text(f'camera = "{camera.url}"\nport = 9\n')
        assert script.sees(home / "releases/1")
        camera.fault = "stall"
        assert not script.sees(home / "releases/1")


@pytest.fixture
def home(tmp_path):
    """A folder of releases with an update that is being watched."""
    for name in ("1", "2"):
        (tmp_path / "releases" / name).mkdir(parents=True)
    (tmp_path / "current").symlink_to("releases/2")
    note = "old=1\nbackup=/b\nstate=/s\ncamera=yes\n"
    (tmp_path / "watched").write_text(note)
    return tmp_path


def calls(script, monkeypatch, *codes):
    """Let each call of a program return the next code; return the list of calls."""
    made, left = [], list(codes)

    def run(command, **_):
        made.append(command)
        return type("Done", (), {"returncode": left.pop(0), "stdout": "0"})

    monkeypatch.setattr(script.subprocess, "run", run)
    return made


def test_a_version_that_has_proved_itself_is_no_longer_watched(script, home, monkeypatch):
    monkeypatch.setattr(script, "watch", lambda look, old_sees: "")

    assert script.main(home) == 0
    assert not (home / "watched").exists()
    assert script.main(home) == 0


def test_a_failed_return_is_tried_again(script, home, monkeypatch):
    monkeypatch.setattr(script, "watch", lambda look, old_sees: "its page does not answer")
    made = calls(script, monkeypatch, 1, 0)

    assert script.main(home) == 0
    assert made == [[FILE.with_name("install"), "--go-back", "its page does not answer"]] * 2


def test_a_return_that_was_interrupted_is_finished(script, home, monkeypatch):
    (home / "current").unlink()
    (home / "current").symlink_to("releases/1")
    made = calls(script, monkeypatch, 0)

    assert script.main(home) == 0
    assert made[0][1:] == ["--go-back", "going back was interrupted"]
