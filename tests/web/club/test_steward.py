"""The file with the steward's key: incomplete content never grants access."""

import stat

import pytest

from web.club.steward import Steward


@pytest.fixture
def path(tmp_path):
    return tmp_path / "club" / "steward.key"


def test_key_is_kept_and_readable_by_its_owner_only(path):
    first = Steward.load(path)

    assert Steward.load(path).link_path == first.link_path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("left", [b"", b"\n", b"abc", b"\xff\xfe"])
def test_empty_or_incomplete_file_is_replaced(path, left):
    path.parent.mkdir()
    path.write_bytes(left)
    steward = Steward.load(path)

    assert not steward.accepts("")
    assert not steward.accepts("abc")
    assert Steward.load(path).link_path == steward.link_path


def test_key_that_cannot_be_stored_is_valid_for_this_run(tmp_path):
    (tmp_path / "file").write_text("")
    steward = Steward.load(tmp_path / "file" / "steward.key")

    assert len(steward.link_path) > len("steward/") + 16
    assert not steward.accepts("")
