"""Safe mode: each part fails three times, and the fourth start keeps score without that part."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from playwright.sync_api import expect

from device import app
from device.app import PlayOptions, open_maintenance, serving
from device.commands.play import in_safe_mode
from device.companion import companion
from device.failed_starts import (
    BOOT_ID,
    FAILED_STARTS_FILE,
    LIMIT,
    FailedStart,
    StartPart,
    StartRecord,
)
from device.safe_mode import kept_settings
from device.settings import Settings
from game.commands import Bank, EnterThrow, LeaveSafeMode, StartMatch, SubmitPhoto
from game.errors import JournalError
from game.message import Message
from game.situation import TableError
from tests.browser import PHONE, open_as_scorekeeper, wait_before_taps
from tests.clock import Clock
from tests.waiting import PATIENCE_S
from web.access.phone import COOKIE
from web.app import new_link

COMMAND = [str(Path(sys.executable).with_name("traykeeper")), "play"]
THOUSAND = (1, 1, 1, 2, 3, 4)


def record_of(folder, part, why=""):
    """Return the record of a start after three starts that failed at a part."""
    starts = [FailedStart(float(k), part, why) for k in range(LIMIT)]
    text = json.dumps(
        {
            "boot": "one",
            "starts": [{"began_s": s.began_s, "part": part, "why": why} for s in starts],
        }
    )
    (folder / FAILED_STARTS_FILE).write_text(text)
    return StartRecord([folder], "one", Clock(9.0))


@contextmanager
def safe_table(folder, part, why="", **options):
    """A companion in safe mode."""
    usual = PlayOptions(state=str(folder), **options)
    safe = in_safe_mode(usual, record_of(folder, part, why))
    with open_maintenance(safe) as maintenance:
        yield maintenance


def broken(*_, **__):
    raise RuntimeError("segmentation fault, if it were a real one")


def shown(companion):
    return str(companion.snapshot().troubles[0])


BREAKS = {
    StartPart.CAMERA: ("_camera", "_button"),
    StartPart.PINS: ("open_pins", "_button"),
}
"""What safe mode never calls after a failure at each part."""


@pytest.mark.parametrize("part", BREAKS)
def test_what_failed_is_left_out_and_the_score_is_kept(tmp_path, part, monkeypatch):
    with open_maintenance(PlayOptions(camera="usb:97", state=str(tmp_path))) as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben")))
        maintenance.companion.do(EnterThrow(THOUSAND))
    for name in BREAKS[part]:
        monkeypatch.setattr(app, name, broken)
    with safe_table(tmp_path, part, "it broke") as maintenance:
        snapshot = maintenance.companion.do(Bank())

        assert snapshot.safe_mode
        assert shown(maintenance.companion).startswith("Safe mode: several starts failed")
        assert "The error was: it broke" in shown(maintenance.companion)
        assert [player.score for player in snapshot.match.state.players] == [1000, 0]
        assert str(snapshot.lamp.meaning) == "safe mode: see the page, tap the dice in"


@pytest.mark.parametrize("is_safe", [True, False])
def test_the_networks_that_read_dice_are_not_loaded(tmp_path, is_safe, monkeypatch):
    """A processor that lacks one of their instructions ends the whole process."""
    loaded, loading = [], Event()
    monkeypatch.setattr(app, "choose_engine", lambda *_: loaded.append(True) or loading.set())
    monkeypatch.setattr(app.gc, "freeze", lambda: None)
    monkeypatch.setattr(app, "notify", lambda word: word == "READY=1" and raise_end(loading))

    def raise_end(loading):
        loading.wait(0.2 if is_safe else PATIENCE_S)
        signal.raise_signal(signal.SIGTERM)

    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    record = record_of(tmp_path, StartPart.RUNNING)
    options = PlayOptions(state=str(tmp_path), camera="usb:97", port=0)
    try:
        app.run(in_safe_mode(options, record) if is_safe else options, record)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

    assert loaded == ([] if is_safe else [True])


def test_a_broker_and_a_webhook_that_fail_are_left_out(tmp_path):
    usual = PlayOptions(state=str(tmp_path), mqtt="no broker", webhook="nonsense", port=0)
    safe = in_safe_mode(usual, record_of(tmp_path, StartPart.BROKER))

    assert (safe.mqtt, safe.webhook) == ("", "")
    with serving(safe) as (companion, _):
        assert companion.snapshot().safe_mode


def test_matches_that_cannot_be_opened_are_left_alone(tmp_path):
    """They may come from a newer version, or be on a card that is failing."""
    journal = tmp_path / "journal.db"
    journal.mkdir()
    with safe_table(tmp_path, StartPart.JOURNAL, "the disk is full") as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben")))

        assert "Matches played in safe mode are not kept." in shown(maintenance.companion)
        assert maintenance.journal.path.parent != tmp_path
    assert journal.is_dir()


def test_the_scorekeeper_and_the_pin_are_as_before_if_matches_cannot_be_opened(tmp_path):
    """Otherwise nobody could tap the dice in or leave safe mode, because the button is off."""
    usual = PlayOptions(state=str(tmp_path), camera="usb:97", host="127.0.0.1", port=0)
    with serving(usual) as (_, server):
        before = server.app.test_client()
        token = new_link(server.app).partition("=")[2]
        before.post("/api/v1/scorekeeper/link", json={"token": token})
        cookie = before.get_cookie(COOKIE).value
    with serving(in_safe_mode(usual, record_of(tmp_path, StartPart.JOURNAL))) as (_, server):
        same, other = server.app.test_client(), server.app.test_client()
        same.set_cookie(COOKIE, cookie)
        command = [COMMAND[0], "pin", "--state", str(tmp_path)]
        pin = subprocess.check_output(command, text=True).strip()

        assert same.post("/api/v1/match", json={"names": ["Anna", "Ben"]}).status_code == 200
        assert other.post("/api/v1/scorekeeper/owner", json={"pin": pin}).status_code == 200


def unusable(*_):
    raise JournalError(Message("the journal cannot be used"))


def test_a_journal_that_fails_in_safe_mode_is_left_out_next_time(tmp_path, monkeypatch):
    monkeypatch.setattr(app, "open_journal", unusable)
    record = record_of(tmp_path, StartPart.CAMERA)
    safe = in_safe_mode(PlayOptions(state=str(tmp_path)), record)
    assert safe.state == str(tmp_path)
    with pytest.raises(JournalError), open_maintenance(safe, reach=record.reach):
        pass
    again = StartRecord([tmp_path], "one", Clock(9.5))

    assert in_safe_mode(PlayOptions(state=str(tmp_path)), again).state != str(tmp_path)


def test_a_port_in_use_is_replaced_by_a_free_one(tmp_path):
    with socket.create_server(("", 0)) as other:
        port = other.getsockname()[1]
        usual = PlayOptions(state=str(tmp_path), port=port)
        with serving(in_safe_mode(usual, record_of(tmp_path, StartPart.PAGE))) as (_, server):
            assert server.port != port
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/") as page:
                assert "Safe mode: several starts failed (page)" in page.read().decode()


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.9"])
def test_a_host_elsewhere_is_replaced_by_all_addresses_of_this_machine(tmp_path, host, monkeypatch):
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    usual = PlayOptions(state=str(tmp_path), host=host, port=0)
    with serving(in_safe_mode(usual, record_of(tmp_path, StartPart.PAGE))) as (table, server):
        assert server.host == ""
        assert host not in table.snapshot().join_url


def test_the_lamp_shows_safe_mode_unless_the_pins_failed(tmp_path, monkeypatch):
    opened = []
    real = app.open_pins
    monkeypatch.setattr(app, "open_pins", lambda *a: opened.append(1) or real(*a))
    for part in (StartPart.CAMERA, StartPart.PINS):
        with safe_table(tmp_path, part) as maintenance:
            assert maintenance.companion.snapshot().safe_mode

    assert len(opened) == 1


def test_the_health_page_has_one_line_about_safe_mode_and_none_about_the_camera(tmp_path):
    with safe_table(tmp_path, StartPart.CAMERA) as maintenance:
        levels = {str(check.name): check.level for check in maintenance.health()}

    assert levels["safe mode"] == "warning"
    assert levels["camera"] == "skipped"


def test_a_normal_start_is_tried_once_when_somebody_asks_for_it(tmp_path, monkeypatch):
    ended = []
    monkeypatch.setattr(companion, "end_process", lambda: ended.append(True))
    with safe_table(tmp_path, StartPart.CAMERA) as maintenance:
        maintenance.companion.do(LeaveSafeMode())

    assert ended == [True]
    assert len(StartRecord([tmp_path], "one", Clock(9.5)).earlier) == LIMIT - 1


def test_no_photo_is_read_because_reading_may_be_what_fails(tmp_path):
    with (
        safe_table(tmp_path, StartPart.RUNNING) as maintenance,
        pytest.raises(TableError, match="tap the dice in"),
    ):
        maintenance.companion.do(SubmitPhoto(None))


def test_there_is_nothing_to_leave_outside_safe_mode(rig):
    with pytest.raises(TableError, match="Traykeeper is not in safe mode"):
        rig.companion.do(LeaveSafeMode())

    assert not rig.companion.snapshot().safe_mode


def test_address_folder_and_lamp_are_kept_from_settings_with_mistakes(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(
        'camera = "usb:0"\nport = 80\nhosts = "den"\nstate = "/media/ssd"\nprot = 81\nred_pin = 5\n'
        'rules = "nobody"\nbutton_pin = 5\nlamp = [[\n"host\n'
    )

    assert kept_settings(file) == Settings(port=80, hosts="den", state="/media/ssd", red_pin=5)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"port = 80\x00\n", b"port = \n" * 99])
def test_a_settings_file_full_of_nonsense_gives_the_defaults(tmp_path, content):
    file = tmp_path / "settings.toml"
    file.write_bytes(content)

    assert kept_settings(file) == Settings()


@contextmanager
def as_service(tmp_path, *options):
    """Start the program as systemd does; yield a function that starts it and waits for it."""
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(address))
        systemd.settimeout(PATIENCE_S)
        (tmp_path / "run").mkdir()
        env = os.environ | {"NOTIFY_SOCKET": str(address), "GPIOZERO_PIN_FACTORY": "mock"}
        env |= {"RUNTIME_DIRECTORY": str(tmp_path / "run")}

        def start():
            words = [*COMMAND, "--state", str(tmp_path / "state"), *options]
            return subprocess.Popen(
                words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )

        yield start, systemd


def test_the_service_starts_in_safe_mode_after_three_wrong_starts_and_recovers(tmp_path):
    """The settings have a mistake; then somebody repairs them and asks for a normal start."""
    (tmp_path / "state").mkdir()
    file = tmp_path / "settings.toml"
    file.write_text("prot = 1\nport = 0\n")
    with as_service(tmp_path, "--settings", str(file)) as (start, systemd):
        boot, clock = BOOT_ID.read_text().strip(), Clock(monotonic() - LIMIT)
        for _ in range(LIMIT - 1):
            clock.now_s += 1
            StartRecord([tmp_path / "state"], boot, clock)
        process = start()
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 2
        assert "prot is not a setting" in said
        process = start()
        try:
            assert re.search(r"STATUS=Serving http.* in safe mode", systemd.recv(999).decode())
            while "READY=1" not in systemd.recv(999).decode():
                pass
        finally:
            process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=PATIENCE_S)
        assert "Traykeeper is at http" in out
        assert "prot is not a setting" in said
        assert process.returncode == 0
        assert not (tmp_path / "state" / FAILED_STARTS_FILE).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do this")
def test_the_service_waits_for_its_address_and_says_so(tmp_path):
    options = ["--camera", "usb:97", "--host", "203.0.113.9", "--port", "0"]
    with as_service(tmp_path, *options) as (start, systemd):
        process = start()
        while "READY=1" not in systemd.recv(999).decode():
            pass
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=PATIENCE_S)

    assert "cannot listen on 203.0.113.9" in said
    assert "the page cannot be reached until the machine has this address" in said
    assert "localhost" not in out


def test_a_killed_start_counts(tmp_path):
    with as_service(tmp_path, "--camera", "usb:97", "--port", "0") as (start, systemd):
        (tmp_path / "state").mkdir()
        process = start()
        while "READY=1" not in systemd.recv(999).decode():
            pass
        while (
            json.loads((tmp_path / "state" / FAILED_STARTS_FILE).read_text())["starts"][0]["part"]
            != "running"
        ):
            Event().wait(0.01)
        process.kill()
        process.communicate()
    boot = BOOT_ID.read_text().strip()

    assert [s.part for s in StartRecord([tmp_path / "state"], boot).earlier] == [StartPart.RUNNING]


@pytest.mark.browser
def test_one_tap_on_the_page_tries_a_normal_start(browser, tmp_path, monkeypatch):
    ended = []
    monkeypatch.setattr(companion, "end_process", lambda: ended.append(True))
    usual = PlayOptions(host="127.0.0.1", port=0, state=str(tmp_path))
    safe = in_safe_mode(usual, record_of(tmp_path, StartPart.CAMERA, "the camera does not start"))
    with serving(safe) as (_, server):
        page = browser.new_page(viewport=PHONE)
        wait_before_taps(page)
        open_as_scorekeeper(page, f"http://127.0.0.1:{server.port}/{new_link(server.app)}")
        expect(page.locator("html.holder")).to_be_attached()
        card = page.locator(".fit.attention")
        expect(card).to_contain_text("Safe mode: several starts failed (camera)")
        card.get_by_role("button", name="Start normally").click()
        expect(page.locator("#board")).to_contain_text("Traykeeper will now start normally.")

        assert ended == [True]
        page.goto(f"http://127.0.0.1:{server.port}/health")
        expect(page.get_by_role("button", name="Start normally")).to_be_visible()
        expect(page.get_by_text("The error was: the camera does not start")).to_be_visible()
