"""The match in play is always what its journal would give back."""

from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.ledger import LiveMatch
from game import rulefile
from game.errors import GameError
from game.events import Kept, Redone, Renamed, Skipped, Thrown, Undone
from game.journal import Journal
from game.match import Match
from web.table import TableError

RULES = rulefile.load("walnut-studiolo")


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        yield journal


def test_without_a_match_it_says_what_to_do(journal):
    with pytest.raises(TableError, match="set one up first"):
        _ = LiveMatch(journal).match


def test_actions_done_together_are_one_step(journal):
    ledger = LiveMatch(journal)
    ledger.begin(Match.start(RULES, ["Anna", "Ben"]))
    before = ledger.do(Thrown((1, 1, 3, 3, 4, 6)))
    ledger.do(Kept((1, 1), assumed=True), Thrown((2, 3, 5, 6)))
    ledger.do(Undone())

    assert ledger.match.state == before.state
    ledger.do(Kept((1, 1), assumed=True), Thrown((2, 3, 5, 5)))
    assert journal.newest()[1] == ledger.match


def test_teams_come_back(journal):
    ledger = LiveMatch(journal)
    ledger.begin(Match.start(RULES, ["A", "B", "C", "D"], teams=[1, 2, 1, 2], first=2))

    assert journal.newest()[1] == ledger.match


ACTIONS = st.one_of(
    st.builds(Thrown, st.lists(st.integers(1, 6), min_size=2, max_size=6).map(tuple)),
    st.builds(Kept, st.sampled_from([(1,), (5,), (1, 5), (1, 1)]), st.booleans()),
    st.sampled_from([Undone(), Redone(), Skipped(), Renamed(0, "Zoë")]),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(ACTIONS, min_size=1, max_size=3), max_size=25))
def test_any_steps_come_back_as_they_were(journal, steps):
    ledger = LiveMatch(journal)
    ledger.begin(Match.start(RULES, ["Anna", "Ben"]))
    for step in steps:
        try:
            ledger.do(*step)
        except GameError:
            continue
        again = journal.newest()[1]
        assert again == ledger.match
        assert again.can_undo == ledger.match.can_undo
        assert again.can_redo == ledger.match.can_redo
