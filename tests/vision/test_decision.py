"""How certain a face has to be."""

from dataclasses import replace

import pytest

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.candidates import find_candidates
from vision.decision import CERTAIN_DIE_PROBABILITY, judge_candidate
from vision.known_tray import UNKNOWN_TRAY
from vision.reading import Problem


@pytest.fixture(scope="module")
def die():
    shot = photograph([Put(5, 0, 0)], LOOKS["green"])
    found = find_candidates(shot.image, shot.tray, None, UNKNOWN_TRAY).candidates
    return max(found, key=lambda one: one.detection.probability)


def seen(die, *, face, finder):
    """Return the die with less certain answers: `face` from the face reader and `finder` from the finder."""
    faces = replace(die.face, worst_view=face, agreement=face, familiarity=4.0)
    return replace(die, face=faces, detection=replace(die.detection, probability=finder))


def problem(die, *, is_tray_known):
    verdict = judge_candidate(die, is_tray_known=is_tray_known)
    assert verdict.value == 5
    return verdict.problem


def test_a_clear_face_is_accepted_anywhere(die):
    assert problem(die, is_tray_known=True) is None
    assert problem(die, is_tray_known=False) is None


def test_a_rather_clear_face_is_asked_about_where_the_tray_is_unknown(die):
    doubtful = seen(die, face=0.75, finder=CERTAIN_DIE_PROBABILITY - 0.1)

    assert problem(doubtful, is_tray_known=True) is None
    assert problem(doubtful, is_tray_known=False) is Problem.UNREADABLE


def test_a_rather_clear_face_is_accepted_where_the_finder_is_certain_of_a_die(die):
    rather_clear = seen(die, face=0.75, finder=CERTAIN_DIE_PROBABILITY + 0.1)

    assert problem(rather_clear, is_tray_known=False) is None


def test_an_unclear_face_is_asked_about_even_if_it_is_certainly_a_die(die):
    unclear = seen(die, face=0.3, finder=CERTAIN_DIE_PROBABILITY + 0.1)

    assert problem(unclear, is_tray_known=True) is Problem.UNREADABLE
    assert problem(unclear, is_tray_known=False) is Problem.UNREADABLE
