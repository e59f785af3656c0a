"""The database of the board: one board at a time, and errors that name the file."""

from contextlib import closing

import pytest

from game.errors import GameError, JournalError
from web.club.store import ClubStore, StoreError

A_PLAYER = "INSERT INTO player VALUES (1, 'Anna')"


def test_second_board_is_refused_until_the_first_has_closed(store, tmp_path):
    with pytest.raises(JournalError, match="stop it, or choose another folder with --state"):
        ClubStore.open(tmp_path / "club.db")
    store.close()

    with closing(ClubStore.open(tmp_path / "club.db")) as again:
        assert again.rows("SELECT * FROM match") == []


def test_duplicate_row_is_not_reported_as_damage(store):
    store.run(A_PLAYER)
    with pytest.raises(StoreError, match="is unchanged") as refused:
        store.run(A_PLAYER)

    assert "damaged" not in str(refused.value)


def test_damaged_file_is_named_and_not_changed(tmp_path):
    path = tmp_path / "club.db"
    path.write_bytes(b"no history at all" * 100)
    for _ in range(2):
        with pytest.raises(GameError, match=r"club\.db: the club's history is damaged"):
            ClubStore.open(path)
