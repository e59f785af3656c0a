"""Past matches, over the API."""

import csv
from contextlib import closing

import pytest

from game.commands import ReopenMatch, StartMatch
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import Thrown
from game.match.match import Match
from tests.game.set_by_hand import set_by_hand
from tests.web.conftest import RULES, as_scorekeeper, make_app
from web.api.matches import match_csv, match_json


@pytest.fixture
def match():
    return set_by_hand()


def test_csv_has_a_row_for_each_turn_and_no_formulas(match):
    rows = list(csv.DictReader(match_csv(match).splitlines()))

    assert [row["turn"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[0] | {"player": "Anna", "points": "1000", "throws": "111234>111"} == rows[0]
    assert rows[1]["player"] == "'=Ben"


def test_json_has_the_scores_after_each_turn(match):
    exported = match_json(match)

    assert exported["turns"][2]["score"] == 1050
    assert exported["players"][1]["score"] == 1050


def test_exports_need_a_match(client, table):
    for kind in ("csv", "json", "txt"):
        assert client.get(f"/api/v1/match.{kind}").status_code == 404
    table.do(StartMatch(("Anna", "Ben")))
    for kind, mimetype in (("csv", "text/csv"), ("json", "application/json")):
        assert client.get(f"/api/v1/match.{kind}").mimetype == mimetype


@pytest.fixture
def client(table, tmp_path):
    """A client of an app whose journal has two matches."""
    path = tmp_path / "journal.db"
    with closing(Journal.open(path)) as journal:
        for names in (("Anna", "Ben"), ("<b>Cleo</b>", "Dan")):
            number = journal.start(Match.start(RULES, names))
            journal.append(number, Thrown((1, 1, 1, 2, 3, 4)))
        yield as_scorekeeper(make_app(table, history=History(path)))


def test_matches_are_listed_newest_first_in_pages(client):
    newest, oldest = client.get("/api/v1/matches").json

    assert [player["name"] for player in newest["players"]] == ["<b>Cleo</b>", "Dan"]
    assert newest["rules"] == {"name": RULES.name, "title": RULES.title}
    assert (newest["winner"], oldest["id"]) == (None, 1)
    assert client.get(f"/api/v1/matches?before={newest['position']}").json == [oldest]
    for nonsense in ("x", "1e9", "9" * 40, "-1", "-" + "9" * 20):
        assert client.get(f"/api/v1/matches?before={nonsense}").status_code == 200


def test_match_is_exported_as_text(client):
    assert "Anna" in client.get("/api/v1/matches/1.txt").text
    for lost in ("3", "9" * 30):
        answer = client.get(f"/api/v1/matches/{lost}.txt")
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


@pytest.mark.parametrize(
    "path", ["../journal.db", "%2e%2e%2fjournal.db", "..%5cjournal.db", "-1.txt"]
)
def test_path_without_a_number_is_not_found(client, path):
    assert client.get(f"/api/v1/matches/{path}").status_code == 404


def test_older_match_is_reopened(client, table):
    table.do(StartMatch(("Anna", "Ben")))

    assert client.post("/api/v1/reopen", json={"match": 1}).status_code == 200
    assert table.done[-1] == ReopenMatch(1)
    assert client.post("/api/v1/reopen", json={"match": 1, "undo": True}).status_code == 200
    assert table.done[-1] == ReopenMatch(1, undo=True)
    assert client.post("/api/v1/reopen", json={"match": 0}).status_code == 400


def test_list_is_empty_without_a_journal(table):
    client = as_scorekeeper(make_app(table))

    assert client.get("/api/v1/matches").json == []
    assert client.get("/api/v1/matches/1.txt").status_code == 404
