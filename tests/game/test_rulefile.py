"""Rule set files: what holds, and what is said where one does not."""

import pytest

from game import rulefile
from game.errors import RulesetError
from game.ruleset import Alike, LastRound


def parse(text):
    return rulefile.parse(text, name="house", where="house.toml")


def test_walnut_studiolo_is_as_published():
    rules = rulefile.load("walnut-studiolo")

    assert rules.opening == 500
    assert rules.target == 10_000
    assert rules.alike is Alike.DOUBLING
    assert rules.last_round is LastRound.EVERY_OTHER


def test_house_rule_extends_a_published_set():
    rules = parse('extends = "walnut-studiolo"\nopening = 350\ntriples = { 1 = 300 }')

    assert rules.opening == 350
    assert rules.triples == (300, 200, 300, 400, 500, 600)
    assert rules.straight == 1500


def test_rule_set_file_of_ones_own(tmp_path):
    file = tmp_path / "kitchen.toml"
    file.write_text('extends = "walnut-studiolo"\ntarget = 5000')

    assert rulefile.load(str(file)).name == "kitchen"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("straigth = 3", "house.toml, line 1: straigth is no option: did you mean 'straight'?"),
        ("\nopening = -5", "line 2: opening found -5: allowed is a whole number from 0"),
        ("opening = true", "found True: allowed is a whole number"),
        ("opening = '500'", "found '500': allowed is a whole number"),
        ('alike = "tripling"', "allowed is 'none' or 'doubling' or 'adding' or 'fixed'"),
        ("singles = { 7 = 100 }", "allowed is a table like { 1 = 100 }"),
        ("singles = 100", "found 100: allowed is a table"),
        ("singles = { 1 = 'x' }", "singles.1 found 'x'"),
        ("title = 3", "found 3: allowed is text in quotes"),
        ("assumed = 'x'", "allowed is a list of texts"),
        ('extends = "walnut"', "did you mean 'walnut-studiolo'?"),
        ("extends = 3", "extends found 3"),
        ("n_dice = 7", "allowed is 5 or 6"),
        ("target = 0", "a match needs points to play for"),
        ('alike = "fixed"', "say alike_fixed"),
        ("opening = ", "not valid TOML"),
    ],
)
def test_what_does_not_hold_is_named_with_the_remedy(text, message):
    with pytest.raises(RulesetError) as error:
        parse(text)

    assert message in str(error.value)


@pytest.mark.parametrize("name", ["walnut", "../secret", ""])
def test_unknown_rule_set_names_those_there_are(name):
    with pytest.raises(RulesetError, match="no rule set is called"):
        rulefile.load(name)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(RulesetError, match="there is no such file"):
        rulefile.load(str(tmp_path / "no.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(RulesetError, match="a folder"):
        rulefile.load(str(tmp_path / "folder.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RulesetError, match="UTF-8"):
        rulefile.load(str(tmp_path / "bytes.toml"))
