"""The board's file: one board alone writes it, and what is wrong with it is said as it is."""

from contextlib import closing

import pytest

from game.errors import GameError, JournalError
from web.club.store import ClubStore, StoreError

A_PLAYER = "INSERT INTO player VALUES (1, 'Anna')"


def test_a_second_board_on_one_folder_is_refused_until_the_first_has_closed(store, tmp_path):
    with pytest.raises(JournalError, match="stop it, or use --state"):
        ClubStore.open(tmp_path / "club.db")
    store.close()

    with closing(ClubStore.open(tmp_path / "club.db")) as again:
        assert again.rows("SELECT * FROM match") == []


def test_what_is_there_twice_is_no_damage(store):
    store.run(A_PLAYER)
    with pytest.raises(StoreError, match="stays as it was") as refused:
        store.run(A_PLAYER)

    assert "damaged" not in str(refused.value)


def test_a_file_that_is_damaged_is_named_and_left_alone(tmp_path):
    path = tmp_path / "club.db"
    path.write_bytes(b"no history at all" * 100)
    for _ in range(2):
        with pytest.raises(GameError, match=r"club\.db: the club's history is damaged"):
            ClubStore.open(path)
