"""The story of a match, its curves and its exports."""

import csv
import xml.etree.ElementTree as ET

import pytest

from game.commands import ByHand, StartMatch
from game.match.events import ScoreSet, Skipped, TurnSet
from game.match.match import Match
from tests.web.conftest import RULES
from web.pages.charts import score_curve, turn_bars
from web.pages.timeline import as_csv, as_json, scores_by_turn, story


@pytest.fixture
def match():
    played = Match.start(RULES, ["Anna", "=Ben"]).throw((1, 1, 1, 2, 3, 4)).bank()
    played = played.throw((2, 2, 3, 4, 6, 6)).push(ScoreSet(1, 700)).push(TurnSet(1, 300, 4))
    return played.throw((5, 2, 3, 4)).bank().push(Skipped())


def test_every_turn_and_all_that_was_set_by_hand_is_told_in_order(match):
    told = [(entry.number, entry.scores) for entry in story(match)]

    assert told == [
        (1, (1000, 0)),
        (2, (1000, 0)),
        (0, (1000, 700)),
        (0, (1000, 700)),
        (3, (1000, 1050)),
        (4, (1000, 1050)),
    ]


def test_the_curve_begins_at_zero_and_ends_at_the_scores(match):
    rows = scores_by_turn(match)

    assert rows[0] == (0, 0)
    assert rows[-1] == tuple(player.score for player in match.state.players)


@pytest.mark.parametrize("draw", [score_curve, turn_bars])
def test_drawings_are_well_formed_and_within_their_frame(match, draw):
    for each in (match, Match.start(RULES, [f"P{n}" for n in range(20)])):
        root = ET.fromstring(draw(each))  # noqa: S314 - our own drawing
        _, _, width, height = map(float, root.get("viewBox").split())
        for bar in root.iter("rect"):
            assert 0 <= float(bar.get("x")) <= width
            assert 0 <= float(bar.get("y")) <= height


def test_the_spreadsheet_has_a_line_for_each_turn_and_no_formulas(match):
    lines = list(csv.DictReader(as_csv(match).splitlines()))

    assert [line["turn"] for line in lines] == ["1", "2", "3", "4"]
    assert lines[0] | {"player": "Anna", "points": "1000", "throws": "111234>111"} == lines[0]
    assert lines[1]["player"] == "'=Ben"


def test_json_ends_with_the_scores(match):
    told = as_json(match)

    assert told["turns"][2]["score"] == 1050
    assert told["players"][1]["score"] == 1050


def test_exports_need_a_match(client, table):
    for kind in ("csv", "json", "txt"):
        assert client.get(f"/api/v1/match.{kind}").status_code == 404
    table.do(StartMatch(("Anna", "Ben")))
    for kind, mimetype in (("csv", "text/csv"), ("json", "application/json")):
        assert client.get(f"/api/v1/match.{kind}").mimetype == mimetype


def test_the_page_tells_what_was_set_by_hand(client, table):
    assert "No match yet" in client.get("/turns").text
    table.do(StartMatch(("Anna", "Ben")))
    table.do(ByHand(ScoreSet(0, 3200)))
    page = client.get("/turns").text

    assert "Anna has 3,200" in page
    assert "by hand" in page
