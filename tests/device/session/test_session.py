"""What people ask of the table: a session with a real journal and a fake tray reader."""

import sqlite3
from contextlib import closing, suppress
from dataclasses import replace

import pytest

from device.session.indicator import UNDO_S
from device.session.tray_reader import TrayReading
from game.commands import (
    AnswerQuestion,
    Bank,
    CorrectThrow,
    DropEvents,
    EnterThrow,
    InsertTurn,
    KeepDice,
    ReadAgain,
    RecordEvent,
    Redo,
    Rematch,
    ReopenMatch,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.errors import IllegalMove, JournalError, RulesetError
from game.journal.journal import Journal
from game.match.events import (
    Bot,
    Farkled,
    Joined,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Skipped,
    Thrown,
    TurnSet,
)
from game.message import Message
from game.situation import HoldEffect, Situation, TableError
from tests.device.session.sessions import (
    RULES,
    answer,
    hold,
    message,
    open_session,
    press,
    read,
    row,
    say,
    state,
)
from tests.throws import FARKLE, THOUSAND
from tests.tray_reader import FakeTrayReader
from vision.reading import Problem, Reading


@pytest.fixture
def session(tmp_path):
    with open_session(tmp_path / "journal.db", FakeTrayReader()) as session:
        session.do(StartMatch(["Anna", "Ben", "Cleo"]))
        yield session


@pytest.fixture
def reader(session):
    return session.tray_reader


def test_a_throw_is_accepted_as_of_the_time_it_was_seen(session, reader):
    read(session, *THOUSAND, time_s=12.5)

    assert reader.notes == [12.5]


def test_an_answer_accepts_the_throw_as_of_the_time_it_was_seen(session, reader):
    read(session, *THOUSAND, time_s=12.5)
    read(session, *FARKLE, y=300, time_s=20.0)
    assert message(session) == "Did Anna bank 1,000?"
    hold(session)

    assert reader.notes == [12.5, 20.0]


def test_a_reading_is_cancelled_once_nobody_waits_for_it(session, reader):
    cancelled = []
    reader.cancel_request = lambda: cancelled.append(reader.requests)
    press(session)
    session.camera_found()
    assert (reader.requests, cancelled) == (1, [])
    session.do(EnterThrow(THOUSAND))

    assert (reader.requests, cancelled) == (1, [1])


def test_the_return_of_the_camera_shows_no_message_from_before_it_was_lost(session):
    read(session, *THOUSAND)
    session.camera_lost(Message("it is unplugged"))
    session.do(EnterThrow(THOUSAND))
    press(session)
    assert "There is no camera" in message(session)
    session.camera_found()

    assert message(session) == "The camera is working again: press the button."


def test_a_die_at_the_wall_whose_value_was_tapped_is_not_asked_about_again(session):
    first = row((1, 2, 3, 4, 6, 6), time_s=10.0)
    wall = replace(first.reading.dice[0], problem=Problem.AT_WALL)

    def with_wall(others):
        return replace(others, reading=Reading((wall, *others.reading.dice)))

    seen = with_wall(replace(first, reading=Reading(first.reading.dice[1:])))
    press(session)
    answer(session, seen)
    assert session.table.situation is Situation.ATTENTION
    session.correct_reading(seen.with_face(0, 1))
    press(session)
    answer(session, with_wall(row((2, 3, 4, 6, 5), y=400, time_s=20.0)))

    assert state(session).turn.throws[-1].dice == (2, 3, 4, 5, 6)


def test_no_die_is_added_to_the_roll_off_by_an_offer_for_an_earlier_die(tmp_path):
    with open_session(tmp_path / "rolloff.db", FakeTrayReader()) as session:
        read(session, 4, time_s=1.0)
        read(session, 4, y=300, has_tumbled=None, time_s=2.0)
        assert len(session.table.choices) == 1
        read(session, 6, y=500, time_s=3.0)

        assert session.table.rolloff.rolls == ((4,), (6,))
        assert session.table.choices == ()


def test_a_correction_with_a_question_accepts_no_reading(session, reader):
    read(session, *THOUSAND, time_s=12.5)
    session.do(Bank((1, 1, 1)))
    session.do(CorrectThrow((2, 2, 3, 3, 4, 6), 0))
    session.do(AnswerQuestion(session.table.choices[0].id))

    assert reader.notes == [12.5]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Skipped(), "Ben is skipped. Cleo throws."),
        (Farkled(), "Farkle, Ben! Cleo throws."),
        (Joined("Dan"), "Dan joins and throws last."),
        (Left(0), "Anna leaves. Ben throws."),
        (Renamed(0, "Anne"), "Anna is now Anne."),
        (Reordered((2, 1, 0)), "The order is now Cleo, Ben, Anna."),
        (ScoreSet(2, 3200), "Cleo has 3,200 now."),
        (TurnSet(2, 450, 3), "It is Cleo's turn: 450 at risk, three dice to throw."),
    ],
)
def test_each_recorded_event_has_its_own_sentence(session, event, said):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(RecordEvent(event))

    assert message(session) == said


def test_a_player_who_comes_back_is_told_the_old_score(session):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(RecordEvent(Left(0)))
    session.do(RecordEvent(Joined("Anna")))

    assert message(session) == "Anna returns with 1,000 points and throws last."


def test_a_player_who_joins_in_the_last_round_is_told_to_wait(session):
    session.do(RecordEvent(ScoreSet(0, RULES.target)))
    session.do(RecordEvent(Joined("Dan")))

    assert message(session) == "The last round has begun: Dan will play in the next match."


def test_a_change_to_earlier_steps_does_not_announce_the_last_turn_again(session):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(InsertTurn("113335: 333 11 5 = 550, bank"))
    assert message(session) == "Added by hand. Ben banks 550. Cleo throws."
    session.do(Undo())
    assert message(session) == "Undone. Ben throws."
    session.do(Redo())
    session.do(DropEvents(0, 2))
    assert message(session) == "Removed by hand. Ben throws."
    session.do(Undo())
    session.do(CorrectThrow((1, 1, 1, 2, 3, 3), 0))
    assert message(session) == "Corrected to 1 1 1 2 3 3. Cleo throws."


def win(session):
    """Let the current player win without a throw by anybody else."""
    seat = state(session).turn.seat
    session.do(RecordEvent(Farkled()))
    session.do(RecordEvent(ScoreSet(seat, RULES.target)))
    session.do(RecordEvent(TurnSet(seat, 0, 6)))
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    while state(session).winner is None:
        session.do(RecordEvent(Farkled()))


def test_a_rematch_is_refused_before_the_match_is_won(session):
    with pytest.raises(TableError, match="not finished"):
        session.do(Rematch())


def test_a_rematch_keeps_teams_and_order_and_the_next_player_begins(session):
    session.do(StartMatch(["A", "B", "C", "D"], teams=[0, 1, 0, 1]))
    win(session)
    session.do(Rematch())

    players = state(session).players
    assert [(player.name, player.team) for player in players] == [
        ("A", 0),
        ("B", 1),
        ("C", 0),
        ("D", 1),
    ]
    assert message(session) == "Rematch: B begins."
    win(session)
    hold(session)
    assert message(session) == "Rematch: C begins."


def test_a_rematch_leaves_out_players_who_left_and_includes_those_who_joined(session):
    session.do(RecordEvent(Joined("Dan")))
    session.do(RecordEvent(Left(1)))
    win(session)
    session.do(Rematch())

    assert [player.name for player in state(session).players] == ["Anna", "Cleo", "Dan"]
    assert state(session).player.name == "Cleo"


def test_a_rematch_keeps_a_changed_order(session):
    session.do(RecordEvent(Reordered((2, 1, 0))))
    win(session)
    session.do(Rematch())

    match = session.live_match.match
    names = [player.name for player in match.state.players]
    assert names == ["Anna", "Cleo", "Ben"]


def test_an_unread_die_is_named_by_a_person(session, reader):
    unread = row((1, 1, None, 2, 3, None))
    press(session)
    answer(session, unread)
    assert session.table.situation is Situation.ATTENTION

    told = unread.with_face(2, 1)
    session.correct_reading(told)
    assert message(session) == "The circled die is not flat: throw that die again."
    session.correct_reading(told.with_face(5, 4))
    assert state(session).turn.last.dice == THOUSAND


def test_a_face_in_another_reading_answers_nothing(session, reader):
    read(session, 1, 1, None, 2, 3, 4)
    with pytest.raises(TableError, match="not part of the last throw"):
        session.correct_reading(row((1, 1, None, 2, 3, 4)).with_face(2, 1))

    assert session.table.situation is Situation.ATTENTION


def test_an_unread_die_of_the_roll_off_is_named_by_a_person(tmp_path):
    with open_session(tmp_path / "other.db", FakeTrayReader()) as session:
        unread = row((None,))
        press(session)
        answer(session, unread)
        session.correct_reading(unread.with_face(0, 4))

        assert session.table.rolloff.rolls == ((4,),)


def test_a_die_of_the_roll_off_is_undone(tmp_path):
    with open_session(tmp_path / "other.db", FakeTrayReader()) as session:
        session.do(EnterThrow((4,)))
        session.do(EnterThrow((6,)))
        hold(session, UNDO_S)

        assert session.table.rolloff.rolls == ((4,),)
        assert message(session) == "Undone. Player 2 throws."
        session.do(Undo())
        with pytest.raises(IllegalMove, match="nothing to undo"):
            session.do(Undo())


def test_naming_a_die_that_is_not_in_question_is_refused(session, reader):
    read(session, *THOUSAND)

    with pytest.raises(TableError, match="press the button to read"):
        session.correct_reading(row(THOUSAND).with_face(0, 5))


def test_one_die_of_the_last_throw_is_corrected(session):
    session.do(EnterThrow(THOUSAND))
    session.correct_die(5, 5)

    assert message(session) == "Corrected to 1 1 1 2 3 5. Anna threw 1 1 1 2 3 5: 1,050 at risk."


def test_a_correction_that_would_give_later_turns_to_others_asks_first(session):
    session.do(EnterThrow(FARKLE))
    session.do(RecordEvent(Skipped()))
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(CorrectThrow(THOUSAND, 0))

    assert message(session) == (
        "With that correction, the manual change to Ben's turn 2 would no longer be possible: "
        "it would be Anna's turn. What happened?"
    )
    session.do(AnswerQuestion(session.table.choices[0].id))
    assert [player.score for player in state(session).players] == [1000, 0, 1000]


def test_a_correction_that_resets_the_score_asks_first(session):
    session.do(StartMatch(["Anna", "Ben"], options={"four_twos_reset": True}))
    session.do(RecordEvent(ScoreSet(0, 5000)))
    session.do(EnterThrow((1, 2, 2, 2, 3, 4)))
    session.do(CorrectThrow((1, 2, 2, 2, 2, 4)))

    assert message(session) == "1 2 2 2 2 4: four 2s. Reset Anna's score to zero?"
    assert state(session).players[0].score == 5000
    session.do(AnswerQuestion(session.table.choices[0].id))
    assert state(session).players[0].score == 0
    session.do(CorrectThrow((1, 2, 2, 2, 2, 5)))
    assert state(session).turns[-1].last.dice == (1, 2, 2, 2, 2, 5)


def test_a_hold_while_something_needs_attention_repeats_the_advice(session, reader):
    read(session, 1, 2, 3, 4, 5)
    advice = session.table.message
    say(session, "something else")
    hold(session)

    assert session.table.situation is Situation.ATTENTION
    assert message(session) == f"Nothing has been banked yet. {advice}"


def test_waiting_for_a_tray_that_never_comes_to_rest_ends(session, reader):
    press(session)
    session.timed_out(reader.requests)

    assert session.table.situation is Situation.TURN_BEGINS
    assert message(session) == "Something in the tray kept moving for 20 seconds: press again."


def test_a_reopened_match_continues_where_it_stood(session):
    session.do(EnterThrow(THOUSAND))
    session.do(StartMatch(("Cleo", "Dan")))
    session.do(ReopenMatch(1))

    assert state(session).turn.last.dice == THOUSAND
    assert message(session).startswith(
        "Picking up where we left off. Anna, 1,000 at risk, three dice to throw."
    )
    session.do(Bank())
    session.do(ReopenMatch(2))
    assert state(session).player.name == "Cleo"


def test_reopening_an_unknown_match_changes_nothing(session):
    session.do(EnterThrow(THOUSAND))
    with pytest.raises(JournalError, match="there is no match 9"):
        session.do(ReopenMatch(9))

    assert state(session).turn.last.dice == THOUSAND


def test_a_restored_match_that_cannot_be_read_leaves_no_match(session, tmp_path):
    session.do(EnterThrow(THOUSAND))
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db, db:
        db.execute("UPDATE entry SET body = '{}'")  # sealed otherwise
    with pytest.raises(JournalError):
        session.reload()

    assert session.table.match is None
    with pytest.raises(TableError, match="set one up first"):
        session.do(Bank())


def test_house_rules_are_recorded_with_the_match(session, tmp_path):
    session.do(StartMatch(["Anna", "Ben"], rules="zilch", options={"opening": 350, "target": 1000}))
    with closing(Journal.open(tmp_path / "copy.db")) as journal:
        journal.start(session.live_match.match)
        _, again = journal.newest()

    assert (again.rules.name, again.rules.opening, again.rules.target) == ("zilch", 350, 1000)
    assert again.rules == session.live_match.match.rules
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(Rematch())
    assert session.live_match.match.rules == again.rules


def test_invalid_house_rules_begin_no_match(session):
    before = session.live_match.match
    with pytest.raises(RulesetError, match="options: opening is -1"):
        session.do(StartMatch(["Anna", "Ben"], options={"opening": -1}))

    assert session.live_match.match is before


def test_dice_in_the_tray_are_not_a_throw_after_a_turn_was_inserted(session, reader):
    read(session, *THOUSAND)
    session.do(Bank())
    session.do(InsertTurn("111234: 111 = 1000, bank", None))
    read(session, *THOUSAND)

    assert message(session) == "Not thrown yet: the dice have not moved."


def test_undoing_a_throw_retracts_it_at_the_tray_reader(session, reader):
    read(session, *THOUSAND)
    session.do(Bank())
    session.do(Undo())
    assert reader.notes == [0.0]
    session.do(Undo())

    assert reader.notes == [0.0, "retracted"]


def test_a_hold_banks_in_the_end_if_the_tray_never_stops_flickering(session, reader):
    read(session, *THOUSAND)
    reader.has_tumbled, reader.is_moving = False, True
    hold(session)
    assert session.table.situation is Situation.WAITING
    session.timed_out(reader.requests)

    assert state(session).players[0].score == 1000


def test_a_hold_can_bank_alone_if_dice_fell_back_into_the_tray(session, reader):
    read(session, *THOUSAND)
    hold(session)
    for _ in range(2):  # a farkle, so it is read again before a question about it is asked
        answer(session, row(FARKLE, y=300, time_s=9.0))
    asked = [str(choice.label) for choice in session.table.choices]
    assert asked == [
        "Anna banked 1,000, and Ben threw these dice",
        "Anna banked, and nobody threw these dice",
    ]
    session.do(AnswerQuestion(session.table.choices[1].id))

    assert (state(session).players[0].score, state(session).player.name) == (1000, "Ben")
    assert reader.notes[-1] == 9.0
    read(session, *FARKLE, y=300)
    assert message(session) == "Not thrown yet: the dice have not moved."


def test_a_bank_or_keep_for_an_earlier_throw_is_refused(session):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank(throw=0))
    session.do(EnterThrow(THOUSAND))
    ben = session.table.match

    for late in (Bank((1, 1, 1), throw=0), KeepDice((1, 1, 1), throw=0)):
        with pytest.raises(TableError, match="The match has moved on"):
            session.do(late)
    assert session.table.match is ben
    session.do(KeepDice((1, 1, 1), throw=session.table.last_throw.index))
    session.do(Bank((1, 1, 1), throw=session.table.last_throw.index))
    assert [player.score for player in session.table.match.state.players] == [1000, 1000, 0]


def test_a_throw_or_undo_for_an_earlier_step_is_refused(session):
    shown = session.live_match.change_count
    session.do(EnterThrow(THOUSAND, step=shown))
    thrown = session.table.match

    for late in (EnterThrow(THOUSAND, step=shown), Undo(step=shown)):
        with pytest.raises(TableError, match="The match has moved on"):
            session.do(late)
    assert session.table.match is thrown
    session.do(Undo(step=session.live_match.change_count))
    with pytest.raises(TableError, match="The match has moved on"):
        session.do(Undo(step=shown + 1))
    assert session.table.last_throw is None


def smudged_kept(faces, *, y=400, smudged=True):
    """Return a reading of a kept die in its old place, possibly unreadable, and of these dice."""
    kept = row((None,) if smudged else (1,), problem=Problem.UNREADABLE)
    return TrayReading(Reading(kept.reading.dice + row(faces, y=y).reading.dice), has_tumbled=True)


def test_an_unreadable_kept_die_is_known_in_both_readings_of_a_farkle(session, reader):
    read(session, 1, 2, 3, 4, 4, 6)
    press(session)
    answer(session, smudged_kept((2, 3, 4, 4, 6)))
    answer(session, smudged_kept((2, 3, 4, 4, 6), smudged=False))

    assert state(session).player.name == "Ben"


def test_a_throw_is_read_again_next_to_an_unreadable_kept_die(session, reader):
    read(session, 1, 2, 3, 4, 4, 6)
    press(session)
    answer(session, smudged_kept((2, 3, 4, 4, 5)))
    reader.has_tumbled = False
    session.do(ReadAgain())
    answer(session, replace(smudged_kept((2, 3, 4, 4, 5)), has_tumbled=False))

    assert message(session) == "Read again: 2 3 4 4 5, as before."


def test_reading_again_assumes_no_face_of_the_throw_itself(session, reader):
    read(session, *THOUSAND)
    reader.has_tumbled = False
    session.do(ReadAgain())
    answer(session, row((1, 1, 1, 2, 3, None), problem=Problem.UNREADABLE, has_tumbled=False))

    assert "Nothing was changed" in message(session)


def test_a_correction_retracts_nothing_at_the_tray_reader(session, reader):
    read(session, *THOUSAND)
    session.do(CorrectThrow((1, 1, 1, 2, 3, 6)))

    assert reader.notes == [0.0]


def test_a_repair_forgets_the_face_of_a_corrected_die(session, reader):
    read(session, 5, 5, 5, 2, 3, 4)
    session.do(Bank())
    session.do(CorrectThrow((2, 2, 3, 3, 4, 6)))
    (farkled,) = (
        choice for choice in session.table.choices if "farkled there" in str(choice.label)
    )
    session.do(AnswerQuestion(farkled.id))
    read(session, 2, 3, 6, 2, 3, 4)

    assert message(session) == "Not thrown yet: the dice have not moved."


def test_names_that_mean_the_same_person_are_refused(session):
    with pytest.raises(IllegalMove, match="Anna and anna would count as one person"):
        session.do(StartMatch(["Anna", "anna"]))
    for event in (Joined("BEN"), Renamed(0, "cleo")):
        with pytest.raises(IllegalMove, match="one person"):
            session.do(RecordEvent(event))
    session.do(RecordEvent(Renamed(0, "ANNA")))

    assert [player.name for player in state(session).players] == ["ANNA", "Ben", "Cleo"]


def test_dropping_a_throw_discards_what_was_learnt_from_it(session, reader):
    read(session, *THOUSAND, time_s=12.5)
    session.do(DropEvents(0, 1))

    assert reader.notes == [12.5, "discarded"]


def test_undoing_a_throw_of_just_dice_discards_what_was_learnt_from_it(session, reader):
    session.do(SetJustDice(on=True))
    read(session, *THOUSAND, time_s=12.5)
    session.do(Undo())

    assert reader.notes == [12.5, "discarded"]


def ask_about_object(session, reader, *faces):
    """Press with these dice and an object that is not a die in the tray; return the reading."""
    seen = row((*faces, None), problem=Problem.FOREIGN_OBJECT, time_s=12.5)
    press(session)
    answer(session, seen)
    assert session.table.situation is Situation.ATTENTION
    return seen


def test_a_throw_counts_without_an_ignored_object(session, reader):
    seen = ask_about_object(session, reader, *THOUSAND)
    session.ignore_object(seen.without(6))

    assert session.table.situation is Situation.ACCEPTED
    assert session.table.last_throw.dice == THOUSAND
    assert reader.notes == [12.5]


def test_undo_takes_back_a_throw_without_an_ignored_object(session, reader):
    seen = ask_about_object(session, reader, *THOUSAND)
    session.ignore_object(seen.without(6))
    session.do(Undo())

    assert session.table.last_throw is None
    assert reader.notes == [12.5, "retracted"]


def test_undo_while_the_question_is_open_reads_the_object_again(session, reader):
    read(session, *THOUSAND, time_s=1.0)
    session.do(Bank())
    seen = ask_about_object(session, reader, 1, 2, 3)
    session.ignore_object(seen.without(3))
    assert session.table.has_ignored_objects
    before = state(session)
    session.do(Undo())

    assert state(session) is before
    assert session.table.situation is Situation.WAITING
    assert reader.notes == [1.0, "discarded"]
    assert not session.table.has_ignored_objects


def test_naming_a_face_keeps_the_ignored_object_undoable(session, reader):
    press(session)
    seen = row((1, None, 3, None), time_s=12.5)
    answer(session, seen)
    without = seen.without(3)
    session.ignore_object(without)
    session.correct_reading(without.with_face(1, 2))

    assert session.table.has_ignored_objects


def test_ignoring_the_only_object_waits_for_a_throw(session, reader):
    seen = ask_about_object(session, reader)
    session.ignore_object(seen.without(0))

    assert message(session) == "Waiting for a throw."
    session.do(Undo())
    assert message(session) == "Waiting for the dice to lie still."


def test_ignoring_a_die_of_an_accepted_throw_is_refused(session, reader):
    read(session, *THOUSAND)
    with pytest.raises(TableError, match="That throw has been accepted"):
        session.ignore_object(row(THOUSAND).without(0))


def test_undo_goes_back_through_a_rematch_to_the_winning_throw(session):
    win(session)
    won = session.live_match.match
    session.do(Rematch())
    session.do(EnterThrow(THOUSAND))
    session.do(Undo())
    assert session.can_undo_more
    session.do(Undo())

    assert session.live_match.match == won
    assert session.table.situation is Situation.WON
    assert "Back in the match before." in message(session)
    session.do(Undo())
    assert state(session).winner is None


def test_undo_goes_back_through_a_new_match_after_a_restart(session):
    session.do(EnterThrow(THOUSAND))
    session.do(StartMatch(("Cleo", "Dan")))
    session.reload()
    session.release_button(UNDO_S)

    assert state(session).player.name == "Anna"
    assert state(session).turn.last.dice == THOUSAND
    session.do(Undo())
    assert not session.can_undo_more
    with pytest.raises(IllegalMove, match="nothing to undo"):
        session.do(Undo())


def test_undo_goes_back_through_a_match_in_which_only_a_bot_has_thrown(session):
    session.do(StartMatch(("Bot", "Dan"), bots=(Bot(), None)))
    session.play_bot(Thrown(THOUSAND))
    session.do(Undo())

    assert state(session).player.name == "Anna"


def test_an_open_question_is_not_left_by_undo_for_the_match_before(session):
    session.do(StartMatch(("Cleo", "Dan")))
    press(session)
    answer(session, row((1, 1, 1, 5, 5)))
    assert session.table.overlay

    assert not session.can_undo_more


def test_a_won_match_is_played_on_without_its_last_step(session):
    win(session)
    session.do(Rematch())
    session.do(ReopenMatch(1, undo=True))
    played_on = session.live_match.match

    assert played_on.state.winner is None
    assert session.live_match.match_id == 1
    session.do(ReopenMatch(1, undo=True))  # the second tap of a double tap
    assert session.live_match.match == played_on


@pytest.mark.parametrize("faces", [THOUSAND, (1, 2, 3, 3, 4, 6), (1, 1, 1, 5, 5), (), (2, 2, None)])
def test_a_hold_changes_the_table_exactly_if_the_lamp_promised_it(session, reader, faces):
    session.do(RecordEvent(ScoreSet(0, 0)))
    for step in range(4):
        if step:
            press(session)
        if step > 1:
            answer(session, row(faces))
        effect, before = session.hold_effect, session.table
        with suppress(IllegalMove):
            hold(session)
        is_same = (before.in_play, before.overlay) == (session.table.in_play, session.table.overlay)

        assert is_same == (effect is HoldEffect.NOTHING), (before.situation, effect)


def test_a_hold_at_advice_says_that_nothing_was_banked(session):
    read(session, 1, 1, None, 5, 5, 2)
    assert session.table.situation is Situation.ATTENTION
    assert session.hold_effect is HoldEffect.NOTHING
    hold(session)

    assert message(session).startswith("Nothing has been banked yet.")


def test_every_effect_of_a_hold_is_known_before(session):
    assert session.hold_effect is HoldEffect.NOTHING
    press(session)
    assert session.hold_effect is HoldEffect.STOP
    answer(session, row(THOUSAND))
    assert session.hold_effect is HoldEffect.BANK
    press(session)
    answer(session, row(THOUSAND, y=300))
    assert session.hold_effect is HoldEffect.YES
    session.do(Undo())
    win(session)
    assert session.hold_effect is HoldEffect.REMATCH
