"""The sides of a match: one row, one colour and one score for a player or a team."""

import re

import pytest

from game.commands import EnterThrow, StartMatch
from game.journal.entry import Result
from tests.web.screens import thrown, won
from web.pages.sides import sides, standings
from web.state.state_json import state_json

FOUR, TWO_TEAMS = ("Anna", "Ben", "Clara", "Dora"), (1, 2, 1, 2)
FARKLE = (2, 2, 3, 3, 4, 6)


def sides_of(table):
    players = state_json(table.snapshot())["players"]
    return [(each.seat, each.names, each.score, each.on_turn) for each in sides(players)]


def test_each_player_is_a_side(table):
    table.do(StartMatch(("Anna", "Ben")))

    assert sides_of(table) == [(0, ("Anna",), 0, 0), (1, ("Ben",), 0, None)]


def test_team_is_one_side_marked_by_its_first_seat(table):
    table.do(StartMatch(FOUR, teams=TWO_TEAMS))
    for _ in range(2):
        table.do(EnterThrow(FARKLE))

    assert sides_of(table) == [(0, ("Anna", "Clara"), 0, 2), (1, ("Ben", "Dora"), 0, None)]


def test_standings_begin_with_the_winner_and_go_down_by_score():
    result = Result(("Anna", "Ben", "Cleo", "Dan"), (None,) * 4, (500, 900, 1000, 1000), 3, 12)

    assert [side.names[0] for side in standings(result)] == ["Dan", "Cleo", "Ben", "Anna"]


def test_standings_of_teams_have_one_row_for_each_team():
    result = Result(FOUR, TWO_TEAMS, (500, 900, 500, 900), 3, 12)

    assert [(side.names, side.score, side.has_won) for side in standings(result)] == [
        (("Ben", "Dora"), 900, True),
        (("Anna", "Clara"), 500, False),
    ]


@pytest.mark.parametrize("path", ["/", "/board", "/overlay", "/turns"])
def test_team_keeps_one_colour_whoever_throws(client, table, path):
    table.do(StartMatch(FOUR, teams=TWO_TEAMS))
    for _ in FOUR:
        table.do(EnterThrow(FARKLE))
        page = client.get(path).text

        assert set(re.findall(r"seat-(\d)", page.partition("<main")[2])) <= {"0", "1"}


def test_board_has_one_row_for_each_team_and_names_its_players(client, table):
    table.do(StartMatch(FOUR, teams=TWO_TEAMS))
    board = client.get("/").text.partition('class="card players"')[2].partition("</ol>")[0]

    assert board.count("<li ") == 2
    assert re.findall(r'data-name="(\w+)"', board) == ["Anna", "Clara", "Ben", "Dora"]


def test_pad_has_one_column_for_each_team(client, table):
    table.do(StartMatch(FOUR, teams=TWO_TEAMS))

    assert ">Ben + Dora<" in client.get("/pad.svg").text


@pytest.mark.parametrize(("path", "place"), [("/", "players"), ("/board", "tv-players")])
def test_finished_match_is_listed_by_score(client, table, path, place):
    won(table, ("Anna", "Ben"))
    listed = client.get(path).text.partition(f'{place}"')[2].partition("</ol>")[0]
    scores = [player.score for player in table.match.state.players]

    assert scores[0] > scores[1]
    assert listed.index("Anna") < listed.index("Ben")


def test_match_in_progress_is_listed_by_seat(client, table):
    thrown(table, ("Anna", "Ben", "Cleo", "Dan", "Emil"))
    strip = client.get("/").text.partition('class="strip')[2].partition("</ol>")[0]

    assert re.findall(r'class="who">(\w+)', strip) == ["Anna", "Ben", "Cleo", "Dan", "Emil"]
