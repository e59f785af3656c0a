"""Knowledge about a tray never makes its readings worse."""

from collections import Counter
from dataclasses import replace

import pytest

import vision
from tests.campaigns.size import count
from vision.dataset import Outcome, load_evenings
from vision.images import load
from vision.known_tray import UNKNOWN_TRAY, KnownTray

pytestmark = [pytest.mark.pictures, pytest.mark.slow, pytest.mark.long, pytest.mark.campaign]

EVERY = count(2, 1)
"""Only every n-th throw of an evening is read."""


def outcomes(evening, tray):
    """Count the outcomes of the throws, separately for traps and for readable throws."""
    return Counter(
        (case.is_trap, case.outcome(vision.read(load(case.path), case.tray, known=tray)))
        for case in [case for case in evening.throws if case.kinds][::EVERY]
    )


def known(evening):
    empty = load(evening.empty)
    learnt = [
        vision.read(load(path), evening.tray, known=KnownTray(empty)) for path in evening.earlier
    ]
    return KnownTray.of(empty, learnt)


def test_knowledge_about_the_tray_does_not_make_the_readings_of_an_evening_worse(pictures):
    """Check with all knowledge, and with only what a profile stores: the leans, but not the empty-tray image."""
    for evening in load_evenings(pictures):
        tray, alone = known(evening), outcomes(evening, UNKNOWN_TRAY)
        for knowledge in (tray, replace(tray, empty=None)):
            found = outcomes(evening, knowledge)

            assert found[False, Outcome.RIGHT] >= alone[False, Outcome.RIGHT], (alone, found)
            for trap in (False, True):
                assert found[trap, Outcome.SILENT] <= alone[trap, Outcome.SILENT], (alone, found)
