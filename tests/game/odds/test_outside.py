"""The exact solution compared with an independent engine, on every board of small matches."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from game.odds.match_odds import MatchOdds
from game.rules.ruleset import LastRound, Ruleset
from tests.game.odds import outside_engine
from tests.game.odds.outside_engine import Game, chances

RULES = Ruleset("outside", "Outside", n_dice=5, triples=(0, 200, 0, 0, 0, 0))

GAMES = [
    (Game(200), {}),
    (Game(150, opening=100), {"opening": 100}),
    (Game(150, third_farkle=50), {"three_farkles": 50, "below_zero": False}),
    (Game(150, four_twos_lose_all=True), {"four_twos_reset": True}),
    (Game(150, five_ones_win=True), {"all_ones_win": True}),
    (Game(150, one_more_turn=True), {"last_round": LastRound.EVERY_OTHER}),
    pytest.param(
        Game(150, opening=100, third_farkle=100, four_twos_lose_all=True, one_more_turn=True),
        {
            "opening": 100,
            "three_farkles": 100,
            "below_zero": False,
            "four_twos_reset": True,
            "last_round": LastRound.EVERY_OTHER,
        },
        marks=pytest.mark.slow,
        id="all of them",
    ),
]


@pytest.mark.parametrize(("game", "options"), GAMES, ids=str)
def test_every_board_agrees_with_the_independent_engine(game, options):
    wins = MatchOdds.unsolved(replace(RULES, target=game.target, **options), game.target)
    for _ in wins.solve():
        pass

    def solved(*players):
        find = wins.model.standings.find
        return wins.chances[
            0, *(find(p.points // 50, opened=p.on_board, farkles=p.farkles) for p in players)
        ]

    for players, chance in chances(game, solved).items():
        assert solved(*players) == pytest.approx(chance, abs=2e-7), players


def test_the_independent_engine_converges_from_any_guess():
    game = Game(150, opening=100)
    far, near = chances(game, lambda *_: 0.5), chances(game, lambda mine, _: mine.points / 200)

    assert near == pytest.approx(far, abs=1e-8)


def test_the_independent_code_imports_nothing_from_the_project():
    tree = ast.parse(Path(outside_engine.__file__).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert imported == {"collections", "dataclasses", "functools", "itertools"}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))
