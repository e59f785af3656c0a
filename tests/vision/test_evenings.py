"""What is known of a table never makes reading worse."""

from collections import Counter

import pytest

import vision
from tests.campaigns.size import count
from vision.change import NOTHING_KNOWN, KnownTable
from vision.dataset import Outcome, evenings
from vision.images import load

pytestmark = [pytest.mark.pictures, pytest.mark.slow, pytest.mark.campaign]

EVERY = count(2, 1)
"""Of the throws of an evening."""


def ends(evening, table):
    """How many of its throws that all can read end in which way, and of the others."""
    return Counter(
        (case.trap, case.outcome(vision.read(load(case.path), case.tray, table=table)))
        for case in [case for case in evening.throws if case.kinds][::EVERY]
    )


def known(evening):
    empty = load(evening.empty)
    learnt = [
        vision.read(load(path), evening.tray, table=KnownTable(empty)) for path in evening.learnt
    ]
    return KnownTable.of(empty, learnt)


def test_an_evening_with_its_table_known_reads_no_worse(pictures):
    told, with_table = Counter(), Counter()
    for evening in evenings(pictures):
        told += ends(evening, NOTHING_KNOWN)
        with_table += ends(evening, known(evening))

    assert with_table[False, Outcome.RIGHT] >= told[False, Outcome.RIGHT], (told, with_table)
    for trap in (False, True):
        assert with_table[trap, Outcome.SILENT] <= told[trap, Outcome.SILENT], (told, with_table)
