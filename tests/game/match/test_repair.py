"""Repairs for a corrected throw that does not fit the steps after it."""

from dataclasses import replace

import pytest

from game.errors import LaterStepError, ThrowError
from game.match.events import (
    Corrected,
    Joined,
    Left,
    Place,
    Renamed,
    ScoreSet,
    Skipped,
    Thrown,
    TurnSet,
)
from game.match.match import Match
from game.match.repair import check_same_players, repairs
from game.match.state import TurnEnding
from game.rules import rule_files

FARKLE = (2, 3, 3, 4, 6, 6)
OPENING = (1, 1, 3, 3, 3, 5)
SCORING = (1, 1, 1, 2, 3, 4)

TO_A_THOUSAND = rule_files.with_options(
    rule_files.load("walnut-studiolo"), {"target": 1000, "opening": 0}
)


@pytest.fixture
def match():
    return Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])


def scores(match):
    return [player.score for player in match.state.players]


def labelled(match, correction):
    return {str(repair.label): match.push(repair.action) for repair in repairs(match, correction)}


def test_a_misread_farkle_is_repaired_after_the_next_players_throw(match):
    match = match.throw(FARKLE).throw(SCORING).bank()
    correction = Corrected(0, OPENING)
    with pytest.raises(
        LaterStepError, match=r"Ben's throw 1 1 1 2 3 4 in turn 2 would no longer be possible"
    ):
        match.push(correction)
    ways = labelled(match, correction)

    assert scores(ways["Anna banked there; later turns stay as they are"]) == [550, 1000]
    back = ways["Anna's turn continues from there; one later throw is deleted"]
    assert scores(back) == [0, 0]
    assert back.state.turn.last.dice == OPENING


def test_a_later_step_that_does_not_fit_is_named_with_the_player_who_made_it():
    match = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben", "Cleo"])
    match = match.throw(SCORING).bank().throw(FARKLE).throw(SCORING).bank()

    with pytest.raises(
        LaterStepError, match=r"Cleo's throw 1 1 1 2 3 4 in turn 3 would no longer be possible"
    ):
        match.push(Corrected(2, OPENING))


def test_a_throw_corrected_to_a_farkle_ends_its_turn(match):
    match = match.throw(OPENING).bank().throw(SCORING).bank()
    ways = labelled(match, Corrected(0, FARKLE))

    assert scores(ways["Anna farkled there; later turns stay as they are"]) == [0, 1000]


def test_a_chosen_keep_is_replaced_by_one_of_equal_size(match):
    match = match.throw((1, 5, 2, 3, 4, 6)).keep((1,)).throw((1, 2, 3, 3, 4))
    ways = labelled(match, Corrected(0, (2, 5, 2, 3, 4, 6)))

    assert ways["Anna kept 5 = 50 instead"].state.turn.throws[0].keep.dice == (5,)


def test_every_repair_marks_the_misread_face_as_unknown(match):
    places = tuple(Place(face, 0.1 * i, 0.1, 0.02) for i, face in enumerate(FARKLE))
    match = match.push(Thrown(FARKLE, places)).throw(SCORING).bank()
    ways = labelled(match, Corrected(0, (2, 3, 3, 4, 6, 5)))

    assert ways
    for way in ways.values():
        assert [place.face for place in way.timeline[0].places] == [2, 3, 3, 4, 0, 0]


def test_the_label_gives_the_multiplied_score_after_hot_dice():
    match = Match.start(rule_files.load("play-palace"), ["Anna", "Ben"])
    match = match.throw((1, 2, 3, 4, 5, 6)).keep((1, 2, 3, 4, 5, 6))
    match = match.throw((1, 1, 2, 3, 4, 6)).keep((1, 1)).throw((1, 2, 3, 4))
    ways = labelled(match, Corrected(2, (1, 5, 2, 3, 4, 6)))

    assert ways["Anna kept 1 5 = 30 instead"].state.turn.throws[1].keep.score == 30


def test_a_bank_below_the_opening_is_not_offered(match):
    match = match.throw(FARKLE).throw(SCORING).bank()
    ways = labelled(match, Corrected(0, (1, 2, 3, 3, 4, 6)))

    assert list(ways) == ["Anna's turn continues from there; one later throw is deleted"]


def test_players_who_joined_in_the_meantime_stay(match):
    match = match.throw(OPENING).push(Joined("Cleo")).bank().throw(FARKLE)
    ways = labelled(match, Corrected(0, FARKLE))

    assert [
        p.name for p in ways["Anna farkled there; later turns stay as they are"].state.players
    ] == [
        "Anna",
        "Ben",
        "Cleo",
    ]


def test_impossible_dice_are_named(match):
    with pytest.raises(ThrowError, match="not 7"):
        repairs(match.throw(FARKLE), Corrected(0, (7,)))


def test_an_assumed_keep_is_found_after_a_rename(match):
    match = match.throw((1, 1, 3, 3, 4, 6)).push(Renamed(0, "Annie"))
    match = match.keep((1,), assumed=True).throw((1, 2, 3, 3, 4))
    match = match.correct((5, 2, 3, 3, 4, 6), index=0)

    assert match.state.turn.throws[0].keep.dice == (5,)


def test_a_throw_that_banks_by_itself_keeps_later_turns():
    rules = replace(rule_files.load("standard"), must_bank_after_triple=True)
    match = Match.start(rules, ["Anna", "Ben"]).throw((1, 1, 2, 3, 4, 6)).bank()
    match = match.throw((1, 5, 2, 3, 4, 6)).bank()
    ways = labelled(match, Corrected(0, (1, 1, 1, 3, 4, 6)))

    assert scores(ways["Anna banked there; later turns stay as they are"]) == [1000, 150]


def test_a_reset_keeps_later_turns():
    rules = replace(rule_files.load("standard"), four_twos_reset=True)
    match = Match.start(rules, ["Anna", "Ben"]).throw(SCORING).bank().throw(SCORING).bank()
    ways = labelled(match, Corrected(0, (1, 2, 2, 2, 2, 3)))

    assert scores(ways["Anna lost their whole score there; later turns stay as they are"]) == [
        0,
        1000,
    ]


def test_dropping_later_throws_keeps_names_and_players(match):
    match = match.throw(FARKLE).throw(SCORING).push(Renamed(0, "Annie")).bank()
    ways = labelled(match, Corrected(0, OPENING))
    back = ways["Annie's turn continues from there; one later throw is deleted"]

    assert back.state.players[0].name == "Annie"


def test_a_throw_of_a_turn_that_was_broken_off_can_be_corrected(match):
    match = match.throw((1, 1, 3, 3, 4, 6)).keep((1, 1)).push(TurnSet(1, 0, 6))
    assert match.state.turns[0].ending is TurnEnding.SKIP
    ways = labelled(match, Corrected(0, (2, 3, 3, 4, 6, 6)))

    assert "Anna farkled there; later turns stay as they are" in ways


def test_a_skip_that_would_hit_another_turn_is_named_and_a_bank_is_offered():
    match = Match.start(rule_files.load("standard"), ["Anna", "Ben", "Cleo"])
    match = match.throw(FARKLE).push(Skipped()).throw(SCORING).bank()
    correction = Corrected(0, (1, 2, 3, 3, 4, 6))
    with pytest.raises(LaterStepError, match=r"to Ben's turn 2 .*: it would be Anna's turn"):
        check_same_players(match, match.push(correction), since=0)

    assert scores(
        labelled(match, correction)["Anna banked there; later turns stay as they are"]
    ) == [
        100,
        0,
        1000,
    ]


def test_no_repair_gives_later_turns_to_other_players():
    match = Match.start(TO_A_THOUSAND, ["Anna", "Ben", "Cleo", "Dan"], teams=[0, 1, 0, 1])
    match = match.throw(SCORING).bank().throw(OPENING).bank().throw((1, 2, 3, 3, 4, 6)).bank()
    correction = Corrected(0, OPENING)
    with pytest.raises(
        LaterStepError, match=r"Dan's throw 1 2 3 3 4 6 .*: it would be Cleo's turn"
    ):
        check_same_players(match, match.push(correction), since=0)

    assert "Anna banked there; later turns stay as they are" not in labelled(match, correction)


def test_a_player_who_left_in_the_meantime_does_not_shift_turns():
    match = Match.start(rule_files.load("standard"), ["Anna", "Ben", "Cleo"])
    match = match.throw(SCORING).push(Left(0)).throw(SCORING).bank()

    check_same_players(match, match.correct(FARKLE, 0), since=0)


def test_a_player_who_joined_in_the_last_turn_is_next():
    match = Match.start(rule_files.load("standard"), ["Anna", "Ben"])
    match = match.throw(OPENING).bank().throw(OPENING).push(Joined("Cleo")).bank((1, 1))
    match = match.throw(SCORING).bank().throw(OPENING).bank()
    ways = labelled(match, Corrected(2, FARKLE))

    assert scores(ways["Ben farkled there; later turns stay as they are"]) == [1100, 0, 1000]
    back = ways["Ben's turn ended there; 2 later throws are deleted"]
    assert back.state.player.name == "Cleo"


def test_a_score_set_during_the_turn_keeps_its_bank(match):
    match = match.throw(OPENING).push(ScoreSet(0, 2000)).bank((1, 1)).throw(SCORING).bank()
    ways = labelled(match, Corrected(0, (2, 3, 3, 4, 5, 6)))

    assert scores(ways["Anna banked there; later turns stay as they are"]) == [2050, 1000]


def test_a_player_who_left_during_the_turn_banks_first(match):
    match = Match.start(rule_files.load("standard"), ["Anna", "Ben", "Cleo"])
    match = match.throw(OPENING).keep((1, 1)).push(Left(0)).throw(SCORING).bank()
    ways = labelled(match, Corrected(0, (2, 3, 3, 4, 5, 6)))

    assert scores(ways["Anna banked there; later turns stay as they are"]) == [50, 1000, 0]


def test_a_bank_that_wins_earlier_drops_later_turns():
    rules = rule_files.with_options(rule_files.load("standard"), {"target": 1000})
    match = Match.start(rules, ["Anna", "Ben"]).throw((1, 2, 2, 3, 4, 6)).keep((1,), assumed=True)
    match = match.throw((1, 1, 2, 3, 4)).bank().throw(OPENING).bank().throw(FARKLE)
    ways = labelled(match, Corrected(2, (1, 1, 1, 3, 4)))

    won = ways["Anna still banked; 2 later throws are deleted"]
    assert (won.state.winner, scores(won)) == (0, [1100, 0])
    assert "Anna's turn continues from there; 2 later throws are deleted" in ways


def test_a_bank_that_no_longer_reaches_the_target_drops_later_turns():
    match = Match.start(TO_A_THOUSAND, ["Anna", "Ben", "Cleo", "Dan"], teams=[0, 1, 0, 1])
    match = match.throw(SCORING).bank().throw(OPENING).bank().throw((1, 2, 3, 3, 4, 6)).bank()
    ways = labelled(match, Corrected(0, OPENING))

    back = ways["Anna still banked; 2 later throws are deleted"]
    assert (scores(back), back.state.player.name) == ([550, 0, 550, 0], "Ben")
