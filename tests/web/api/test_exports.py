"""A match for other programs and a spreadsheet."""

import csv

import pytest

from game.commands import StartMatch
from tests.game.set_by_hand import set_by_hand
from web.api.exports import match_csv, match_json


@pytest.fixture
def match():
    return set_by_hand()


def test_the_spreadsheet_has_a_line_for_each_turn_and_no_formulas(match):
    lines = list(csv.DictReader(match_csv(match).splitlines()))

    assert [line["turn"] for line in lines] == ["1", "2", "3", "4"]
    assert lines[0] | {"player": "Anna", "points": "1000", "throws": "111234>111"} == lines[0]
    assert lines[1]["player"] == "'=Ben"


def test_json_ends_with_the_scores(match):
    told = match_json(match)

    assert told["turns"][2]["score"] == 1050
    assert told["players"][1]["score"] == 1050


def test_exports_need_a_match(client, table):
    for kind in ("csv", "json", "txt"):
        assert client.get(f"/api/v1/match.{kind}").status_code == 404
    table.do(StartMatch(("Anna", "Ben")))
    for kind, mimetype in (("csv", "text/csv"), ("json", "application/json")):
        assert client.get(f"/api/v1/match.{kind}").mimetype == mimetype
