import json
import stat

import pytest

from device.cli import main
from device.errors import UsageError
from device.storage.scorekeeper_file import SCOREKEEPER_FILE, ScorekeeperFile, secret_of
from web.access.pin import pin_at
from web.access.scorekeeper import ScorekeeperRecord


def test_the_scorekeeper_is_the_same_after_a_restart(tmp_path):
    scorekeeper_file = ScorekeeperFile(tmp_path / SCOREKEEPER_FILE)
    scorekeeper_file.save(ScorekeeperRecord("badge", own_turn=True, players={"badge": "Anna ☃"}))
    again = ScorekeeperFile(tmp_path / SCOREKEEPER_FILE)

    assert again.record == scorekeeper_file.record
    assert again.secret == scorekeeper_file.secret


def test_only_its_owner_may_read_the_file(tmp_path):
    ScorekeeperFile(tmp_path / "deep" / SCOREKEEPER_FILE)

    assert stat.S_IMODE((tmp_path / "deep" / SCOREKEEPER_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"secret": "xx"}', '{"secret": 5}', "\x00"])
def test_a_damaged_file_counts_as_missing(tmp_path, damage):
    secret = ScorekeeperFile(tmp_path / SCOREKEEPER_FILE).secret
    (tmp_path / SCOREKEEPER_FILE).write_text(damage)
    scorekeeper_file = ScorekeeperFile(tmp_path / SCOREKEEPER_FILE)

    assert scorekeeper_file.record == ScorekeeperRecord()
    assert scorekeeper_file.secret != secret
    assert json.loads((tmp_path / SCOREKEEPER_FILE).read_text())["holder"] == ""


def test_a_file_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("no folder")
    scorekeeper_file = ScorekeeperFile(tmp_path / "file" / SCOREKEEPER_FILE)

    assert "the scorekeeper has to ask again" in scorekeeper_file.trouble


def test_every_folder_has_its_own_secret(tmp_path):
    assert ScorekeeperFile(tmp_path / "a").secret != ScorekeeperFile(tmp_path / "b").secret


def test_the_command_prints_the_pin_that_the_page_accepts(tmp_path, capsys, monkeypatch):
    secret = ScorekeeperFile(tmp_path / SCOREKEEPER_FILE).secret
    monkeypatch.setattr("device.commands.pin.time", lambda: 1e9)
    with pytest.raises(SystemExit) as done:
        main(["pin", "--state", str(tmp_path)])

    assert done.value.code == 0
    assert capsys.readouterr().out.strip() == pin_at(1e9, secret)


def test_without_a_companion_there_is_no_pin(tmp_path):
    with pytest.raises(UsageError, match="the secret cannot be read"):
        secret_of(tmp_path)
    assert not any(tmp_path.iterdir())
