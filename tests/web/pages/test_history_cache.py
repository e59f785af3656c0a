"""Past matches are read and replayed once, until the journal changes."""

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
from web.pages.history_cache import MAX_ANSWERS, CachedHistory


@pytest.fixture
def past(tmp_path):
    return CachedHistory(journal_of(tmp_path, played(["Anna", "Ben"])).path)


@pytest.fixture
def replayed(monkeypatch):
    found = []
    fold = module.load_match
    monkeypatch.setattr(module, "load_match", lambda *given: found.append(given[1]) or fold(*given))
    return found


def test_match_is_replayed_once_for_many_readers(past, replayed):
    with ThreadPoolExecutor(8) as pool:
        scores = {match.state.turn.seat for match in pool.map(past.match, [1] * 32)}

    assert len(scores) == 1
    assert replayed == [1]


def test_change_of_the_journal_clears_the_cache(past, replayed):
    before = past.match(1)
    journal = Journal.open(past.path)
    journal.append(1, ScoreSet(0, 50))
    journal.close()

    assert past.match(1).state.players[0].score == 50 != before.state.players[0].score
    assert replayed == [1, 1]
    assert past.matches()[0].result.scores[0] == 50


def test_answers_equal_those_of_an_uncached_history(past):
    plain = module.History(past.path)
    for _ in range(2):
        assert past.matches(limit=3) == plain.matches(limit=3)
        assert past.all_matches() == plain.all_matches()
        assert past.played(1) == plain.played(1)
        assert past.steps(1) == plain.steps(1)


def test_number_of_cached_answers_is_limited(past):
    for before in range(1, 3 * MAX_ANSWERS):
        past.all_matches(before=before)

    assert len(past._answers) == MAX_ANSWERS


def test_unknown_match_is_refused_every_time(past):
    for _ in range(2):
        with pytest.raises(JournalError):
            past.match(9)


def test_pages_and_exports_share_the_cached_match(past, replayed, table):
    guest = make_app(table, history=past).test_client()
    for path in ("/evening", "/matches", "/matches/1", "/matches/1/card.svg"):
        assert guest.get(path).status_code == 200
    for kind in ("txt", "csv", "json"):
        assert guest.get(f"/api/v1/matches/1.{kind}").status_code == 200

    assert replayed == [1]


def test_number_of_requests_at_once_is_limited(past, table, monkeypatch):
    monkeypatch.setattr(concurrency_limit, "MAX_WAIT_S", 0.0)
    app = make_app(table, history=past)
    statuses = []

    def request_again(path):
        """Send another request while the first one is being answered, until one is refused."""
        statuses.append(app.test_client().get(path).status_code)
        return ()

    monkeypatch.setattr(CachedHistory, "match", lambda *_: request_again("/matches/1"))
    app.test_client().get("/matches/1")

    assert statuses[0] == 503
    assert len(statuses) == MAX_HISTORY_REQUESTS
