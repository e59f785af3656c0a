"""What is known of a table never makes reading worse, at none of the tables."""

from collections import Counter
from dataclasses import replace

import pytest

import vision
from tests.campaigns.size import count
from vision.dataset import Outcome, load_evenings
from vision.images import load
from vision.known_tray import UNKNOWN_TRAY, KnownTray

pytestmark = [pytest.mark.pictures, pytest.mark.slow, pytest.mark.campaign]

EVERY = count(2, 1)
"""Of the throws of an evening."""


def ends(evening, table):
    """How many of its throws that all can read end in which way, and of the others."""
    return Counter(
        (case.is_trap, case.outcome(vision.read(load(case.path), case.tray, known=table)))
        for case in [case for case in evening.throws if case.kinds][::EVERY]
    )


def known(evening):
    empty = load(evening.empty)
    learnt = [
        vision.read(load(path), evening.tray, known=KnownTray(empty)) for path in evening.earlier
    ]
    return KnownTray.of(empty, learnt)


def test_an_evening_with_its_table_known_reads_no_worse(pictures):
    """With all of it, and with what a profile keeps: how dice lay, but not the tray as it is now."""
    for evening in load_evenings(pictures):
        table, told = known(evening), ends(evening, UNKNOWN_TRAY)
        for way in (table, replace(table, empty=None)):
            found = ends(evening, way)

            assert found[False, Outcome.RIGHT] >= told[False, Outcome.RIGHT], (told, found)
            for trap in (False, True):
                assert found[trap, Outcome.SILENT] <= told[trap, Outcome.SILENT], (told, found)
