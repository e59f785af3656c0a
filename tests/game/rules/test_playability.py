"""Valid rules that cannot be played are refused in one line that names the option to change."""

import random
from dataclasses import replace

import pytest

from game.errors import RulesetError
from game.match.match import Match
from game.match.state import TurnEnding
from game.rules import rule_files
from game.rules.playability import Pace, PossibleTurns, find_problems
from game.rules.ruleset import HotDice, Ruleset

MATCHES, ROUNDS = 40, 50


def at_random(rules, rng):
    """Return the turns of a match of two who bank as soon as they may."""
    match = Match.start(rules, ["Anna", "Ben"])
    while match.state.winner is None and len(match.state.turns) < 2 * ROUNDS:
        state = match.state
        match = replace(match, before=None).throw(rng.choices(range(1, 7), k=state.dice_in_hand))
        while match.state.keeps and match.state.winner is None:
            keep = match.state.best_bank_keep
            if match.state.bank_refusal(keep) is None:
                match = match.bank(keep.dice)
            else:
                match = match.keep(keep.dice)
                break
    return match.state.turns


@pytest.mark.parametrize("name", ["zilch", "farkle-scorekeeper", "party-zonk"])
def test_averages_match_random_turns(name):
    rules = replace(rule_files.load(name), rounds=ROUNDS, opening=0, three_farkles=0)
    rng = random.Random(4)
    turns = [turn for _ in range(MATCHES) for turn in at_random(rules, rng)]
    points = [turn.points for turn in turns if turn.ending is not TurnEnding.WIN]
    share = sum(turn.ending is TurnEnding.FARKLE for turn in turns) / len(points)

    assert sum(points) / len(points) == pytest.approx(Pace(rules).turn.points, rel=0.15)
    assert share == pytest.approx(Pace(rules).turn.farkles, abs=0.06)


def test_the_cost_of_farkles_in_a_row_matches_their_frequency():
    rules = rule_files.load("zilch")
    often = Pace(replace(rules, minimum_bank=2000))

    assert Pace(rules).costs["three_farkles"] < 10
    assert often.turn.farkles > 0.8
    assert 500 * often.turn.farkles**3 / 3 < often.costs["three_farkles"] < 500 / 3


def test_an_unreachable_minimum_bank_gives_no_points():
    assert Pace(replace(rule_files.load("zilch"), minimum_bank=20_000)).turn.points == 0


NO_SCORES = "singles = { 1 = 0, 5 = 0 }\ntriples = { 1 = 0, 2 = 0, 3 = 0, 4 = 0, 5 = 0, 6 = 0 }"
ONLY_ONES = "singles = { 1 = 0 }\ntriples = { 1 = 300 }"

FINE = 'extends = "standard"\nstraight = 1501\ntwo_triplets = 20_000'


@pytest.mark.parametrize("name", rule_files.names())
def test_every_published_rule_set_is_playable(name):
    assert not find_problems(rule_files.load(name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NO_SCORES, "line 1: singles and all other points are 0, so nothing can score"),
        (f"{NO_SCORES}\nn_dice = 5\nopening = 500", "line 1: singles and all other points are 0"),
        (
            'extends = "standard"\nn_dice = 5\nstraight = 1500',
            "line 3: straight needs 6 dice, but `n_dice` is 5: set `straight = 0`",
        ),
        (
            'extends = "walnut-studiolo"\nn_dice = 5',
            "house.toml: straight needs 6 dice, but `n_dice` is 5",
        ),
        (
            f'{NO_SCORES}\nstraight = 1500\nhot_dice = "must"',
            "line 4: hot_dice never lets anybody bank: players must always throw again",
        ),
        (
            'extends = "standard"\nhot_dice = "must"\nmust_throw_from = 1',
            "line 3: must_throw_from never lets anybody bank: players must always throw again",
        ),
        (
            'extends = "pocket-farkel"\nminimum_bank = 1500\ntriple_threes = 2500',
            "line 3: triple_threes makes the match too long: a turn earns 256 on average and costs 303",
        ),
        (
            'extends = "walnut-studiolo"\nopening = 0\nminimum_bank = 2500\nthree_farkles = 200',
            "line 4: three_farkles takes away most of the points: a turn earns ",
        ),
        (
            'extends = "zilch"\nminimum_bank = 16000',
            "line 2: minimum_bank makes the match too long: a turn earns 0 on average",
        ),
        (
            'extends = "standard"\nopening = 3000',
            "line 2: opening keeps everybody off the board: fewer than one turn in 100 earns that much",
        ),
        (
            'extends = "play-palace"\nwin = "exactly"\nopening = 500\nmust_bank_after_triple = true',
            "line 3: opening keeps everybody off the board",
        ),
        (f"{FINE}\nminimum_bank = 20_000", "line 4: minimum_bank allows too many different scores"),
        (f"{FINE}\nopening = 20_000", "line 4: opening allows too many different scores"),
        (
            'extends = "standard"\ntake_over_on_board = true',
            "line 2: take_over_on_board has no effect while `piggyback` is 'no'",
        ),
        (
            'extends = "standard"\nnothing_first_throw = true',
            "line 2: nothing_first_throw has no effect while `nothing` is 0",
        ),
        ('extends = "standard"\nwelfare = true', "line 2: welfare only applies to an exact target"),
        (
            'extends = "standard"\ntake_over_farkle = 500',
            "line 2: take_over_farkle has no effect while `piggyback` is 'no'",
        ),
        (
            'extends = "standard"\nwin = "exactly"\nrounds = 5',
            "line 3: rounds have no target: remove `win = 'exactly'`",
        ),
        (
            'extends = "walnut-studiolo"\nrounds = 5',
            "line 2: rounds have no last round: set `last_round = 'none'`",
        ),
        (
            f"n_dice = 5\n{ONLY_ONES}\nopening = 500",
            "line 4: opening is more than a turn can earn: at most 300",
        ),
        (
            f"n_dice = 5\n{ONLY_ONES}\nminimum_bank = 350",
            "line 4: minimum_bank is more than a turn can earn: at most 300",
        ),
        (
            "singles = { 5 = 1 }\ntriples = { 1 = 3 }\ntarget = 50_000",
            "line 3: target takes more than 1,000 perfect throws to reach: choose at most 6,000",
        ),
        (
            'extends = "standard"\nwin = "exactly"\ntarget = 120',
            "line 3: target can never be reached exactly: all scores go in steps of 50",
        ),
        (
            'extends = "standard"\ntarget = 1_000_000',
            "line 2: target is too high: a turn earns 309 on average",
        ),
        (
            'extends = "zilch"\nn_dice = 5\nstraight = 3000',
            "line 3: straight needs 6 dice, but `n_dice` is 5: set `straight = 0`; house.toml: three",
        ),
        (
            'extends = "standard"\nwin = "exactly"\nlast_round = "every other"',
            "line 3: last_round is 'every other', but nobody can beat an exact target",
        ),
        (
            'extends = "aetolia"\nwin = "over"',
            "house.toml: rounds have no target: remove `win = 'over'`",
        ),
        (
            'extends = "standard"\nalike_fixed = { 4 = 1000 }',
            "line 2: alike_fixed has no effect while `alike` is 'none'",
        ),
        (
            'extends = "colorado-dice"\nalike_faces = { 1x6 = 3000 }',
            "line 2: alike_faces gives points for 6 dice, but `n_dice` is 5: remove `1x6`",
        ),
        (
            'extends = "standard"\nall_alike_wins = true\nall_ones_win = true',
            "line 3: all_ones_win has no effect together with `all_alike_wins`",
        ),
        (
            'extends = "standard"\nwin = "exactly"\nlast_round = "charity roll"',
            "line 3: last_round is 'charity roll', but nobody can beat an exact target",
        ),
        (
            'extends = "zilch"\nwin = "exactly"',
            "minimum_bank may make a target of exactly 10,000 impossible: a player who is 50 short could never bank that",
        ),
        (
            'extends = "standard"\nwin = "exactly"\ntriples = { 2 = 75 }\ntarget = 1000',
            "line 2: win may make a target of exactly 1,000 impossible: a player who is 25 short could never bank that",
        ),
        (
            'extends = "standard"\nwin = "exactly"\ntarget = 1000\nopening = 1500',
            "line 4: opening is more than the target",
        ),
    ],
)
def test_unplayable_rules_are_refused_with_the_option_to_change(text, message):
    with pytest.raises(RulesetError) as error:
        rule_files.parse(text, name="house", where="house.toml")

    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_penalty_takes_no_more_than_the_score_if_scores_stay_above_zero():
    text = 'extends = "facebook"\nthree_farkles = 100_000\n'
    with pytest.raises(RulesetError, match="three_farkles takes away most of the points"):
        rule_files.parse(text, name="house", where="house.toml")

    rules = rule_files.parse(text + "below_zero = false", name="house", where="house.toml")
    assert rules.three_farkles == 100_000


def test_inherited_points_for_more_dice_than_there_are_are_dropped():
    text = 'extends = "lds-zilch"\nn_dice = 5\nstraight = 0'
    rules = rule_files.parse(text, name="house", where="house.toml")

    assert [rules.exception_points(1, n) for n in (4, 5, 6)] == [1100, 1200, None]
    assert rule_files.parse(rule_files.to_toml(rules), name="house", where="x") == rules


def test_options_changed_on_the_page_are_checked_too():
    with pytest.raises(RulesetError, match="options: last_round is 'charity roll'"):
        rule_files.with_options(
            rule_files.load("standard"), {"win": "exactly", "last_round": "charity roll"}
        )


def test_a_match_recorded_under_unplayable_rules_can_still_be_read():
    assert rule_files.from_differing_lines("home", NO_SCORES, "match").singles == (0,) * 6


def test_the_range_of_points_of_a_turn():
    usual = PossibleTurns(Ruleset("", ""))
    ones = Ruleset("", "", n_dice=5, singles=(0,) * 6, triples=(300, 0, 0, 0, 0, 0))

    assert (usual.least, usual.most, usual.best) == (50, None, 2000)
    assert (PossibleTurns(ones).least, PossibleTurns(ones).most) == (300, 300)


def test_hot_dice_that_must_be_thrown_cannot_be_banked():
    six_at_once = Ruleset("", "", singles=(0,) * 6, triples=(0,) * 6, straight=1500)

    assert PossibleTurns(six_at_once).least == 1500
    assert PossibleTurns(replace(six_at_once, hot_dice=HotDice.MUST)).least is None
