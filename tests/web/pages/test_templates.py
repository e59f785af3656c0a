"""The filters of templates, the sides of a match, and the cache of compiled templates."""

import re
import sys

import pytest
from jinja2 import Environment, FileSystemLoader

from game.commands import EnterThrow, StartMatch
from game.journal.entry import Result
from tests.web.screens import thrown, won
from web.pages.templates import (
    CompiledTemplates,
    bar_maximum,
    bar_percent,
    capitalised,
    chance,
    n_dice,
    points,
    qr_code,
    seat_colour,
    seat_shape,
    sides,
    standings,
)
from web.state_json import state_json


@pytest.fixture
def templates(tmp_path, monkeypatch):
    """A folder with one template, where Python may write bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "page.html").write_text("Hello {{ name }}", "utf-8")
    return tmp_path


def rendered(templates):
    """Render the template in a new environment, as after a restart."""
    loader = FileSystemLoader(templates)
    environment = Environment(
        loader=loader, autoescape=True, bytecode_cache=CompiledTemplates(templates)
    )
    return environment.get_template("page.html").render(name="Anna")


def cached(templates):
    return list(templates.glob("__pycache__/*.jinja"))


def test_next_start_uses_the_cache(templates, monkeypatch):
    rendered(templates)
    monkeypatch.delattr(Environment, "compile")

    assert rendered(templates) == "Hello Anna"


def test_changed_template_is_compiled_again(templates):
    rendered(templates)
    (templates / "page.html").write_text("Good bye {{ name }}", "utf-8")

    assert rendered(templates) == "Good bye Anna"
    assert len(cached(templates)) == 1


@pytest.mark.parametrize("cut", [0, 20, 40, -1])
def test_truncated_cache_file_is_replaced(templates, cut):
    rendered(templates)
    (file,) = cached(templates)
    whole = file.read_bytes()
    file.write_bytes(whole[:cut])

    assert rendered(templates) == "Hello Anna"
    assert file.read_bytes() == whole


def test_nothing_is_cached_if_python_writes_no_bytecode(templates, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert rendered(templates) == "Hello Anna"
    assert cached(templates) == []


def test_unwritable_cache_folder_is_ignored(templates):
    (templates / "__pycache__").write_text("in the way", "utf-8")

    assert rendered(templates) == "Hello Anna"


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


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (1, "100%"), (0.5, "50.0%"), (0.002, "0.20%"), (1e-9, "<0.01%"), (1 - 1e-9, ">99.99%")],
)  # fmt: skip
def test_almost_certain_chance_is_not_shown_as_certain(share, text):
    assert chance(share) == text


def test_points_have_commas_and_a_minus_sign():
    assert [points(n) for n in (0, 12_345, -500)] == ["0", "12,345", "−500"]


def test_twenty_seats_all_look_different():
    looks = {(seat_colour(seat), seat_shape(seat)) for seat in range(20)}

    assert len(looks) == 20


def test_bar_is_clipped_to_its_ends():
    assert [bar_percent(n, 200) for n in (-5, 50, 400)] == [0, 25, 100]


def test_number_of_dice_is_written_in_words():
    assert [n_dice(n) for n in (1, 6, 7)] == ["one die", "six dice", "7 dice"]


def test_qr_code_is_an_svg_that_does_not_contain_its_text():
    svg = qr_code("http://traykeeper.local/<&")

    assert svg.startswith("<svg")
    assert "traykeeper" not in svg


def test_first_letter_becomes_a_capital_and_others_stay():
    assert [capitalised(text) for text in ("heiße Würfel", "hot dice", "")] == [
        "Heiße Würfel",
        "Hot dice",
        "",
    ]


def test_a_bar_is_full_at_the_target_or_without_one_at_the_best_score(table):
    table.do(StartMatch(("Anna", "Ben"), target=3_000))
    table.do(EnterThrow((1, 1, 1, 3, 4, 6)))
    assert bar_maximum(state_json(table.snapshot()), table.match.rules) == 3_000

    table.do(StartMatch(("Anna", "Ben"), rules="zonk-ten-rounds"))
    table.do(EnterThrow((1, 1, 1, 3, 4, 6)))
    assert bar_maximum(state_json(table.snapshot()), table.match.rules) == 5_000

    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten"))
    table.do(EnterThrow((1, 1, 1, 3, 4, 6)))
    state = state_json(table.snapshot())
    assert bar_maximum(state, table.match.rules) == state["at_risk"] > 0
