"""Every cell of the table in docs/play.md, with a driven pin and dice read from frames."""

from collections import Counter
from dataclasses import replace

import pytest

from device.cameras.base import CameraError
from device.hardware.outputs import BANKED, SOUNDS, Sounder
from device.session.indicator import BANK_S, SHUTDOWN_S, STUCK_S, UNDO_S, Indicator
from game.commands import (
    AnswerQuestion,
    CorrectDie,
    EnterThrow,
    Hold,
    KeepDice,
    MoveSimulatedButton,
    RecordEvent,
    StartMatch,
    ThrowSimulatedDice,
    Undo,
)
from game.match.events import Joined, Renamed, ScoreSet, TookOver
from game.message import Message
from game.rules import rule_files
from game.situation import Situation, TableError
from game.stats.summary import at_risk
from tests.device.rig import open_rig
from tests.throws import FARKLE
from vision.reading import Problem

SCORING = (1, 1, 2, 3, 4, 6)
OPENING = (1, 1, 1, 2, 3, 4)  # 1,000


def roll_one(rig, face):
    rig.tray.gather()
    rig.tray.throw(values=[face])
    return rig.press()


def test_no_match_press_reads_a_players_die(rig):
    snapshot = roll_one(rig, 4)

    assert snapshot.situation is Situation.NO_MATCH
    assert snapshot.rolloff.rolls == ((4,),)


def test_no_match_a_die_that_was_moved_unwatched_counts_only_if_somebody_says_so(rig):
    roll_one(rig, 5)
    with rig.camera_unplugged():
        pass
    rig.tray.nudge(hand=True)
    rig.wait_s(3.0)
    moved = rig.press()
    assert moved.rolloff.rolls == ((5,),)
    assert str(moved.message) == "Not thrown yet: that is the previous player's die."

    thrown = rig.companion.do(AnswerQuestion(moved.choices[0].id))
    assert thrown.rolloff.rolls == ((5,), (5,))


def test_the_roll_off_stays_in_view_while_waiting_and_when_all_dice_are_thrown(rig):
    roll_one(rig, 4)
    rig.tray.gather()
    rig.finger.press()
    rig.companion.process_all()
    waiting = rig.companion.snapshot()
    rig.settled()
    asked = rig.throw(*SCORING)

    assert waiting.situation is Situation.WAITING
    assert waiting.rolloff.rolls == ((4,),)
    assert asked.situation is Situation.ATTENTION
    assert asked.rolloff.rolls == ((4,),)
    assert asked.photo is not None


def test_no_match_hold_ends_the_roll_off_and_the_match_begins(rig):
    roll_one(rig, 2)
    roll_one(rig, 5)
    snapshot = rig.hold()

    assert snapshot.situation is Situation.TURN_BEGINS
    assert snapshot.match.state.player.name == "Player 2"


@pytest.mark.parametrize("lying", [(), (1, 2, 3)])
def test_a_hold_ends_the_roll_off_even_while_it_waits_or_needs_attention(rig, lying):
    roll_one(rig, 2)
    roll_one(rig, 5)
    rig.tray.gather()
    if lying:
        rig.tray.throw(values=lying)
    rig.press()
    snapshot = rig.hold()

    assert snapshot.match.state.player.name == "Player 2"


def test_an_undone_die_of_the_roll_off_is_read_again(rig):
    roll_one(rig, 2)
    roll_one(rig, 5)
    rig.companion.do(Undo())
    snapshot = rig.press()

    assert snapshot.rolloff.rolls == ((2,), (5,))


@pytest.mark.parametrize("lies", ["the first", "the second"])
def test_after_an_entered_die_of_the_roll_off_no_old_die_counts_for_the_next_player(rig, lies):
    roll_one(rig, 2)
    if lies == "the second":
        rig.tray.gather()
        rig.tray.throw(values=[5])
    rig.wait_s(2)
    rig.companion.do(EnterThrow((5,)))
    rig.press()

    assert rig.companion.snapshot().rolloff.rolls == ((2,), (5,))


def test_players_who_tie_in_the_roll_off_throw_again(rig):
    roll_one(rig, 5)
    roll_one(rig, 5)
    assert "tie" in str(rig.hold().message)
    roll_one(rig, 2)
    snapshot = roll_one(rig, 3)

    assert snapshot.situation is Situation.TURN_BEGINS
    assert snapshot.match.state.player.name == "Player 2"


def test_no_match_hold_without_players_says_what_to_do(rig):
    assert "at least 2 players" in str(rig.hold().message)


def test_turn_begins_press_reads_the_throw(match_rig):
    snapshot = match_rig.throw(*SCORING)

    assert snapshot.situation is Situation.ACCEPTED
    assert match_rig.state.turn.last.dice == SCORING


def test_turn_begins_press_on_an_empty_tray_reads_the_next_throw(match_rig):
    assert str(match_rig.press().message) == "Waiting for a throw."
    match_rig.tray.throw_all(SCORING)
    match_rig.until(lambda s: s.situation is Situation.ACCEPTED)

    assert match_rig.state.turn.last.dice == SCORING


def test_turn_begins_hold_does_nothing_and_says_throw_first(match_rig):
    snapshot = match_rig.hold()

    assert snapshot.situation is Situation.TURN_BEGINS
    assert str(snapshot.message).startswith("Throw first")


def test_waiting_press_keeps_waiting(match_rig):
    match_rig.tray.throw_all(SCORING)
    match_rig.wait_s(0.1)
    match_rig.finger.press()
    match_rig.companion.process_all()
    match_rig.finger.press()
    snapshot = match_rig.until(lambda s: str(s.message).startswith("The dice are still moving"))

    assert snapshot.situation is Situation.WAITING


@pytest.mark.parametrize("event", [Renamed(1, "Benno"), ScoreSet(1, 500), Joined("Cy")])
def test_waiting_throw_is_read_although_a_phone_records_an_event(match_rig, event):
    match_rig.tray.throw_all(SCORING)
    match_rig.wait_s(0.1)
    match_rig.finger.press()
    match_rig.companion.process_all()
    match_rig.companion.do(RecordEvent(event))
    match_rig.settled()

    assert match_rig.state.turn.last.dice == SCORING


def test_waiting_hold_reads_and_banks_although_a_player_is_renamed(match_rig):
    match_rig.throw(*OPENING)
    match_rig.tray.set_aside((1, 1, 1), to="gone")
    match_rig.tray.throw(values=(5, 6, 6))
    match_rig.wait_s(0.1)
    match_rig.finger.press(BANK_S)
    match_rig.companion.process_all()
    match_rig.companion.do(RecordEvent(Renamed(1, "Benno")))
    match_rig.settled()

    assert match_rig.scores == [1050, 0]


def test_waiting_for_a_throw_reads_it_although_the_keep_before_is_tapped(match_rig):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside(SCORING, to="gone")
    match_rig.wait_s(2.0)
    assert str(match_rig.press().message) == "Waiting for a throw."
    match_rig.companion.do(KeepDice((1, 1)))
    match_rig.tray.throw(values=(1, 2, 3, 4))
    match_rig.until(lambda s: s.situation is Situation.ACCEPTED)

    assert match_rig.state.turn.last.dice == (1, 2, 3, 4)


def test_waiting_for_a_throw_press_reads_what_is_in_the_tray(match_rig):
    match_rig.press()
    assert str(match_rig.press().message) == "Waiting for a throw."
    match_rig.tray.throw_all(SCORING)
    match_rig.finger.press()
    match_rig.until(lambda s: s.situation is Situation.ACCEPTED)

    assert match_rig.state.turn.last.dice == SCORING


def test_waiting_hold_stops_waiting(match_rig):
    match_rig.press()
    snapshot = match_rig.hold()

    assert snapshot.situation is Situation.TURN_BEGINS
    assert str(snapshot.message) == "Stopped waiting."


def test_accepted_press_reads_the_next_throw(match_rig):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside((1, 1))
    snapshot = match_rig.throw(5, 2, 3, 3)

    assert str(snapshot.message).startswith("Anna kept 1 1 = 200. Anna threw 2 3 3 5: 250 at risk")
    assert len(match_rig.state.turn.throws) == 2


def test_accepted_hold_banks(match_rig):
    match_rig.throw(*OPENING)
    snapshot = match_rig.hold()

    assert match_rig.scores == [1000, 0]
    assert snapshot.situation is Situation.TURN_OVER


def test_accepted_hold_below_the_opening_is_refused_with_the_reason(match_rig):
    match_rig.throw(*SCORING)
    snapshot = match_rig.hold()

    assert snapshot.situation is Situation.ACCEPTED
    assert str(snapshot.message) == "200 is 300 short of the 500 needed to get on the board."


def test_accepted_hold_takes_the_best_keep_whatever_was_tapped(match_rig):
    match_rig.throw(1, 1, 1, 5, 2, 3)
    match_rig.companion.do(KeepDice((1, 1, 1)))
    match_rig.hold()

    assert match_rig.scores == [1050, 0]


def test_accepted_hold_reads_dice_thrown_since_first(match_rig):
    match_rig.throw(*OPENING)
    match_rig.tray.set_aside((1, 1, 1))
    match_rig.roll(5, 2, 3)
    match_rig.hold()

    assert match_rig.scores == [1050, 0]


def test_accepted_hold_with_a_farkle_on_the_tray_banks_nothing(match_rig):
    match_rig.throw(*OPENING)
    match_rig.tray.set_aside((1, 1, 1))
    match_rig.roll(4, 2, 3)
    snapshot = match_rig.hold()

    assert match_rig.scores == [0, 0]
    assert snapshot.situation is Situation.TURN_OVER


def open_question(rig):
    """Throw all six dice in the middle of a turn without hot dice."""
    rig.throw(*OPENING)
    return rig.throw(2, 2, 3, 3, 4, 5)


def test_question_is_asked_and_costs_nothing(match_rig):
    snapshot = open_question(match_rig)

    assert snapshot.situation is Situation.QUESTION
    assert str(snapshot.question) == "Did Anna bank 1,000?"
    assert len(match_rig.state.turn.throws) == 1


def test_question_hold_says_yes(match_rig):
    open_question(match_rig)
    match_rig.hold()

    assert match_rig.scores == [1000, 0]
    assert match_rig.state.turn.seat == 1
    assert match_rig.state.turn.last.dice == (2, 2, 3, 3, 4, 5)


@pytest.mark.parametrize("event", [Renamed(1, "Benno"), ScoreSet(1, 500)])
def test_question_stays_open_while_a_player_is_renamed_or_a_score_is_set(match_rig, event):
    match_rig.throw(*OPENING)
    asked = match_rig.throw(*SCORING)
    assert match_rig.companion.do(RecordEvent(event)).question == asked.question
    match_rig.hold()

    assert match_rig.scores[0] == 1000
    assert match_rig.state.turn.last.dice == SCORING


def test_question_who_threw_is_asked_again_once_somebody_has_joined(match_rig):
    match_rig.throw(*OPENING)
    match_rig.throw(*SCORING)
    assert match_rig.companion.do(RecordEvent(Joined("Cy"))).question is None

    assert str(match_rig.hold().question) == "Did Anna bank 1,000?"


def test_question_press_reads_again(match_rig):
    before = open_question(match_rig)
    snapshot = match_rig.press()

    assert str(snapshot.question) == str(before.question)
    assert snapshot.photo.id != before.photo.id
    assert match_rig.scores == [0, 0]


def test_question_hold_of_three_seconds_undoes_the_previous_throw(match_rig):
    open_question(match_rig)
    snapshot = match_rig.hold(UNDO_S + 0.2)

    assert snapshot.situation is Situation.TURN_BEGINS
    assert snapshot.question is None


def test_attention_names_the_number_expected(match_rig):
    match_rig.tray.throw(values=(1, 2, 3, 4, 5))
    snapshot = match_rig.press()

    assert snapshot.situation is Situation.ATTENTION
    assert "Expected six dice, but saw 5" in str(snapshot.advice[0])


def test_attention_ends_when_the_unread_die_is_named(match_rig, monkeypatch):
    def unsure_of_the_second(readings):
        first, second, *others = readings[0].dice
        doubtful = replace(second, value=None, problem=Problem.UNREADABLE)
        return replace(readings[0], dice=(first, doubtful, *others))

    monkeypatch.setattr("device.watching.tray_watch.combine_readings", unsure_of_the_second)
    snapshot = match_rig.throw(*SCORING)
    assert snapshot.situation is Situation.ATTENTION
    (face,) = Counter(SCORING) - Counter(die.value for die in snapshot.photo.dice)
    snapshot = match_rig.companion.do(CorrectDie(snapshot.photo.id, 1, face))

    assert snapshot.situation is Situation.ACCEPTED
    assert match_rig.state.turn.last.dice == SCORING
    assert None not in [die.slot for die in snapshot.photo.dice]


def test_attention_naming_a_die_changes_the_reading_unless_the_photo_is_old(match_rig):
    match_rig.tray.throw(values=(1, 2, 3, 4, 5))
    photo = match_rig.press().photo
    with pytest.raises(TableError, match="out of date"):
        match_rig.companion.do(CorrectDie("0", 0, 6))
    with pytest.raises(TableError, match="no die 5"):
        match_rig.companion.do(CorrectDie(photo.id, 5, 6))
    snapshot = match_rig.companion.do(CorrectDie(photo.id, 0, 6))

    assert snapshot.situation is Situation.ATTENTION
    assert snapshot.photo.dice[0].value == 6
    assert snapshot.photo.id != photo.id


def test_attention_press_reads_again(match_rig):
    match_rig.tray.throw(values=(1, 2, 3, 4, 5))
    match_rig.press()
    snapshot = match_rig.throw(*SCORING)

    assert snapshot.situation is Situation.ACCEPTED


def test_attention_hold_never_banks(match_rig):
    match_rig.throw(*OPENING)
    match_rig.tray.set_aside((1, 1, 1), to="gone")
    match_rig.tray.throw(n=2, values=(2, 3))
    match_rig.tray.set_aside((4,), to="gone")
    match_rig.press()
    assert match_rig.companion.snapshot().situation is Situation.ATTENTION
    snapshot = match_rig.hold()

    assert snapshot.situation is Situation.ATTENTION
    assert match_rig.scores == [0, 0]


def test_turn_over_press_reads_the_next_players_throw(match_rig):
    match_rig.throw(*FARKLE)
    match_rig.throw(*SCORING)

    assert match_rig.state.turn.seat == 1
    assert match_rig.state.turn.last.dice == SCORING


def test_turn_over_hold_does_nothing(match_rig):
    match_rig.throw(*FARKLE)
    before = match_rig.state
    snapshot = match_rig.hold()

    assert match_rig.state == before
    assert str(snapshot.message) == "Throw first: it is Ben's turn."


def won(rig):
    rig.throw(*OPENING)
    rig.hold()
    return rig.throw(*FARKLE)


def test_won_press_does_nothing(tmp_path):
    rules = replace(rule_files.load("walnut-studiolo"), target=1000)
    with open_rig(tmp_path, rules=rules) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        assert won(rig).situation is Situation.WON
        snapshot = rig.press()

        assert snapshot.situation is Situation.WON
        assert str(snapshot.message) == "The match is over: hold the button for a rematch."
        rig.hold(UNDO_S + 0.2)
        assert rig.state.winner is None


def test_won_hold_is_a_rematch(tmp_path):
    rules = replace(rule_files.load("walnut-studiolo"), target=1000)
    with open_rig(tmp_path, rules=rules) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        won(rig)
        snapshot = rig.hold()

        assert snapshot.situation is Situation.TURN_BEGINS
        assert snapshot.match.state.player.name == "Ben"


def test_hold_of_three_seconds_undoes_the_last_step(match_rig):
    match_rig.throw(*SCORING)
    match_rig.hold(UNDO_S + 0.2)

    assert match_rig.state.turn.last is None


def test_hold_of_five_seconds_shuts_down_only_where_that_is_allowed(tmp_path, match_rig):
    assert "disabled" in str(match_rig.hold(SHUTDOWN_S + 0.2).message)
    asked = []
    with open_rig(tmp_path / "other", shut_down=lambda: asked.append(1)) as rig:
        rig.hold(SHUTDOWN_S + 0.2)

        assert asked == [1]


def test_a_page_cannot_shut_the_machine_down(tmp_path):
    asked = []
    with open_rig(tmp_path / "other", shut_down=lambda: asked.append(1)) as rig:
        with pytest.raises(TableError, match="Only the button at the tray"):
            rig.companion.do(Hold(SHUTDOWN_S))
        rig.companion.do(Hold(0.1))

    assert asked == []


def test_a_die_tapped_on_the_photo_of_an_accepted_throw_corrects_it(match_rig):
    photo = match_rig.throw(*SCORING).photo
    four = next(i for i, die in enumerate(photo.dice) if die.value == 4)
    assert (photo.index, photo.dice[four].slot) == (0, 4)
    snapshot = match_rig.companion.do(CorrectDie(photo.id, four, 5))

    assert match_rig.state.turn.last.dice == (1, 1, 2, 3, 5, 6)
    assert snapshot.photo.dice[four].value == 5
    assert snapshot.photo.dice[four].slot == 4


def test_without_a_camera_dice_are_entered_and_the_button_banks(tmp_path):
    def no_camera():
        raise CameraError(Message("unplugged"))

    with open_rig(tmp_path, open_camera=no_camera) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        said = "There is no camera: take a photo with a phone, or tap the dice in."
        assert str(rig.press().message) == said
        rig.companion.do(EnterThrow(OPENING))
        rig.hold()

        assert rig.scores == [1000, 0]


def test_a_press_while_the_camera_opens_reads_once_it_is_open(tmp_path):
    with open_rig(tmp_path, opened=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.tray.throw_all(OPENING)
        assert rig.companion.snapshot().camera is None

        assert rig.press().situation is Situation.ACCEPTED
        assert rig.state.turn.last.dice == tuple(sorted(OPENING))


def test_simulated_dice_thrown_while_the_camera_opens_roll_once_it_is_open(tmp_path):
    with open_rig(tmp_path, opened=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.companion.do(ThrowSimulatedDice())
        assert rig.tray.truth == ()
        rig.until(lambda s: s.camera is not None)

        assert rig.tray.is_rolling
        assert rig.press().situation is Situation.ACCEPTED
        assert rig.state.turn.last.dice == rig.tray.truth


def test_simulated_dice_are_read_if_the_button_is_pressed_while_the_camera_opens(tmp_path):
    with open_rig(tmp_path, opened=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.companion.do(ThrowSimulatedDice())

        assert rig.press().situation is Situation.ACCEPTED
        assert rig.state.turn.last.dice == rig.tray.truth


def test_simulated_dice_are_not_thrown_once_the_camera_is_open_if_a_step_was_taken_since(tmp_path):
    with open_rig(tmp_path, opened=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.companion.do(ThrowSimulatedDice())
        rig.companion.do(EnterThrow(OPENING))
        rig.until(lambda s: s.camera is not None)

        assert rig.tray.truth == ()


def test_lamp_shows_what_letting_go_would_do(tmp_path):
    with open_rig(tmp_path, shut_down=lambda: None) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.companion.do(EnterThrow(OPENING))
        for held_s, meaning in ((BANK_S, "bank"), (UNDO_S, "undo"), (SHUTDOWN_S, "shut down")):
            rig.inbox.holding(held_s)
            snapshot = rig.settled()

            assert meaning in str(snapshot.lamp.meaning)
            assert rig.lamp.shown == snapshot.lamp
        rig.inbox.holding(None)

        assert "throw" in str(rig.settled().lamp.meaning)


def test_lamp_shows_hot_dice_only_while_they_are_kept(match_rig):
    match_rig.throw(1, 1, 1, 5, 5, 5)
    assert "hot dice" in str(match_rig.lamp.shown.meaning)
    match_rig.companion.do(KeepDice((1, 1, 1)))
    match_rig.step()

    assert "hot dice" not in str(match_rig.lamp.shown.meaning)


def test_lamp_never_offers_a_shutdown_that_is_switched_off(match_rig):
    ready = match_rig.settled().lamp
    match_rig.inbox.holding(SHUTDOWN_S)

    assert match_rig.settled().lamp == ready


def show_and_hold(rig, seconds):
    """Let the lamp count, then release the button, like a finger does."""
    for so_far_s in (seconds, None):
        rig.inbox.holding(so_far_s)
        rig.companion.process_all()
    rig.hold(seconds)


def test_the_buzzer_plays_the_banked_sound_only_after_a_bank(tmp_path):
    with open_rig(tmp_path, lamp=lambda pins: Sounder(pins, 27)) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        show_and_hold(rig, BANK_S)
        assert "Throw first" in str(rig.companion.snapshot().message)
        rig.companion.do(EnterThrow(OPENING))
        show_and_hold(rig, UNDO_S)
        assert rig.state.turn.last is None
        assert rig.lamp.played != BANKED
        rig.companion.do(EnterThrow(OPENING))
        show_and_hold(rig, BANK_S)

        assert rig.scores == [1000, 0]
        assert rig.lamp.played == BANKED


@pytest.fixture
def buzzer_rig(tmp_path):
    """Anna and Ben are about to begin at a table with a buzzer."""
    with open_rig(tmp_path, lamp=lambda pins: Sounder(pins, 27)) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        yield rig


@pytest.mark.parametrize("dice", [SCORING, (1, 1, 3, 3, 3, 5), FARKLE])
def test_the_buzzer_plays_a_throw_only_once(buzzer_rig, dice):
    buzzer_rig.throw(*dice)
    assert buzzer_rig.lamp.played
    buzzer_rig.lamp.played = ""
    assert str(buzzer_rig.press().message).startswith("Not thrown yet")

    assert buzzer_rig.lamp.played == ""


def test_the_buzzer_plays_no_throw_if_the_camera_is_lost_before_it_is_read(buzzer_rig):
    buzzer_rig.throw(*SCORING)
    buzzer_rig.finger.press()
    buzzer_rig.companion.process_all()
    with buzzer_rig.camera_unplugged():
        assert buzzer_rig.lamp.played == SOUNDS[Indicator.NO_CAMERA]
    buzzer_rig.step()

    assert buzzer_rig.lamp.played == SOUNDS[Indicator.NO_CAMERA]


def test_the_lamp_and_a_press_say_that_the_camera_is_lost_in_the_middle_of_a_turn(match_rig):
    before = match_rig.throw(*SCORING)
    with match_rig.camera_unplugged():
        lost = match_rig.press()
        assert str(lost.lamp.meaning) == "no camera: tap the dice in on the phone"
        assert str(lost.message).startswith("There is no camera")

    back = match_rig.companion.snapshot()
    assert back.lamp.colour == before.lamp.colour
    assert str(back.message) == "The camera is working again: press the button."


def test_a_button_held_for_longer_than_ten_seconds_is_stuck(tmp_path):
    down = []
    with open_rig(tmp_path, shut_down=lambda: down.append(True)) as rig:
        before = rig.companion.snapshot()
        rig.button_down(9.9)
        assert str(rig.companion.snapshot().lamp.meaning) == "let go: shut down"
        rig.button_down(0.1)
        stuck = rig.companion.snapshot()
        assert str(stuck.lamp.meaning) == "the button is stuck: free it"
        assert "the button is stuck" in str(stuck.troubles[0])
        assert "the button is stuck" in str(rig.companion.troubles.output)
        rig.finger.button.drive(down=False)
        after = rig.settled()

    assert down == []
    assert (after.message, after.lamp, after.troubles) == (before.message, before.lamp, ())


def test_a_button_that_is_down_at_the_start_is_stuck_too(tmp_path):
    with open_rig(tmp_path, pressed=True) as rig:
        rig.button_down(5)
        assert not rig.companion.snapshot().troubles
        rig.button_down(10)
        assert "the button is stuck" in str(rig.companion.snapshot().troubles)
        rig.finger.button.drive(down=False)
        assert not rig.settled().troubles
        assert rig.press().situation is Situation.WAITING


def test_a_page_that_holds_the_simulated_button_too_long_is_refused_like_a_hold(rig):
    for seconds in (SHUTDOWN_S, 10):
        before = rig.companion.do(MoveSimulatedButton(down=True)).message
        for command in (Hold(seconds), MoveSimulatedButton(down=False, seconds=seconds)):
            with pytest.raises(TableError, match="Only the button at the tray"):
                rig.companion.do(command)
        assert rig.settled().message == before
        assert rig.finger.button.held_s is None


def test_a_simulated_button_whose_phone_has_vanished_is_released_without_effect(match_rig):
    match_rig.companion.do(EnterThrow(OPENING))
    before = match_rig.companion.snapshot()
    match_rig.companion.do(MoveSimulatedButton(down=True))
    match_rig.clock.now_s += STUCK_S
    match_rig.companion.process_next(0)
    after = match_rig.settled()

    assert match_rig.finger.button.held_s is None
    assert (after.lamp, after.message, after.match) == (before.lamp, before.message, before.match)
    assert after.troubles == ()


@pytest.mark.parametrize("tapped", [False, True])
def test_next_player_takes_over_by_throwing_the_dice_that_were_left(rig, tapped):
    rig.companion.do(StartMatch(("Anna", "Ben"), rules="high-stakes"))
    rig.throw(*OPENING)
    rig.tray.set_aside((1, 1, 1))
    assert "Ben may take over 1,000 with three dice." in str(rig.hold().message)
    if tapped:
        rig.companion.do(RecordEvent(TookOver()))
    snapshot = rig.throw(1, 5, 2)

    assert snapshot.situation is Situation.ACCEPTED
    assert rig.state.turn.took_over
    assert at_risk(rig.state) == 1150
    rig.hold(UNDO_S)
    assert rig.state.turn.took_over is tapped
