"""An accepted throw is read again; two new readings that agree replace it by a correction."""

from dataclasses import replace

import pytest

from game.commands import CorrectThrow, KeepDice, ReadAgain, Redo, StartMatch, Undo
from game.message import Message
from game.situation import Situation, TableError
from tests.device.session.sessions import (
    answer,
    message,
    open_session,
    press,
    read,
    row,
    state,
)
from tests.throws import FARKLE, THOUSAND
from tests.tray_reader import FakeTrayReader

THROW = (1, 1, 2, 3, 4, 6)


@pytest.fixture
def session(tmp_path):
    """Return a session in which a throw was accepted and nothing has been thrown since."""
    with open_session(tmp_path / "journal.db", FakeTrayReader()) as session:
        session.do(StartMatch(["Anna", "Ben"]))
        read(session, *THROW)
        session.tray_reader.has_tumbled = False
        yield session


@pytest.fixture
def reader(session):
    return session.tray_reader


def read_again(session, reader, *looks, **options):
    session.do(ReadAgain())
    for faces in looks:
        assert session.table.situation is Situation.WAITING
        answer(session, row(faces, has_tumbled=False, **options))


def dice(session):
    return session.live_match.match.last_throw.dice


def test_the_same_dice_change_nothing(session, reader):
    before = session.live_match.match
    read_again(session, reader, THROW)

    assert session.live_match.match is before
    assert message(session) == "Read again: 1 1 2 3 4 6, as before."


def test_other_dice_read_twice_replace_the_throw_until_it_is_undone(session, reader):
    read_again(session, reader, (1, 1, 2, 3, 5, 6), (1, 1, 2, 3, 5, 6))

    assert dice(session) == (1, 1, 2, 3, 5, 6)
    assert message(session).startswith("Corrected to 1 1 2 3 5 6.")
    session.do(Undo())
    assert dice(session) == THROW
    session.do(Redo())
    assert dice(session) == (1, 1, 2, 3, 5, 6)


def test_readings_that_differ_change_nothing(session, reader):
    read_again(session, reader, (1, 1, 2, 3, 5, 6), (1, 1, 2, 3, 3, 6))

    assert dice(session) == THROW
    assert "My two readings" in message(session)
    assert session.table.situation is Situation.ACCEPTED


@pytest.mark.parametrize(
    ("faces", "said"),
    [
        ((1, 1, 2, 3, None, 6), "Nothing was changed. The circled die is not flat"),
        ((1, 2, 3, 6), "the throw had six dice, but the camera sees four dice."),
        ((), "the throw had six dice, but the camera sees no dice."),
    ],
)
def test_a_reading_that_cannot_be_the_throw_changes_nothing(session, reader, faces, said):
    read_again(session, reader, faces)

    assert dice(session) == THROW
    assert said in message(session)
    assert session.table.situation is Situation.ACCEPTED


def test_dice_kept_from_earlier_throws_are_not_part_of_it(session, reader):
    lying = row((1, 1)).reading.dice
    session.do(KeepDice((1, 1)))
    reader.has_tumbled = True
    press(session)
    moved = row((2, 2, 5, 6), y=300)
    reading = replace(moved.reading, dice=(*lying, *moved.reading.dice))
    answer(session, replace(moved, reading=reading))
    assert dice(session) == (2, 2, 5, 6)
    reader.has_tumbled = False
    other = row((2, 3, 5, 6), y=300, has_tumbled=False)
    again = replace(other, reading=replace(other.reading, dice=(*lying, *other.reading.dice)))
    session.do(ReadAgain())
    answer(session, again)
    answer(session, again)

    assert dice(session) == (2, 3, 5, 6)


def test_a_misread_farkle_is_corrected(session, reader):
    session.do(Undo())
    read(session, *FARKLE)
    assert session.table.situation is Situation.TURN_OVER
    read_again(session, reader, (1, 3, 3, 4, 6, 6), (1, 3, 3, 4, 6, 6))

    assert session.table.situation is Situation.ACCEPTED
    assert state(session).player.name == "Anna"


def test_dice_thrown_since_are_not_read_again(session, reader):
    reader.has_tumbled = True

    with pytest.raises(TableError, match="thrown since"):
        session.do(ReadAgain())


def read_again_under_a_hand(rig, *values):
    """Throw dice, and ask for another reading, which waits because there is a hand over the tray."""
    rig.throw(*values)
    rig.tray.show_hand()
    rig.wait_s(1.0)
    rig.companion.do(ReadAgain())


def test_dice_thrown_while_the_reading_waits_are_the_next_throw(match_rig):
    rig = match_rig
    read_again_under_a_hand(rig, *FARKLE)
    rig.tray.gather()
    rig.tray.show_hand(False)
    rig.wait_s(0.15)
    rig.tray.throw_all((1, 1, 2, 2, 4, 5))
    rig.wait_s(0.1)
    snapshot = rig.press()

    assert [throw.dice for throw in rig.state.turns[0].throws] == [FARKLE]
    assert str(snapshot.message) == "Ben threw 1 1 2 2 4 5: 250 at risk."


def test_a_farkle_thrown_while_the_reading_waits_cannot_be_banked_past(match_rig):
    rig = match_rig
    read_again_under_a_hand(rig, *THOUSAND)
    rig.tray.set_aside((1, 1, 1))
    rig.tray.show_hand(False)
    rig.wait_s(0.2)
    rig.tray.throw(values=(2, 3, 4))
    rig.wait_s(3.0)

    assert rig.state.player.name == "Ben"
    assert rig.scores == [0, 0]


def test_without_an_accepted_throw_nothing_is_read_again(session, reader):
    session.do(Undo())
    with pytest.raises(TableError, match="no throw to read again yet"):
        session.do(ReadAgain())
    read(session, 1, None, 3, 3, 4, 6)

    with pytest.raises(TableError, match="no throw to read again yet"):
        session.do(ReadAgain())


def test_without_a_camera_reading_again_says_so(session):
    session.camera_lost(Message("unplugged"))
    session.do(ReadAgain())

    assert "no camera" in message(session)


def test_a_correction_during_the_reading_stays(session, reader):
    session.do(ReadAgain())
    session.do(CorrectThrow((1, 1, 1, 3, 4, 6)))
    answer(session, row(THROW))

    assert dice(session) == (1, 1, 1, 3, 4, 6)


def test_the_camera_corrects_a_misread_throw(match_rig, monkeypatch):
    def misread(readings):
        first, *others = readings[0].dice
        return replace(readings[0], dice=(replace(first, value=first.value % 6 + 1), *others))

    with monkeypatch.context() as patch:
        patch.setattr("device.watching.tray_watch.combine_readings", misread)
        wrong = match_rig.throw(*THROW)
    assert wrong.match.last_throw.dice != THROW
    match_rig.companion.do(ReadAgain())
    snapshot = match_rig.settled()

    assert snapshot.match.last_throw.dice == THROW
    assert match_rig.companion.do(Undo()).match.last_throw == wrong.match.last_throw
