"""How certain a face has to be."""

from dataclasses import replace

import pytest

from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.candidates import find_candidates
from vision.decision import judge_candidate
from vision.known_tray import UNKNOWN_TRAY
from vision.reading import Problem


@pytest.fixture(scope="module")
def die():
    shot = photograph([Put(5, 0, 0)], LOOKS["green"])
    found = find_candidates(shot.image, shot.tray, None, UNKNOWN_TRAY).candidates
    return max(found, key=lambda one: one.detection.probability)


def seen(die, *, is_certain_die, face=None):
    """Return the die as a reading without a tray sees it, certainly a die or not.

    `face` is a lower probability of the face, according to both readers.
    """
    at = replace(die.detection, probability=0.95 if is_certain_die else 0.5)
    faces = replace(die.face, no_die=0.001 if is_certain_die else 0.2)
    if face is not None:
        faces = replace(faces, worst_view=face, agreement=face, familiarity=5.8)
    return replace(die, face=faces, detection=at, tilt=replace(die.tilt, lean=None))


def problem(die, *, is_tray_known):
    verdict = judge_candidate(die, is_tray_known=is_tray_known)
    assert verdict.value == 5
    return verdict.problem


@pytest.mark.parametrize("is_certain_die", [True, False])
@pytest.mark.parametrize("is_tray_known", [True, False])
def test_a_clear_face_is_accepted_anywhere(die, is_certain_die, is_tray_known):
    clear = seen(die, is_certain_die=is_certain_die)

    assert problem(clear, is_tray_known=is_tray_known) is None


def test_without_a_tray_a_likely_face_is_asked_about_unless_it_is_certainly_a_die(die):
    certain, doubtful = (seen(die, is_certain_die=is_it, face=0.8) for is_it in (True, False))

    assert problem(doubtful, is_tray_known=False) is Problem.UNREADABLE
    assert problem(certain, is_tray_known=False) is None
    assert problem(doubtful, is_tray_known=True) is None


@pytest.mark.parametrize("is_tray_known", [True, False])
def test_an_unlikely_face_is_asked_about_even_if_it_is_certainly_a_die(die, is_tray_known):
    unlikely = seen(die, is_certain_die=True, face=0.3)

    assert problem(unlikely, is_tray_known=is_tray_known) is Problem.UNREADABLE


@pytest.mark.parametrize(("cocked", "expected"), [(0.5, None), (0.8, Problem.COCKED)])
def test_without_a_tray_only_a_plainly_cocked_die_is_asked_about(die, cocked, expected):
    """From the side, a flat die can seem to be cocked."""
    shown = seen(die, is_certain_die=True)
    tilt = replace(shown.tilt, cocked=cocked)

    assert problem(replace(shown, tilt=tilt), is_tray_known=False) is expected


@pytest.mark.parametrize("cause", [Problem.COCKED, Problem.HIDDEN, Problem.STACKED])
def test_one_sign_that_a_die_does_not_lie_flat_outweighs_clear_signs_against_the_others(die, cause):
    signs = {Problem.COCKED: 1e-4, Problem.HIDDEN: 1e-4, Problem.STACKED: 1e-4} | {cause: 0.7}
    tilt = replace(die.tilt, cocked=signs[Problem.COCKED], stacked=signs[Problem.STACKED])
    face = replace(die.face, hidden=signs[Problem.HIDDEN])

    assert problem(die, is_tray_known=True) is None
    assert problem(replace(die, tilt=tilt, face=face), is_tray_known=True) is cause
