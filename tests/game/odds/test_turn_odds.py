"""Chances agree with counting, and values of turns agree with slow play and published values."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, reject, settings

from game.errors import OddsError
from game.odds.advice import MatchPosition, turn_odds
from game.odds.compiled_rules import compile_rules
from game.odds.match_odds import left_out_of_match
from game.odds.turn_odds import (
    chances_of_one_throw,
    chances_to_reach,
    farkle_within,
    left_out_of_turn,
    long_run_average,
    points_table,
    throw_chances,
)
from game.rules import rule_files, scoring
from game.rules.rule_options import OPTIONS
from game.rules.ruleset import Alike, HotDice, LastRound, Ruleset
from tests.game.rules.test_rule_options import PLAIN, otherwise
from tests.game.rules_strategy import rulesets
from tests.game.slow_odds import SlowOdds

SMALL = Ruleset("small", "Small", n_dice=5, triples=(300, 0, 0, 0, 0, 0), alike=Alike.NONE)


@pytest.mark.parametrize("name", rule_files.names())
def test_chances_agree_with_counting_every_throw(name):
    rules = rule_files.load(name)
    for n in range(1, 5):
        every = [scoring.legal_keeps(faces, rules) for faces in product(range(1, 7), repeat=n)]
        chances = throw_chances(rules)[n]

        assert chances.farkle == Fraction(sum(not keeps for keeps in every), 6**n)
        assert chances.hot == Fraction(sum(any(k.hot for k in keeps) for keeps in every), 6**n)
        assert chances.mean == Fraction(sum(keeps[0].score for keeps in every if keeps), 6**n)


@pytest.mark.parametrize(
    ("name", "n", "farkle"),
    [
        ("standard", 1, Fraction(2, 3)),
        ("standard", 2, Fraction(4, 9)),
        ("standard", 3, Fraction(5, 18)),
        ("standard", 4, Fraction(17, 108)),
        ("standard", 5, Fraction(25, 324)),
        ("walnut-studiolo", 6, Fraction(5, 162)),  # without three pairs
        ("ten-thousand", 6, Fraction(5, 216)),  # with them
        ("zilch", 6, Fraction(0)),  # nothing at all is a keep
    ],
)
def test_well_known_chances_of_a_farkle(name, n, farkle):
    """These chances are in many tables; those for five dice are by M. Busche and T. Neller."""
    assert throw_chances(rule_files.load(name))[n].farkle == farkle


@settings(max_examples=25)
@given(rulesets())
def test_chances_of_any_rules_are_consistent(rules):
    for n, chances in throw_chances(rules).items():
        assert 0 <= chances.farkle <= 1
        assert chances.hot + chances.farkle <= 1
        assert (chances.farkle == 1) == (chances.mean == 0)
        assert farkle_within(rules, n, 1) <= farkle_within(rules, n, 2)


@settings(max_examples=25)
@given(rulesets())
def test_compiled_rules_cover_every_throw(rules):
    try:
        compiled = compile_rules(rules)
    except OddsError:  # the step is too small for the calculation
        reject()
    scored = compiled.optional.weights.sum(axis=1) + compiled.forced.weights.sum(axis=1)
    sums = scored + compiled.win + compiled.reset + compiled.farkle

    assert sums[1:] == pytest.approx([1.0] * rules.n_dice)
    step = scoring.points_step(rules)
    assert all(
        keep.score % step == 0 for keeps in scoring.keep_table(rules).values() for keep in keeps
    )


def test_farkle_within_two_throws_by_hand():
    """A single die that scores is hot dice, so all six dice are thrown next."""
    rules = rule_files.load("standard")
    six = throw_chances(rules)[6].farkle

    assert farkle_within(rules, 1, 2) == Fraction(2, 3) + Fraction(1, 3) * six


def test_six_dice_never_farkle_in_the_first_throw_alone_if_only_that_one_pays_for_nothing():
    """Later, two of the faces 2, 3, 4 and 6 may come up twice, and the other two once."""
    rules = rule_files.load("greedy-dice")
    later = Fraction(6 * 180, 6**6)
    odds = turn_odds(rules, MatchPosition(), None)

    assert farkle_within(rules, 6, 1) == odds.option(0, 6).farkle == 0
    assert farkle_within(rules, 1, 2) == Fraction(2, 3) + Fraction(1, 3) * later
    assert odds.option(2500, 6, hot=True).farkle == later


def test_last_die_thrown_twice_farkles_twice():
    rules = rule_files.load("ten-thousand-extras")

    assert throw_chances(rules)[1].farkle == Fraction(2, 3)
    assert farkle_within(rules, 1, 1) == Fraction(4, 9)


def test_the_value_of_zilch_agrees_with_busche():
    """M. Busche, Maximizing Expected Scores in the Game of Zilch: 620.855 points a turn."""
    assert long_run_average(rule_files.load("zilch")) == pytest.approx(620.855, abs=5e-4)


@pytest.mark.parametrize("name", ["standard", "colorado-dice", "kcd"])
def test_without_a_penalty_the_long_run_average_equals_the_turn(name):
    rules = rule_files.load(name)

    assert long_run_average(rules) == points_table(rules).value


def test_the_long_run_average_loses_at_most_a_third_of_the_penalty():
    rules = rule_files.load("facebook")
    dear = replace(rules, three_farkles=2000)

    assert long_run_average(dear) < long_run_average(rules) < points_table(rules).value


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"minimum_bank": 200},
        {"last_die_twice": 150},
        {"nothing": 100},
        {"hot_dice": HotDice.MUST},
        {"must_bank_after_triple": True},
        {"must_bank_after_triple": True, "minimum_bank": 200, "hot_dice": HotDice.MUST},
    ],
    ids=str,
)
def test_the_value_of_a_turn_agrees_with_slow_play(options):
    rules = replace(SMALL, **options)
    slow = SlowOdds(rules, 10_000).turn(float, 0.0, far=4000)

    assert points_table(rules).value == pytest.approx(slow, abs=1e-4)


LEFT_OUT = {"opening": 0, "all_alike_wins": False, "all_ones_win": False, "four_twos_reset": False}
"""The average points of a turn ignore what ends the match or resets the score."""


@pytest.mark.slow
@pytest.mark.parametrize("name", rule_files.names())
def test_the_value_of_a_published_turn_agrees_with_slow_play(name):
    rules = rule_files.load(name)
    far = 30_000 if rules.nothing else 16_000
    slow = SlowOdds(replace(rules, **LEFT_OUT), 10**6).turn(float, 0.0, far=far)

    assert points_table(rules).value == pytest.approx(slow, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "points", "chance"),
    [
        ("walnut-studiolo", 500, 0.5425),
        ("complete-guide", 500, 0.5726),
        ("cards-and-dominoes", 500, 0.5199),
        ("stirler", 450, 0.6421),
    ],
)
def test_chance_to_open(name, points, chance):
    compiled = compile_rules(rule_files.load(name))
    steps = points // compiled.step

    assert chances_to_reach(compiled, steps, 1)[steps] == pytest.approx(chance, abs=5e-5)


@pytest.mark.parametrize(
    "options", [{}, {"must_bank_after_triple": True, "minimum_bank": 150}], ids=str
)
def test_chances_to_reach_points_agree_with_slow_play(options):
    rules = replace(SMALL, **options)
    compiled = compile_rules(rules)
    chances = chances_to_reach(compiled, 10, compiled.minimum)
    for steps in (1, 4, 10):
        needed = 50 * steps
        slow = SlowOdds(rules, 10_000).turn(
            lambda points, needed=needed: float(points >= needed), 0.0, far=1500
        )

        assert chances[steps] == pytest.approx(slow, abs=1e-9)


def test_one_throw_never_reaches_more_than_a_turn():
    rules = replace(rule_files.load("standard"), last_round=LastRound.CHARITY_ROLL)
    one = chances_of_one_throw(rules, 40, 1)

    assert one[1] == pytest.approx(1 - float(throw_chances(rules)[6].farkle))
    assert (one <= chances_to_reach(compile_rules(rules), 40, 1) + 1e-12).all()


def test_values_with_many_points_at_risk_are_linear():
    """Beyond the end of the table, values are extrapolated linearly: nobody would throw six dice with 50,000 at risk."""
    table = points_table(rule_files.load("standard"))
    farkle = float(throw_chances(rule_files.load("standard"))[6].farkle)
    slope = (table.throwing(60_000, 6) - table.throwing(50_000, 6)) / 10_000

    assert slope == pytest.approx(1 - farkle)
    last = 50 * table.far.top
    assert table.throwing(last - 50, 6) == pytest.approx(
        table.throwing(last, 6) - 50 * slope, abs=1e-6
    )


def test_rules_under_which_nothing_farkles_are_refused():
    with pytest.raises(OddsError, match="farkle"):
        points_table(replace(SMALL, singles=(50,) * 6))


BETWEEN_TURNS = {
    "target",
    "win",
    "rounds",
    "target_ends_rounds",
    "welfare",
    "below_zero",
    "take_over_on_board",
}
"""Options that leave a single turn as it is, and that the chances of winning know. The last one needs taking over, which
is named as left out."""

TELLING = {
    "alike": {"alike": Alike.DOUBLING},
    "two_triplets": {"two_triplets": 2_500},
    "six_as_pairs": {"six_as_pairs": 9_000, "three_pairs": 9_000},
    "hot_dice": {"hot_dice": HotDice.MUST, "triples": (20_000,) * 6},
    "minimum_bank": {"minimum_bank": 700},
}
"""Values with which an option matters, if another one does not."""


@pytest.mark.parametrize("name", [row.name for row in OPTIONS])
def test_each_option_changes_the_odds_or_is_named_as_left_out(name):
    rules = replace(PLAIN, **TELLING[name]) if name in TELLING else otherwise(name)
    without = replace(rules, **{name: getattr(PLAIN, name)})
    is_named = bool(left_out_of_turn(rules) or left_out_of_match(rules))

    assert name in BETWEEN_TURNS or is_named or average(rules) != average(without)


def average(rules):
    """Return the average points of a turn, which a turn without a farkle does not have."""
    try:
        return points_table(rules).value
    except OddsError:
        return None
