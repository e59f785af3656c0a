"""The charts of a match, and the page of turns around them."""

import itertools
import xml.etree.ElementTree as ET

import pytest

from game.commands import RecordEvent, StartMatch
from game.match.events import ScoreSet
from game.match.match import Match
from tests.game.set_by_hand import set_by_hand
from tests.web.conftest import RULES
from web.pages.charts import HIGH, NAME_HIGH, score_curve, turn_bars


@pytest.mark.parametrize("draw", [score_curve, turn_bars])
def test_drawing_is_valid_svg_within_its_frame(draw):
    for each in (set_by_hand(), Match.start(RULES, [f"P{n}" for n in range(20)])):
        root = ET.fromstring(draw(each))  # noqa: S314 - our own drawing
        _, _, width, height = map(float, root.get("viewBox").split())
        for bar in root.iter("rect"):
            assert 0 <= float(bar.get("x")) <= width
            assert 0 <= float(bar.get("y")) <= height


def test_page_of_turns_lists_changes_made_by_hand(client, table):
    assert "No match yet" in client.get("/turns").text
    table.do(StartMatch(("Anna", "Ben")))
    table.do(RecordEvent(ScoreSet(0, 3200)))
    page = client.get("/turns").text

    assert "Anna has 3,200" in page
    assert "by hand" in page


def test_names_at_the_ends_of_the_lines_do_not_overlap():
    match = Match.start(RULES, ["Anna", "Ben", "<b>", "Bartholomäus", "Emil", "Friederike"])
    for _ in range(6):
        match = match.throw((2, 3, 3, 4, 6, 6))
    named = [
        each
        for each in ET.fromstring(score_curve(match)).iter("text")  # noqa: S314 - our own drawing
        if "named" in each.get("class")
    ]
    heights = sorted(float(each.get("y")) for each in named)

    assert [each.text for each in named][:3] == ["Anna", "Ben", "<b>"]
    assert all(b - a >= NAME_HIGH for a, b in itertools.pairwise(heights))
    assert heights[-1] <= HIGH


def test_each_name_stands_at_the_end_of_its_line():
    root = ET.fromstring(score_curve(set_by_hand()))  # noqa: S314 - our own drawing
    lines = [each.get("d") for each in root.iter("path") if each.get("class") == "line"]
    ends = {float(line.split("L")[-1].split()[0]) for line in lines}
    names = {float(each.get("x")) for each in root.iter("text") if "named" in each.get("class")}

    assert len(ends) == len(names) == 1
    assert 0 < min(names) - max(ends) < NAME_HIGH
