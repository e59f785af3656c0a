"""Reviews of matches: luck and decisions, and whether the dice are fair."""

import random
from dataclasses import replace

import pytest

from game.dice_log import MIN_DICE, count_faces, fairness, upper_tail
from game.match.events import Kept, ScoreSet
from game.match.match import Match
from game.odds.advice import MatchPosition, turn_odds
from game.odds.match_odds import MatchOdds
from game.odds.review import Cause, figures, keep_options, review
from game.practice.strategy import BestPlay
from game.rules import rule_files
from game.rules.ruleset import Alike, LastRound, Ruleset, Win
from tests.game.shipped import shipped

RULES = Ruleset(
    "tiny", "Tiny", n_dice=5, triples=(300, 0, 0, 0, 0, 0), target=400, alike=Alike.NONE
)
FARKLE = (2, 3, 3, 4, 6)


@pytest.fixture(scope="module")
def wins():
    found = MatchOdds.unsolved(RULES, RULES.target)
    for _ in found.solve():
        pass
    return found


def played(rules, wins, seed):
    """Return a match of best play with random dice."""
    dice = random.Random(seed)
    match = Match.start(rules, ["Anna", "Ben"])
    while match.state.winner is None:
        match = match.throw(dice.choices(range(1, 7), k=match.state.dice_in_hand))
        if match.state.turn.last and match.state.keeps and match.state.winner is None:
            best = keep_options(match.state, wins)[0]
            match = match.bank(best.keep.dice) if best.should_bank else match.keep(best.keep.dice)
    return match


def test_best_play_gives_nothing_away_and_luck_explains_everything(wins):
    """Luck adds up to the change of both players' chances from the start to the end of the match."""
    for seed in range(10):
        match = played(RULES, wins, seed)
        found = review(match, wins)
        luck = [found.total(seat, Cause.LUCK)[1] for seat in (0, 1)]
        won = 1.0 if match.state.winner == 0 else 0.0

        assert found.total(0, Cause.DECISION)[1] == pytest.approx(0, abs=1e-12)
        assert luck[0] - luck[1] == pytest.approx(won - wins.first_player, abs=1e-9)


@pytest.mark.parametrize("last_round", list(LastRound))
def test_luck_and_decisions_explain_every_match(last_round):
    rules = replace(RULES, target=300, last_round=last_round)
    wins = MatchOdds.unsolved(rules, 300)
    for _ in wins.solve():
        pass
    dice = random.Random(3)
    for _ in range(5):
        match = Match.start(rules, ["Anna", "Ben"])
        while match.state.winner is None:
            match = match.throw(dice.choices(range(1, 7), k=match.state.dice_in_hand))
            state = match.state
            if state.winner is None and state.turn.last and state.keeps:
                keep = dice.choice(state.keeps)
                match = match.bank(keep.dice) if dice.random() < 0.5 else match.keep(keep.dice)
        found = review(match, wins)
        change = [
            sum(m.win for m in found.moments if m.seat == seat and m.win is not None)
            for seat in (0, 1)
        ]
        won = 1.0 if match.state.winner == 0 else 0.0

        assert change[0] - change[1] == pytest.approx(won - wins.first_player, abs=1e-9)
        assert all(m.win <= 1e-12 for m in found.moments if m.kind is Cause.DECISION)


def test_after_a_reset_the_player_has_the_chance_of_a_score_of_zero():
    rules = replace(RULES, four_twos_reset=True)
    wins = MatchOdds.unsolved(rules, rules.target)
    for _ in wins.solve():
        pass
    match = Match.start(rules, ["Anna", "Ben"]).throw((1, 1, 2, 3, 4)).bank().throw(FARKLE)
    moments = review(match.throw((2, 2, 2, 2, 3)), wins).moments
    change = [sum(m.win for m in moments if m.seat == seat) for seat in (0, 1)]

    assert change[0] - change[1] == pytest.approx(1 - 2 * wins.first_player, abs=1e-9)


def test_a_fourth_farkle_in_a_row_costs_as_much_as_the_third():
    """The match and the review agree, and the best bot plays on."""
    plain = rule_files.load("facebook")
    wins, changes, befores = shipped(plain), [], []
    for keep_costing, farkles in ((False, 2), (True, 3)):
        rules = replace(plain, farkles_keep_costing=keep_costing)
        match = Match.start(rules, ["Anna", "Ben"])
        for _ in range(farkles):
            match = match.throw((2, 2, 3, 3, 4, 6)).throw((1, 1, 1, 3, 4, 6)).bank()
        match = match.push(ScoreSet(0, 4000), ScoreSet(1, 3000))
        befores.append(figures(match, wins).win)
        decision = BestPlay(wins).decide(match.throw((1, 2, 3, 3, 4, 6)).state)
        match = match.throw((2, 2, 3, 3, 4, 6))
        changes.append(review(match, wins).moments[-1].win)

        assert decision == Kept((1,))
        assert match.state.players[0].score == 3500

    assert befores[0] == befores[1]
    assert changes[0] == changes[1]


def test_banking_far_too_early_gives_something_away(wins):
    match = Match.start(RULES, ["Anna", "Ben"]).throw((1, 2, 3, 4, 6)).bank()
    found = review(match, wins)
    points, win = found.total(0, Cause.DECISION)

    assert points < -50
    assert win < -0.01
    assert found.turning_point.event in (0, 1)
    assert [standing.seat for standing in found.curve] == [0]
    assert found.curve[0].win == pytest.approx(wins.first_player)


def test_points_are_reviewed_without_a_solved_match():
    match = Match.start(RULES, ["Anna", "Ben"]).throw(FARKLE)
    found = review(match)

    assert found.total(0, Cause.LUCK)[0] == pytest.approx(
        -turn_odds(RULES, MatchPosition(), None).points.value
    )
    assert found.moments[0].win is None
    assert found.turning_point is None


def test_a_bank_that_wins_is_no_mistake_even_if_throwing_again_earns_more_on_average():
    match = Match.start(rule_files.load("welfare"), ["Anna", "Ben"]).push(ScoreSet(0, 9_950))
    match = match.throw((1, 2, 3, 4, 4, 5)).bank((5,))
    decision = review(match).moments[-1]

    assert match.state.winner == 0
    assert (decision.points, decision.win, decision.done) == (0.0, None, decision.best)


def test_with_more_players_the_chance_is_smaller_than_that_of_two(wins):
    match = Match.start(RULES, ["Anna", "Ben", "Cleo"]).throw(FARKLE).throw((1, 1, 1, 2, 3)).bank()
    match = match.throw(FARKLE)
    found = review(match, wins)

    assert not found.of_two
    assert 0 < found.curve[-1].win < wins.begin(0, 300)


def test_both_tries_of_a_last_die_are_reviewed_as_one_throw():
    rules = replace(rule_files.load("ten-thousand-extras"), target=10_000)
    match = Match.start(rules, ["Anna", "Ben"]).throw((1, 1, 1, 5, 5, 2)).keep((1, 1, 1, 5, 5))
    again = match.throw((2,)).throw((5,))
    luck = [m for m in review(again).moments if m.kind is Cause.LUCK]

    assert len(luck) == 2
    assert luck[1].points > 0
    assert len(review(match.throw((2,)).throw((3,))).moments) == 3


def test_a_charity_roll_with_all_dice_scoring_wins_by_luck():
    rules = rule_files.load("everything2")
    match = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 9_000)).push(ScoreSet(1, 9_800))
    match = match.throw((1, 1, 1, 5, 2, 3)).bank((1, 1, 1, 5)).throw((1, 2, 3, 4, 5, 6))
    luck = review(match, shipped(rules)).moments[-1]

    assert match.state.winner == 1
    assert luck.win == pytest.approx(0.769, abs=1e-3)
    assert luck.points == pytest.approx(
        1_000 - turn_odds(rules, MatchPosition(mine=9_800), None).points.value
    )


def test_a_charity_roll_below_the_minimum_bank_scores_nothing():
    rules = rule_files.load("everything2")
    match = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 9_000)).push(ScoreSet(1, 9_800))
    match = match.throw((1, 1, 1, 5, 2, 3)).bank((1, 1, 1, 5)).throw((1, 2, 3, 4, 3, 6))

    assert match.state.winner == 0
    assert review(match, shipped(rules)).moments[-1].win == pytest.approx(-0.231, abs=1e-3)


def test_a_forced_bank_takes_a_keep_that_does_not_overshoot():
    rules = replace(RULES, win=Win.EXACTLY, must_bank_after_triple=True)
    match = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 200)).throw((1, 1, 1, 2, 5))
    usual = turn_odds(rules, MatchPosition(mine=200), None).points.value

    assert match.state.winner == 0
    assert review(match).moments[-1].points == pytest.approx(200 - usual)


def test_nearly_equal_choices_are_ties(wins):
    odds = turn_odds(RULES, MatchPosition(), wins, most=400)
    gaps = [abs(o.win_banked - o.win_thrown) for o in (odds.option(p, 3) for p in (50, 400))]

    assert gaps[1] > 0.001
    assert not odds.option(400, 3).is_tie
    assert odds.option(400, 3).should_bank


def test_refused_banks_have_a_reason():
    odds = turn_odds(replace(RULES, opening=200, minimum_bank=100), MatchPosition(), None)

    assert str(odds.option(50, 4).refused) == "150 short of the 200 needed to get on the board"
    opened = turn_odds(replace(RULES, minimum_bank=100), MatchPosition(), None)
    assert str(opened.option(50, 4).refused) == "50 short of the 100 needed to bank"


def test_too_few_dice_give_no_verdict():
    assert fairness((20,) * 6).p is None
    assert f"needs at least {MIN_DICE}" in str(fairness((20,) * 6))
    assert fairness((0,) * 6).chi_square == 0


def test_fair_dice_are_called_even_and_loaded_ones_are_not():
    even, odd = fairness((98, 103, 101, 97, 104, 97)), fairness((100, 60, 90, 90, 100, 160))

    assert even.p > 0.9
    assert "They look fair: with fair dice, the faces differ at least this much 9" in str(even)
    assert odd.p < 0.001
    assert "The 6 came up 160 times; about 100 would be normal." in str(odd)


def test_dice_as_uneven_as_they_can_be_are_hardly_luck():
    odd = fairness((0, 0, 0, 0, 0, 3000))

    assert "hardly be just luck: with fair dice, only one count in 1,000,000 is" in str(odd)


@pytest.mark.parametrize(
    ("chi_square", "p"), [(0, 1), (11.070, 0.05), (15.086, 0.01), (20.515, 0.001)]
)
def test_the_tail_probability_matches_printed_tables(chi_square, p):
    assert upper_tail(chi_square) == pytest.approx(p, abs=2e-5)


def test_faces_of_a_match_are_counted():
    match = Match.start(RULES, ["Anna", "Ben"]).throw(FARKLE).throw((1, 2, 3, 4, 5))

    assert count_faces(match.timeline) == (1, 2, 3, 2, 1, 1)
