import json
import stat

import pytest

from device.cli import main
from device.errors import UsageError
from device.storage.pencil_file import FILE, PencilFile, secret_of
from web.access.pin import pin
from web.access.scorekeeper import ScorekeeperRecord


def test_what_was_put_in_is_there_after_a_restart(tmp_path):
    pencil_file = PencilFile(tmp_path / FILE)
    pencil_file.keep(ScorekeeperRecord("badge", own_turn=True, players={"badge": "Anna ☃"}))
    again = PencilFile(tmp_path / FILE)

    assert again.kept == pencil_file.kept
    assert again.secret == pencil_file.secret


def test_nobody_else_may_read_it(tmp_path):
    PencilFile(tmp_path / "deep" / FILE)

    assert stat.S_IMODE((tmp_path / "deep" / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"secret": "xx"}', '{"secret": 5}', "\x00"])
def test_a_damaged_one_begins_anew(tmp_path, damage):
    secret = PencilFile(tmp_path / FILE).secret
    (tmp_path / FILE).write_text(damage)
    pencil_file = PencilFile(tmp_path / FILE)

    assert pencil_file.kept == ScorekeeperRecord()
    assert pencil_file.secret != secret
    assert json.loads((tmp_path / FILE).read_text())["holder"] == ""


def test_one_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("no folder")
    pencil_file = PencilFile(tmp_path / "file" / FILE)

    assert "must be asked for again" in pencil_file.trouble


def test_every_drawer_has_a_secret_of_its_own(tmp_path):
    assert PencilFile(tmp_path / "a").secret != PencilFile(tmp_path / "b").secret


def test_the_command_says_the_pin_that_the_table_takes(tmp_path, capsys, monkeypatch):
    secret = PencilFile(tmp_path / FILE).secret
    monkeypatch.setattr("device.commands.pin.time", lambda: 1e9)
    with pytest.raises(SystemExit) as done:
        main(["pin", "--state", str(tmp_path)])

    assert done.value.code == 0
    assert capsys.readouterr().out.strip() == pin(secret, 1e9)


def test_without_a_table_there_is_no_pin(tmp_path):
    with pytest.raises(UsageError, match="no secret can be read here"):
        secret_of(tmp_path)
    assert not any(tmp_path.iterdir())
