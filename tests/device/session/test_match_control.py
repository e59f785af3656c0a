"""What people say to the table: a session with a real journal, and an eye that is told things."""

from contextlib import closing

import pytest

from device.session.indicator import UNDO_S
from device.session.live_match import LiveMatch
from device.session.session import Session
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
from game.match.events import Farkled, Joined, Left, Renamed, Reordered, ScoreSet, Skipped, TurnSet
from game.message import Message
from game.rules import rule_files
from game.situation import Situation, TableError
from vision.reading import Die, Problem, Reading

RULES = rule_files.load("walnut-studiolo")
THOUSAND = (1, 1, 1, 2, 3, 4)
NOTHING = (2, 3, 3, 4, 6, 6)


class Eye:
    """Notes what it is told; readings are given by the test."""

    has_tumbled, is_moving = True, False

    def __init__(self):
        self.looks = 0
        self.marks = []

    def request_reading(self, *, needs_motion=False, since_s=None, is_unprompted=False):
        self.looks += 1
        return self.looks

    def cancel_request(self):
        pass

    def mark_accepted(self, time_s=None):
        self.marks.append(time_s)

    def retract_accepted(self):
        self.marks.append("doubted")

    def discard_readings(self, since_s=0.0):
        self.marks.append("forgotten")


@pytest.fixture
def tray_reader():
    return Eye()


@pytest.fixture
def session(tmp_path, tray_reader):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        session = Session(LiveMatch(journal), RULES, tray_reader)
        session.has_camera = True
        session.do(StartMatch(["Anna", "Ben", "Cleo"]))
        yield session


def state(session):
    return session.live_match.match.state


def tray_reading(faces, *, problem=None, y=100, time_s=0.0):
    """Dice in a row; a face of None has the problem."""
    dice = (
        Die(f, 100.0 * i, y, 50, 50, 0, 0.99, problem=None if f else problem or Problem.COCKED)
        for i, f in enumerate(faces, 1)
    )
    return TrayReading(Reading(tuple(dice)), has_tumbled=True, time_s=time_s)


def read(session, tray_reader, *faces, **options):
    session.press()
    session.seen(tray_reader.looks, tray_reading(faces, **options))
    if session.situation is Situation.WAITING:  # a costly reading is read twice
        session.seen(tray_reader.looks, tray_reading(faces, **options))


def test_what_happened_since_the_tray_was_seen_is_not_lost(session, tray_reader):
    read(session, tray_reader, *THOUSAND, time_s=12.5)

    assert tray_reader.marks == [12.5]


def test_a_yes_counts_from_when_the_dice_in_question_were_seen(session, tray_reader):
    read(session, tray_reader, *THOUSAND, time_s=12.5)
    read(session, tray_reader, *NOTHING, y=300, time_s=20.0)
    assert str(session.message) == "Did Anna bank 1,000?"
    session.hold(1.2)

    assert tray_reader.marks == [12.5, 20.0]


def test_a_correction_that_asks_reads_nothing(session, tray_reader):
    read(session, tray_reader, *THOUSAND, time_s=12.5)
    session.do(Bank((1, 1, 1)))
    session.do(CorrectThrow((2, 2, 3, 3, 4, 6), 0))
    session.do(AnswerQuestion(session.choices[0].id))

    assert tray_reader.marks == [12.5]


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
def test_each_event_by_hand_has_its_own_sentence(session, event, said):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(RecordEvent(event))

    assert str(session.message) == said


def test_a_change_of_the_past_does_not_tell_the_last_turn_again(session):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(InsertTurn("113335: 333 11 5 = 550, bank"))
    assert str(session.message) == "Put in by hand. Ben banks 550. Cleo throws."
    session.do(Undo())
    assert str(session.message) == "Taken back. Ben throws."
    session.do(Redo())
    session.do(DropEvents(0, 2))
    assert str(session.message) == "Taken out by hand. Ben throws."
    session.do(Undo())
    session.do(CorrectThrow((1, 1, 1, 2, 3, 3), 0))
    assert str(session.message) == "Corrected to 1 1 1 2 3 3. Cleo throws."


def win(session):
    """Whoever is on turn wins at once: nobody else may follow."""
    seat = state(session).turn.seat
    session.do(RecordEvent(ScoreSet(seat, RULES.target)))
    session.do(RecordEvent(TurnSet(seat, 0, 6)))
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    while state(session).winner is None:
        session.do(RecordEvent(Farkled()))


def test_a_rematch_is_for_a_match_that_is_won(session):
    with pytest.raises(TableError, match="not over"):
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
    assert str(session.message) == "A rematch: B begins."
    win(session)
    session.hold(1.2)
    assert str(session.message) == "A rematch: C begins."


def test_a_rematch_is_without_those_who_left_and_with_those_who_joined(session):
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


def test_an_unread_die_is_told_by_a_person(session, tray_reader):
    faces = (1, 1, None, 2, 3, None)
    read(session, tray_reader, *faces)
    assert session.situation is Situation.ATTENTION

    told = tray_reading(faces).with_face(2, 1)
    session.told(told)
    assert str(session.message) == "The ringed die lies on an edge: throw that die again."
    session.told(told.with_face(5, 4))
    assert state(session).turn.last.dice == THOUSAND


def test_a_die_of_the_roll_off_is_told_too(tmp_path, tray_reader):
    with closing(Journal.open(tmp_path / "other.db")) as journal:
        session = Session(LiveMatch(journal), RULES, tray_reader)
        session.has_camera = True
        read(session, tray_reader, None)
        session.told(tray_reading((None,)).with_face(0, 4))

        assert session.rolloff.rolls == ((4,),)


def test_a_die_of_the_roll_off_is_taken_back(tmp_path, tray_reader):
    with closing(Journal.open(tmp_path / "other.db")) as journal:
        session = Session(LiveMatch(journal), RULES, tray_reader)
        session.do(EnterThrow((4,)))
        session.do(EnterThrow((6,)))
        session.hold(UNDO_S)

        assert session.rolloff.rolls == ((4,),)
        assert str(session.message) == "Taken back. Player 2 throws."
        session.do(Undo())
        with pytest.raises(IllegalMove, match="nothing to take back"):
            session.do(Undo())


def test_a_die_that_nobody_asks_about_is_refused(session, tray_reader):
    read(session, tray_reader, *THOUSAND)

    with pytest.raises(TableError, match="press to read"):
        session.told(tray_reading(THOUSAND).with_face(0, 5))


def test_one_die_of_the_last_throw_is_corrected(session):
    session.do(EnterThrow(THOUSAND))
    session.correct_die(5, 5)

    assert (
        str(session.message) == "Corrected to 1 1 1 2 3 5. Anna threw 1 1 1 2 3 5: 1,050 at risk."
    )


def test_a_correction_that_would_give_later_turns_to_others_asks_first(session):
    session.do(EnterThrow(NOTHING))
    session.do(RecordEvent(Skipped()))
    session.do(EnterThrow(THOUSAND))
    session.do(Bank())
    session.do(CorrectThrow(THOUSAND, 0))

    assert str(session.message) == (
        "Corrected, then what was set by hand in Ben's turn 2 would not hold: "
        "it would be Anna's turn. What is true?"
    )
    session.do(AnswerQuestion(session.choices[0].id))
    assert [player.score for player in state(session).players] == [1000, 0, 1000]


def test_a_correction_that_sets_the_score_back_asks_first(session):
    session.do(StartMatch(["Anna", "Ben"], options={"four_twos_reset": True}))
    session.do(RecordEvent(ScoreSet(0, 5000)))
    session.do(EnterThrow((1, 2, 2, 2, 3, 4)))
    session.do(CorrectThrow((1, 2, 2, 2, 2, 4)))

    assert str(session.message) == "1 2 2 2 2 4: four 2s. Does Anna's score go back to zero?"
    assert state(session).players[0].score == 5000
    session.do(AnswerQuestion(session.choices[0].id))
    assert state(session).players[0].score == 0
    session.do(CorrectThrow((1, 2, 2, 2, 2, 5)))
    assert state(session).turns[-1].last.dice == (1, 2, 2, 2, 2, 5)


def test_a_hold_while_something_needs_attention_repeats_the_advice(session, tray_reader):
    read(session, tray_reader, 1, 2, 3, 4, 5)
    advice = session.message
    session.say(Message("something else"))
    session.hold(1.2)

    assert session.situation is Situation.ATTENTION
    assert str(session.message) == f"Nothing is banked yet. {advice}"


def test_a_tray_that_never_rests_is_waited_for_no_longer(session, tray_reader):
    session.press()
    session.timed_out(tray_reader.looks)

    assert session.situation is Situation.TURN_BEGINS
    assert str(session.message) == "The tray was not still for 20 seconds: press again."


def test_an_older_match_is_taken_up_again_where_it_stood(session):
    session.do(EnterThrow(THOUSAND))
    session.do(StartMatch(("Cleo", "Dan")))
    session.do(ReopenMatch(1))

    assert state(session).turn.last.dice == THOUSAND
    assert str(session.message).startswith(
        "Going on where we were. Anna, 1,000 at risk, three dice to throw."
    )
    session.do(Bank())
    session.do(ReopenMatch(2))
    assert state(session).player.name == "Cleo"


def test_a_match_that_is_not_there_changes_nothing(session):
    session.do(EnterThrow(THOUSAND))
    with pytest.raises(JournalError, match="there is no match 9"):
        session.do(ReopenMatch(9))

    assert state(session).turn.last.dice == THOUSAND


def test_house_rules_of_a_match_are_kept_with_it(session, tmp_path):
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


def test_house_rules_that_do_not_hold_begin_no_match(session):
    before = session.live_match.match
    with pytest.raises(RulesetError, match="options: opening found -1"):
        session.do(StartMatch(["Anna", "Ben"], options={"opening": -1}))

    assert session.live_match.match is before


def test_dice_in_the_tray_are_no_throw_after_a_turn_was_put_in_by_hand(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    session.do(Bank())
    session.do(InsertTurn("111234: 111 = 1000, bank", None))
    read(session, tray_reader, *THOUSAND)

    assert str(session.message) == "Not thrown yet: the dice lie where they lay."


def test_nobody_says_what_tumbled_before_a_throw_that_was_taken_back(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    session.do(Bank())
    session.do(Undo())
    assert tray_reader.marks == [0.0]
    session.do(Undo())

    assert tray_reader.marks == [0.0, "doubted"]


def test_a_bank_that_was_held_goes_on_where_the_tray_flickers_without_end(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    tray_reader.has_tumbled, tray_reader.is_moving = False, True
    session.hold(1.2)
    assert session.situation is Situation.WAITING
    session.timed_out(tray_reader.looks)

    assert state(session).players[0].score == 1000


def test_dice_that_fell_back_as_the_bank_was_held_need_not_be_a_throw(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    session.hold(1.2)
    for _ in range(2):  # a farkle, so it is looked at again before it is asked about
        session.seen(tray_reader.looks, tray_reading(NOTHING, y=300, time_s=9.0))
    asked = [str(choice.label) for choice in session.choices]
    assert asked == ["Anna banked 1,000, Ben threw this", "Anna banked, nobody threw this"]
    session.do(AnswerQuestion(session.choices[1].id))

    assert (state(session).players[0].score, state(session).player.name) == (1000, "Ben")
    assert tray_reader.marks[-1] == 9.0
    read(session, tray_reader, *NOTHING, y=300)
    assert str(session.message) == "Not thrown yet: the dice lie where they lay."


def test_a_bank_or_keep_meant_for_an_earlier_throw_is_refused(session):
    session.do(EnterThrow(THOUSAND))
    session.do(Bank(throw=0))
    session.do(EnterThrow(THOUSAND))
    ben = session.match

    for late in (Bank((1, 1, 1), throw=0), KeepDice((1, 1, 1), throw=0)):
        with pytest.raises(TableError, match="The table has moved on"):
            session.do(late)
    assert session.match is ben
    session.do(KeepDice((1, 1, 1), throw=session.last_throw.index))
    session.do(Bank((1, 1, 1), throw=session.last_throw.index))
    assert [player.score for player in session.match.state.players] == [1000, 1000, 0]


def test_dice_and_undo_meant_for_an_earlier_step_are_refused(session):
    shown = session.live_match.steps
    session.do(EnterThrow(THOUSAND, step=shown))
    thrown = session.match

    for late in (EnterThrow(THOUSAND, step=shown), Undo(step=shown)):
        with pytest.raises(TableError, match="The table has moved on"):
            session.do(late)
    assert session.match is thrown
    session.do(Undo(step=session.live_match.steps))
    with pytest.raises(TableError, match="The table has moved on"):
        session.do(Undo(step=shown + 1))
    assert session.last_throw is None


def smudged_kept(faces, *, y=400, smudged=True):
    """A kept die at its place, that cannot be read now, and these."""
    kept = tray_reading((None,) if smudged else (1,), problem=Problem.UNREADABLE)
    return TrayReading(
        Reading(kept.reading.dice + tray_reading(faces, y=y).reading.dice), has_tumbled=True
    )


def test_a_kept_die_that_cannot_be_read_now_is_known_in_both_looks_at_a_farkle(
    session, tray_reader
):
    read(session, tray_reader, 1, 2, 3, 4, 4, 6)
    session.press()
    session.seen(tray_reader.looks, smudged_kept((2, 3, 4, 4, 6)))
    session.seen(tray_reader.looks, smudged_kept((2, 3, 4, 4, 6), smudged=False))

    assert state(session).player.name == "Ben"


def test_a_throw_is_read_again_though_a_kept_die_cannot_be(session, tray_reader):
    read(session, tray_reader, 1, 2, 3, 4, 4, 6)
    session.press()
    session.seen(tray_reader.looks, smudged_kept((2, 3, 4, 4, 5)))
    tray_reader.has_tumbled = False
    session.do(ReadAgain())
    session.seen(tray_reader.looks, smudged_kept((2, 3, 4, 4, 5)))

    assert str(session.message) == "Read again: 2 3 4 4 5, as before."


def test_read_again_knows_no_die_of_the_throw_itself(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    tray_reader.has_tumbled = False
    session.do(ReadAgain())
    session.seen(tray_reader.looks, tray_reading((1, 1, 1, 2, 3, None), problem=Problem.UNREADABLE))

    assert "Nothing is changed" in str(session.message)


def test_a_correction_leaves_no_doubt_about_what_tumbled(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    session.do(CorrectThrow((1, 1, 1, 2, 3, 6)))

    assert tray_reader.marks == [0.0]


def test_a_repair_leaves_the_face_of_a_corrected_die_open(session, tray_reader):
    read(session, tray_reader, 5, 5, 5, 2, 3, 4)
    session.do(Bank())
    session.do(CorrectThrow((2, 2, 3, 3, 4, 6)))
    (farkled,) = (choice for choice in session.choices if "farkled there" in str(choice.label))
    session.do(AnswerQuestion(farkled.id))
    read(session, tray_reader, 2, 3, 6, 2, 3, 4)

    assert str(session.message) == "Not thrown yet: the dice lie where they lay."


def test_names_that_would_be_one_person_afterwards_are_refused(session):
    with pytest.raises(IllegalMove, match="Anna and anna would be one person"):
        session.do(StartMatch(["Anna", "anna"]))
    for event in (Joined("BEN"), Renamed(0, "cleo")):
        with pytest.raises(IllegalMove, match="one person"):
            session.do(RecordEvent(event))
    session.do(RecordEvent(Renamed(0, "ANNA")))

    assert [player.name for player in state(session).players] == ["ANNA", "Ben", "Cleo"]


def test_what_taught_the_watch_is_forgotten_with_a_throw_that_never_happened(session, tray_reader):
    read(session, tray_reader, *THOUSAND, time_s=12.5)
    session.do(DropEvents(0, 1))

    assert tray_reader.marks == [12.5, "forgotten"]


def test_just_dice_that_are_taken_back_teach_nothing(session, tray_reader):
    session.do(SetJustDice(on=True))
    read(session, tray_reader, *THOUSAND, time_s=12.5)
    session.do(Undo())

    assert tray_reader.marks == [12.5, "forgotten"]


def asked_about_a_thing(session, tray_reader, *faces):
    """Something that is no die lies beside these."""
    seen = tray_reading((*faces, None), problem=Problem.FOREIGN_OBJECT, time_s=12.5)
    session.press()
    session.seen(tray_reader.looks, seen)
    assert session.situation is Situation.ATTENTION
    return seen


def test_the_throw_goes_on_as_if_what_is_nothing_had_not_been_seen(session, tray_reader):
    seen = asked_about_a_thing(session, tray_reader, *THOUSAND)
    session.left_out(seen.without(6))

    assert session.situation is Situation.ACCEPTED
    assert session.last_throw.dice == THOUSAND
    assert tray_reader.marks == [12.5]


def test_undo_takes_the_throw_back_that_went_on_without_it(session, tray_reader):
    seen = asked_about_a_thing(session, tray_reader, *THOUSAND)
    session.left_out(seen.without(6))
    session.do(Undo())

    assert session.last_throw is None
    assert tray_reader.marks == [12.5, "doubted"]


def test_while_the_question_is_open_undo_looks_at_it_again(session, tray_reader):
    read(session, tray_reader, *THOUSAND, time_s=1.0)
    session.do(Bank())
    seen = asked_about_a_thing(session, tray_reader, 1, 2, 3)
    session.left_out(seen.without(3))
    assert session.has_left_out
    before = state(session)
    session.do(Undo())

    assert state(session) is before
    assert session.situation is Situation.WAITING
    assert tray_reader.marks == [1.0, "forgotten"]
    assert not session.has_left_out


def test_a_face_that_is_named_later_leaves_that_open_to_undo(session, tray_reader):
    session.press()
    seen = tray_reading((1, None, 3, None), time_s=12.5)
    session.seen(tray_reader.looks, seen)
    without = seen.without(3)
    session.left_out(without)
    session.told(without.with_face(1, 2))

    assert session.has_left_out


def test_where_only_a_thing_lies_there_the_throw_is_waited_for(session, tray_reader):
    seen = asked_about_a_thing(session, tray_reader)
    session.left_out(seen.without(0))

    assert str(session.message) == "Waiting for a throw."
    session.do(Undo())
    assert str(session.message) == "Waiting for the dice to lie still."


def test_nothing_is_left_out_of_a_throw_that_is_accepted(session, tray_reader):
    read(session, tray_reader, *THOUSAND)
    with pytest.raises(TableError, match="That throw is accepted"):
        session.left_out(tray_reading(THOUSAND).without(0))
