"""Combining several readings of one still tray: a die is only as certain as all of them agree."""

from dataclasses import replace

import pytest

from vision.reading import Die, Problem, Reading, Zone, combine_readings

ONE = Die(1, 100, 100, 40, 40, 0.0, 0.9)
FIVE = Die(5, 300, 100, 40, 40, 0.0, 0.8)
BOTH = Reading((ONE, FIVE), ms=10)


def test_readings_that_agree_are_as_confident_as_the_least_confident():
    again = Reading((replace(FIVE, x=303), replace(ONE, confidence=0.7)), ms=20)
    reading = combine_readings([BOTH, again])

    assert reading.is_sure
    assert reading.values == (1, 5)
    assert [die.confidence for die in reading.dice] == [0.7, 0.8]
    assert reading.ms == 30


@pytest.mark.parametrize(
    "seen",
    [
        (ONE,),
        (ONE, replace(FIVE, value=4)),
        (ONE, replace(FIVE, zone=Zone.OUTSIDE)),
        (ONE, replace(FIVE, zone=Zone.ASIDE)),
        (ONE, replace(FIVE, problem=Problem.COCKED)),
        (ONE, FIVE, replace(FIVE, y=300)),
    ],
    ids=["missed", "misread", "outside", "aside", "cocked", "one more"],
)
def test_readings_that_differ_are_unsure_in_either_order(seen):
    assert not combine_readings([BOTH, Reading(seen)]).is_sure
    assert not combine_readings([Reading(seen), BOTH]).is_sure


def test_json_names_the_problem_of_a_die_that_has_one():
    cocked = replace(FIVE, value=None, problem=Problem.COCKED)

    problems = [die["problem"] for die in Reading((ONE, cocked)).to_json()["dice"]]

    assert problems == [None, "cocked"]
