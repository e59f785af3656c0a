"""The match in play always equals the match in its journal."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.session.live_match import LiveMatch
from device.session.session import Session
from game.commands import EnterThrow, RecordEvent, Redo, Undo
from game.errors import DamagedJournal, GameError
from game.journal.journal import Journal, MendingJournal
from game.match.events import Kept, Redone, Renamed, Skipped, Thrown, Undone
from game.match.match import Match
from game.message import Message
from game.rules import rule_files
from game.situation import TableError
from tests.examples import SHARED_FIXTURES
from tests.tray_reader import FakeTrayReader

RULES = rule_files.load("walnut-studiolo")


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        yield journal


def test_without_a_match_the_error_says_what_to_do(journal):
    with pytest.raises(TableError, match="set one up first"):
        _ = LiveMatch(journal).match


def test_actions_done_together_are_one_step(journal):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["Anna", "Ben"]))
    before = live_match.do(Thrown((1, 1, 3, 3, 4, 6)))
    live_match.do(Kept((1, 1), assumed=True), Thrown((2, 3, 5, 6)))
    live_match.do(Undone())

    assert live_match.match.state == before.state
    live_match.do(Kept((1, 1), assumed=True), Thrown((2, 3, 5, 5)))
    assert journal.newest()[1] == live_match.match


def test_an_unreadable_record_gets_no_step_of_the_previous_match(journal):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["Anna", "Ben"]))
    journal._db.execute("UPDATE entry SET body = '{}'")  # sealed otherwise
    journal._db.commit()
    with pytest.raises(GameError):
        live_match.reload()

    with pytest.raises(TableError, match="set one up first"):
        live_match.do(Skipped())


class Lost(MendingJournal):
    """A record that is lost at the next step and repaired without its old steps."""

    def __init__(self, journal, fresh):
        super().__init__(journal, lambda _: (fresh, None), lambda _: None)
        self._fresh = fresh

    def append(self, *step, **how):
        if self._journal is not self._fresh:
            raise DamagedJournal(Message("it is gone"))
        return super().append(*step, **how)

    def mend(self):
        self._journal = self._fresh
        return True


@pytest.mark.parametrize("step", [Undone(), Redone()])
def test_an_undo_or_redo_that_the_mended_record_lost_has_to_be_repeated(journal, tmp_path, step):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["Anna", "Ben"]))
    live_match.do(Thrown((1, 1, 3, 3, 4, 6)))
    live_match.do(Skipped())
    live_match.do(Undone())
    with closing(Journal.open(tmp_path / "fresh.db")) as fresh:
        live_match._journal = Lost(journal, fresh)
        with pytest.raises(TableError, match="The journal was repaired"):
            live_match.do(step)
        assert fresh.newest()[1] == live_match.match

        live_match.do(Undone())
        assert fresh.newest()[1] == live_match.match


def test_undo_after_a_repair_takes_back_the_steps_of_the_mended_journal(journal, tmp_path):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["Anna", "Ben"]))
    live_match.do(Thrown((1, 1, 3, 3, 4, 6)))
    live_match.do(Kept((1, 1), assumed=True), Thrown((1, 3, 5, 5)))
    with closing(Journal.open(tmp_path / "fresh.db")) as fresh:
        live_match._journal = Lost(journal, fresh)
        assert live_match.do(Skipped()) is live_match.match
        for _ in range(2):
            live_match.do(Undone())
            assert fresh.newest()[1] == live_match.match


def test_a_table_continues_with_the_match_of_the_mended_journal(journal, tmp_path):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["Anna", "Ben"]))
    session = Session(live_match, RULES, FakeTrayReader())
    session.do(EnterThrow((1, 1, 3, 3, 4, 6)))
    session.do(RecordEvent(Skipped()))
    session.do(Undo())
    with closing(Journal.open(tmp_path / "fresh.db")) as fresh:
        live_match._journal = Lost(journal, fresh)
        with pytest.raises(TableError, match="The journal was repaired"):
            session.do(Redo())
        assert fresh.newest()[1] == session.table.match
        with pytest.raises(GameError):
            session.do(Redo())

        session.do(Undo())
        assert fresh.newest()[1] == session.table.match


def test_teams_are_recorded(journal):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["A", "B", "C", "D"], teams=[1, 2, 1, 2], first=2))

    assert journal.newest()[1] == live_match.match


ACTIONS = st.one_of(
    st.builds(Thrown, st.lists(st.integers(1, 6), min_size=2, max_size=6).map(tuple)),
    st.builds(Kept, st.sampled_from([(1,), (5,), (1, 5), (1, 1)]), st.booleans()),
    st.sampled_from([Undone(), Redone(), Skipped(), Renamed(0, "Zoë")]),
)


@settings(
    max_examples=60,
    suppress_health_check=SHARED_FIXTURES,
)
@given(st.lists(st.lists(ACTIONS, min_size=1, max_size=3), max_size=25))
def test_any_steps_are_recorded_as_they_were(journal, steps):
    live_match = LiveMatch(journal)
    live_match.begin(Match.start(RULES, ["Anna", "Ben"]))
    for step in steps:
        try:
            live_match.do(*step)
        except GameError:
            continue
        again = journal.newest()[1]
        assert again == live_match.match
        assert again.can_undo == live_match.match.can_undo
        assert again.can_redo == live_match.match.can_redo
