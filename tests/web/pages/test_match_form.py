"""House rules in the form for a new match."""

import re
from dataclasses import fields, replace

import pytest

from game.commands import RecordEvent, StartMatch
from game.match.events import Left
from game.names import default_name
from game.rules.rule_files import load, names, parse
from game.rules.ruleset import Ruleset
from web.pages import match_form

FILE_ONLY = {"name", "title", "source", "assumed", "n_dice", "target"} | {
    f"{table}" for table in ("singles", "triples", "alike_fixed", "alike_faces")
}
OPTIONS = match_form.SHOWN


def test_form_offers_every_option_with_all_its_values():
    shown = {option.name for option in OPTIONS}

    assert shown == {field.name for field in fields(Ruleset)} - FILE_ONLY
    for option in OPTIONS:
        if option.choices:
            kind = type(option.choices[0][0])
            assert [choice for choice, _ in option.choices] == list(kind)


@pytest.mark.parametrize("name", names())
def test_defaults_and_differences_make_up_the_rules(name):
    rules = load(name)
    defaults = match_form.option_values(match_form.DEFAULTS)

    assert defaults | match_form.beyond_defaults(rules) == match_form.option_values(rules)


def test_a_rule_set_is_summed_up_with_its_opening_if_it_has_one():
    def summed_up(**options):
        rules = replace(match_form.DEFAULTS, straight=1_500, three_pairs=0, **options)
        return ", ".join(map(str, match_form.summary(rules)))

    assert summed_up(opening=500) == "straight 1,500, on the board with 500, to 10,000"
    assert summed_up(opening=0) == "straight 1,500, to 10,000"


def test_match_uses_its_house_rules_and_marks_them(client):
    body = {"names": ["Anna", "Ben"], "options": {"opening": 350, "last_round": "charity roll"}}
    answer = client.post("/api/v1/match", json=body)

    assert answer.json["rules"]["opening"] == 350
    assert answer.json["rules"]["changed"] == ["opening = 350", 'last_round = "charity roll"']
    assert "house rules" in client.get("/").text
    page = client.get("/rules").text
    assert page.count("house rule</b>") == 2
    assert "Published rules that differ" in page
    assert "at least 500 in one turn" in page


def test_another_target_is_not_a_house_rule(client):
    answer = client.post("/api/v1/match", json={"names": ["Anna", "Ben"], "target": 5000})

    assert answer.json["rules"]["changed"] == []
    assert "house rules" not in client.get("/").text


@pytest.mark.parametrize("points", [5_000, 5_050])
def test_head_start_that_reaches_the_target_is_refused_and_no_match_begins(client, points):
    client.post("/api/v1/match", json={"names": ["Cleo", "Dora"]})
    body = {"names": ["Anna", "Ben"], "target": 5000, "head_starts": [0, points]}
    answer = client.post("/api/v1/match", json=body)

    assert answer.status_code == 409
    assert answer.json["detail"] == "A head start must be below the target of 5,000 points."
    players = client.get("/api/v1/state").json["players"]
    assert [player["name"] for player in players] == ["Cleo", "Dora"]


def test_current_rules_are_downloaded_as_a_rule_file(client):
    assert parse(client.get("/api/v1/rules.toml").text, name="x", where="x").name == "x"
    client.post("/api/v1/match", json={"names": ["Anna", "Ben"], "options": {"opening": 350}})
    saved = client.get("/api/v1/rules.toml")

    assert saved.text == 'extends = "walnut-studiolo"\nopening = 350\n'
    assert "house.toml" in saved.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ([], 400),
        ("opening", 400),
        ({f"o{n}": 1 for n in range(99)}, 400),
        ({"opening": -1}, 409),
        ({"opening": [[]]}, 409),
        ({"hot_dice": None}, 409),
        ({"title": "<b>"}, 409),
    ],
)
def test_invalid_options_start_no_match(client, wanted, status):
    answer = client.post("/api/v1/match", json={"names": ["Anna", "Ben"], "options": wanted})

    assert answer.status_code == status
    assert "options" in answer.json["detail"]
    assert client.get("/api/v1/state").json["rules"] is None


def test_form_starts_from_the_rules_of_the_match(client):
    client.post("/api/v1/match", json={"names": ["Anna", "Ben"], "options": {"opening": 350}})

    assert 'data-option="opening" value="350"' in client.get("/new").text


def test_list_of_rule_sets_contains_their_options(client):
    zilch = next(r for r in client.get("/api/v1/rules").json if r["name"] == "zilch")

    assert zilch["options"]["three_farkles"] == 500
    assert zilch["options"]["hot_dice"] == "may"


def test_form_leaves_out_players_who_left_and_keeps_the_teams(client, table):
    table.do(StartMatch(("Anna", "Ben", "Cleo", "Dora"), teams=(1, 1, 2, 2)))
    table.do(RecordEvent(Left(1)))
    page = client.get("/new").text
    rows = re.findall(r'<li>.*?value="(.)" selected.*? value="([^"]*)" maxlength', page)

    assert rows == [("1", "Anna"), ("2", "Cleo"), ("2", "Dora")]


def test_unnamed_player_who_moves_up_stays_unnamed(client, table):
    table.do(StartMatch(("Anna", "Ben", default_name(2))))
    table.do(RecordEvent(Left(1)))
    page = client.get("/new").text

    assert re.findall(r'<li>.*? value="([^"]*)" maxlength', page) == ["Anna", ""]
