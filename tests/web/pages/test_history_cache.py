"""What is looked back on is read and folded once, until there is more to see."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from game.errors import JournalError
from game.journal import history as module
from game.journal.journal import Journal
from game.match.events import ScoreSet
from tests.web.conftest import make_app
from tests.web.evening import journal_of, played
from web import concurrency_limit
from web.app import MAX_HISTORY_REQUESTS
from web.pages.history_cache import KEPT, CachedHistory


@pytest.fixture
def past(tmp_path):
    return CachedHistory(journal_of(tmp_path, played(["Anna", "Ben"])).path)


@pytest.fixture
def folded(monkeypatch):
    found = []
    fold = module.load_match
    monkeypatch.setattr(module, "load_match", lambda *given: found.append(given[1]) or fold(*given))
    return found


def test_a_match_is_folded_once_however_many_ask(past, folded):
    with ThreadPoolExecutor(8) as pool:
        scores = {match.state.turn.seat for match in pool.map(past.match, [1] * 32)}

    assert len(scores) == 1
    assert folded == [1]


def test_it_is_read_again_when_the_journal_says_more(past, folded):
    before = past.match(1)
    journal = Journal.open(past.path)
    journal.append(1, ScoreSet(0, 50))
    journal.close()

    assert past.match(1).state.players[0].score == 50 != before.state.players[0].score
    assert folded == [1, 1]
    assert past.matches()[0].result.scores[0] == 50


def test_all_answers_are_those_of_a_history(past):
    plain = module.History(past.path)
    for _ in range(2):
        assert past.matches(limit=3) == plain.matches(limit=3)
        assert past.listed() == plain.listed()
        assert past.played(1) == plain.played(1)
        assert past.steps(1) == plain.steps(1)


def test_what_is_remembered_is_bounded(past):
    for before in range(1, 3 * KEPT):
        past.listed(before=before)

    assert len(past._said) == KEPT


def test_a_match_that_is_not_there_is_refused_each_time(past):
    for _ in range(2):
        with pytest.raises(JournalError):
            past.match(9)


def test_pages_and_exports_of_one_match_share_what_was_read(past, folded, table):
    guest = make_app(table, history=past).test_client()
    for path in ("/evening", "/matches", "/matches/1", "/matches/1/card.svg"):
        assert guest.get(path).status_code == 200
    for kind in ("txt", "csv", "json"):
        assert guest.get(f"/api/v1/matches/1.{kind}").status_code == 200

    assert folded == [1]


def test_however_many_ask_few_are_served_at_once(past, table, monkeypatch):
    monkeypatch.setattr(concurrency_limit, "PATIENCE_S", 0.0)
    app = make_app(table, history=past)
    asked = []

    def ask_once_more(path):
        """From within the work for another, until there is no room."""
        asked.append(app.test_client().get(path).status_code)
        return ()

    monkeypatch.setattr(CachedHistory, "match", lambda *_: ask_once_more("/matches/1"))
    app.test_client().get("/matches/1")

    assert asked[0] == 503
    assert len(asked) == MAX_HISTORY_REQUESTS
