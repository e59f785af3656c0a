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


def seen(die, *, finder, face=None):
    """Return the die as a reading without a tray sees it, with the finder's probability of a die.

    `face` is a lower probability of the face, according to both readers.
    """
    at = replace(die.detection, probability=finder)
    faces = die.face
    if face is not None:
        faces = replace(faces, worst_view=face, agreement=face, familiarity=4.0)
    return replace(die, face=faces, detection=at, tilt=None)


def problem(die, *, is_tray_known):
    verdict = judge_candidate(die, is_tray_known=is_tray_known)
    assert verdict.value == 5
    return verdict.problem


CERTAIN, UNCERTAIN = CERTAIN_DIE_PROBABILITY + 0.1, CERTAIN_DIE_PROBABILITY - 0.1


@pytest.mark.parametrize("finder", [CERTAIN, UNCERTAIN])
@pytest.mark.parametrize("is_tray_known", [True, False])
def test_a_clear_face_is_accepted_anywhere(die, finder, is_tray_known):
    assert problem(seen(die, finder=finder), is_tray_known=is_tray_known) is None


def test_without_a_tray_a_likely_face_is_asked_about_unless_the_finder_is_certain(die):
    likely = {finder: seen(die, finder=finder, face=0.75) for finder in (CERTAIN, UNCERTAIN)}

    assert problem(likely[UNCERTAIN], is_tray_known=False) is Problem.UNREADABLE
    assert problem(likely[CERTAIN], is_tray_known=False) is None
    assert problem(likely[UNCERTAIN], is_tray_known=True) is None


@pytest.mark.parametrize("is_tray_known", [True, False])
def test_an_unlikely_face_is_asked_about_even_if_it_is_certainly_a_die(die, is_tray_known):
    unlikely = seen(die, finder=CERTAIN, face=0.3)

    assert problem(unlikely, is_tray_known=is_tray_known) is Problem.UNREADABLE
