"""The program's folders, and how its files are written."""

import os

import pytest
from click.testing import CliRunner

from device import bench, files
from device.calibrating.profile_file import PROFILE_FILE
from device.cli import cli, main
from device.commands.calibrate import PICTURE
from device.doctor.system import Machine, open_system
from device.files import (
    ABANDONED_S,
    UNFINISHED_SUFFIX,
    UNIT_FILE,
    as_owner_of,
    remove_unfinished,
    replace_file,
    state_folder,
    write_atomically,
)
from device.machine_fit import FIT_FILE, WIDTHS_PX
from device.storage.scorekeeper_file import SCOREKEEPER_FILE, ScorekeeperFile


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A system on which the service is installed."""
    unit = tmp_path / UNIT_FILE
    unit.parent.mkdir(parents=True)
    unit.touch()
    monkeypatch.setattr(files, "ROOT", tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def run(capsys, *words):
    with pytest.raises(SystemExit) as done:
        main(words)
    return done.value.code, "".join(capsys.readouterr())


def test_with_the_service_installed_its_folder_is_the_default(root):
    assert state_folder() == root / "var" / "lib" / "traykeeper"
    assert open_system(machine=Machine(root)).folder == state_folder()


def test_a_folder_that_is_set_comes_first(root):
    assert state_folder("/elsewhere").as_posix() == "/elsewhere"


def test_pin_and_calibrate_use_the_folder_of_the_service(root, capsys):
    ScorekeeperFile(state_folder() / SCOREKEEPER_FILE)
    (state_folder() / PROFILE_FILE).write_text("nonsense = 1\n")

    assert run(capsys, "pin")[0] == 0
    code, said = run(capsys, "calibrate", "show")
    assert (code, str(state_folder() / PROFILE_FILE) in said) == (2, True)
    code, said = run(capsys, "backup", str(root / "x.zip"))
    assert (code, str(state_folder()) in said) == (2, True)


def test_a_profile_saved_by_root_belongs_to_the_service_and_follows_no_link(
    other_users_folder, root_only_file, tmp_path
):
    (other_users_folder / PICTURE).symlink_to(root_only_file)
    settings = tmp_path / "settings.toml"
    settings.write_text(f'state = "{other_users_folder}"\n')
    words = ["calibrate", "tray", "--camera", "sim", "--settings", str(settings)]
    done = CliRunner().invoke(cli, words, input="y\n" * 9)

    assert done.exit_code == 0, done.output
    assert {
        name: (other_users_folder / name).lstat().st_uid for name in (PROFILE_FILE, PICTURE)
    } == {
        PROFILE_FILE: 1234,
        PICTURE: 1234,
    }
    assert (root_only_file.read_text(), root_only_file.stat().st_uid) == ("root's", 0)


def test_root_follows_no_link_in_another_users_folder(other_users_folder, tmp_path):
    """The owner of the folder may have replaced any folder in it with a link."""
    (tmp_path / "etc").mkdir()
    (other_users_folder / "inner").symlink_to(tmp_path / "etc")
    with as_owner_of(other_users_folder), pytest.raises(PermissionError):
        write_atomically(other_users_folder / "inner" / "passwd", "")

    assert list((tmp_path / "etc").iterdir()) == []


def test_measurements_saved_by_root_belong_to_the_service(other_users_folder, monkeypatch):
    reads_s = {(width_px, 1): 0.1 for width_px in WIDTHS_PX}
    monkeypatch.setattr(bench, "_reads", lambda: (reads_s, dict.fromkeys(WIDTHS_PX, 100.0)))
    monkeypatch.setattr(bench, "_phone_s", lambda: 0.01)
    done = CliRunner().invoke(cli, ["bench", "fit", "--keep", "--state", str(other_users_folder)])

    assert done.exit_code == 0, done.output
    assert (other_users_folder / FIT_FILE).stat().st_uid == 1234


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "kept"
    write_atomically(path, "old")
    with pytest.raises(TypeError):
        write_atomically(path, 7)

    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]


def test_a_replaced_file_is_kept_as_bak(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("old")
    path.chmod(0o640)
    replace_file(path, b"new")

    assert (path.read_text(), (tmp_path / "settings.toml.bak").read_text()) == ("new", "old")
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")
def test_a_replaced_file_and_its_bak_keep_their_owner_and_group(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("old")
    os.chown(path, 0, 65534)
    path.chmod(0o640)
    replace_file(path, b"new")

    for each in (path, tmp_path / "settings.toml.bak"):
        status = each.stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (0, 65534, 0o640)


def test_only_old_unfinished_files_are_removed(tmp_path):
    cut, kept = (
        tmp_path / "frames" / f".000000035.jpg.1ije9r5z{UNFINISHED_SUFFIX}",
        tmp_path / "kept",
    )
    cut.parent.mkdir()
    cut.write_bytes(b"half a pic")
    write_atomically(kept, "whole")
    written_s = cut.stat().st_mtime
    remove_unfinished(tmp_path, written_s + ABANDONED_S / 2)  # somebody may still be writing it

    assert cut.exists()
    remove_unfinished(tmp_path, written_s + 2 * ABANDONED_S)
    assert sorted(tmp_path.rglob("*")) == [cut.parent, kept]
