"""Backups from a stick, and uploads in parts: announced, restored or dropped."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from device.app import PlayOptions, open_maintenance
from device.storage import backup
from device.storage.restore import FOLDER, BackupUpload, IncomingBackup
from game.commands import StartMatch
from game.situation import TableError
from tests.waiting import until


@pytest.fixture
def options(tmp_path):
    return PlayOptions(camera="sim", state=str(tmp_path / "state"), seed=3, roll_s=0.3)


@pytest.fixture
def with_a_backup(options, tmp_path):
    """An incoming backup with a match of Anna and Ben, while Cleo and Dan play."""
    with open_maintenance(options) as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben")))
        made = maintenance.backups.make()
        maintenance.companion.do(StartMatch(("Cleo", "Dan")))
    incoming = tmp_path / "state" / FOLDER
    incoming.mkdir()
    shutil.copy(made, incoming / "traykeeper-2026-11-20.zip")
    return options


def names(snapshot):
    return [player.name for player in snapshot.match.state.players]


def test_an_incoming_backup_is_announced_at_the_start_and_restored_on_request(with_a_backup):
    with open_maintenance(with_a_backup) as maintenance:
        before = maintenance.companion.snapshot()
        found = maintenance.found_backup()

        assert "A backup was found" in str(before.message)
        assert names(before) == ["Cleo", "Dan"]
        assert "ok" in [each.level for each in maintenance.health() if str(each.name) == "journal"]
        assert found.is_usable
        assert "1 match" in str(found.line)
        assert names(maintenance.restore_found()) == ["Anna", "Ben"]
        assert maintenance.found_backup() is None
        with pytest.raises(TableError, match="no longer available"):
            maintenance.restore_found()


def test_a_backup_is_unpacked_once_however_many_phones_ask(with_a_backup, monkeypatch):
    unpacked = []
    read = backup.read
    monkeypatch.setattr(backup, "read", lambda path: unpacked.append(path) or read(path))
    incoming = IncomingBackup(Path(with_a_backup.state))
    with ThreadPoolExecutor(8) as phones:
        answers = list(phones.map(lambda _: incoming.describe(), range(40)))

    assert len(unpacked) == 1
    assert all(found == answers[0] and found.is_usable for found in answers)


def test_a_changed_file_with_the_same_name_is_read_again(with_a_backup):
    incoming = IncomingBackup(Path(with_a_backup.state))
    assert incoming.describe().is_usable
    incoming.file.write_bytes(b"torn")

    assert not incoming.describe().is_usable
    incoming.delete()
    assert incoming.describe() is None


def test_an_incoming_backup_can_be_dismissed(with_a_backup):
    with open_maintenance(with_a_backup) as maintenance:
        maintenance.dismiss_found()

        assert maintenance.found_backup() is None
        assert names(maintenance.companion.snapshot()) == ["Cleo", "Dan"]


def test_a_damaged_incoming_backup_is_announced_and_changes_nothing(with_a_backup):
    IncomingBackup(Path(with_a_backup.state)).file.write_bytes(b"torn")
    with open_maintenance(with_a_backup) as maintenance:
        found = maintenance.found_backup()

        assert not found.is_usable
        assert "cannot be used" in str(found.line)
        with pytest.raises(TableError, match="cannot be used"):
            maintenance.restore_found()


def test_an_upload_joins_its_parts():
    upload = BackupUpload()

    assert upload.append(0, b"PK") == 2
    assert upload.append(2, b"zip") == 5
    assert upload.finish() == b"PKzip"
    assert len(upload) == 0


def test_a_part_at_the_wrong_offset_is_refused_and_offset_0_starts_again():
    upload = BackupUpload()
    upload.append(0, b"PK")
    with pytest.raises(TableError, match="try again"):
        upload.append(3, b"zip")

    assert upload.append(0, b"P") == 1


def test_an_upload_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(backup, "MAX_PACKED", 4)
    with pytest.raises(TableError, match="too large"):
        BackupUpload().append(0, b"PKzip")


def test_an_abandoned_upload_is_dropped(clock):
    upload = BackupUpload(abandoned_s=0.2, clock=clock)
    upload.append(0, b"P")
    clock.now_s += 0.15
    upload.append(1, b"K")  # before it is dropped
    clock.now_s += 0.1
    time.sleep(0.3)
    assert len(upload) == 2

    clock.now_s += 0.15
    until(lambda: len(upload) == 0)
    with pytest.raises(TableError, match="try again"):
        upload.append(2, b"zip")
