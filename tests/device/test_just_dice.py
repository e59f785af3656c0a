"""Throws without a match are read, announced, listed and counted."""

import cv2
import pytest

from device.mqtt.tray_messages import tray_state_json as told_to_the_broker
from game.commands import (
    Bank,
    CorrectDie,
    CorrectThrow,
    EnterThrow,
    ReopenMatch,
    SetJustDice,
    StartMatch,
    SubmitPhoto,
    ThrowSimulatedDice,
    Undo,
)
from game.errors import GameError
from game.situation import Situation, TableError
from web.state_json import state_json

FIRST = (1, 2, 2, 3, 4, 6)


@pytest.fixture
def dice_rig(rig):
    rig.companion.do(SetJustDice(on=True))
    return rig


def test_before_the_first_throw_no_older_dice_are_shown(rig):
    rolled = rig.throw(6)
    assert rolled.photo is not None

    assert rig.companion.do(SetJustDice(on=True)).photo is None


def dice(snapshot):
    return [throw.dice for throw in snapshot.just_dice.throws]


def test_a_throw_is_read_and_summed(dice_rig):
    snapshot = dice_rig.throw(*FIRST)

    assert (snapshot.situation, snapshot.match) == (Situation.JUST_DICE, None)
    assert str(snapshot.message) == "1 2 2 3 4 6 add up to 18."
    assert sorted(die.value for die in snapshot.photo.dice) == list(FIRST)
    shown = state_json(snapshot)["just_dice"]
    assert (shown["throws"][0]["sum"], shown["counts"]) == (18, [1, 2, 1, 1, 0, 1])
    assert told_to_the_broker(snapshot, None)["just_dice"] == {
        "index": 0, "dice": [*FIRST], "sum": 18,
    }  # fmt: skip


def test_the_same_dice_are_counted_once(dice_rig):
    dice_rig.throw(*FIRST)
    snapshot = dice_rig.press()

    assert "have not moved" in str(snapshot.message)
    assert dice(snapshot) == [FIRST]


def test_a_misread_die_is_corrected_and_the_throw_undone(dice_rig):
    photo = dice_rig.throw(*FIRST).photo
    four = next(i for i, die in enumerate(photo.dice) if die.value == 4)
    snapshot = dice_rig.companion.do(CorrectDie(photo.id, four, 5))
    assert dice(snapshot) == [(1, 2, 2, 3, 5, 6)]
    assert snapshot.photo.dice[four].value == 5
    assert dice(dice_rig.companion.do(CorrectThrow(FIRST))) == [FIRST]
    snapshot = dice_rig.companion.do(Undo())
    assert dice(snapshot) == []
    with pytest.raises(GameError, match="nothing to undo"):
        dice_rig.companion.do(Undo())

    assert snapshot.just_dice.counts == (0,) * 6


def test_any_number_of_dice_may_be_thrown_or_entered(dice_rig):
    dice_rig.tray.throw(values=(3, 5))
    dice_rig.wait_s(1)
    dice_rig.press()

    assert dice(dice_rig.companion.do(EnterThrow((6, 6, 1)))) == [(3, 5), (1, 6, 6)]
    assert str(dice_rig.companion.do(EnterThrow((4,))).message) == "A 4."


def test_a_photo_from_a_phone_is_a_throw(dice_rig):
    dice_rig.roll(*FIRST)
    data = cv2.imencode(".jpg", dice_rig.tray.capture().image)[1].tobytes()

    assert dice(dice_rig.companion.do(SubmitPhoto(data))) == [FIRST]


def test_the_simulated_tray_throws_all_its_dice(dice_rig):
    dice_rig.companion.do(ThrowSimulatedDice())
    dice_rig.wait_s(1.5)
    dice_rig.press_until_read()

    assert len(dice(dice_rig.companion.snapshot())[0]) == 6


def test_a_hold_banks_nothing_and_says_so(dice_rig):
    dice_rig.throw(*FIRST)
    assert "nothing to bank" in str(dice_rig.hold().message)
    with pytest.raises(TableError, match="No match"):
        dice_rig.companion.do(Bank())


def test_a_match_in_progress_waits(match_rig):
    match_rig.throw(1, 1, 2, 3, 4, 6)
    before = match_rig.companion.snapshot().match
    assert match_rig.companion.do(SetJustDice(on=True)).match is None
    match_rig.throw(*FIRST)
    after = match_rig.companion.do(SetJustDice(on=False))

    assert after.match == before
    assert after.just_dice is None


def test_a_new_match_ends_just_dice_and_counts_no_old_dice(dice_rig):
    dice_rig.throw(*FIRST)
    dice_rig.companion.do(StartMatch(("Anna", "Ben")))
    snapshot = dice_rig.press()

    assert snapshot.just_dice is None
    assert snapshot.match.last_throw is None


def test_an_entered_throw_in_the_tray_is_counted_once(dice_rig):
    dice_rig.throw(1, 1, 2, 3, 4, 6)
    dice_rig.roll(*FIRST)
    dice_rig.wait_s(2)
    dice_rig.companion.do(EnterThrow(FIRST))
    snapshot = dice_rig.press()

    assert len(dice(snapshot)) == 2


def test_dice_thrown_in_just_dice_do_not_count_in_the_match(match_rig):
    match_rig.throw(1, 1, 1, 2, 3, 4)
    match_rig.hold()
    match_rig.companion.do(SetJustDice(on=True))
    match_rig.throw(2, 2, 3, 5, 5, 5)
    match_rig.companion.do(SetJustDice(on=False))
    snapshot = match_rig.press()

    assert str(snapshot.message) == "Not thrown yet: the dice have not moved."
    assert match_rig.state.turn.last is None
    match_rig.throw(1, 2, 2, 3, 4, 6)
    assert match_rig.state.turn.last.dice == (1, 2, 2, 3, 4, 6)


def test_dice_of_one_match_do_not_count_in_a_reopened_one(match_rig):
    match_rig.throw(1, 1, 1, 2, 3, 4)
    match_rig.hold()
    match_rig.companion.do(StartMatch(("Cleo", "Dan")))
    match_rig.throw(2, 2, 3, 5, 5, 5)
    match_rig.companion.do(ReopenMatch(1))

    assert "have not moved" in str(match_rig.press().message)


def test_an_entered_first_throw_does_not_count_again(match_rig):
    match_rig.throw(2, 3, 3, 4, 6, 6)
    match_rig.companion.do(StartMatch(("Cleo", "Dan")))
    match_rig.tray.throw_all((1, 1, 1, 5, 5, 5))
    match_rig.wait_s(1)
    match_rig.companion.do(EnterThrow((1, 1, 1, 5, 5, 5)))
    match_rig.watch.mark_accepted()
    match_rig.press()

    assert [throw.dice for throw in match_rig.state.turn.throws] == [(1, 1, 1, 5, 5, 5)]


def test_switching_just_dice_on_and_off_forgets_no_places(match_rig):
    photo = match_rig.throw(1, 1, 2, 3, 4, 6).photo
    six = next(i for i, die in enumerate(photo.dice) if die.value == 6)
    match_rig.companion.do(CorrectDie(photo.id, six, 5))
    match_rig.companion.do(SetJustDice(on=True))
    match_rig.companion.do(SetJustDice(on=False))
    match_rig.companion.do(CorrectThrow((1, 1, 2, 3, 4, 6)))

    assert "have not moved" in str(match_rig.press().message)
