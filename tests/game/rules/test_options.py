"""Each option of the rules, switched on in an otherwise plain match."""

from dataclasses import replace

import pytest

from game.errors import IllegalMove, NotationError
from game.match.events import Farkled, Joined, Left, Reordered, ScoreSet, Skipped, TookOver, TurnSet
from game.match.match import Match
from game.match.match_text import from_text, to_text
from game.match.state import TurnEnding
from game.rules import rule_files
from game.rules.ruleset import HotDice, LastRound, Piggyback, Ties, Win

PLAIN = rule_files.load("standard")
FARKLE = (2, 3, 3, 4, 6, 6)
THOUSAND = (1, 1, 1, 2, 3, 4)
HOT = (1, 1, 5, 5, 5, 1)  # 1,500


def begin(*names, **options):
    return Match.start(replace(PLAIN, **options), names or ("Anna", "Ben"))


def scores(match):
    return [player.score for player in match.state.players]


def test_first_to_the_target_wins_at_once_without_a_last_round():
    match = begin(target=1000).throw(THOUSAND).bank()

    assert match.state.winner == 0


def test_over_the_target_needs_one_point_more():
    match = begin(target=1000, win=Win.OVER).throw(THOUSAND).bank()

    assert match.state.winner is None


def test_exactly_scores_zero_for_a_turn_that_overshoots():
    match = begin(target=1000, win=Win.EXACTLY).throw((1, 1, 1, 5, 2, 3))
    assert match.state.best_bank_keep.dice == (1, 1, 1)

    over = match.bank((1, 1, 1, 5))
    assert scores(over) == [0, 0]
    assert over.state.turns[-1].ending is TurnEnding.BANK
    assert match.bank().state.winner == 0


def test_later_in_round_gives_a_last_turn_to_later_seats_only():
    match = begin("Anna", "Ben", "Cleo", target=1000, last_round=LastRound.LATER_IN_ROUND)
    match = match.throw(FARKLE).throw(THOUSAND).bank()

    assert match.state.to_follow == (2,)
    assert match.throw(FARKLE).state.winner == 1


def test_a_charity_roll_is_one_throw_that_banks_by_itself():
    match = begin(target=1000, last_round=LastRound.CHARITY_ROLL).throw(THOUSAND).bank()
    match = match.throw((1, 1, 1, 1, 5, 2))

    assert scores(match) == [1000, 1150]
    assert match.state.winner == 1


SHORT = (1, 1, 2, 3, 4, 6)


@pytest.mark.parametrize("limit", [{"opening": 500}, {"minimum_bank": 300}])
def test_a_charity_roll_below_the_limit_scores_nothing(limit):
    match = begin(target=1000, last_round=LastRound.CHARITY_ROLL, three_farkles=500, **limit)
    match = match.throw(THOUSAND).bank().throw(SHORT)

    assert scores(match) == [1000, 0]
    assert match.state.turns[-1].ending is TurnEnding.FARKLE
    assert match.state.winner == 0


def test_a_charity_roll_on_the_board_needs_no_opening():
    match = begin(target=1500, opening=500, last_round=LastRound.CHARITY_ROLL)
    match = match.throw(FARKLE).throw(THOUSAND).bank().throw(HOT).bank().throw(SHORT)

    assert scores(match) == [1500, 1200]


def test_hot_dice_must_be_thrown_again():
    match = begin(hot_dice=HotDice.MUST).throw(HOT)

    with pytest.raises(IllegalMove, match="after hot dice you must throw all dice again"):
        match.bank()


def test_every_bank_needs_the_minimum():
    match = begin(minimum_bank=300).throw((1, 1, 2, 3, 4, 6))

    with pytest.raises(IllegalMove, match="200 is 100 short of the 300 needed to bank"):
        match.bank()


def test_three_farkles_in_a_row_cost():
    match = begin(three_farkles=500)
    for _ in range(5):
        match = match.throw(FARKLE)

    assert scores(match) == [-500, 0]
    assert scores(match.throw(FARKLE).throw(FARKLE)) == [-500, -500]


def test_a_bank_restarts_the_count_of_farkles():
    match = begin(three_farkles=500)
    for throw in (FARKLE, FARKLE, FARKLE, FARKLE):
        match = match.throw(throw)
    match = match.throw(THOUSAND).bank().throw(THOUSAND).bank().throw(FARKLE)

    assert scores(match) == [1000, 1000]


def test_a_score_stays_at_zero_if_it_must_not_fall_below():
    match = begin(three_farkles=500, below_zero=False)
    for _ in range(5):
        match = match.throw(FARKLE)

    assert scores(match) == [0, 0]


def test_three_scoreless_starts_cost_but_a_later_farkle_restarts_the_count():
    match = begin(three_scoreless_starts=1000)
    late = match.throw((1, 2, 3, 4, 6, 6)).keep((1,)).throw((2, 3, 4, 6, 6))
    for _ in range(5):
        match = match.throw(FARKLE)

    assert scores(match) == [-1000, 0]
    assert late.state.players[0].scoreless_starts == 0


def last_die(**options):
    match = begin(last_die_twice=500, **options)
    return match.throw((1, 1, 1, 5, 5, 2)).keep((1, 1, 1, 5, 5))


def test_last_die_may_be_thrown_twice():
    match = last_die().throw((2,))

    assert match.state.may_rethrow_last_die
    assert str(match.state.bank_refusal()) == "throw the last die once more before you bank"
    assert match.throw((3,)).state.turn.seat == 1


@pytest.mark.parametrize("tries", [1, 2])
def test_last_die_that_scores_brings_the_bonus_and_all_dice(tries):
    match = last_die()
    for _ in range(tries - 1):
        match = match.throw((2,))
    match = match.throw((5,)).keep((5,))

    assert match.state.turn.at_risk == 1100 + 500 + 50
    assert match.state.dice_in_hand == 6


def test_four_twos_reset_the_score():
    match = begin(four_twos_reset=True).throw(THOUSAND).bank().throw(FARKLE)
    match = match.throw((2, 2, 2, 2, 1, 5))

    assert scores(match) == [0, 0]
    assert match.state.turns[-1].ending is TurnEnding.RESET


def test_all_dice_alike_win_before_they_reset_the_score():
    match = begin(four_twos_reset=True, all_alike_wins=True).throw((2,) * 6)

    assert match.state.winner == 0


def test_three_3s_cost_at_once_and_cannot_be_kept():
    match = begin(triple_threes=300).throw((3, 3, 3, 1, 2, 4))

    assert scores(match) == [-300, 0]
    assert [keep.dice for keep in match.state.keeps] == [(1,)]


def test_after_three_of_a_kind_the_turn_is_banked():
    match = begin(must_bank_after_triple=True).throw((2, 2, 2, 1, 3, 4))

    assert scores(match) == [300, 0]


def test_a_forced_bank_is_waived_below_the_opening():
    match = begin(must_bank_after_triple=True, opening=450).throw((2, 2, 2, 1, 3, 4))

    assert match.state.turn.seat == 0


def test_nothing_at_all_is_a_keep_of_all_dice():
    match = begin(nothing=500).throw(FARKLE)

    assert match.state.keeps[0].score == 500
    assert match.keep(FARKLE).state.dice_in_hand == 6


def test_three_3s_that_cost_are_not_a_scoreless_throw():
    match = begin(nothing=500, triple_threes=300).throw((2, 3, 3, 3, 4, 6))

    assert scores(match) == [-300, 0]
    assert match.state.turns[-1].ending is TurnEnding.FARKLE


def test_score_set_by_hand_above_an_exact_target_is_refused():
    match = begin(win=Win.EXACTLY, last_round=LastRound.NONE)
    with pytest.raises(IllegalMove, match="reached exactly: set at most 10,000 points"):
        match.push(ScoreSet(1, 10_050))

    assert match.push(ScoreSet(1, 10_000)).state.winner == 1


def piggy(kind=Piggyback.YES):
    return begin(piggyback=kind).throw((1, 1, 1, 5, 2, 3)).bank()


def test_taking_over_brings_the_points_and_the_dice_left():
    match = piggy().push(TookOver()).throw((1, 2))

    assert scores(match) == [1050, 0]
    assert scores(match.bank()) == [1050, 1150]


def test_a_farkle_after_taking_over_costs_only_the_turn():
    assert scores(piggy().push(TookOver()).throw((2, 3))) == [1050, 0]


def test_taking_over_is_refused_after_a_throw_or_without_the_rule():
    with pytest.raises(IllegalMove, match="no banked points to take over now"):
        piggy().throw(THOUSAND).push(TookOver())
    with pytest.raises(IllegalMove, match="no banked points to take over now"):
        piggy(Piggyback.NO).push(TookOver())


def test_nothing_is_taken_over_after_hot_dice_with_not_heavy():
    heavy = (
        begin(piggyback=Piggyback.NOT_HEAVY).throw(HOT).keep(HOT).throw((5, 2, 3, 3, 4, 6)).bank()
    )

    assert heavy.state.left_over is None
    assert begin(piggyback=Piggyback.YES).throw(HOT).bank().state.left_over.dice == 6


def test_points_taken_over_count_for_the_opening():
    match = begin(piggyback=Piggyback.YES, opening=500).throw(THOUSAND).bank()

    assert scores(match.push(TookOver()).throw((5, 2, 3)).bank()) == [1000, 1050]


def test_team_mates_share_a_score():
    rules = replace(PLAIN, opening=500)
    match = Match.start(rules, ["A1", "B1", "A2", "B2"], teams=[0, 1, 0, 1])
    match = match.throw(THOUSAND).bank().throw(FARKLE).throw((5, 2, 3, 3, 4, 6)).bank()

    assert scores(match) == [1050, 0, 1050, 0]


def test_team_mates_of_the_closer_do_not_follow():
    rules = replace(PLAIN, target=1000, last_round=LastRound.EVERY_OTHER)
    match = Match.start(rules, ["A1", "B1", "A2", "B2"], teams=[0, 1, 0, 1]).throw(THOUSAND).bank()

    assert match.state.to_follow == (1, 3)


def test_the_last_player_of_a_team_cannot_leave():
    match = Match.start(PLAIN, ["A1", "B1", "A2"], teams=[0, 1, 0])

    assert match.push(Left(2)).state.order == (0, 1)
    with pytest.raises(IllegalMove, match="a match needs at least two teams"):
        match.push(Left(1))


def test_five_dice():
    match = Match.start(rule_files.load("colorado-dice"), ["Anna", "Ben"]).throw((1, 2, 3, 4, 5))

    assert match.state.keeps[0].score == 750
    assert match.state.keeps[0].hot


def test_a_player_joins_at_the_end_and_leaves_with_the_score_on_the_board():
    match = begin().push(Joined("Cleo")).throw(THOUSAND).bank()
    match = match.push(Left(1))

    assert match.state.player.name == "Cleo"
    assert match.state.order == (0, 2)
    assert scores(match) == [1000, 0, 0]


def test_a_player_who_left_comes_back_with_the_old_seat_and_score():
    match = begin("Anna", "Ben", "Cleo").throw(THOUSAND).bank().push(Left(0), Joined("Anna"))

    assert match.state.order == (1, 2, 0)
    assert [player.name for player in match.state.players] == ["Anna", "Ben", "Cleo"]
    assert scores(match) == [1000, 0, 0]
    assert match.state.players[0].here
    assert from_text(to_text(match)) == match


def test_a_player_who_left_does_not_come_back_in_another_team():
    match = Match.start(PLAIN, ["A1", "B1", "A2"], teams=[0, 1, 0]).push(Left(2))

    with pytest.raises(IllegalMove, match="A2 played in team 0 and can only come back there"):
        match.push(Joined("A2", 1))
    assert match.push(Joined("A2")).state.players[2].team == 0


def test_a_player_who_leaves_on_turn_ends_the_turn():
    match = begin("Anna", "Ben", "Cleo").throw(THOUSAND).push(Left(0))

    assert match.state.player.name == "Ben"
    assert match.state.turn.last is None


def test_the_order_can_be_changed():
    match = begin("Anna", "Ben", "Cleo").push(Reordered((2, 1, 0))).throw(FARKLE)

    assert match.state.player.name == "Cleo"


def test_a_player_is_skipped_without_counting_a_farkle():
    match = begin().throw(FARKLE).throw(FARKLE).push(Skipped())

    assert match.state.players[0].farkles == 1
    assert match.state.turn.seat == 1


def test_a_farkle_can_be_declared():
    assert begin().push(Farkled()).state.turn.seat == 1
    with pytest.raises(IllegalMove, match="it is not a farkle"):
        begin().throw(THOUSAND).push(Farkled())


def test_scores_and_turns_are_set_by_hand():
    match = begin().push(ScoreSet(1, 3200), TurnSet(1, 450, 3)).throw((1, 2, 3)).bank()

    assert scores(match) == [0, 3750]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (ScoreSet(7, 0), "that seat does not exist: the match has 2 players"),
        (ScoreSet(0, -1_000_001), "a score can be at most 1,000,000"),
        (TurnSet(7, 0, 3), "that player is not in the match"),
        (TurnSet(0, -1, 3), "points at risk must be 0 to 1,000,000, not -1"),
        (TurnSet(0, 1_000_001, 3), "points at risk must be 0 to 1,000,000"),
        (TurnSet(0, 0, 7), "a throw must have 1 to 6 dice, not 7"),
        (Left(0), "a match needs 2 to 20 players, not 1"),
        (Reordered((0,)), "the order must name each player once: Anna, Ben"),
        (Joined("Ben"), "another player is already called Ben"),
        (Joined("Cleo", 101), "team numbers are 0 to 100, not 101"),
    ],
)
def test_an_impossible_manual_change_is_refused_with_the_reason(event, message):
    with pytest.raises(IllegalMove, match=message):
        begin().push(event)


def test_a_player_who_leaves_does_not_affect_the_current_turn():
    names = ("Anna", "Ben", "Cleo", "Dan")
    match = begin(*names, target=1000, last_round=LastRound.EVERY_OTHER).throw(THOUSAND).bank()
    match = match.push(TurnSet(2, 700, 6)).throw((1, 1, 2, 3, 4, 6)).keep((1, 1)).push(Left(3))

    assert match.state.turn.seat == 2
    assert match.state.turn.at_risk == 900


def test_a_scoring_first_throw_restarts_the_count_of_scoreless_starts():
    match = begin(three_scoreless_starts=1000)
    for _ in range(3):
        match = match.throw((1, 2, 3, 4, 6, 6)).keep((1,)).push(Farkled(), Skipped())

    assert scores(match) == [0, 0]


def test_points_count_once_more_after_each_hot_dice():
    match = begin(hot_dice_multiply=True).throw(HOT).keep(HOT).throw(THOUSAND)
    assert match.state.keeps[0].score == 2000

    match = match.keep((1, 1, 1)).throw((5, 5, 5)).keep((5, 5, 5)).throw((1, 2, 3, 4, 6, 6))
    assert match.bank().state.turns[0].points == 1500 + 2 * 1000 + 2 * 500 + 3 * 100


def test_the_text_of_a_multiplied_keep_reads_back():
    match = begin(hot_dice_multiply=True).throw(HOT).keep(HOT).throw(THOUSAND).bank()

    assert "111234: ~111 = 2000, bank" in to_text(match)
    assert from_text(to_text(match)).state == match.state


def test_a_multiplier_that_was_not_reached_is_refused():
    text = to_text(begin(hot_dice_multiply=True).throw(THOUSAND).bank())

    with pytest.raises(NotationError, match="says 3,000, but 1 1 1 = 1,000"):
        from_text(text.replace("= 1000", "= 3000"))


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        ((1, 1, 1, 2, 3, 4), "3 dice left you must"),
        ((1, 2, 3, 4, 6, 6), "5 dice left"),
    ],
)
def test_many_dice_left_must_be_thrown(dice, why):
    match = begin(must_throw_from=3).throw(dice)

    assert why in str(match.state.bank_refusal())
    with pytest.raises(IllegalMove, match="must throw"):
        match.bank()


def test_few_dice_left_may_be_banked():
    assert scores(begin(must_throw_from=3).throw((1, 1, 1, 5, 2, 3)).bank()) == [1050, 0]


def test_the_highest_score_wins_after_a_fixed_number_of_turns():
    match = begin(rounds=2, target=1000).throw(THOUSAND).bank()
    assert match.state.winner is None

    match = match.throw(FARKLE).throw(FARKLE).throw((1, 2, 3, 4, 6, 6)).bank()
    assert match.state.winner == 0
    assert scores(match) == [1000, 100]


def test_a_tie_after_the_last_turn_goes_to_the_player_who_began():
    match = begin(rounds=1).throw(THOUSAND).bank().throw(THOUSAND).bank()

    assert match.state.winner == 0


def test_a_player_who_joins_in_the_first_round_gets_as_many_turns():
    match = begin(rounds=1).throw(FARKLE).push(Joined("Cleo"))
    match = match.throw(FARKLE)
    assert match.state.turn.seat == 2

    assert match.throw(THOUSAND).bank().state.winner == 2


def test_a_player_who_leaves_before_the_last_turn_ends_the_match():
    match = begin("Anna", "Ben", "Cleo", rounds=1).throw(THOUSAND).bank().throw(FARKLE)

    assert match.push(Left(2)).state.winner == 0


def test_a_turn_that_overshoots_goes_to_the_lowest_score():
    match = begin("Anna", "Ben", "Cleo", target=1000, win=Win.EXACTLY, welfare=True)
    match = match.push(ScoreSet(1, 50), ScoreSet(2, 0), ScoreSet(0, 500)).throw((5, 5, 5, 1, 2, 3))
    over = match.bank((1, 5, 5, 5))

    assert scores(over) == [500, 50, 600]
    assert over.state.players[2].opened
    assert (over.state.turns[0].given, over.state.turns[0].given_to) == (600, 2)
    assert match.push(ScoreSet(2, 400), ScoreSet(1, 600)).bank((1, 5, 5, 5)).state.winner == 2
    assert scores(match.push(ScoreSet(2, 450), ScoreSet(1, 600)).bank((1, 5, 5, 5))) == [
        500,
        600,
        450,
    ]


def test_nothing_but_ones_in_a_throw_wins():
    rules = {"all_ones_win": True}

    assert begin(**rules).throw((1,) * 6).state.winner == 0
    assert begin(**rules).throw((2,) * 6).state.winner is None


def test_a_farkle_after_taking_over_costs():
    rules = {"piggyback": Piggyback.YES, "take_over_farkle": 500}
    match = begin(**rules).throw(THOUSAND).bank()

    assert scores(match.push(TookOver()).throw((2, 3, 4))) == [1000, -500]
    assert scores(match.throw(FARKLE)) == [1000, 0]


NOTHING = (2, 2, 3, 4, 6, 6)


def test_nothing_may_pay_in_the_first_throw_only():
    match = begin(nothing=500, nothing_first_throw=True)
    later = match.throw(NOTHING).keep(NOTHING).throw(NOTHING)

    assert match.throw(NOTHING).state.keeps[0].score == 500
    assert later.state.turns[0].ending is TurnEnding.FARKLE
    assert later.state.turn.seat == 1


def test_greedy_dice_pays_nothing_after_hot_dice():
    match = Match.start(rule_files.load("greedy-dice"), ["Anna", "Ben"])

    assert match.throw(HOT).keep(HOT).throw(NOTHING).state.turn.seat == 1


def test_only_a_player_on_the_board_takes_over_in_table_10000():
    match = Match.start(rule_files.load("table-10000"), ["Anna", "Ben"]).throw(THOUSAND).bank()
    assert match.state.left_over is None

    match = match.throw(THOUSAND).bank()
    assert match.state.left_over.points == 1000


@pytest.mark.parametrize("throw", [FARKLE, THOUSAND])
def test_a_first_throw_without_points_costs(throw):
    match = begin(scoreless_start=500).throw(throw)

    assert scores(match)[0] == (-500 if throw is FARKLE else 0)
    assert scores(begin(scoreless_start=500).throw(THOUSAND).keep((1, 1, 1)).throw((2, 3, 4))) == [
        0,
        0,
    ]


def test_each_of_three_first_throws_without_points_costs():
    match = begin(scoreless_start=500, three_scoreless_starts=1000)
    for _ in range(5):
        match = match.throw(FARKLE)

    assert scores(match) == [-2500, -1000]


def test_the_same_score_knocks_another_player_back():
    match = begin(knock_back=True, opening=500).throw(THOUSAND).bank().throw(THOUSAND).bank()

    assert scores(match) == [0, 1000]
    assert [player.opened for player in match.state.players] == [False, True]
    assert match.state.turns[-1].knocked_back == (0,)
    assert from_text(to_text(match)) == match


def test_a_player_at_zero_and_team_mates_are_not_knocked_back():
    rules = replace(PLAIN, knock_back=True)
    match = Match.start(rules, ["A1", "B1", "A2", "B2"], teams=[0, 1, 0, 1]).throw(THOUSAND).bank()
    assert scores(match) == [1000, 0, 1000, 0]

    assert scores(match.throw(THOUSAND).bank()) == [0, 1000, 0, 1000]


FIFTY = (2, 2, 3, 4, 6, 5)
"""A throw in which only the 5 scores."""


@pytest.mark.parametrize(("ties", "turns"), [("tied players", 2), ("everybody", 3)])
def test_after_a_tie_players_have_one_more_turn_until_one_leads(ties, turns):
    options = {"target": 1000, "last_round": LastRound.EVERY_OTHER, "ties": Ties(ties)}
    match = begin("Anna", "Ben", "Cleo", **options)
    match = match.throw(THOUSAND).bank().throw(FARKLE).throw(FARKLE)
    assert match.state.winner == 0

    match = begin("Anna", "Ben", "Cleo", **options)
    match = match.throw(THOUSAND).bank().throw(THOUSAND).bank().throw(FARKLE)
    assert match.state.to_follow == (0, 1, 2)[:turns]
    for _ in range(turns):
        match = match.throw(FARKLE)
    assert match.state.to_follow == (0, 1, 2)[:turns]
    match = match.throw(FARKLE).throw(FIFTY).bank()
    match = match if turns == 2 else match.throw(FARKLE)

    assert match.state.winner == 1
    assert from_text(to_text(match)).state.winner == 1


def test_a_tie_after_a_fixed_number_of_turns_is_played_off():
    match = begin(rounds=1, ties=Ties.TIED_PLAYERS).throw(FIFTY).bank().throw(FIFTY).bank()
    assert match.state.winner is None
    assert match.state.turn.seat == 0

    match = match.throw(FARKLE).throw(FIFTY).bank()

    assert match.state.winner == 1


def test_the_last_round_goes_on_until_nobody_beats_the_best():
    rules = {"target": 1000, "last_round": LastRound.UNTIL_UNBEATEN}
    match = begin("Anna", "Ben", "Cleo", **rules).throw(THOUSAND).bank()
    match = match.throw((1, 1, 1, 5, 2, 4)).bank()
    assert match.state.closer == 1
    assert match.state.to_follow == (2, 0)

    match = match.throw(FARKLE).throw(FIFTY).bank()

    assert match.state.winner == 1


def test_only_the_tied_players_play_off_until_nobody_beats_the_best():
    rules = {"target": 1000, "last_round": LastRound.UNTIL_UNBEATEN, "ties": Ties.TIED_PLAYERS}
    match = begin("Anna", "Ben", "Cleo", **rules).throw(THOUSAND).bank().throw(THOUSAND).bank()
    match = match.throw(FARKLE)
    assert match.state.to_follow == (0, 1)
    match = match.throw(FARKLE)
    assert match.state.to_follow == (1,)

    match = match.throw(FIFTY).bank()
    assert match.state.to_follow == (0,)
    match = match.throw(FARKLE)

    assert match.state.winner == 1


def test_a_turn_must_score_more_than_the_turn_before():
    match = begin(must_beat_turn=True).throw((1, 1, 2, 3, 4, 6)).bank().throw((1, 1, 2, 3, 4, 6))

    with pytest.raises(IllegalMove, match="200 does not beat the 200 of the turn before"):
        match.bank()
    match = match.keep((1, 1)).throw((5, 2, 3, 4)).bank()
    assert scores(match) == [200, 250]
    assert scores(match.throw(FARKLE).throw(FIFTY).bank()) == [200, 300]


def test_a_turn_set_by_hand_must_beat_the_same_turn_as_before():
    match = begin(must_beat_turn=True).throw(THOUSAND).bank()
    match = match.throw((1, 1, 1, 2, 2, 3)).keep((1,)).push(TurnSet(1, 300, 3)).throw((1, 1, 5))

    with pytest.raises(IllegalMove, match="550 does not beat the 1,000 of the turn before"):
        match.bank()


def test_a_turn_set_by_hand_with_points_goes_on():
    """Its next throw is not the first one of the turn, for which some rules have their own points and penalties."""
    costly = begin(scoreless_start=500).throw((1, 1, 1, 1, 2, 3)).push(TurnSet(0, 300, 3))
    assert scores(costly.throw((2, 3, 4))) == [0, 0]
    assert scores(costly.push(TurnSet(0, 0, 6)).throw(FARKLE)) == [-500, 0]

    generous = begin(nothing=500, nothing_first_throw=True)
    assert [keep.score for keep in generous.throw(NOTHING).state.keeps] == [500]
    assert generous.push(TurnSet(0, 1100, 6)).throw(NOTHING).state.turn.seat == 1


def test_all_dice_that_score_must_be_kept():
    match = begin(keep_all=True).throw((1, 1, 1, 5, 2, 4))

    assert [keep.dice for keep in match.state.keeps] == [(1, 1, 1, 5)]
    with pytest.raises(IllegalMove, match="all dice that score must be kept: 1 1 1 5"):
        match.keep((1,))


def test_the_last_throw_of_a_turn_is_banked_or_lost():
    match = begin(most_throws=2).throw(FIFTY).keep((5,)).throw((1, 2, 3, 4, 6))
    assert scores(match) == [150, 0]

    match = begin(most_throws=1, opening=500).throw(FIFTY)
    assert match.state.turns[0].ending is TurnEnding.FARKLE


@pytest.mark.parametrize(
    ("option", "dice"), [("straight_wins", (1, 2, 3, 4, 5, 6)), ("all_sixes_win", (6,) * 6)]
)
def test_one_throw_may_win(option, dice):
    assert begin(**{option: True}).throw(dice).state.winner == 0
    assert begin().throw(dice).state.winner is None


def test_each_farkle_after_the_third_costs_as_much():
    match = begin(three_farkles=500, farkles_keep_costing=True)
    for _ in range(5):
        match = match.throw(FARKLE).throw(FIFTY).bank()

    assert scores(match) == [-1500, 250]


def test_a_player_who_falls_to_zero_must_get_on_the_board_again():
    rules = {"opening": 500, "three_farkles": 500, "opening_at_zero": True, "below_zero": False}
    match = begin(**rules).throw((5, 5, 5, 2, 3, 4)).bank()
    assert match.state.players[0].opened
    for _ in range(3):
        match = match.throw(FARKLE).throw(FARKLE)

    assert scores(match) == [0, 0]
    assert not match.state.players[0].opened
