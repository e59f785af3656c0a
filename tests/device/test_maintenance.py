"""The health page, backups over HTTP, and pictures of throws."""

import json
import os
import urllib.request
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from time import time
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor

import pytest

from calibration.outline import Outline
from calibration.profile import Profile
from device import app
from device.app import PlayOptions, open_maintenance, serving
from device.calibrating.profile_file import PROFILE_FILE, ProfileStore, save
from device.hardware.pins import mock_pins
from device.storage.recovery import set_aside
from device.storage.throw_pictures import DAY_S
from game.commands import (
    AcknowledgeDamage,
    EnterThrow,
    Press,
    ReopenMatch,
    RestoreBackup,
    StartMatch,
    ThrowSimulatedDice,
)
from game.errors import JournalError
from game.journal.entry import checksum
from game.journal.history import History
from game.journal.schema import insert
from game.match.events import ScoreSet
from game.message import Message
from game.situation import Situation
from tests.device.rig import open_rig
from tests.waiting import PATIENCE_S, until
from web.app import new_link


@pytest.fixture
def options(tmp_path):
    return PlayOptions(
        camera="sim", host="127.0.0.1", port=0, state=str(tmp_path), seed=3, roll_s=0.3, still_s=0.2
    )


@pytest.fixture
def maintenance(options):
    with open_maintenance(options) as maintenance:
        companion = maintenance.companion
        while companion.snapshot().camera is None:
            companion.wait(companion.snapshot().version, 5)
        yield maintenance


def levels(maintenance):
    return {str(check.name): check.level for check in maintenance.health()}


def test_every_check_has_a_result_from_the_start(maintenance):
    assert list(levels(maintenance)) == [
        *("camera", "journal", "backup", "lamp"),
        *("space on the card", "power", "heat", "clock", "update", "USB stick"),
    ]
    assert {levels(maintenance)[name] for name in ("camera", "journal", "backup", "lamp")} == {"ok"}


def test_pins_that_cannot_be_used_are_reported_although_the_page_has_a_button(options, monkeypatch):
    why = Message("the pins cannot be used, so the button is on the page (no permission)")
    monkeypatch.setattr(app, "open_pins", lambda: (mock_pins(), why))
    with open_maintenance(options) as maintenance:
        (lamp,) = (check for check in maintenance.health() if str(check.name) == "lamp")

    assert lamp.level == "warning"
    assert str(why) in str(lamp.line)


def test_a_deleted_journal_is_reported_until_a_step_mends_it(maintenance):
    companion = maintenance.companion
    companion.do(StartMatch(("Anna", "Ben")))
    maintenance.journal.path.unlink()

    def journal():
        return next(check for check in maintenance.health() if str(check.name) == "journal")

    assert journal().level == "failed"
    assert "throws are still accepted" in str(journal().line)
    companion.do(ThrowSimulatedDice())
    companion.do(EnterThrow((1, 2, 3, 4, 6, 6)))
    assert "throws are still accepted" not in str(journal().line)


def test_the_picture_of_a_throw_is_saved_under_its_position(maintenance):
    companion = maintenance.companion
    companion.do(StartMatch(("Anna", "Ben")))
    companion.do(ThrowSimulatedDice())
    companion.do(Press())
    until(lambda: companion.snapshot().situation is not Situation.WAITING)
    snapshot = companion.snapshot()
    if snapshot.match.last_throw is None:
        pytest.skip(f"this throw was not read: {snapshot.message}")
    last = History(maintenance.journal.path).entries()[-1].position

    assert until(lambda: maintenance.frame(last)).startswith(b"\xff\xd8")
    assert maintenance.frame(last + 1) is None


class Phone:
    """A phone that has opened the link printed by `traykeeper play`, and so is the scorekeeper."""

    def __init__(self, server):
        self._base = f"http://127.0.0.1:{server.port}/api/v1/"
        self._opener = urllib.request.build_opener(HTTPCookieProcessor())
        self.post("scorekeeper/link", token=new_link(server.app).partition("=")[2])

    def get(self, path):
        with self._opener.open(self._base + path, timeout=PATIENCE_S) as answer:
            return answer.read()

    def post(self, path, **body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, json.dumps(body).encode(), headers)  # noqa: S310 - our own page
        with self._opener.open(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def restore(self, backup):
        """Send a backup in parts, like the page."""
        at = 0
        while at < len(backup):
            part = b64encode(backup[at : at + 1000]).decode()
            at = self.post("restore/part", at=at, part=part)["at"]
        return self.post("restore")


def test_a_match_is_restored_over_http_while_the_page_is_open(options):
    with serving(options) as (_, server):
        phone = Phone(server)
        phone.post("match", names=["Anna", "Ben"])
        phone.post("dice", dice=[1, 1, 1, 2, 3, 4])
        backup = phone.get("backup")
        phone.post("bank")
        phone.post("match", names=["Cleo", "Dan"])
        state = phone.restore(backup)

        assert [player["name"] for player in state["players"]] == ["Anna", "Ben"]
        assert state["at_risk"] == 1000
        assert state["message"].startswith(
            "The backup was restored. Picking up where we left off. Anna"
        )
        with pytest.raises(HTTPError, match="409"):
            phone.restore(backup[:-40])
        assert phone.post("bank")["players"][0]["score"] == 1000


def test_a_tap_on_a_page_from_before_a_restart_does_only_what_the_page_showed(options):
    with serving(options) as (_, server):
        phone = Phone(server)
        phone.post("match", names=["Anna", "Ben"])
        phone.post("dice", dice=[1, 1, 1, 2, 3, 4])
        before = phone.post("dice", dice=[1, 1, 1, 2, 3, 4])
        assert before["question"] == "Did Anna bank 1,000?"
    with serving(options) as (_, server):
        phone = Phone(server)
        now = phone.post("dice", dice=[1, 1, 2, 3, 4, 6])
        assert (now["question"], now["step"]) == (before["question"], before["step"])
        with pytest.raises(HTTPError, match="409"):
            phone.post("answer", choice=before["choices"][0]["id"])
        phone.post("answer", choice=now["choices"][0]["id"])
        with pytest.raises(HTTPError, match="409"):
            phone.post("undo", step=before["step"])


def test_a_picture_that_cannot_be_deleted_does_not_stop_a_restore(options, tmp_path):
    (tmp_path / "frames" / "000000099.jpg").mkdir(parents=True)
    with serving(options) as (_, server):
        phone = Phone(server)
        phone.post("match", names=["Anna", "Ben"])
        backup = phone.get("backup")
        phone.post("match", names=["Cleo", "Dan"])
        state = phone.restore(backup)

        assert [player["name"] for player in state["players"]] == ["Anna", "Ben"]


def test_a_restore_that_fails_late_continues_the_restored_match(maintenance):
    """Otherwise the old match would continue in a journal that does not contain it."""
    companion, journal = maintenance.companion, maintenance.journal
    companion.do(StartMatch(("Anna", "Ben")))
    good = maintenance.backups.collect()
    companion.do(StartMatch(("Cleo", "Dan")))

    def put():
        journal.restore(good.journal)
        raise OSError("after that")

    with pytest.raises(OSError, match="after that"):
        companion.do(RestoreBackup(put))
    companion.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    assert companion.snapshot().match.state.player.name == "Anna"
    assert History(journal.path).match(1) == companion.snapshot().match


def test_the_calibration_page_shows_a_restored_calibration(tmp_path, clock):
    file, name = tmp_path / PROFILE_FILE, "simulated tray"
    before = ((0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9))
    after = ((0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7))
    save(Profile(name, "now", Outline(before)), file)
    with open_rig(tmp_path, clock=clock, profiles=ProfileStore(file)) as rig:
        wizard = rig.companion.tray_camera.wizard
        rig.wait_s(1.0)
        until(lambda: wizard.state().tray == before)
        restored = Profile(name, "then", Outline(after))
        rig.companion.do(RestoreBackup(lambda: save(restored, file)))
        until(lambda: wizard.state().tray == after)

        assert wizard.state().made == "then"


def test_a_restore_that_fails_early_changes_nothing(maintenance):
    companion = maintenance.companion
    companion.do(StartMatch(("Anna", "Ben")))
    before = companion.snapshot()

    def put():
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        companion.do(RestoreBackup(put))
    assert companion.snapshot().message == before.message


def test_a_match_that_this_version_cannot_read_is_kept_and_reported(options, tmp_path):
    with open_maintenance(options) as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben")))
        maintenance.journal.append(1)
        journal = maintenance.journal._journal
        insert(journal._db, (3, 1, 2, None, "[7]", checksum(1, 2, None, "[7]")))
    with open_maintenance(options) as maintenance:
        snapshot = maintenance.companion.snapshot()

        assert snapshot.situation is Situation.NO_MATCH
        assert "The last match cannot be continued" in str(snapshot.troubles[0])
        assert maintenance.companion.do(StartMatch(("Cleo", "Dan"))).match is not None
        assert maintenance.companion.do(AcknowledgeDamage()).troubles == ()


def test_a_match_that_the_rules_no_longer_allow_is_reported_in_one_line(options):
    with open_maintenance(options) as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben"), rules="welfare"))
        maintenance.journal.append(1, ScoreSet(1, 10_050))
    with open_maintenance(options) as maintenance:
        companion = maintenance.companion
        why = (
            "this version cannot read match 1: "
            "the target must be reached exactly: set at most 10,000 points"
        )

        assert [str(trouble) for trouble in companion.snapshot().troubles] == [
            f"The last match cannot be continued ({why}). It stays in the journal."
        ]
        assert levels(maintenance)["journal"] == "ok"
        with pytest.raises(JournalError) as refused:
            companion.do(ReopenMatch(1))
        assert str(refused.value) == why
        assert companion.troubles.journal is None
        assert companion.do(StartMatch(("Cleo", "Dan"))).match is not None


def test_files_are_moved_aside_together_with_their_log(tmp_path):
    for name in ("journal.db", "journal.db-wal", "journal.db-shm", "journal-damaged-1.db"):
        (tmp_path / name).write_text(name)
    for _ in range(2):
        set_aside(tmp_path / "journal.db", tmp_path / "journal-damaged-2.db")

    assert (tmp_path / "journal-damaged-2.db").read_text() == "journal.db"
    assert (tmp_path / "journal-damaged-2.db-wal").read_text() == "journal.db-wal"
    assert not (tmp_path / "journal.db-shm").exists()


@pytest.mark.parametrize(
    ("limits", "kept"), [({"frames_mb": 0}, []), ({"frames_days": 1}, [2]), ({}, [1, 2])]
)
def test_the_limits_of_pictures_hold_from_the_start_although_nobody_plays(options, limits, kept):
    """Picture 1 is three days old, picture 2 is new; the page shows what is left."""
    folder = Path(options.state) / "frames"
    folder.mkdir()
    for position, days in ((1, 3), (2, 0)):
        file = folder / f"{position:09}.jpg"
        file.write_bytes(b"\xff\xd8 a picture \xff\xd9")
        os.utime(file, (time() - days * DAY_S,) * 2)
    with serving(replace(options, **limits)) as (_, server):
        until(lambda: [int(file.stem) for file in sorted(folder.glob("*.jpg"))] == kept)
        shown = [
            server.app.test_client().get(f"/api/v1/frame/{position}.jpg").status_code
            for position in (1, 2)
        ]

    assert shown == [200 if position in kept else 404 for position in (1, 2)]
