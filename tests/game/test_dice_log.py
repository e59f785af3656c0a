"""Throws outside a match."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from game.dice_log import MAX_THROWS, DiceLog
from game.match.events import Place

DICE = st.lists(st.integers(1, 6), min_size=1, max_size=8).map(lambda d: tuple(sorted(d)))


def filled(throws):
    log = DiceLog()
    for dice in throws:
        log = log.add(dice, dice)
    return log


@given(st.lists(DICE, max_size=10))
def test_every_die_is_counted_once(throws):
    fell = Counter(face for dice in throws for face in dice)

    assert filled(throws).counts == tuple(fell[face] for face in range(1, 7))


@given(st.lists(DICE, max_size=6), DICE)
def test_undo_restores_the_log_before_the_throw(throws, more):
    log = filled(throws)

    assert log.add(more, more).undone() == log


@given(st.lists(DICE, min_size=1, max_size=4), st.data())
def test_a_correction_changes_the_counts(throws, data):
    log = filled(throws)
    right = data.draw(st.permutations(range(1, 7)).map(lambda f: f[0]))
    dice = tuple(sorted((right, *log.last.dice[1:])))

    assert log.corrected(dice) == filled([*throws[:-1], dice])


def test_a_die_that_was_not_thrown_again_counts_in_the_sum_only():
    log = DiceLog().add((2, 6), (2, 6)).add((1, 6), (1,))

    assert (log.last.sum, log.counts) == (7, (1, 1, 0, 0, 0, 1))


def test_the_oldest_throws_are_dropped_but_stay_counted():
    log = filled([(1,)] * (MAX_THROWS + 5))

    assert (len(log.throws), log.n_throws, log.counts[0]) == (
        MAX_THROWS,
        MAX_THROWS + 5,
        MAX_THROWS + 5,
    )


def test_throws_that_are_no_longer_remembered_keep_their_numbers_when_all_others_are_undone():
    log = filled([(1,)] * (MAX_THROWS + 5))
    for _ in range(MAX_THROWS):
        log = log.undone()
    log = log.add((6,), (6,))

    assert (log.last.index, log.n_throws, log.counts) == (5, 6, (5, 0, 0, 0, 0, 1))


def test_a_throw_is_entered_by_hand_if_no_camera_saw_its_dice():
    log = DiceLog().add((6,), (6,), (Place(6, 10.0, 20.0, 5.0),)).add((6,), (6,))

    assert [throw.is_entered_by_hand for throw in log.throws] == [False, True]
