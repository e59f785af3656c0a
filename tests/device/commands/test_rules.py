"""What `traykeeper match` and `traykeeper rules` print."""

import json

import pytest
from click.testing import CliRunner

from device.commands.rules import match, rules

OVERSHOT = """rules standard
option win = "exactly"
player Anna
player Ben
!score 1 9500
111234: 111 = 1000, bank
"""


@pytest.fixture
def replayed(tmp_path):
    """A function that replays the text of a match, and returns the exit code and the output."""

    def replay(text, *words):
        file = tmp_path / "evening.txt"
        file.write_text(text)
        done = CliRunner().invoke(match, [str(file), *words])
        return done.exit_code, done.output or str(done.exception)

    return replay


def winner(replayed, text):
    code, output = replayed(text, "--json")
    assert code == 0, output
    outcome = json.loads(output)["outcome"]
    return outcome and outcome["winner"]


def test_a_turn_that_overshoots_is_not_shown_as_a_bank(replayed):
    _, shown = replayed(OVERSHOT)

    assert "1 1 1 2 3 4 kept 1 1 1: overshoots with 1,000" in shown
    assert "bank" not in shown


THREE = "player Anna\nplayer Ben\nplayer Cleo\n"
THOUSAND = "111234: 111 = 1000, bank\n"


def test_a_player_who_has_left_does_not_win(replayed):
    start = f"rules standard\noption target = 1000\n{THREE}!leave 3\n!score 3 1000\n"

    assert winner(replayed, start) is None
    assert winner(replayed, start + THOUSAND) == "Anna"


def test_the_match_goes_on_if_the_player_who_reached_the_target_leaves(replayed):
    start = f'rules standard\noption target = 1000\noption last_round = "every other"\n{THREE}'
    reached = f"{start}{THOUSAND}!leave 1\n223446: farkle\n223446: farkle\n"

    assert winner(replayed, reached) is None
    assert winner(replayed, f"{reached}{THOUSAND}223446: farkle\n") == "Ben"


@pytest.mark.parametrize(("points", "wins"), [(1000, "Anna"), (2000, None)])
def test_ten_rounds_or_the_target_whatever_comes_first(replayed, points, wins):
    start = f"rules standard\noption rounds = 10\noption target = {points}\n{THREE}"

    assert winner(replayed, start + THOUSAND) == wins


def test_after_the_last_round_the_best_score_below_the_target_wins(replayed):
    start = f"rules standard\noption rounds = 1\noption target = 5000\n{THREE}"

    assert winner(replayed, f"{start}223446: farkle\n{THOUSAND}223446: farkle\n") == "Ben"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('win = "exactly"\noption last_round = "every other"', "nobody can beat an exact target"),
        (
            'n_dice = 5\noption alike = "fixed"\noption alike_fixed = { 4 = 1000, 6 = 3000 }',
            "gives points for 6 dice",
        ),
        ('extends = "zilch"', "line 2: extends can only be set in a rule file"),
        (f'title = "{"x" * 100_000}"', "has 100,000 characters, but at most 60 fit"),
    ],
)
def test_the_text_of_a_match_is_checked_like_a_rule_file(replayed, options, message):
    code, output = replayed(f"rules standard\noption {options}\n{THREE}")

    assert code != 0
    assert message in output
    assert len(output) < 500


def test_a_rule_file_with_a_very_long_title_is_refused(tmp_path):
    file = tmp_path / "house.toml"
    file.write_text(f'title = "{"x" * 100_000}"')

    shown = CliRunner().invoke(rules, ["check", str(file)]).output

    assert "line 1: title has 100,000 characters, but at most 60 fit" in shown


def test_a_player_who_joins_in_the_last_round_has_one_turn(replayed):
    farkle = "223446: farkle\n"
    start = "rules standard\noption rounds = 3\nplayer Anna\nplayer Ben\n" + 5 * farkle
    joined = f"{start}!join Cleo\n{farkle}"

    assert winner(replayed, joined) is None
    assert winner(replayed, joined + farkle) == "Anna"


def test_a_player_who_comes_back_has_no_turn_for_the_rounds_missed(replayed):
    farkle = "223446: farkle\n"
    start = f"rules standard\noption rounds = 3\n{THREE}" + 3 * farkle
    back = f"{start}!leave 3\n{3 * farkle}!join Cleo\n"

    assert winner(replayed, back + farkle) is None
    assert winner(replayed, back + 2 * farkle) == "Anna"


def test_a_player_who_left_a_team_learns_why_another_team_is_refused(replayed):
    teams = "rules standard\nplayer/1 A\nplayer/2 B\nplayer/1 C\n!leave 3\n"

    code, output = replayed(f"{teams}!join/2 C\n")

    assert code != 0
    assert "C played in team 1 and can only come back there" in output


def test_the_points_of_each_triple_are_told_if_most_are_unusual():
    shown = CliRunner().invoke(rules, ["show", "play-palace"]).output

    assert "100 times its number" not in shown
    assert "three 1s score 100; three 2s score 20; three 3s score 30" in " ".join(shown.split())


def test_four_and_a_pair_are_told_to_be_no_three_pairs_in_dice_10000():
    shown = CliRunner().invoke(rules, ["show", "dice-10000"]).output

    assert "Four of a kind with a pair, and six of a kind, do not count" in " ".join(shown.split())
