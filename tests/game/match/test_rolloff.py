"""The roll-off that decides who begins."""

import pytest

from game.errors import IllegalMove, ThrowError
from game.match.rolloff import RollOff


def rolled(*faces):
    rolloff = RollOff()
    for face in faces:
        rolloff = rolloff.add(face)
    return rolloff


def test_highest_begins():
    assert rolled(3, 6, 2).close().first == 1


def test_nobody_begins_while_players_may_still_join():
    rolloff = rolled(3, 6)

    assert rolloff.first is None
    assert rolloff.seat == 2


def test_ties_throw_again_until_one_is_left():
    rolloff = rolled(6, 3, 6).close()

    assert rolloff.first is None
    assert rolloff.seat == 0
    rolloff = rolloff.add(2)
    assert rolloff.seat == 2
    rolloff = rolloff.add(2)
    assert rolloff.seat == 0
    assert rolloff.add(1).add(4).first == 2


def test_undo_takes_back_the_last_die_or_the_close():
    tied = rolled(6, 3, 6).close()

    assert tied.add(2).before == tied
    assert tied.before == rolled(6, 3, 6)
    assert rolled(6, 3).before == rolled(6)
    assert RollOff().before is None


def test_one_player_is_not_enough():
    with pytest.raises(IllegalMove, match="at least 2 players"):
        rolled(3).close()


def test_decided_roll_off_takes_no_more_dice():
    with pytest.raises(IllegalMove, match="decided"):
        rolled(3, 6).close().add(1)


def test_a_seven_is_refused():
    with pytest.raises(ThrowError, match="not 7"):
        rolled(7)
