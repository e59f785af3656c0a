"""The same dice never count twice, and a forgotten bank is never lost; read from frames."""

import weakref
from dataclasses import replace

import pytest

from game.commands import (
    AnswerQuestion,
    CorrectThrow,
    DropEvents,
    EnterThrow,
    KeepDice,
    RecordEvent,
    ReopenMatch,
    StartMatch,
    Undo,
)
from game.match.events import Skipped
from game.rules import rule_files
from game.situation import Situation
from tests.device.rig import ROLL_S, open_rig
from tests.handled_tray import HandledTray

SCORING = (1, 1, 2, 3, 4, 6)
THOUSAND = (1, 1, 1, 2, 3, 4)
HOT = (1, 1, 3, 3, 3, 5)
NEXT = (2, 2, 3, 4, 5, 6)
FARKLE = (2, 3, 3, 4, 6, 6)


def test_pressing_twice_on_one_throw_changes_nothing(match_rig):
    match_rig.throw(*SCORING)
    before = match_rig.state
    snapshot = match_rig.press()

    assert match_rig.state == before
    assert str(snapshot.message) == "Not thrown yet: the dice have not moved."


def test_pressing_again_and_again_on_one_throw_keeps_few_frames_in_memory(match_rig, monkeypatch):
    capture, frames = match_rig.tray.capture, []

    def remembered():
        frame = capture()
        frames.append(weakref.ref(frame.image))
        return frame

    monkeypatch.setattr(match_rig.tray, "capture", remembered)
    match_rig.throw(*SCORING)
    for _ in range(10):
        match_rig.press()

    assert len(frames) > 10
    assert sum(frame() is not None for frame in frames) < 6


@pytest.mark.parametrize("to", ["aside", "gone"])
def test_pressing_after_setting_dice_aside_without_a_throw_changes_nothing(match_rig, to):
    match_rig.throw(*SCORING)
    before = match_rig.state
    match_rig.tray.set_aside((1, 1), to=to)
    snapshot = match_rig.press()

    assert match_rig.state == before
    assert str(snapshot.message).startswith("Not thrown yet")


def test_dice_moved_to_a_corner_of_the_tray_were_not_thrown(match_rig):
    match_rig.throw(*SCORING)
    before = match_rig.state
    match_rig.tray.set_aside((1, 1), to="corner")
    match_rig.press()

    assert match_rig.state == before


def test_pressing_on_the_last_players_leftovers_changes_nothing(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.hold()
    before = match_rig.state
    snapshot = match_rig.press()

    assert match_rig.state == before
    assert str(snapshot.message).startswith("Not thrown yet")


def test_pressing_on_the_dice_of_a_farkle_changes_nothing(match_rig):
    match_rig.throw(2, 3, 3, 4, 6, 6)
    before = match_rig.state
    match_rig.press()

    assert match_rig.state == before


def test_dice_slid_by_a_hand_were_not_thrown(match_rig):
    match_rig.throw(*SCORING)
    before = match_rig.state
    match_rig.tray.nudge(hand=True)
    match_rig.wait_s(2.0)
    match_rig.press()

    assert match_rig.state == before


@pytest.mark.parametrize("banks", [True, False])
def test_dice_of_a_corrected_throw_that_a_hand_slid_were_not_thrown_again(match_rig, banks):
    match_rig.throw(*THOUSAND)
    match_rig.companion.do(CorrectThrow((1, 1, 1, 2, 3, 6)))
    if banks:
        match_rig.hold()
    before = match_rig.state
    match_rig.tray.nudge(hand=True)
    match_rig.wait_s(2.0)
    snapshot = match_rig.press()

    assert str(snapshot.message).startswith("Not thrown yet")
    assert match_rig.state == before


def test_after_a_power_cut_the_same_dice_still_do_not_count_twice(tmp_path):
    with open_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*SCORING)
        before, tray, clock = rig.state, rig.tray, rig.clock
    with open_rig(tmp_path, tray=tray, clock=clock) as rig:
        assert "200 at risk" in str(rig.companion.snapshot().message)
        snapshot = rig.press()

        assert rig.state == before
        assert str(snapshot.message).startswith("Not thrown yet")


def test_a_forgotten_bank_without_hot_dice_takes_one_hold(match_rig):
    match_rig.throw(*THOUSAND)
    snapshot = match_rig.throw(*NEXT)
    assert str(snapshot.question) == "Did Anna bank 1,000?"
    match_rig.hold()

    assert match_rig.scores == [1000, 0]
    assert match_rig.state.turn.seat == 1
    assert match_rig.state.turn.last.dice == NEXT


def test_a_forgotten_bank_with_possible_hot_dice_takes_one_tap(match_rig):
    match_rig.throw(*HOT)
    snapshot = match_rig.throw(*NEXT)
    assert snapshot.situation is Situation.ACCEPTED
    assert str(snapshot.message).startswith("Hot dice!")
    (choice,) = snapshot.choices
    assert str(choice.label) == "Anna banked 550, and Ben threw these dice"
    match_rig.companion.do(AnswerQuestion(choice.id))

    assert match_rig.scores == [550, 0]
    assert match_rig.state.turn.seat == 1
    assert match_rig.state.turn.last.dice == NEXT


def test_the_offer_of_a_forgotten_bank_stays_after_a_correction_and_an_undo(match_rig):
    match_rig.throw(*HOT)
    match_rig.throw(*NEXT)
    corrected = (1, *NEXT[1:])
    match_rig.companion.do(CorrectThrow(corrected))
    assert match_rig.companion.snapshot().choices
    match_rig.companion.do(Undo())
    match_rig.companion.do(CorrectThrow(corrected))
    (choice,) = match_rig.companion.snapshot().choices
    match_rig.companion.do(AnswerQuestion(choice.id))

    assert match_rig.scores == [550, 0]
    assert match_rig.state.turn.last.dice == corrected


def test_a_forgotten_bank_before_a_farkle_takes_one_hold(match_rig):
    match_rig.throw(*THOUSAND)
    assert str(match_rig.throw(*FARKLE).question) == "Did Anna bank 1,000?"
    match_rig.hold()

    assert match_rig.scores == [1000, 0]
    assert [turn.seat for turn in match_rig.state.turns] == [0, 1]
    assert match_rig.state.turn.seat == 0


def test_a_forgotten_bank_before_a_farkle_with_possible_hot_dice_takes_one_tap(match_rig):
    match_rig.throw(*HOT)
    snapshot = match_rig.throw(*FARKLE)
    assert snapshot.situation is Situation.TURN_OVER
    assert match_rig.scores == [0, 0]
    (choice,) = snapshot.choices
    match_rig.companion.do(AnswerQuestion(choice.id))

    assert match_rig.scores == [550, 0]
    assert [turn.seat for turn in match_rig.state.turns] == [0, 1]


def test_a_late_hold_on_the_next_players_dice_does_not_bank_them(match_rig):
    match_rig.throw(*HOT)
    match_rig.roll(*NEXT)
    snapshot = match_rig.hold()
    assert match_rig.scores == [0, 0]
    assert str(snapshot.message).endswith("Hold the button again to bank.")
    (choice,) = snapshot.choices
    match_rig.companion.do(AnswerQuestion(choice.id))

    assert match_rig.scores == [550, 0]
    assert match_rig.state.turn.last.dice == NEXT


def test_a_die_forgotten_in_the_tray_is_asked_about(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.hold()
    match_rig.tray.set_aside((4,), to="stay")
    match_rig.tray.throw(n=5, values=(2, 3, 3, 6, 6))
    match_rig.wait_s(ROLL_S)
    snapshot = match_rig.press()

    assert str(snapshot.question).startswith("One die has not moved at all.")
    assert match_rig.scores == [1000, 0]
    assert len(match_rig.state.turns) == 1


def test_dice_thrown_while_a_reading_waits_in_the_inbox_count_as_thrown(match_rig):
    match_rig.roll(1, 1, 2, 3, 5, 6)
    match_rig.finger.press()
    match_rig.companion.process_all()
    while not len(match_rig.inbox):  # until the reading waits in the inbox
        match_rig.look()
    match_rig.tray.set_aside((1, 1))
    match_rig.tray.throw(values=(2, 3, 5, 6))
    for _ in range(20):
        match_rig.look()
    assert match_rig.settled().situation is Situation.ACCEPTED
    snapshot = match_rig.press()

    assert "moved" not in str(snapshot.message)
    assert len(match_rig.state.turn.throws) == 2


class SlowTray(HandledTray):
    """A tray whose full frames take as long as on a small Pi."""

    def capture(self):
        self._clock.now_s += 0.3
        return super().capture()


def test_a_slow_reading_of_resting_dice_does_not_count_as_motion(tmp_path, clock):
    with open_rig(tmp_path, tray=SlowTray(seed=7, roll_s=ROLL_S, clock=clock), clock=clock) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*SCORING)
        assert str(rig.press().message) == "Not thrown yet: the dice have not moved."

        assert rig.watch.has_tumbled is False


@pytest.mark.parametrize("to", ["aside", "gone", "stay"])
def test_kept_dice_are_found_wherever_they_were_put(match_rig, to):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside((1, 1), to=to)
    match_rig.throw(5, 2, 3, 3)

    assert match_rig.state.turn.throws[0].keep.dice == (1, 1)
    assert match_rig.state.turn.last.dice == (2, 3, 3, 5)


def test_a_keep_chosen_on_a_phone_comes_first(match_rig):
    match_rig.throw(1, 5, 2, 3, 4, 6)
    match_rig.companion.do(KeepDice((5,)))
    match_rig.tray.set_aside((5,), to="gone")
    match_rig.throw(1, 2, 3, 3, 4)

    assert match_rig.state.turn.throws[0].keep.dice == (5,)
    assert not match_rig.state.turn.throws[0].assumed


def test_a_skipped_player_does_not_make_the_same_dice_count_again(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.hold()
    match_rig.companion.do(RecordEvent(Skipped()))
    before = match_rig.state
    match_rig.press()

    assert match_rig.state == before


def test_the_winning_dice_do_not_open_the_rematch(tmp_path):
    rules = replace(rule_files.load("standard"), target=1000)
    with open_rig(tmp_path, rules=rules) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*THOUSAND)
        rig.hold()
        assert rig.hold().situation is Situation.TURN_BEGINS
        snapshot = rig.press()

        assert rig.state.turn.last is None
        assert str(snapshot.message).startswith("Not thrown yet")


def test_a_hold_after_the_dice_were_picked_up_still_banks(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.tray.nudge()
    match_rig.wait_s(0.3)
    match_rig.tray.gather()
    match_rig.wait_s(0.1)
    match_rig.hold()

    assert match_rig.scores == [1000, 0]


@pytest.mark.parametrize(
    "commands",
    [
        [StartMatch(("Anna", "Ben"))],
        [ReopenMatch(1)],
        [ReopenMatch(1), Undo()],
        [DropEvents(0, 1)],
        [CorrectThrow((1, 1, 1, 2, 3, 6)), ReopenMatch(1)],
    ],
)
def test_dice_in_the_tray_that_belong_to_no_throw_of_the_match_do_not_count_after_a_power_cut(
    tmp_path, commands
):
    with open_rig(tmp_path) as table:
        table.companion.do(StartMatch(("Cleo", "Dan")))
        table.throw(*SCORING)
        table.companion.do(StartMatch(("Anna", "Ben")))
        table.throw(*THOUSAND)
        for command in commands:
            table.companion.do(command)
        before = table.state
    with open_rig(tmp_path, tray=table.tray, clock=table.clock) as again:
        snapshot = again.press()

        assert again.state == before
        assert str(snapshot.message).startswith("Not thrown yet")


def test_an_undone_throw_is_read_again_after_a_power_cut(tmp_path):
    with open_rig(tmp_path) as table:
        table.companion.do(StartMatch(("Cleo", "Dan")))
        table.throw(*SCORING)
        table.companion.do(StartMatch(("Anna", "Ben")))
        table.throw(*THOUSAND)
        table.companion.do(Undo())
    with open_rig(tmp_path, tray=table.tray, clock=table.clock) as again:
        again.press()

        assert again.state.turn.last.dice == THOUSAND


def test_an_undone_throw_can_be_read_again_with_the_button_alone(match_rig):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside((1, 1))
    match_rig.throw(1, 2, 3, 4)
    match_rig.hold(3.2)
    asked = match_rig.press()
    assert "Were the dice thrown or just moved?" in str(asked.question)
    match_rig.hold()

    assert match_rig.state.turn.last.dice == (1, 2, 3, 4)


def test_a_throw_read_by_a_refused_hold_has_its_photo(match_rig):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside((1, 1))
    match_rig.roll(2, 3, 3, 5)
    before = match_rig.companion.snapshot().photo
    refused = match_rig.hold()

    assert "short of the 500 needed to get on the board" in str(refused.message)
    assert refused.match.last_throw.dice == (2, 3, 3, 5)
    assert refused.photo not in (None, before)


@pytest.mark.parametrize("mend", [CorrectThrow((1, 1, 1, 2, 3, 6)), None])
def test_a_hold_reads_dice_thrown_since_a_correction_or_an_undo(match_rig, mend):
    match_rig.throw(*THOUSAND)
    if mend:
        match_rig.companion.do(mend)
    else:
        match_rig.companion.do(KeepDice((1, 1, 1)))
        match_rig.companion.do(EnterThrow((5, 3, 4)))
        match_rig.companion.do(Undo())
    match_rig.tray.set_aside((1, 1, 1))
    match_rig.roll(2, 3, 4)
    match_rig.hold()

    assert match_rig.scores == [0, 0]
    assert match_rig.state.player.name == "Ben"


def test_dice_of_a_throw_undone_after_a_return_to_its_match_are_read_again(match_rig):
    match_rig.throw(1, 1, 1, 2, 3, 4)
    match_rig.companion.do(StartMatch(("Cleo", "Dan")))
    match_rig.companion.do(Undo())
    assert "have not moved" in str(match_rig.press().message)
    match_rig.companion.do(Undo())
    match_rig.press()

    assert match_rig.state.player.name == "Anna"
    assert match_rig.state.turn.last.dice == (1, 1, 1, 2, 3, 4)
