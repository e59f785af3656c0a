"""The table learns how its dice look from throws that were accepted or corrected."""

from collections import Counter
from dataclasses import replace

from game.commands import Bank, CorrectDie, EnterThrow, KeepDice, Undo
from game.situation import Situation
from vision.reading import Problem

FIRST, SECOND = (1, 1, 1, 3, 4, 6), (1, 2, 2, 3, 5, 6)


def looks(rig, *, confirmed):
    """Return the values of the known looks that a person confirmed, or of those that nobody did."""
    known = rig.watch.memory.known.looks
    return sorted(look.value for look in known if look.is_confirmed is confirmed)


def take_another_turn(rig):
    """Bank, and throw as the next player."""
    rig.companion.do(KeepDice((1, 1, 1)))
    rig.companion.do(Bank())
    assert rig.throw(*SECOND).situation is Situation.ACCEPTED


def test_the_faces_of_a_throw_are_learnt_when_the_next_one_is_accepted(match_rig):
    match_rig.throw(*FIRST)
    assert looks(match_rig, confirmed=False) == []
    take_another_turn(match_rig)

    assert looks(match_rig, confirmed=False) == list(FIRST)
    assert looks(match_rig, confirmed=True) == []


def test_a_corrected_die_is_learnt_with_its_true_face(match_rig):
    photo = match_rig.throw(*FIRST).photo
    four = next(i for i, die in enumerate(photo.dice) if die.value == 4)
    match_rig.companion.do(CorrectDie(photo.id, four, 5))
    take_another_turn(match_rig)

    assert looks(match_rig, confirmed=True) == [5]
    assert looks(match_rig, confirmed=False) == [1, 1, 1, 3, 6]


def test_a_correction_that_was_undone_is_not_learnt(match_rig):
    photo = match_rig.throw(*FIRST).photo
    four = next(i for i, die in enumerate(photo.dice) if die.value == 4)
    match_rig.companion.do(CorrectDie(photo.id, four, 5))
    match_rig.companion.do(Undo())
    take_another_turn(match_rig)

    assert looks(match_rig, confirmed=True) == []
    assert looks(match_rig, confirmed=False) == list(FIRST)


def test_a_doubtful_die_is_learnt_when_the_throw_is_entered_on_a_phone(match_rig, monkeypatch):
    def doubtful(readings):
        first, *others = readings[0].dice
        return replace(readings[0], dice=(replace(first, problem=Problem.UNREADABLE), *others))

    monkeypatch.setattr("device.watching.tray_watch.combine_readings", doubtful)
    snapshot = match_rig.throw(*FIRST)
    assert snapshot.situation is Situation.ATTENTION
    (asked,) = Counter(FIRST) & Counter([snapshot.photo.dice[0].value])
    match_rig.companion.do(EnterThrow(FIRST))
    monkeypatch.undo()
    take_another_turn(match_rig)

    assert looks(match_rig, confirmed=True) == [asked]
    assert len(looks(match_rig, confirmed=False)) == len(FIRST) - 1


def test_nothing_is_learnt_from_a_throw_that_was_thrown_again_before_it_was_typed_in(
    match_rig, monkeypatch
):
    def unsure(readings):
        dice = (
            replace(die, problem=Problem.UNREADABLE) if die.value == 6 else die
            for die in readings[0].dice
        )
        return replace(readings[0], dice=tuple(dice))

    with monkeypatch.context() as patch:
        patch.setattr("device.watching.tray_watch.combine_readings", unsure)
        assert match_rig.throw(*FIRST).situation is Situation.ATTENTION
    match_rig.tray.gather()
    match_rig.roll(1, 1, 1, 3, 4, 5)
    match_rig.wait_s(1.5)
    match_rig.companion.do(EnterThrow((1, 1, 1, 3, 4, 5)))
    take_another_turn(match_rig)

    assert looks(match_rig, confirmed=True) == []


def test_hands_over_an_empty_tray_do_not_fill_the_memory(match_rig):
    match_rig.press()
    for _ in range(5):
        match_rig.tray.show_hand()
        match_rig.wait_s(1.0)
        match_rig.tray.show_hand(shown=False)
        match_rig.wait_s(1.5)

    assert len(match_rig.watch.memory._readings) <= 1
