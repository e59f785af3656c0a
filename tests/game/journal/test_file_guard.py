"""Files are recognised by device, inode and size, and a replaced file is always reported."""

import pytest

from game.errors import DamagedJournal
from game.journal.journal import FileGuard


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "journal.db"
    file.write_bytes(b"12345")
    return file


def test_a_file_that_grows_is_accepted(path):
    guard = FileGuard(path)
    guard.note()
    path.write_bytes(b"1234567")

    guard.check()


@pytest.mark.parametrize("again", [False, True], ids=["deleted", "replaced"])
def test_a_file_lost_between_check_and_note_is_reported_at_the_next_check(path, tmp_path, again):
    guard = FileGuard(path)
    guard.note()
    path.rename(tmp_path / "elsewhere")
    if again:
        path.write_bytes(b"12345")
    guard.note()

    with pytest.raises(DamagedJournal, match=r"journal\.db was deleted, replaced or emptied"):
        guard.check()
