"""Turns, banking, endings, undo and corrections."""

from dataclasses import replace

import pytest

from game.errors import IllegalMove, ThrowError
from game.match.events import Banked, Joined, Kept, Place, Renamed, Skipped, Spliced, Thrown
from game.match.match import MAX_EVENTS, Match, new_names
from game.match.state import TurnEnding
from game.rules import rule_files

RULES = rule_files.load("walnut-studiolo")
FARKLE = (2, 3, 3, 4, 6, 6)
OPENING = (1, 1, 3, 3, 3, 5)  # 550, hot


@pytest.fixture
def match() -> Match:
    return Match.start(RULES, ["Anna", "Ben"])


def scores(match: Match) -> list[int]:
    return [player.score for player in match.state.players]


def test_a_match_has_a_largest_number_of_events(match):
    """The memory that undoing them needs grows with the square of their number."""
    with pytest.raises(IllegalMove, match="at most 5,000 events: start a new one"):
        match.push(*[Skipped()] * (MAX_EVENTS + 1))


def test_banking_takes_the_best_keep_of_the_whole_throw(match):
    match = match.throw(OPENING).bank()

    assert scores(match) == [550, 0]
    assert match.state.turn.seat == 1


def test_turn_adds_up_over_throws(match):
    match = match.throw((1, 1, 2, 3, 4, 6)).keep((1, 1)).throw((5, 5, 5, 2)).keep((5, 5, 5))

    assert match.state.turn.at_risk == 700
    assert match.state.dice_in_hand == 1


def test_a_farkle_loses_the_points_and_ends_the_turn(match):
    match = match.throw((1, 1, 2, 3, 4, 6)).keep((1,)).throw((2, 3, 4, 6, 6))

    assert scores(match) == [0, 0]
    assert match.state.turns[-1].ending is TurnEnding.FARKLE
    assert match.state.turn.seat == 1


def test_hot_dice_are_thrown_again_on_the_same_turn(match):
    match = match.throw(OPENING).keep(OPENING)

    assert match.state.dice_in_hand == 6
    assert match.throw((5, 2, 2, 3, 4, 6)).bank().state.players[0].score == 600


def test_a_bank_below_the_opening_is_refused(match):
    match = match.throw((1, 1, 2, 3, 4, 6))

    assert (
        str(match.state.bank_refusal()) == "200 is 300 short of the 500 needed to get on the board"
    )
    with pytest.raises(IllegalMove, match="300 short of the 500 needed to get on the board"):
        match.bank()


def test_once_opened_any_turn_may_be_banked(match):
    match = match.throw(OPENING).bank().throw(FARKLE)

    assert scores(match.throw((5, 2, 2, 3, 4, 6)).bank()) == [600, 0]


def test_bank_without_a_throw_is_refused(match):
    with pytest.raises(IllegalMove, match="throw first: Anna"):
        match.bank()


def test_the_next_throw_is_refused_until_a_keep_is_decided(match):
    with pytest.raises(IllegalMove, match="first keep some dice from the last throw"):
        match.throw((1, 2, 3, 3, 4, 6)).throw((1, 2))


def test_the_next_throw_must_have_the_dice_left(match):
    with pytest.raises(IllegalMove, match="expected 4 dice, not 3"):
        match.throw((1, 1, 2, 3, 4, 6)).keep((1, 1)).throw((1, 2, 3))


def test_keep_may_be_changed_before_the_next_throw(match):
    match = match.throw((1, 1, 2, 3, 4, 6)).keep((1, 1)).keep((1,))

    assert match.state.dice_in_hand == 5


def test_last_round_gives_everybody_else_one_turn():
    match = Match.start(_to(500), ["Anna", "Ben", "Cleo"])
    match = match.throw(OPENING).bank()

    assert match.state.closer == 0
    match = match.throw(FARKLE).throw(FARKLE)
    assert match.state.winner == 0


def test_last_round_can_be_won_by_topping_the_leader():
    match = Match.start(_to(500), ["Anna", "Ben"]).throw(OPENING).bank()

    assert match.throw((1, 1, 1, 5, 2, 3)).bank().state.winner == 1


def test_a_tie_in_the_last_round_goes_to_the_first_player():
    match = Match.start(_to(500), ["Anna", "Ben"]).throw(OPENING).bank()

    assert match.throw(OPENING).bank().state.winner == 0


def test_reaching_the_target_in_mid_turn_does_not_end_the_match():
    match = Match.start(_to(500), ["Anna", "Ben"]).throw(OPENING).keep(OPENING)

    assert match.state.closer is None


def test_no_event_is_accepted_after_the_end():
    match = Match.start(_to(500), ["Anna", "Ben"]).throw(OPENING).bank().throw(FARKLE)

    with pytest.raises(IllegalMove, match="Anna has won"):
        match.throw(OPENING)


def test_undo_and_redo_reach_both_ends_of_the_match(match):
    steps = [match]
    for move in (Thrown(OPENING), Kept((1, 1)), Thrown((1, 2, 3, 4)), Banked()):
        try:
            steps.append(steps[-1].push(move))
        except IllegalMove:
            steps.append(steps[-1].push(Kept((1,))))
    back = steps[-1]
    for step in reversed(steps[:-1]):
        back = back.undo()

        assert back.state == step.state
    for step in steps[1:]:
        back = back.redo()

        assert back.state == step.state


def test_events_pushed_together_are_one_step(match):
    thrown = match.throw((1, 1, 2, 3, 4, 6))
    match = thrown.push(Kept((1, 1), assumed=True), Thrown((5, 2, 3, 3)))

    assert match.undo().state == thrown.state


def test_undo_without_a_step_is_refused(match):
    with pytest.raises(IllegalMove, match="nothing to undo"):
        match.undo()
    with pytest.raises(IllegalMove, match="nothing to redo"):
        match.redo()


def test_a_new_move_discards_undone_steps(match):
    match = match.throw(OPENING).undo().throw(FARKLE)

    assert not match.can_redo


def test_correcting_a_farkle_continues_the_turn(match):
    match = match.throw(FARKLE).correct(OPENING)

    assert match.state.turn.seat == 0
    assert scores(match.bank()) == [550, 0]


def test_correcting_an_older_throw_recomputes_later_steps(match):
    match = match.throw(OPENING).bank().throw(FARKLE)
    corrected = match.correct((1, 1, 3, 3, 3, 3), index=0)

    assert scores(corrected) == [800, 0]
    assert corrected.undo().state == match.state


def test_an_assumed_keep_is_replaced_when_its_throw_is_corrected(match):
    match = match.throw((1, 5, 2, 3, 4, 6)).keep((1,), assumed=True).throw((1, 2, 3, 3, 4))
    match = match.correct((2, 5, 2, 3, 4, 6), index=0)

    assert match.state.turn.throws[0].keep.dice == (5,)


def test_a_correction_that_makes_a_later_step_impossible_is_refused(match):
    match = match.throw((1, 5, 2, 3, 4, 6)).keep((1,)).throw((1, 2, 3, 3, 4))

    with pytest.raises(IllegalMove, match="would no longer be possible"):
        match.correct((2, 5, 2, 3, 4, 6), index=0)


def test_a_correction_marks_the_misread_die_as_unknown(match):
    places = (Place(2, 10, 10, 30), Place(1, 90, 10, 30), *(Place(3, i, 50, 30) for i in range(4)))
    match = match.throw((2, 1, 3, 3, 3, 3), places).correct((5, 1, 3, 3, 3, 3))

    assert [place.face for place in match.last_throw.places] == [0, 1, 3, 3, 3, 3]


def test_an_impossible_face_is_named(match):
    with pytest.raises(ThrowError, match="not 7"):
        match.throw((1, 2, 3, 4, 5, 7))


@pytest.mark.parametrize("names", [["Anna"], [f"P{i}" for i in range(21)]])
def test_two_to_twenty_players(names):
    with pytest.raises(IllegalMove, match="a match needs 2 to 20 players"):
        Match.start(RULES, names)


@pytest.mark.parametrize("name", ["", "  ", "tab\x00"])
def test_names_that_cannot_be_shown_are_refused(name):
    with pytest.raises(IllegalMove, match="1 to 24 printable characters"):
        Match.start(RULES, ["Anna", name])


def test_two_players_cannot_have_one_name(match):
    with pytest.raises(IllegalMove, match="another player is already called Anna"):
        match.push(Renamed(1, "Anna"))
    with pytest.raises(IllegalMove, match="two players are called Anna"):
        Match.start(RULES, ["Anna", " Anna "])


def _to(target):
    return replace(RULES, target=target)


def test_the_first_seat_must_exist():
    with pytest.raises(IllegalMove, match="seat 3 does not exist: there are 2 players"):
        Match.start(RULES, ["Anna", "Ben"], first=2)


def test_renamed_players_are_found(match):
    renamed = match.push(Renamed(1, "Benjamin"))

    assert new_names(match, renamed) == {"Ben": "Benjamin"}
    assert new_names(renamed, renamed.undo()) == {"Benjamin": "Ben"}
    assert new_names(renamed, renamed.push(Joined("Ben"))) == {}


def test_players_of_another_match_do_not_count_as_renamed(match):
    assert new_names(match, Match.start(RULES, ["Anna", "Cleo"])) == {}


def test_a_player_who_moves_to_another_seat_does_not_count_as_renamed(match):
    both = match.push(Joined("Cleo")).push(Joined("Dora"))

    assert new_names(both, both.push(Spliced(0, 1, ()))) == {}
