"""Every option of `Ruleset` has a row, and every row has sentences."""

from dataclasses import fields, replace
from enum import StrEnum

import pytest

from game.rules import rule_files
from game.rules.rule_options import MAX_POINTS, OPTIONS, sentences
from game.rules.ruleset import Alike, Ruleset

PLAIN = Ruleset("plain", "Plain")
ABOUT = {"name", "title", "source", "assumed"}


def test_every_field_of_a_rule_set_has_one_row():
    rows = [row.name for row in OPTIONS]

    assert len(rows) == len(set(rows))
    assert set(rows) == {field.name for field in fields(Ruleset)} - ABOUT


def otherwise(name):
    """Return rules in which only this option differs from its default."""
    if name == "target_ends_rounds":
        return replace(PLAIN, rounds=5, target_ends_rounds=True)
    match getattr(PLAIN, name):
        case bool() as usual:
            return replace(PLAIN, **{name: not usual})
        case StrEnum() as usual:
            return replace(PLAIN, **{name: list(type(usual))[-1]})
        case int():
            return replace(PLAIN, **{name: 5})
        case tuple() as usual:
            return replace(PLAIN, alike=Alike.FIXED, **{name: (700,) * len(usual)})


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row.name)
def test_a_changed_option_has_a_sentence(row):
    assert sentences(otherwise(row.name)) != sentences(PLAIN)


@pytest.mark.parametrize("row", [row for row in OPTIONS if row.choices], ids=lambda row: row.name)
def test_every_choice_has_a_label(row):
    assert [choice for choice, _ in row.choices] == list(type(getattr(PLAIN, row.name)))


def test_the_defaults_are_within_their_bounds():
    for row in OPTIONS:
        if isinstance(value := getattr(PLAIN, row.name), int) and not isinstance(value, bool):
            assert row.least <= value <= row.most <= MAX_POINTS


def test_three_3s_with_a_penalty_have_no_points_in_the_sentences():
    rules = rule_files.with_options(
        rule_files.load("complete-guide"), {"triple_threes": 300, "alike_faces": {"3x5": 700}}
    )
    words = " ".join(map(str, sentences(rules)))

    assert "three 3s do not score." in words
    assert "whatever the number. Four 3s score 0. Five 3s score 700. Six 3s score 0." in words
