"""Doubtful faces are compared with how the faces looked in earlier throws."""

import pytest

import vision
from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph
from vision.candidates import find_candidates
from vision.decision import Verdict, judge_candidate, with_second_opinions
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.looks.face_looks import FaceLook, cut_look
from vision.reading import Problem

GREEN = LOOKS["green"]
SURE, DOUBT = None, Problem.UNREADABLE


def throw(turn_deg, seed):
    return photograph(
        [Put(v, 38 * v - 133, 9 * (v % 3), turn_deg + 13 * v) for v in range(1, 7)],
        GREEN,
        seed=seed,
    )


@pytest.fixture(scope="module")
def looks():
    """Return the looks that are known at a table after one throw that nobody corrected."""
    shot = throw(0, seed=1)
    reading = shot.read()
    faces = [die.value for die in reading.dice]
    return KnownTray().with_faces(shot.image, reading, faces).looks


@pytest.fixture(scope="module")
def shot():
    return throw(40, seed=2)


@pytest.fixture(scope="module")
def places(shot):
    """Return the candidates that are dice, by their true values."""
    found = find_candidates(shot.image, shot.tray, None, UNKNOWN_TRAY).candidates
    verdicts = [(place, judge_candidate(place, is_tray_known=True)) for place in found]
    return {verdict.value: place for place, verdict in verdicts if verdict and verdict.value}


def opinion(shot, places, verdicts, looks):
    """Return the values and problems after the comparison of dice with these true values."""
    judged = [(places[true], Verdict(*verdict)) for true, verdict in verdicts]
    after = with_second_opinions(shot.image, judged, looks)
    return [(verdict.value, verdict.problem) for _, verdict in after]


def test_a_doubtful_face_is_certain_if_it_looks_as_before(shot, places, looks):
    verdicts = [(true, (true, 0.6, DOUBT)) for true in range(1, 7)]

    assert opinion(shot, places, verdicts, looks) == [(true, SURE) for true in range(1, 7)]


def test_a_doubtful_face_that_clearly_looks_like_another_becomes_that_one(shot, places, looks):
    assert opinion(shot, places, [(5, (6, 0.6, DOUBT))], looks) == [(5, SURE)]


def test_a_doubtful_face_does_not_become_another_before_all_faces_were_seen(shot, places, looks):
    others = [look for look in looks if look.value != 1]

    assert opinion(shot, places, [(5, (6, 0.6, DOUBT))], others) == [(6, DOUBT)]


def test_a_certain_face_that_looks_like_another_is_doubtful_in_a_doubtful_throw(
    shot, places, looks
):
    verdicts = [(5, (6, 0.99, SURE)), (3, (3, 0.6, DOUBT))]

    assert opinion(shot, places, verdicts, looks) == [(6, DOUBT), (3, SURE)]


def test_a_throw_without_doubt_is_not_compared(shot, places, looks):
    assert opinion(shot, places, [(5, (6, 0.99, SURE))], looks) == [(6, SURE)]


def test_a_face_that_was_never_seen_stays_doubtful(shot, places, looks):
    others = [look for look in looks if look.value != 4]

    assert opinion(shot, places, [(4, (4, 0.6, DOUBT))], others) == [(4, DOUBT)]


@pytest.mark.parametrize("problem", [Problem.COCKED, Problem.TOO_SMALL, Problem.STACKED])
def test_other_problems_stay(shot, places, looks, problem):
    verdicts = [(5, (5, 0.4, problem)), (3, (3, 0.6, DOUBT))]

    assert opinion(shot, places, verdicts, looks) == [(5, problem), (3, SURE)]


def test_without_earlier_looks_nothing_changes(shot, places):
    assert opinion(shot, places, [(5, (5, 0.6, DOUBT))], ()) == [(5, DOUBT)]


def test_a_correction_decides_how_the_same_look_is_read_from_then_on(shot, places, looks):
    """Dice with unusual pips: what is read as a five is a six."""
    at = places[5].detection
    pixels = cut_look(shot.image, (at.x, at.y), at.edge, at.turn)
    known = KnownTray(looks=(FaceLook(5, pixels),))
    reading = shot.read()
    faces = [{5: 6}.get(die.value, die.value) for die in reading.dice]

    corrected = known.with_faces(shot.image, reading, faces).looks

    assert opinion(shot, places, [(5, (5, 0.6, DOUBT))], corrected) == [(6, SURE)]


def test_a_reading_asks_less_when_the_table_knows_its_faces(looks):
    """The networks are made to doubt every face, but the looks of an earlier throw settle the doubts."""
    shot = throw(70, seed=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vision.decision.MIN_RIGHT_PROBABILITY", 0.9999)
        before = shot.read()
        after = vision.read(shot.image, shot.tray, known=KnownTray(looks=looks))

    assert not before.is_sure
    assert after.is_sure
    assert after.values == shot.values
