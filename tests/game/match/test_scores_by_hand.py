"""Scores set by hand start the last round, end a match and reopen it, as scores from play do."""

from dataclasses import replace

import pytest

from game.match.events import Farkled, Joined, Left, ScoreSet, TurnSet
from game.match.match import Match
from game.rules import rule_files
from game.rules.ruleset import LastRound

STANDARD = rule_files.load("standard")
WALNUT = rule_files.load("walnut-studiolo")


def match(rules):
    return Match.start(rules, ["Anna", "Ben", "Cleo"])


def test_a_player_on_the_board_stays_there_whatever_score_is_set():
    played = (
        match(WALNUT).throw((1, 1, 1, 2, 3, 4)).bank().push(ScoreSet(0, -100), TurnSet(0, 0, 6))
    )
    played = played.throw((1, 1, 5, 2, 3, 4)).bank((1,))

    assert played.state.players[0].score == 0


def test_a_target_score_set_by_hand_wins_if_nobody_follows():
    assert match(STANDARD).push(ScoreSet(1, 10_000)).state.winner == 1


def test_a_winner_whose_score_is_lowered_has_not_won():
    state = match(STANDARD).push(ScoreSet(1, 10_000)).push(ScoreSet(1, 0)).state

    assert (state.winner, state.closer, state.to_follow) == (None, None, ())
    assert state.turn.seat == 0


def test_a_target_score_set_by_hand_starts_the_last_round():
    state = match(WALNUT).push(ScoreSet(0, 10_000)).state

    assert (state.closer, state.to_follow, state.turn.seat) == (0, (1, 2), 1)
    assert state.winner is None


def test_a_score_set_in_the_last_round_keeps_the_current_player():
    last_round = match(WALNUT).push(ScoreSet(0, 10_000)).push(TurnSet(2, 0, 6))
    state = last_round.push(ScoreSet(1, 100)).state

    assert state.player.name == "Cleo"
    assert last_round.push(ScoreSet(1, 100), Farkled()).state.player.name == "Ben"


def test_the_highest_score_wins_even_if_set_by_hand():
    over = match(WALNUT).push(ScoreSet(0, 10_000)).push(Farkled()).push(Farkled())

    assert over.state.winner == 0
    assert over.push(ScoreSet(2, 10_050)).state.winner == 2
    assert over.push(ScoreSet(0, 9950)).state.winner is None


def test_a_match_won_by_a_throw_stays_won():
    rules = replace(STANDARD, all_ones_win=True)
    won = match(rules).throw((1, 1, 1, 1, 1, 1))

    assert won.push(ScoreSet(0, 0)).state.winner == 0


@pytest.mark.parametrize(("score", "winner"), [(200, 1), (0, 0)])
def test_after_a_fixed_number_of_turns_the_most_points_win(score, winner):
    played = match(replace(STANDARD, rounds=1))
    for _ in range(3):
        played = played.push(Farkled())

    assert played.push(ScoreSet(1, score)).state.winner == winner


@pytest.mark.parametrize("seat", [0, 1])
def test_a_turn_replaced_by_hand_does_not_use_up_a_round(seat):
    played = match(replace(STANDARD, rounds=2)).throw((1, 1, 2, 3, 4, 6))
    played = played.push(TurnSet(seat, 0, 6))
    ended = [0, 0, 0]
    while played.state.winner is None:
        ended[played.state.turn.seat] += 1
        played = played.push(Farkled())

    assert ended == [2, 2, 2]


def test_a_player_who_leaves_after_reaching_the_target_and_comes_back_still_begins_the_last_round():
    played = match(WALNUT).push(ScoreSet(0, 10_000))
    away = played.push(Left(0))
    assert away.state.closer is None
    back = away.push(Joined("Anna"))

    assert (back.state.closer, back.state.to_follow) == (0, (1, 2))
    assert back.push(Farkled()).push(Farkled()).state.winner == 0


def test_players_later_in_the_round_still_play_if_the_player_at_the_target_comes_back():
    later = replace(WALNUT, last_round=LastRound.LATER_IN_ROUND)
    played = Match.start(later, ("Anna", "Ben", "Cleo")).push(Farkled())
    played = played.push(ScoreSet(0, 10_000), Left(0), Joined("Anna"))
    assert (played.state.to_follow, played.state.turn.seat) == ((1, 2), 1)

    played = played.push(Farkled(), Left(0), Joined("Anna"))
    assert (played.state.to_follow, played.state.turn.seat) == ((2,), 2)

    assert played.push(Farkled()).state.winner == 0
