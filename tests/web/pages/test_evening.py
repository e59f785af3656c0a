"""The page of an evening with several matches."""

import itertools
from dataclasses import replace

import pytest

from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import ScoreSet
from game.match.match import Match
from tests.web.conftest import RULES, MemoryTable, as_scorekeeper, make_app
from tests.web.evening import AtOnce, journal_of, played
from web.pages.matches import EVENING_S, MAX_SHOWN, evening_players


@pytest.fixture
def history(tmp_path):
    return journal_of(tmp_path, played(["Anna", "Ben"], seed=1), played(["Ben", "Clara"], seed=2))


def page_of(history):
    app = make_app(MemoryTable(), history=history, coach=AtOnce(history))
    return as_scorekeeper(app).get("/evening").text


def test_evening_shows_its_matches_with_their_awards(history):
    page = page_of(history)

    assert page.count('class="card awards"') == 2
    assert "lucky throw" in page
    for name in ("Anna", "Ben", "Clara"):
        assert name in page


def test_wins_and_points_add_up_by_name(history):
    found = {each.name: each for each in evening_players(history.matches())}

    assert found["Ben"].matches == 2
    assert sum(each.won for each in found.values()) == 2
    scores = [score for match in history.matches() for score in match.result.scores]
    assert sum(each.points for each in found.values()) == sum(scores)


@pytest.fixture
def in_teams(tmp_path):
    """A match that Anna and Cleo have won, and an unfinished one."""
    started = Match.start(RULES, ["Anna", "Ben", "Cleo", "Dan"], teams=[1, 2, 1, 2])
    won = started.throw((1, 1, 1, 2, 3, 4)).bank().push(ScoreSet(0, 11_000))
    for _ in range(3):
        won = won.throw((2, 3, 3, 4, 6, 6)) if won.state.winner is None else won
    return journal_of(tmp_path, started.throw((2, 3, 3, 4, 6, 6)), won)


def test_team_mates_win_together_and_an_unfinished_match_does_not_count(in_teams):
    found = {each.name: (each.won, each.matches) for each in evening_players(in_teams.matches())}

    assert found == {"Anna": (1, 1), "Ben": (0, 1), "Cleo": (1, 1), "Dan": (0, 1)}


def test_list_of_matches_marks_the_whole_winning_team(in_teams):
    app = make_app(MemoryTable(), history=in_teams, coach=AtOnce(in_teams))

    assert as_scorekeeper(app).get("/matches").text.count('class="one won"') == 1


@pytest.mark.parametrize("earlier_s", [EVENING_S, -EVENING_S], ids=["before", "clock ran ahead"])
def test_match_of_another_evening_is_left_out(history, monkeypatch, earlier_s):
    newest, older = history.matches()
    apart = (newest, replace(older, last_s=newest.last_s - earlier_s))
    monkeypatch.setattr(History, "matches", lambda *_, **__: apart)

    assert page_of(history).count('class="card awards"') == 1


def test_resumed_match_does_not_split_the_evening(tmp_path):
    hours = itertools.count(500_000)
    journal = Journal.open(tmp_path / "journal.db", clock=lambda: 3600 * next(hours))
    left, *_ = [
        journal.start(Match.start(RULES, ["Anna", name])) for name in ("Ben", "Cleo", "Dan")
    ]
    journal.append(left, *Match.start(RULES, ["Anna", "Ben"]).throw((1, 2, 3, 4, 6, 6)).timeline)
    journal.close()

    assert page_of(History(journal.path)).count('class="card awards"') == 3


def test_evening_without_a_match_says_so(tmp_path):
    assert "No matches have been played yet" in page_of(journal_of(tmp_path))


def test_evening_reloads_while_the_coach_is_working(history):
    coach = AtOnce(history)
    client = as_scorekeeper(make_app(MemoryTable(), history=history, coach=coach))
    coach.ready = False
    page = client.get("/evening").text
    assert "data-wait" in page
    assert "past-matches.js" in page
    assert "lucky throw" not in page

    coach.ready = True
    assert "data-wait" not in client.get("/evening").text


def test_long_evening_counts_all_matches_and_shows_the_newest(tmp_path):
    won = Match.start(replace(RULES, target=1000), ["Anna", "Ben"]).throw((1, 1, 1, 2, 3, 4)).bank()
    won = won.throw((2, 3, 3, 4, 6, 6))
    history = journal_of(tmp_path, *[won] * (MAX_SHOWN + 3))
    page = page_of(history)

    assert page.count('class="card awards"') == MAX_SHOWN
    assert f"{MAX_SHOWN + 3} / {MAX_SHOWN + 3}" in page
    assert f"/matches?before={history.matches()[MAX_SHOWN - 1].position}" in page
