"""A backup that was put on a stick: told, asked for, put in place or let go."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from device.app import PlayOptions, open_maintenance
from device.storage import backup
from device.storage.carried import FOLDER, Carried
from game.commands import StartMatch
from game.situation import TableError


@pytest.fixture
def options(tmp_path):
    return PlayOptions(camera="sim", state=str(tmp_path / "state"), seed=3, roll_s=0.3)


@pytest.fixture
def with_a_backup(options, tmp_path):
    """One with Anna and Ben in it; played on by Cleo and Dan."""
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


def test_it_is_told_at_the_start_and_put_in_place_when_somebody_says_so(with_a_backup):
    with open_maintenance(with_a_backup) as maintenance:
        before = maintenance.companion.snapshot()
        found = maintenance.found_backup()

        assert "A backup was put here" in str(before.message)
        assert names(before) == ["Cleo", "Dan"]
        assert found.is_usable
        assert "1 match" in str(found.line)
        assert names(maintenance.restore_found()) == ["Anna", "Ben"]
        assert maintenance.found_backup() is None
        with pytest.raises(TableError, match="no backup waits"):
            maintenance.restore_found()


def test_however_many_ask_it_is_unpacked_once(with_a_backup, monkeypatch):
    unpacked = []
    read = backup.read
    monkeypatch.setattr(backup, "read", lambda path: unpacked.append(path) or read(path))
    carried = Carried(Path(with_a_backup.state))
    with ThreadPoolExecutor(8) as phones:
        told = list(phones.map(lambda _: carried.look(), range(40)))

    assert len(unpacked) == 1
    assert all(found == told[0] and found.is_usable for found in told)


def test_another_one_under_the_same_name_is_looked_at(with_a_backup):
    carried = Carried(Path(with_a_backup.state))
    assert carried.look().is_usable
    carried.file.write_bytes(b"torn")

    assert not carried.look().is_usable
    carried.forget()
    assert carried.look() is None


def test_it_can_be_let_go(with_a_backup):
    with open_maintenance(with_a_backup) as maintenance:
        maintenance.dismiss_found()

        assert maintenance.found_backup() is None
        assert names(maintenance.companion.snapshot()) == ["Cleo", "Dan"]


def test_a_broken_one_is_told_and_changes_nothing(with_a_backup):
    Carried(Path(with_a_backup.state)).file.write_bytes(b"torn")
    with open_maintenance(with_a_backup) as maintenance:
        found = maintenance.found_backup()

        assert not found.is_usable
        assert "cannot be used" in str(found.line)
        with pytest.raises(TableError, match="cannot be used"):
            maintenance.restore_found()
