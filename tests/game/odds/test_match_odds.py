"""The solved two-player match, compared with slow value iteration, and the installed tables."""

from dataclasses import replace
from functools import partial
from importlib import resources
from itertools import product

import numpy as np
import pytest

from game.errors import OddsError
from game.odds.advice import MatchPosition, turn_odds
from game.odds.match_odds import MatchOdds, MatchStakes, is_exact, left_out_of_match, rules_digest
from game.odds.simulation import play_out
from game.odds.table_store import TableStore, pack
from game.rules import rule_files, scoring
from game.rules.ruleset import Alike, HotDice, LastRound, Piggyback, Ruleset, Win
from tests.game.shipped import shipped
from tests.game.slow_odds import SlowOdds

TINY = Ruleset("tiny", "Tiny", n_dice=5, triples=(300, 0, 0, 0, 0, 0), target=200, alike=Alike.NONE)
"""Few combinations, so that the slow method is quick."""

LAST_ROUND = {"last_round": LastRound.EVERY_OTHER}
WELFARE = {"win": Win.EXACTLY, "welfare": True}

VARIANTS = [
    {},
    {"opening": 150},
    {"minimum_bank": 150},
    {"last_die_twice": 100},
    {"nothing": 100},
    {"hot_dice": HotDice.MUST},
    {"must_bank_after_triple": True, "opening": 200},
    {"win": Win.OVER},
    {"win": Win.EXACTLY},
    {"win": Win.EXACTLY, "must_bank_after_triple": True, "hot_dice": HotDice.MUST},
    LAST_ROUND,
    {"last_round": LastRound.EVERY_OTHER, "opening": 200, "minimum_bank": 100},
    {"last_round": LastRound.EVERY_OTHER, "must_bank_after_triple": True, "minimum_bank": 200},
    {"last_round": LastRound.EVERY_OTHER, "hot_dice": HotDice.MUST},
    {"last_round": LastRound.LATER_IN_ROUND, "opening": 150},
    {"last_round": LastRound.CHARITY_ROLL, "opening": 150, "hot_dice": HotDice.MUST},
    {"must_throw_from": 4},
    {"must_throw_from": 3, "hot_dice": HotDice.MUST, "last_round": LastRound.EVERY_OTHER},
    {"all_alike_wins": True},
    {"all_ones_win": True, "last_round": LastRound.EVERY_OTHER},
    {"four_twos_reset": True},
    {"four_twos_reset": True, "opening": 150, "last_round": LastRound.LATER_IN_ROUND},
    pytest.param({"three_farkles": 50}, marks=pytest.mark.slow),
    {"three_farkles": 50, "below_zero": False, "four_twos_reset": True},
    pytest.param(
        {"three_farkles": 50, "opening": 100, "last_round": LastRound.EVERY_OTHER},
        marks=pytest.mark.slow,
    ),
    {"win": Win.EXACTLY, "three_farkles": 50, "below_zero": False},
    WELFARE,
    {"win": Win.EXACTLY, "welfare": True, "must_bank_after_triple": True, "opening": 100},
]

FALLS = {"four_twos_reset", "three_farkles"}
"""Options that lead to lower scores, and so to many more boards for the slow method."""

LEFT_OUT = {"three_scoreless_starts": 500, "piggyback": Piggyback.YES, "take_over_farkle": 500}


def solved(rules, target=None):
    wins = MatchOdds.unsolved(rules, target or rules.target)
    for _ in wins.solve():
        pass
    return wins


def slowly(options):
    """Return these options with a target that the slow method can handle."""
    target = 100 if FALLS & set(options) else 200 if options == LAST_ROUND else 150
    return replace(TINY, target=target, **options)


def far(options):
    """Return a number of points at risk with which nobody would throw again."""
    return 1000 if "hot_dice" in options else 300 if options == {"three_farkles": 50} else 500


def chance(wins, board):
    """Return the solved chance on a board of the slow method."""
    seat, *both = board
    find = wins.model.standings.find
    return wins.chances[(seat, *(find(n, opened=opened, farkles=f) for n, opened, f in both))]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_board_agrees_with_slow_value_iteration(options):
    """Value iteration starts at the solution: right chances stay, and wrong ones change."""
    rules = slowly(options)
    wins = solved(rules)

    slow = SlowOdds(rules, rules.target, far(options)).match(partial(chance, wins))

    for board, expected in slow.items():
        assert chance(wins, board) == pytest.approx(expected, abs=2e-7)


@pytest.mark.parametrize("options", [VARIANTS[0], LAST_ROUND, WELFARE], ids=str)
def test_value_iteration_converges_from_any_start(options):
    rules = slowly(options)
    wins = solved(rules)

    for board, expected in SlowOdds(rules, rules.target, far(options)).match().items():
        assert chance(wins, board) == pytest.approx(expected, abs=2e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("standard", 150),
        pytest.param("zilch", 300, marks=pytest.mark.long),
        pytest.param("facebook", 300, marks=pytest.mark.long),
    ],
)
def test_published_rules_to_a_tiny_target(name, target):
    """Scores below zero are left out, because the slow method would need thousands of boards."""
    rules = replace(rule_files.load(name), below_zero=False)
    begin = (0, False, 0)

    wins = solved(rules, target)
    slow = SlowOdds(rules, target, far=300).match(partial(chance, wins))

    assert wins.first_player == pytest.approx(slow[0, begin, begin], abs=1e-6)


def test_omitted_options_change_nothing_and_are_listed():
    rules = replace(TINY, **LEFT_OUT)

    assert rules_digest(rules, 200) == rules_digest(TINY, 200)
    assert [str(each) for each in left_out_of_match(rules)] == [
        "taking over the points that another player has banked",
        "the penalty for a farkle after taking over points",
        "the penalty for three first throws without points, once in 438 turns",
    ]
    assert not left_out_of_match(replace(TINY, three_farkles=50, four_twos_reset=True))


def test_first_to_bank_anything_is_a_geometric_series():
    wins = solved(TINY, 50)
    chance = wins.stakes.reaching[1, 1]

    assert wins.first_player == pytest.approx(chance / (1 - (1 - chance) ** 2), abs=1e-12)


def test_more_points_never_lower_the_chance():
    chances = solved(TINY, 600).chances[0]

    assert (np.diff(chances, axis=0) > 0).all()
    assert (np.diff(chances, axis=1) < 0).all()


def test_looking_further_than_a_safe_lead_gains_nothing(monkeypatch):
    """Where a lead counts as safe from a last turn, looking further changes nothing."""
    rules = replace(TINY, last_round=LastRound.EVERY_OTHER)
    near = solved(rules, 600).chances
    top = MatchStakes.top
    monkeypatch.setattr(
        MatchStakes, "top", lambda stakes, boards, wins: top(stakes, boards, wins) + 20
    )

    assert np.abs(solved(rules, 600).chances - near).max() < 1e-9


def test_a_smaller_keep_is_best_if_reaching_the_target_would_be_too_early():
    """Reaching the target exactly gives the other player a last turn with nothing to lose."""
    rules = replace(TINY, last_round=LastRound.EVERY_OTHER)
    wins = solved(rules)
    odds = turn_odds(rules, MatchPosition(100, 150), wins, most=300)
    keeps = [keep for keep in scoring.legal_keeps((1, 2, 3, 4, 5), rules) if keep.dice_left == 4]
    options = {option.at_risk: option for option in odds.options(0, keeps)}

    assert {keep.score for keep in keeps} == {50, 100}
    assert options[50].win_banked > options[100].win_banked


def test_a_stopped_solution_continues_where_it_stopped(tmp_path):
    tables = TableStore(tmp_path)
    wins = tables.begin(TINY)
    steps = wins.solve()
    assert next(share for share in steps if share > 0.5) < 1
    tables.save(wins)
    again = tables.begin(TINY)
    known = ~np.isnan(again.chances)

    assert 0 < known.sum() < known.size
    for _ in again.solve():
        pass
    assert again.first_player == pytest.approx(solved(TINY).first_player, abs=1e-7)


def test_a_damaged_table_counts_as_missing(tmp_path):
    tables = TableStore(tmp_path)
    path = tables.save(solved(TINY))
    assert tables.find(TINY).solved
    assert tables.find(TINY, 250) is None

    whole = path.read_bytes()
    for n in (0, 10, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:n])
        assert tables.find(TINY) is None


def test_a_table_in_which_three_3s_score_is_not_used_where_they_cost_points(tmp_path):
    """The size of the penalty is left out, but three 3s then score nothing, and so more throws farkle."""
    tables, plain = TableStore(tmp_path), replace(TINY, triples=(0, 0, 150, 0, 0, 0), target=50)
    some, more = (replace(plain, triple_threes=points) for points in (300, 500))
    scoring_throws = sum({1, 5} & {*dice} != set() for dice in product(range(1, 7), repeat=5))
    farkle = 1 - scoring_throws / 6**5
    tables.save(solved(plain))
    assert tables.find(some) is None
    assert shipped(replace(rule_files.load("complete-guide"), triple_threes=300)) is None
    tables.save(solved(some))

    assert tables.find(more).first_player == pytest.approx(1 / (1 + farkle), abs=1e-6)
    assert tables.find(plain).first_player > tables.find(more).first_player


@pytest.mark.parametrize(
    ("options", "others"),
    [({}, {"singles": (25, 0, 0, 0, 0, 0)}), ({"rounds": 2}, {"rounds": 3})],
    ids=["scores", "turns"],
)
def test_a_table_for_another_number_of_positions_counts_as_missing(tmp_path, options, others):
    tables, rules = TableStore(tmp_path), replace(TINY, **options)
    wins = tables.begin(rules)
    saved = tables.save(wins)
    other = tables.save(tables.begin(replace(rules, **others)))
    assert tables.find(rules) is not None
    saved.write_bytes(other.read_bytes())

    assert tables.find(rules) is None


def test_a_table_is_stored_to_a_ten_millionth(tmp_path):
    wins = solved(TINY)
    tables = TableStore(tmp_path)
    tables.save(wins)

    assert np.abs(tables.find(TINY).chances - wins.chances).max() < 1e-7
    assert len(pack(wins.chances)) < 8 * wins.chances.size + 1000


@pytest.mark.parametrize(
    ("options", "target", "words"),
    [
        ({}, 50_001, "the target can be 1 to 50,000"),
        ({"win": Win.EXACTLY}, 120, "nobody can reach exactly 120"),
        ({"win": Win.EXACTLY, "minimum_bank": 100}, 300, "may never end"),
        ({"singles": (50,) * 6}, 300, "no throw is a farkle"),
    ],
)
def test_a_match_without_a_solution_is_refused(options, target, words):
    with pytest.raises(OddsError, match=words):
        solved(replace(TINY, **options), target)


EXACT = [rules for rules in map(rule_files.load, rule_files.names()) if is_exact(rules)]
SHIPPED = [rules.name for rules in EXACT if not rules.rounds]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_published_set_without_piggybacking_is_installed_solved(name):
    wins = shipped(rule_files.load(name))

    assert wins is not None, f"{name}: solve it anew, scripts/odds_tables.py {name}"
    assert not np.isnan(wins.chances).any()
    assert wins.chances.shape == wins.model.shape
    assert 0.4 < wins.first_player < 0.6


def test_every_installed_table_belongs_to_a_published_set():
    tables = resources.files("game").joinpath("odds", "tables")
    rules = [rule_files.load(name) for name in rule_files.names()]
    known = {f"{r.name}-{rules_digest(r, r.target)}.npz" for r in rules}

    assert {file.name for file in tables.iterdir()} <= known
    assert sum(len(file.read_bytes()) for file in tables.iterdir()) < 3_000_000


@pytest.mark.parametrize("name", SHIPPED)
def test_an_installed_chance_equals_the_value_of_its_turn(name):
    """A chance is right if a turn from its board, valued by the chances of all others, yields it."""
    wins = shipped(rule_files.load(name))
    begin = wins.number(0, opened=False)
    _, worth = wins.turn(wins.board(begin, begin))

    assert worth.begin()[0] == pytest.approx(wins.first_player, abs=2e-7)


@pytest.mark.parametrize(
    "options",
    [{}, {"last_round": LastRound.EVERY_OTHER, "opening": 150}, {"last_die_twice": 100}],
    ids=str,
)
def test_simulated_matches_agree(options):
    rules = replace(TINY, **options)

    assert abs(play_out(solved(rules, 600), 20_000).off) < 4


def test_the_last_turn_has_to_exceed_the_other_score():
    wins = solved(replace(TINY, last_round=LastRound.EVERY_OTHER))
    odds = turn_odds(wins.rules, MatchPosition(100, 250), wins, most=200)

    assert odds.option(150, 3).win_banked == 0
    assert odds.option(200, 3).win_banked == 1
    assert odds.option(0, 5).win_thrown == pytest.approx(wins.stakes.reaching[1, 4], abs=1e-12)
    with pytest.raises(OddsError, match="has already reached 200 and won"):
        turn_odds(TINY, MatchPosition(100, 250), solved(TINY))


def test_facebook_farkle_is_won_as_often_as_published():
    """M. Busche, 2016: 53.487 % for the player who begins, with penalties and scores below zero."""
    wins = shipped(rule_files.load("facebook"))

    assert wins.first_player == pytest.approx(0.53487, abs=5e-6)
