"""Exports of a match as JSON and CSV."""

import csv

import pytest

from game.commands import StartMatch
from tests.game.set_by_hand import set_by_hand
from web.api.exports import match_csv, match_json


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
