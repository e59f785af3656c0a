"""How much the chance of the first player changes if banked points may be taken over."""

from dataclasses import replace

import pytest

from game.odds.match_odds import first_player_with_piggyback
from game.odds.simulation import play_out
from game.odds.table_store import TableStore
from game.rules import rule_files
from game.rules.ruleset import Piggyback
from tests.game.odds.test_match_odds import TINY, solved

PIGGYBACKING = [
    rules
    for rules in map(rule_files.load, rule_files.names())
    if rules.piggyback is not Piggyback.NO and not rules.take_over_on_board
]


@pytest.mark.parametrize("rules", PIGGYBACKING, ids=lambda rules: rules.name)
def test_the_chance_with_piggybacking_is_known_for_every_published_set(rules, tmp_path):
    wins = TableStore(tmp_path).find(rules)

    assert wins is not None, f"solve it: scripts/odds_tables.py {rules.name}"
    assert first_player_with_piggyback(rules, rules.target) == pytest.approx(
        wins.first_player, abs=0.03
    )


def test_the_chance_with_piggybacking_is_unknown_for_other_rules():
    rules = rule_files.load("stirler")

    assert first_player_with_piggyback(replace(rules, opening=500), rules.target) is None
    assert first_player_with_piggyback(rules, 5000) is None


def test_a_farkle_after_taking_over_costs_and_the_match_still_ends():
    options = {"piggyback": Piggyback.YES, "target": 400, "below_zero": False}
    free = play_out(solved(replace(TINY, **options)), 2000)
    dear = play_out(solved(replace(TINY, **options, take_over_farkle=200)), 2000)

    assert free.expected == dear.expected
    assert 0.45 < free.share < free.expected
    assert 0.45 < dear.share < dear.expected
