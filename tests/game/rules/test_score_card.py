"""The score card and the pad, which are generated from the rules."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from game.rules import rule_files, scoring
from game.rules.rule_options import OPTIONS
from game.rules.ruleset import Ruleset
from game.rules.score_card import (
    CARD_MM,
    NAME_SIZES,
    PAD_MM,
    WIDTH_BOLD,
    WIDTH_REGULAR,
    card,
    card_lines,
    pad,
)


@pytest.mark.parametrize("name", rule_files.names())
def test_every_card_has_its_actual_size_and_draws_nothing_outside(name):
    svg = ET.fromstring(card(rule_files.load(name)))  # noqa: S314 - our own

    assert svg.get("width") == f"{CARD_MM[0]}mm"
    assert svg.get("height") == f"{CARD_MM[1]}mm"
    for text in svg.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 < float(text.get("x")) <= CARD_MM[0] - 4
        assert 0 < float(text.get("y")) <= CARD_MM[1] - 1


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", rule_files.names())
def test_text_in_a_wide_font_stays_on_the_card_and_off_the_dice(name):
    svg = ET.fromstring(card(rule_files.load(name)))  # noqa: S314 - our own
    dice = [
        (float(r.get("x")), float(r.get("y")), float(r.get("width")))
        for r in svg.iter(f"{SVG}rect")
        if r.get("x")
    ]
    for text in svg.iter(f"{SVG}text"):
        x, y, size = (float(text.get(each)) for each in ("x", "y", "font-size"))
        wide = size * len(text.text) * (WIDTH_BOLD if text.get("font-weight") else WIDTH_REGULAR)
        left = x - wide if text.get("text-anchor") else x
        assert left + wide <= CARD_MM[0] - 3
        assert all(not (left < dx + w and dx < x and dy < y < dy + w) for dx, dy, w in dice)


@pytest.mark.parametrize("name", rule_files.names())
def test_scores_on_the_card_match_the_scoring(name):
    rules = rule_files.load(name)
    for line in card_lines(rules):
        if str(line.points).replace(",", "").isdigit() and line.dice:
            points = int(str(line.points).replace(",", ""))
            assert scoring.find_keep(line.dice, line.dice, rules).score >= points, line


def test_a_changed_score_changes_the_card():
    rules = rule_files.load("walnut-studiolo")

    assert "1,750" in card(replace(rules, straight=1750))


def test_every_scoring_combination_has_a_line():
    shapes = [row for row in OPTIONS if row.shape]
    points = {row.name: 100 * n for n, row in enumerate(shapes, 11)}

    found = {line.name: str(line.points) for line in card_lines(Ruleset("all", "All", **points))}

    for row in shapes:
        on_top = "three + " if row.shape.adds_to_triple else ""
        assert found[row.shape.name] == f"{on_top}{points[row.name]:,}"


def test_forty_lines_do_not_overlap():
    points = {row.name: 1000 for row in OPTIONS if row.shape}
    full = Ruleset(
        "all", "All", singles=(10,) * 6, alike_faces=tuple(range(2000, 3800, 100)), **points
    )
    found = ET.fromstring(card(full))  # noqa: S314 - our own
    texts = [text for text in found.iter("{http://www.w3.org/2000/svg}text") if text.text.isdigit()]
    column = [text for text in texts if text.get("x") == texts[0].get("x")]
    rows = [float(text.get("y")) for text in column]

    assert len(card_lines(full)) > 30
    for text, y, below in zip(column, rows, rows[1:], strict=False):
        assert below - y > 0.8 * float(text.get("font-size"))


def test_the_card_is_empty_if_nothing_scores():
    assert not card_lines(Ruleset("none", "None", singles=(0,) * 6, triples=(0,) * 6))
    assert card(Ruleset("none", "None", singles=(0,) * 6, triples=(0,) * 6))


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"triple_threes": 300}, ("three 3s", "nothing")),
        ({"triples": (1000, 200, 300, 0, 500, 600)}, ("three 4s", "nothing")),
        ({"triples": (1000, 200, 300, 400, 0, 600)}, ("three 5s", "150")),
    ],
)
def test_an_unusual_three_of_a_kind_has_its_own_line(changed, line):
    found = card_lines(replace(rule_files.load("standard"), **changed))
    shown = [(each.name, str(each.points)) for each in found]

    assert line in shown
    assert ("three 2s to 6s", "100 x number") in shown


def test_an_exception_without_points_has_its_own_line():
    guide = rule_files.load("complete-guide")
    rules = rule_files.with_options(
        guide, {"triple_threes": 300, "alike_faces": {"3x5": 700, "4x4": 0}}
    )
    found = {line.name: str(line.points) for line in card_lines(rules)}

    assert (found["four of a kind"], found["four 3s"], found["four 4s"]) == (
        "1,000",
        "nothing",
        "nothing",
    )
    assert found["five 3s"] == "700"


@pytest.mark.parametrize("name", rule_files.names())
def test_all_lines_of_the_card_have_one_size(name):
    svg = ET.fromstring(card(rule_files.load(name)))  # noqa: S314 - our own
    lines = {str(line.points) for line in card_lines(rule_files.load(name))}
    sizes = {text.get("font-size") for text in svg.iter(f"{SVG}text") if text.text in lines}
    dice = {rect.get("width") for rect in svg.iter(f"{SVG}rect") if rect.get("x")}

    assert (len(sizes), len(dice)) == (1, 1)


def test_the_pad_fills_its_page():
    svg = ET.fromstring(pad(rule_files.load("walnut-studiolo"), ["Anna", "Bartholomäus"]))  # noqa: S314
    lowest = max(float(path.get("d").split()[-1]) for path in svg.iter(f"{SVG}path"))

    assert (svg.get("width"), svg.get("height")) == ("100%", "100%")
    assert lowest == PAD_MM[1] - 5


def test_the_pad_shows_the_length_of_the_match():
    standard = rule_files.load("standard")

    assert "to 10,000<" in pad(standard)
    assert ">one turn each<" in pad(replace(standard, rounds=1))
    assert ">10 turns each<" in pad(rule_files.load("farkle-ten"))
    assert "to 10,000<" not in pad(rule_files.load("farkle-ten"))


def test_names_on_the_pad_are_escaped():
    assert "A&amp;B" in pad(rule_files.load("standard"), ["A&B"])


CROWD = tuple(f"Hannelore-Sophie {n}" for n in range(20))


@pytest.mark.parametrize(
    "names",
    [
        ("Anna", "Bartholomäus"),
        ("Mama", "Papa", "Bartholomäus", "Emil", "Hannelore-Sophie", "Wilhelmina-Konstantina W"),
        ("Anna + Bartholomäus + Cleo + Hannelore-Sophie", "Dan + Emil"),
        CROWD,
    ],
    ids=["two", "six", "teams", "twenty"],
)
def test_names_on_the_pad_are_readable_and_in_one_size(names):
    svg = ET.fromstring(pad(rule_files.load("walnut-studiolo"), names))  # noqa: S314 - our own
    heads = [text for text in svg.iter(f"{SVG}text") if any(text.text in name for name in names)]

    assert sorted("".join(text.text for text in heads).replace(" ", "")) == sorted(
        "".join(names).replace(" ", "")
    )
    assert len({text.get("font-size") for text in heads}) == 1
    assert float(heads[0].get("font-size")) >= min(NAME_SIZES)
    assert not any(text.text.endswith("+") for text in heads)
    assert all(0 < float(text.get("x")) < PAD_MM[0] for text in heads)
    assert pad(rule_files.load("walnut-studiolo"), names).count("L100.00") >= 18  # lines for turns
