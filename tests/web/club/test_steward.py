"""The steward's key: a file that was not written whole lets nobody in."""

import stat

import pytest

from web.club.steward import Steward


@pytest.fixture
def path(tmp_path):
    return tmp_path / "club" / "steward.key"


def test_the_key_stays_and_is_for_its_owner_alone(path):
    first = Steward.of(path)

    assert Steward.of(path).way_in == first.way_in
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("left", [b"", b"\n", b"abc", b"\xff\xfe"])
def test_an_empty_or_torn_file_is_replaced_and_opens_nothing(path, left):
    path.parent.mkdir()
    path.write_bytes(left)
    steward = Steward.of(path)

    assert not steward.knows("")
    assert not steward.knows("abc")
    assert Steward.of(path).way_in == steward.way_in


def test_a_disk_that_takes_no_file_leaves_a_key_for_this_run(tmp_path):
    (tmp_path / "file").write_text("")
    steward = Steward.of(tmp_path / "file" / "steward.key")

    assert len(steward.way_in) > len("steward/") + 16
    assert not steward.knows("")
