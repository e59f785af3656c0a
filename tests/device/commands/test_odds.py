"""`traykeeper odds` on the command line, for people and for programs."""

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from device.cli import cli, main
from device.commands.odds import parse
from game.odds.turn_odds import points_table
from game.rules import rule_files

RULES = rule_files.load("standard")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def ask(*args):
    done = CliRunner().invoke(cli, ["odds", *args], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def house(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text('extends = "colorado-dice"\npiggyback = "no"\nlast_round = "none"\n')
    return path


def test_json_has_the_public_form():
    found = json.loads(ask("--rules", "zilch", "--json"))

    assert found["rules"] == "zilch"
    assert list(found["dice"]) == ["1", "2", "3", "4", "5", "6"]
    assert found["dice"]["1"] == {"farkle": "2/3", "hot": "1/3", "mean": 25.0}
    assert Fraction(found["dice"]["6"]["farkle"]) == 0
    assert found["turn"]["value"] == points_table(rule_files.load("zilch")).value
    assert found["turn"]["average"] == pytest.approx(620.855, abs=5e-4)
    assert found["match"]["target"] == 10_000
    assert found["match"]["first_player_wins"] == pytest.approx(0.5346242, abs=1e-6)


@pytest.mark.parametrize(
    ("rules", "published"),
    [
        ("facebook", "53.487%  chance of the player who begins"),
        ("zilch", "620.855  in the long run, less the penalties for farkles in a row"),
        ("pocket-farkel", "542.063  points on average"),
    ],
)
def test_published_chances_are_reproduced(rules, published):
    assert published in ask("--rules", rules)


def test_the_most_points_at_which_to_throw_on_are_named_for_each_number_of_dice():
    lines = [" ".join(line.split()) for line in ask("--rules", "zilch").splitlines()]

    assert "to 300 with 1 die to throw" in lines
    assert "to 3,100 with 5 dice to throw" in lines


def test_the_match_is_null_with_piggybacking_or_another_target():
    assert json.loads(ask("--rules", "stirler", "--json"))["match"] is None
    assert json.loads(ask("--rules", "zilch", "--target", "300", "--json"))["match"] is None


def test_the_chances_are_printed_as_a_table():
    shown = ask("--rules", "walnut-studiolo")

    assert "25/324" in shown
    assert "512.912  points on average" in shown
    assert "chance of banking the first 500 when going for it" in shown
    assert "chance of the player who begins" in shown


def test_five_dice_have_five_rows():
    assert list(json.loads(ask("--rules", "colorado-dice", "--json"))["dice"]) == list("12345")


def test_house_rules_are_solved_once_and_saved(house):
    assert f"not solved yet: run traykeeper odds solve --rules {house} --target 200" in ask(
        "--rules", str(house), "--target", "200"
    )
    first = ask("solve", "--rules", str(house), "--target", "200")

    assert "for the player who begins" in first
    found = json.loads(ask("--rules", str(house), "--target", "200", "--json"))["match"]
    assert found["target"] == 200
    assert 0.5 < found["first_player_wins"] < 0.9


def test_the_simulation_agrees_with_the_solution(house):
    ask("solve", "--rules", str(house), "--target", "200")

    assert "standard errors" in ask(
        "simulate", "--rules", str(house), "--target", "200", "--matches", "5000"
    )


def test_published_rule_sets_print_the_error_of_leaving_out_piggybacking():
    output = ask("--rules", "stirler")

    assert "left out: taking over the points that another player has banked" in output
    assert "with it the chance is 53.4%: an error of +0.2%" in output


def test_a_simulation_with_piggybacking_prints_the_error(house):
    house.write_text('extends = "colorado-dice"\npiggyback = "yes"\ntarget = 300\n')
    ask("solve", "--rules", str(house))
    assert "traykeeper odds simulate --rules" in ask("--rules", str(house))
    output = ask("simulate", "--rules", str(house), "--matches", "5000")

    assert "solved without piggybacking" in output
    assert "give or take 0.7" in output


def test_a_question_is_answered_for_people_and_for_programs():
    words = ask("--rules", "standard", "--from", "3200 2950 turn 450 dice 3")
    found = json.loads(
        ask("--rules", "standard", "--from", "3,200 2,950 turn 450 dice 3", "--json")
    )
    (option,) = found["options"]

    assert "bank 450" in words
    assert "27.78% to farkle" in words
    assert option["farkle"] == "5/18"
    assert option["best"] == "bank"
    assert option["win_banked"] > option["win_thrown"]


def test_a_question_about_a_throw_lists_every_keep():
    found = json.loads(ask("--rules", "standard", "--from", "0 0 throw 113335", "--json"))

    assert len(found["options"]) == 11
    wins = [max(o["win_banked"] or 0, o["win_thrown"]) for o in found["options"]]
    assert wins == sorted(wins, reverse=True)


def test_the_second_player_can_ask():
    found = json.loads(ask("--from", "9700 10150 turn 450 dice 2", "--json"))["options"][0]

    assert found["win_banked"] == 0
    assert 0 < found["win_thrown"] < 1


def test_json_has_the_reason_why_a_bank_is_refused():
    found = json.loads(ask("--from", "0 0 turn 100 dice 3", "--json"))["options"][0]

    assert found["refused"] == "400 short of the 500 needed to get on the board"
    assert found["best"] == "throw"


def test_a_question_about_three_players_gives_the_chance_of_each():
    two = json.loads(ask("--rules", "party-zonk", "--from", "4050 4150", "--json"))
    three = json.loads(ask("--rules", "party-zonk", "--from", "4050 4150 200", "--json"))
    words = ask("--rules", "party-zonk", "--from", "4050 4150 200")

    assert two["win"] == pytest.approx([0.4070, 0.5930], abs=1e-4)
    assert two["exact"]
    assert not three["exact"]
    assert three["win"] == pytest.approx([0.407, 0.593, 0], abs=0.002)
    assert three["options"][0]["win_thrown"] == three["win"][0]
    assert "4,050 : 4,150 : 200" in words
    assert "40.7%, 59.3%, 0.0% (estimates)" in words


@pytest.mark.parametrize("rules", ["farkle-ten", "aetolia"])
@pytest.mark.parametrize("scores", ["500 300", "500 300 200"])
def test_no_chance_of_winning_is_given_without_the_number_of_turns_left(rules, scores):
    question = ("--rules", rules, "--from", f"{scores} turn 450 dice 3")
    found, words = json.loads(ask(*question, "--json")), ask(*question)

    assert found["win"] is None
    assert not found["exact"]
    assert {found["options"][0][name] for name in ("win_banked", "win_thrown")} == {None}
    assert "% to win" not in words
    assert "for points" in words
    assert "depends on the number of turns that are left" in words


@pytest.mark.parametrize("scores", ["500 300", "500 300 200"])
def test_no_answer_is_exact_without_a_chance_of_winning(scores):
    found = json.loads(ask("--rules", "kcd", "--target", "900", "--from", scores, "--json"))

    assert found["exact"] <= (found["win"] is not None)


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("five-thousand-points", "4800 4700"),
        ("holy-family-playing-on", "9800 9700"),
        ("greedy-dice", "9800 9700"),
    ],
)
def test_no_answer_is_exact_that_leaves_out_a_rule(name, scores):
    found = json.loads(ask("--rules", name, "--from", scores, "--json"))

    assert found["win"]
    assert found["left_out"]
    assert not found["exact"]


@pytest.mark.parametrize(
    ("rules", "place"),
    [("kcd", ""), pytest.param("party-zonk", " second", marks=pytest.mark.long)],
)
def test_the_chances_of_three_players_near_the_target_are_exact(rules, place):
    found = json.loads(ask("--rules", rules, "--from", f"4800 4700 4750{place}", "--json"))
    words = ask("--rules", rules, "--from", f"4800 4700 4750{place}")

    assert found["exact"]
    assert sum(found["win"]) == pytest.approx(1)
    assert found["options"][0]["win_thrown"] == pytest.approx(found["win"][0], abs=1e-5)
    assert "(exact)" in words


@pytest.mark.parametrize(
    "rules",
    [
        "kcd",
        "welfare",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("crappo", "everything2")),
    ],
)
def test_the_chances_of_six_players_add_up_to_one(rules):
    found = json.loads(ask("--rules", rules, "--from", "900 800 700 600 500 400 third", "--json"))

    assert len(found["win"]) == 6
    assert sum(found["win"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--from", "3200"], "nothing where a number is expected"),
        (["--from", "3200 x"], "'x' where a number is expected"),
        (["--from", "1 2 turn"], "nothing where a number is expected"),
        (["--from", "1 2 dice 7"], "dice must be 1 to 6, not 7"),
        (["--from", "1 2 fly 3"], "'fly' is not understood"),
        (["--from", "1 2 throw 223446"], "is a farkle"),
        (
            ["--from", "100 200 turn 5 dice 3"],
            "no throw under these rules leads to 5: write multiples of 50",
        ),
        (["--from", "100 225"], "no throw under these rules leads to 225"),
        (
            ["--from", "100 200 dice 2 throw 11355"],
            "dice is 2, but the throw has 5: leave out dice",
        ),
        (["simulate", "--seed", "-5"], "-5 is not in the range x>=0"),
        (["--from", "1 2 throw 0112"], "a die shows 1 to 6, not 0"),
        (["--from", "1 2 throw 17"], "a die shows 1 to 6, not 7"),
        (["--rules", "standard", "--from", "12000 100"], "already reach the target"),
        (["--from", "1 2 3 4 5 6 7"], "two to six scores, not 7"),
        (["--from", "1 2 3 fourth"], "with 3 players nobody is fourth"),
        (["--rules", "standard", "--from", "12000 100 200"], "scores must be below 10,000"),
        (["--rules", "no"], "there is no rule set 'no'"),
        (["solve", "--rules", "standard", "--target", "60000"], "the target can be 1 to 50,000"),
        (["simulate", "--rules", "standard", "--target", "300"], "not solved yet"),
    ],
)
def test_a_bad_question_is_refused_in_one_line_with_the_remedy(args, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["odds", *args])
    said = capsys.readouterr().err

    assert ended.value.code == 2
    assert said.count("\n") == 1
    assert words in said


def test_a_question_accepts_other_words():
    question = parse("0 0 second turn 300", RULES)

    assert question.table.second
    assert question.hot
    assert parse("0 0", RULES).n_dice == 6


@pytest.mark.parametrize("question", [("like", "Anna"), ("handicap", "Anna", "Ben")])
def test_matches_are_looked_for_in_the_folder_that_the_settings_name(
    tmp_path, monkeypatch, capsys, question
):
    moved = tmp_path / "moved"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "traykeeper" / "settings.toml"
    file.parent.mkdir()
    file.write_text(f'state = "{moved}"\n')

    for options, folder in (((), moved), (("--state", str(tmp_path)), tmp_path)):
        with pytest.raises(SystemExit):
            main(["odds", *question, *options])
        assert f"{folder / 'journal.db'}: there is no journal" in capsys.readouterr().err
