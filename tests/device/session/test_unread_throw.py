"""Nothing is banked or kept while the tray may contain a throw that has not been read."""

import pytest

from game.commands import (
    Bank,
    CorrectThrow,
    EnterThrow,
    KeepDice,
    ReadAgain,
    RecordEvent,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.match.events import Joined, Renamed, TookOver
from game.situation import Situation, TableError
from game.stats.summary import at_risk
from tests.device.session.sessions import (
    answer,
    hold,
    message,
    open_session,
    press,
    read,
    row,
    state,
)
from tests.throws import FARKLE, THOUSAND
from tests.tray_reader import FakeTrayReader

COMMANDS = [Bank(), Bank((1, 1, 1)), KeepDice((1, 1, 1))]


@pytest.fixture
def session(tmp_path):
    """Return a session in which Anna's first throw, worth 1,000, was accepted at 10 s."""
    with open_session(tmp_path / "journal.db", FakeTrayReader()) as session:
        session.do(StartMatch(["Anna", "Ben"]))
        read(session, *THOUSAND, time_s=10.0)
        yield session


@pytest.fixture
def reader(session):
    return session.tray_reader


def is_refused(session, command, reason):
    before = session.table.match
    with pytest.raises(TableError, match=reason):
        session.do(command)
    return session.table.match is before


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_banked_or_kept_from_the_press_until_the_throw_is_read(session, command):
    press(session)
    assert is_refused(session, command, "The dice are still moving")
    answer(session, row((1, 2, 3), y=300, time_s=20.0))
    assert session.table.situation is Situation.ACCEPTED
    session.do(Bank())


def test_nothing_is_banked_while_a_farkle_is_being_read_a_second_time(session):
    press(session)
    answer(session, row((2, 3, 4), y=300, time_s=20.0))
    assert is_refused(session, Bank(), "The dice are still moving")
    answer(session, row((2, 3, 4), y=300, time_s=21.0))

    assert [player.score for player in state(session).players] == [0, 0]
    assert state(session).player.name == "Ben"


def test_nothing_is_banked_while_thrown_dice_are_being_read_without_a_press(session):
    session.dice_settled()

    assert is_refused(session, Bank(), "The dice are still moving")


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_banked_or_kept_once_dice_have_been_seen_rolling(session, reader, command):
    reader.last_tumble_s = 15.0

    assert is_refused(
        session, command, "The dice have been thrown since: press the button to read them"
    )


def test_dice_that_rolled_but_are_not_a_throw_do_not_delay_a_bank_once_the_tray_has_been_read(
    session, reader
):
    reader.last_tumble_s = 15.0
    press(session)
    answer(session, row(THOUSAND, time_s=20.0))
    session.do(Bank())

    assert state(session).players[0].score == 1000


def test_an_empty_tray_does_not_delay_a_bank(session, reader):
    reader.last_tumble_s = 15.0
    press(session)
    answer(session, row((), time_s=20.0))
    session.do(Bank())

    assert state(session).players[0].score == 1000


def test_nothing_is_banked_while_a_question_about_the_throw_is_open(session):
    press(session)
    for _ in range(2):
        answer(session, row(FARKLE, y=300, time_s=20.0))
    assert session.table.situation is Situation.QUESTION
    assert is_refused(session, Bank(), "Nothing has been banked yet. Did Anna bank 1,000?")
    hold(session)

    assert state(session).players[0].score == 1000


def test_nothing_is_banked_while_a_die_of_the_throw_needs_attention(session):
    press(session)
    answer(session, row((1, 2, None), y=300, time_s=20.0))

    assert is_refused(session, Bank(), "Nothing has been banked yet. The circled die")


def test_a_throw_can_be_banked_while_it_is_being_read_again(session, reader):
    reader.has_tumbled = False
    session.do(ReadAgain())
    session.do(Bank())

    assert state(session).players[0].score == 1000


def test_a_player_can_be_renamed_while_a_throw_is_being_read(session):
    press(session)
    session.do(RecordEvent(Renamed(0, "Anne")))

    assert state(session).players[0].name == "Anne"


def test_with_just_dice_nothing_is_banked(session):
    session.do(SetJustDice(on=True))
    press(session)

    assert is_refused(session, Bank(), "No match is being played")


@pytest.mark.parametrize(
    "command",
    [
        Bank(step=0), Bank(points=900), Bank((1, 1, 1), points=1050),
        KeepDice((1, 1, 1), step=0), CorrectThrow(FARKLE, step=0),
    ],
)  # fmt: skip
def test_a_command_for_an_earlier_state_of_the_table_is_refused(session, command):
    assert is_refused(session, command, "The match has moved on")


def test_a_bank_of_the_points_that_were_shown_is_carried_out(session):
    session.do(Bank(step=session.live_match.change_count, points=1000))

    assert state(session).players[0].score == 1000


@pytest.mark.parametrize("faces", [(1, 2, None), FARKLE])
def test_a_throw_in_question_stays_unread_after_waiting_was_stopped(session, reader, faces):
    reader.last_tumble_s = 15.0
    press(session)
    for _ in range(2):
        answer(session, row(faces, y=300, time_s=20.0))
    press(session)
    hold(session)
    assert session.table.situation is Situation.ACCEPTED

    assert is_refused(session, Bank(), "press the button to read them")


def test_a_player_who_joins_does_not_make_a_throw_in_question_count_as_read(session, reader):
    reader.last_tumble_s = 15.0
    press(session)
    for _ in range(2):
        answer(session, row(FARKLE, y=300, time_s=20.0))
    session.do(RecordEvent(Joined("Cleo")))

    assert is_refused(session, Bank(), "press the button to read them")


@pytest.fixture
def may_take_over(session):
    """Return the session after Anna banked 1,000 under rules with piggybacking."""
    session.do(StartMatch(["Anna", "Ben"], rules="high-stakes"))
    session.do(EnterThrow(THOUSAND))
    session.do(Bank((1, 1, 1)))
    return session


def test_message_after_a_bank_offers_the_points_to_the_next_player(may_take_over):
    assert message(may_take_over) == (
        "Anna banks 1,000. Ben throws. Ben may take over 1,000 with three dice."
    )


def test_undo_takes_back_a_take_over(may_take_over):
    may_take_over.do(RecordEvent(TookOver()))
    assert state(may_take_over).turn.starting_points == 1000
    may_take_over.do(Undo())

    assert state(may_take_over).turn.starting_points == 0
    assert message(may_take_over) == "Undone. Ben throws. Ben may take over 1,000 with three dice."


def test_points_are_not_taken_over_while_a_throw_is_being_read(may_take_over):
    press(may_take_over)

    assert is_refused(may_take_over, RecordEvent(TookOver()), "The dice are still moving")


def test_throw_awaited_after_a_press_is_still_read_after_a_take_over(may_take_over):
    press(may_take_over)
    answer(may_take_over, row((), time_s=30.0))
    may_take_over.do(RecordEvent(TookOver()))
    answer(may_take_over, row((1, 2, 3), time_s=40.0))

    assert at_risk(state(may_take_over)) == 1100
