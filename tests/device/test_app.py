"""The parts that `traykeeper play` connects."""

import os
from types import SimpleNamespace

import pytest

from device import app, cameras
from device.app import PlayOptions, announce, open_maintenance
from device.calibrating.profile_file import ProfileStore
from device.cameras.base import CameraError
from device.files import UNFINISHED_SUFFIX
from device.settings import Settings
from game.commands import EnterThrow, SetCoachMode, StartMatch
from game.situation import Situation
from web.contracts import CoachMode


def test_play_starts_without_its_camera(tmp_path):
    options = PlayOptions(camera="usb:97", state=str(tmp_path))
    with open_maintenance(options) as maintenance:
        companion = maintenance.companion
        snapshot = companion.do(StartMatch(("Anna", "Ben")))
        while str(snapshot.lamp.meaning).startswith("starting"):
            snapshot = companion.wait(snapshot.version, 5) or companion.snapshot()
        snapshot = companion.do(EnterThrow((1, 1, 1, 2, 3, 4)))

    assert snapshot.camera is None
    assert snapshot.situation is Situation.ACCEPTED


def test_a_lost_pi_camera_is_never_replaced_by_simulated_dice(monkeypatch):
    monkeypatch.setattr(cameras, "expects_pi_camera", lambda: True)
    simulated, open_it = app._camera(PlayOptions(camera="auto"), ProfileStore(), 640)
    monkeypatch.setattr(cameras, "expects_pi_camera", lambda: False)

    assert simulated is None
    with pytest.raises(CameraError):
        open_it()


def test_files_left_unfinished_by_a_power_cut_are_removed_at_the_start(tmp_path):
    cut = tmp_path / "frames" / f".000000035.jpg.1ije9r5z{UNFINISHED_SUFFIX}"
    cut.parent.mkdir()
    cut.write_bytes(b"half a picture")
    os.utime(cut, (0, 0))
    with open_maintenance(PlayOptions(camera="usb:97", state=str(tmp_path))):
        assert not cut.exists()


def test_the_coach_answers_soon_after_it_is_switched_on(tmp_path):
    with open_maintenance(PlayOptions(camera="usb:97", state=str(tmp_path))) as maintenance:
        companion = maintenance.companion
        companion.do(StartMatch(("Anna", "Ben")))
        snapshot = companion.do(SetCoachMode(CoachMode.LIVE))
        while snapshot.coach.figures is None:
            snapshot = companion.wait(snapshot.version, 5) or companion.snapshot()

    assert snapshot.coach.figures.solved
    assert 0.5 < snapshot.coach.figures.before.win < 0.6


def test_the_join_address_follows_the_machines_address(tmp_path, monkeypatch):
    with open_maintenance(PlayOptions(camera="usb:97", state=str(tmp_path))) as maintenance:
        companion = maintenance.companion
        server = SimpleNamespace(host="", port=8000)
        for address in ("192.168.1.20", "10.42.0.1"):
            monkeypatch.setattr(app, "lan_address", lambda _, it=address: it)
            announce(companion, Settings(), server)
            assert companion.snapshot().join_url == f"http://{address}:8000/"
        version = companion.snapshot().version
        announce(companion, Settings(), server)

        assert companion.snapshot().version == version


def test_the_setting_address_fixes_the_address_for_phones(tmp_path):
    with open_maintenance(PlayOptions(camera="usb:97", state=str(tmp_path))) as maintenance:
        companion = maintenance.companion
        settings = Settings(address="https://dice.example")
        announce(companion, settings, SimpleNamespace(host="", port=8000))

        assert companion.snapshot().join_url == "https://dice.example/"
