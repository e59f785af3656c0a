"""Rule files: what is valid, and what errors say."""

import re
from dataclasses import replace

import pytest

from game.errors import FileError, RulesetError
from game.match.match import Match
from game.match.match_text import from_text, to_text
from game.rules import rule_files
from game.rules.ruleset import Alike, LastRound


def parse(text):
    return rule_files.parse(text, name="house", where="house.toml")


def test_walnut_studiolo_is_as_published():
    rules = rule_files.load("walnut-studiolo")

    assert rules.opening == 500
    assert rules.target == 10_000
    assert rules.alike is Alike.DOUBLING
    assert rules.last_round is LastRound.EVERY_OTHER


def test_house_rule_extends_a_published_set():
    rules = parse('extends = "walnut-studiolo"\nopening = 350\ntriples = { 1 = 300 }')

    assert rules.opening == 350
    assert rules.triples == (300, 200, 300, 400, 500, 600)
    assert rules.straight == 1500


def test_a_rule_set_can_be_loaded_from_a_file(tmp_path):
    file = tmp_path / "kitchen.toml"
    file.write_text('extends = "walnut-studiolo"\ntarget = 5000')

    assert rule_files.load(str(file)).name == "kitchen"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("straigth = 3", "house.toml, line 1: straigth is not an option: did you mean 'straight'?"),
        ("\nopening = -5", "line 2: opening is -5, but must be a whole number from 0"),
        ("opening = true", "is True, but must be a whole number"),
        ("opening = '500'", "is '500', but must be a whole number"),
        ('alike = "tripling"', "must be 'none', 'doubling', 'adding' or 'fixed'"),
        ("singles = { 7 = 100 }", "must be a table like { 1 = 100 }"),
        ("singles = 100", "is 100, but must be a table"),
        ("singles = { 1 = 'x' }", "singles.1 is 'x'"),
        ("title = 3", "is 3, but must be one line of text in quotes"),
        ('extends = "zilch"\ntitle = " "', "line 2: title is ' ', but must be one line of text"),
        (r'title = "\u001b[2J"', "must be one line of text in quotes"),
        ("assumed = 'x'", "must be a list of lines of text"),
        ('extends = "walnut"', "did you mean 'walnut-studiolo'?"),
        ("extends = 3", "extends is 3"),
        ("n_dice = 7", "must be a whole number from 5 to 6"),
        ("target = 0", "must be a whole number from 1 to 1,000,000"),
        ('alike = "fixed"', "set alike_fixed"),
        ("target = 10,000", "line 1: not valid TOML: write the number without commas: 10000"),
        ("hot_dice = must", 'must is not a value: write text in quotes, "must", a number'),
        ("straight = 0\nthree_pairs = yes  # ours", "line 2: not valid TOML: yes is not a value"),
        ("extends = “zilch”", "line 1: not valid TOML: use straight quotes"),
        (
            "[house]\nopening = 5",
            "house is not an option: options need no heading, so remove [house]",
        ),
        ("name = 'x'", "line 1: name is not an option: did you mean 'title'?"),
        ("opening = ", "house.toml, line 1: not valid TOML: Invalid value"),
        ("title = 'x'\nopening = 3\nopening = 4", "line 3: not valid TOML: Cannot overwrite"),
        ("title = 'x'\ntarget = " + "9" * 5000, "line 2: not valid TOML: a value is too long"),
        ("title = 'x'\ntarget = " + "[" * 5000, "line 2: not valid TOML: a value is too long"),
        ("x" * 5000 + " = 3", "line 1: xxx"),
        ("hot_dice = 'may'\nhot = 3", "line 2: hot is not an option: did you mean 'hot_dice'?"),
        ("straight = 1500\n\n[singles]\n1 = 'x'", "line 3: singles.1 is 'x'"),
        ("title = 'x'\n\"openin\" = 3", "line 2: openin is not an option"),
        ("opening = 3\nsingles.7 = 3", "line 2: singles is"),
    ],
)
def test_an_invalid_value_is_named_with_the_remedy(text, message):
    with pytest.raises(RulesetError) as error:
        parse(text)

    assert message in str(error.value)
    assert len(str(error.value)) < 600


def test_a_rule_file_may_have_any_ending(tmp_path):
    file = tmp_path / "kitchen.txt"
    file.write_text('extends = "walnut-studiolo"\ntarget = 5000')

    assert rule_files.load(str(file)).target == 5000


@pytest.mark.parametrize("name", ["zilch", "dix-mille"])
def test_a_file_named_like_a_published_set_is_distinguished_from_it(tmp_path, name):
    file = tmp_path / f"{name}.toml"
    file.write_text('extends = "zilch"\nopening = 350')
    rules = rule_files.load(str(file))

    assert (rules.name, rules.title, rules.source) == (f"{name}.toml", f"{name}.toml", "")
    text = to_text(Match.start(rules, ["Anna", "Ben"]))
    assert from_text(text).rules == rules


@pytest.mark.parametrize("name", ["walnut", "../secret", ""])
def test_an_unknown_rule_set_lists_the_known_ones(name):
    with pytest.raises(RulesetError, match="there is no rule set"):
        rule_files.load(name)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("no.toml", "no.toml: the file does not exist"),
        ("plain.toml/house.toml", "house.toml: the file does not exist"),
        ("folder.toml", "folder.toml: this is a folder: give the name of a file"),
        ("bytes.toml", "bytes.toml: this is not a text file: save it as UTF-8"),
        ("nul\0.toml", "this is not a valid file name"),
    ],
)
def test_an_unreadable_file_is_named_with_the_reason(tmp_path, path, why):
    (tmp_path / "plain.toml").write_text("target = 5000")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError) as error:
        rule_files.load(str(tmp_path / path))

    assert why in str(error.value)


def test_a_file_with_windows_line_endings_is_read(tmp_path):
    file = tmp_path / "kitchen.toml"
    file.write_bytes(b"\xef\xbb\xbftarget = 5000\r\nopening = 350\r\n")

    assert rule_files.load(str(file)).opening == 350


def test_options_are_changed_as_in_a_file():
    rules = rule_files.load("walnut-studiolo")
    changed = rule_files.with_options(
        rules, {"opening": 350, "last_round": "charity roll", "triples": {"1": 300}}
    )

    assert (changed.name, changed.title) == (rules.name, rules.title)
    assert (changed.opening, changed.last_round) == (350, LastRound.CHARITY_ROLL)
    assert changed.triples == (300, 200, 300, 400, 500, 600)
    assert rule_files.with_options(rules, {}) == rules


def test_turns_and_a_target_among_the_options_mean_whichever_comes_first_as_in_a_file():
    rules = rule_files.load("walnut-studiolo")
    turns = {"rounds": 10, "last_round": "none"}

    both = rule_files.with_options(rules, turns | {"target": 5_000}, target=2_000)
    assert (both.target, both.target_ends_rounds) == (5_000, True)
    assert not rule_files.with_options(rules, turns, target=5_000).target_ends_rounds
    unused = turns | {"target": 5_000, "target_ends_rounds": False}
    assert not rule_files.with_options(rules, unused).target_ends_rounds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opning": 1}, "options: opning is not an option: did you mean 'opening'?"),
        ({"opening": "lots"}, "options: opening is 'lots', but must be a whole number"),
        ({"opening": True}, "opening is True"),
        ({"win": "never"}, "must be 'at least', 'over' or 'exactly'"),
        ({"win": {}}, "win is"),
        ({"below_zero": 1}, "must be true or false"),
        ({"target": 0}, "must be a whole number from 1 to 1,000,000"),
        ({"n_dice": 7}, "must be a whole number from 5 to 6"),
        ({"alike": "fixed"}, "set alike_fixed"),
        ({"title": "Ours"}, "title can only be set in a file"),
        ({"name": "ours"}, "name is not an option"),
    ],
)
def test_invalid_options_are_named(options, message):
    with pytest.raises(RulesetError, match=re.escape(message)):
        rule_files.with_options(rule_files.load("walnut-studiolo"), options)


@pytest.mark.parametrize("name", rule_files.names())
def test_rules_written_as_a_house_file_read_back(name):
    rules = rule_files.with_options(
        rule_files.load(name), {"opening": 350, "four_twos_reset": True, "triples": {"2": 0}}
    )
    read = parse(rule_files.to_toml(rules))

    metadata = ("name", "title", "source", "assumed")
    assert replace(read, **{name: getattr(rules, name) for name in metadata}) == rules


def test_a_house_file_of_unpublished_rules_is_complete():
    rules = parse('extends = "zilch"\ntitle = "Ours"\nopening = 350')

    assert parse(rule_files.to_toml(rules)) == rules


def test_a_house_file_named_like_a_published_set_may_omit_its_exceptions():
    text = 'extends = "standard"\ntitle = "Ours"\nalike_faces = { 1x4 = 2000 }'
    rules = rule_files.parse(text, name="lds-zilch", where="lds-zilch.toml")
    lines = "\n".join(rule_files.differing_lines(rules))

    assert rule_files.from_differing_lines("lds-zilch", lines, "match") == rules
    again = rule_files.to_toml(rules)
    assert rule_files.parse(again, name="lds-zilch", where="lds-zilch.toml") == rules


def written(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return folder


def test_a_house_file_may_extend_another(tmp_path):
    written(
        tmp_path,
        ours='extends = "zilch"\nopening = 350\ntriples = { 1 = 300 }',
        late='extends = "ours.toml"\ntarget = 5000',
    )
    rules = rule_files.load(str(tmp_path / "late.toml"))

    assert (rules.name, rules.opening, rules.target, rules.nothing) == ("late", 350, 5000, 500)
    assert rules.triples == (300, 200, 300, 400, 500, 600)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": 'extends = "a.toml"'}, "a.toml, line 1: extends refers back to itself"),
        (
            {"a": 'extends = "b.toml"', "b": 'target = 5000\nextends = "./a.toml"'},
            "b.toml, line 2: extends refers back to itself",
        ),
        ({"a": 'extends = "b.toml"'}, "a.toml, line 1: extends is not possible"),
        ({"a": 'extends = "b.toml"', "b": "opning = 3"}, "b.toml, line 1: opning is not an option"),
        ({"a": 'extends = "b.toml"\nn_dice = 5', "b": "straight = 1500"}, "a.toml: straight needs"),
    ],
)
def test_a_circle_of_extending_files_is_refused(tmp_path, files, message):
    with pytest.raises(RulesetError) as error:
        rule_files.load(str(written(tmp_path, **files) / "a.toml"))

    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_only_a_file_may_extend_a_file():
    with pytest.raises(RulesetError, match=re.escape("extends is 'ours.toml'")):
        parse('extends = "ours.toml"')


def test_a_house_rule_does_not_inherit_the_source():
    rules = parse('extends = "zilch"')

    assert (rules.title, rules.source, rules.assumed) == ("house", "", ())


def test_a_rule_set_is_found_by_its_aliases():
    assert rule_files.load("squelch") == rule_files.load("standard")
    assert parse('extends = "greedy"').nothing == 500
    assert not set(rule_files.aliases()) & set(rule_files.names())
    with pytest.raises(RulesetError, match="did you mean 'squelch'"):
        rule_files.load("squelsh")
