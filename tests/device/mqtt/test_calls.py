"""A tournament over a real broker: matches are assigned to the tray, accepted there, and played."""

import urllib.parse
import urllib.request
from contextlib import ExitStack
from http.cookiejar import CookieJar
from random import Random

import pytest

from bench.self_play import SelfPlay
from device.club_board import ClubOptions, serving
from game.commands import AnswerQuestion, Bank, EnterThrow, KeepDice
from tests.device.mqtt.conftest import RULES
from tests.mosquitto import needs_mosquitto
from tests.waiting import until

pytestmark = [needs_mosquitto, pytest.mark.slow]


@pytest.fixture
def board(broker, tmp_path):
    """Run the board, and return a function that requests a page or posts a form as the steward."""
    options = ClubOptions(
        broker.url, str(broker.secret), host="127.0.0.1", port=0, state=str(tmp_path)
    )
    with ExitStack() as stack:
        server, steward = stack.enter_context(serving(options, print))
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        address = f"http://127.0.0.1:{server.port}/"

        def ask(path, **form):
            data = urllib.parse.urlencode(form).encode() or None
            with browser.open(f"{address}{path}", data) as answer:
                return answer.read().decode()

        ask(steward.link_path)
        yield ask


def answer_yes(table):
    (choice,) = (c for c in table.snapshot().choices if str(c.label).startswith("Yes"))
    table.do(AnswerQuestion(choice.id))


def play_to_the_end(table, seed):
    """Play the match that has begun at the table, as a self-played match with this seed."""
    random = Random(seed)
    played = SelfPlay(table.match, "0" * 16, 0)
    while table.match.state.winner is None:
        for action in played.play(random).body["actions"]:
            what = {"kept": KeepDice, "thrown": EnterThrow, "banked": Bank}[action["kind"]]
            table.do(what(*filter(None, [action.get("dice")])))


def test_three_players_finish_a_tournament_at_one_tray(table, join, board):
    join.stay()
    form = {"name": "Club cup", "kind": "round robin", "rules": RULES.name, "target": 1000}
    board("tournaments", **form, names="Anna\nBen\nCleo")
    for seed in range(3):
        until(lambda: "have been called" in str(table.snapshot().question))
        answer_yes(table)
        play_to_the_end(table, seed)
    until(lambda: " won!" in board("tournaments/1"))

    assert table.snapshot().question is None
