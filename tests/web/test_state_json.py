"""The state of the table as JSON."""

import json
from dataclasses import replace

from game.commands import Bank, EnterThrow, KeepDice, RecordEvent, StartMatch
from game.match.events import Left, ScoreSet
from game.match.rolloff import RollOff
from game.situation import Choice
from web.contracts import Photo, PhotoDie
from web.json_schema import StateJson
from web.state_json import state_json


def view(table):
    return json.loads(json.dumps(state_json(table.snapshot())))


def test_state_has_exactly_the_fields_of_its_shape(table):
    fields = set(StateJson.__annotations__)

    assert set(view(table)) == fields
    table.do(StartMatch(("Anna", "Ben")))
    assert set(view(table)) == fields


def test_state_without_a_match_is_empty(table):
    state = view(table)

    assert (state["players"], state["turn"], state["bank"]) == ([], None, None)


def test_state_has_what_the_next_player_may_take_over(table):
    table.do(StartMatch(("Anna", "Ben"), rules="high-stakes"))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    assert view(table)["left_over"] is None
    table.do(Bank((1, 1, 1, 5)))

    assert view(table)["left_over"] == {"points": 1050, "dice": 2}


def test_total_after_a_bank_that_exceeds_an_exact_target_is_the_score_that_the_player_then_has(
    table,
):
    table.do(StartMatch(("Anna", "Ben"), rules="welfare", target=1000))
    table.do(RecordEvent(ScoreSet(0, 950)))
    table.do(EnterThrow((1, 2, 3, 4, 6, 6)))
    shown = view(table)["bank"]
    table.do(Bank())

    assert (shown["points"], shown["refusal"]) == (100, None)
    assert shown["total"] == view(table)["players"][0]["score"] == 950


NEW = {"score": 0, "opened": False, "team": None, "here": True, "bot": ""}


def test_state_shows_who_is_on_turn(table):
    table.do(StartMatch(("Anna", "Ben")))

    assert view(table)["players"] == [
        NEW | {"seat": 0, "name": "Anna", "on_turn": True},
        NEW | {"seat": 1, "name": "Ben", "on_turn": False},
    ]


def test_keeps_are_listed_best_first_with_their_effect(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    best, *others = view(table)["keeps"]

    assert best == {
        "dice": [1, 1, 3, 3, 3, 5],
        "score": 550,
        "combos": ["three 3s 300", "two 1s 200", "one 5 50"],
        "dice_left": 0,
        "hot": True,
        "effect": "hot dice",
        "odds": None,
    }
    assert len(others) == 10


def test_bank_that_ends_the_match_names_the_winner(table):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(Bank())
    table.do(EnterThrow((5, 5, 5, 2, 3, 4)))
    state = view(table)
    assert (state["bank"]["winner"], state["last_round"]["needed"]) == (0, 501)
    assert state["last_round"]["decides"]

    table.do(KeepDice((5, 5, 5)))
    table.do(EnterThrow((1, 1, 1)))
    state = view(table)
    assert (state["bank"]["winner"], state["last_round"]["needed"]) == (1, 0)


def test_last_bank_of_a_match_of_rounds_names_the_winner(table):
    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten", options={"rounds": 1}))
    for dice in ((1, 1, 1, 1, 1, 1), (1, 1, 1, 2, 3, 4)):
        table.do(EnterThrow(dice))
        state = state_json(table.snapshot())
        table.do(Bank())

    assert state["rules"]["rounds"] == 1
    assert state["bank"]["winner"] == 0


def test_points_missing_for_the_opening_are_a_number(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 2, 3, 4, 6, 6)))

    assert view(table)["bank"]["short"] == 400


def test_points_at_risk_are_of_the_best_keep_until_one_is_chosen(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    assert view(table)["at_risk"] == 550
    table.do(KeepDice((1, 1)))
    assert view(table)["at_risk"] == 200


def test_bank_shows_its_dice_and_points(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))

    assert view(table)["bank"] == {
        "dice": [1, 1, 1],
        "points": 1000,
        "total": 1000,
        "refusal": None,
        "short": 0,
        "winner": None,
    }


def test_chosen_keep_is_banked(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 5, 3, 3)))
    assert view(table)["bank"]["points"] == 1050
    table.do(KeepDice((1, 1, 1)))

    assert (view(table)["bank"]["dice"], view(table)["bank"]["points"]) == ([1, 1, 1], 1000)
    table.do(KeepDice((1, 1)))
    assert (
        view(table)["bank"]["refusal"] == "200 is 300 short of the 500 needed to get on the board"
    )


def test_bank_shows_why_it_is_refused(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 2, 3, 4, 6, 6)))

    assert (
        view(table)["bank"]["refusal"] == "100 is 400 short of the 500 needed to get on the board"
    )


def test_throw_of_a_finished_turn_stays_in_view(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((2, 2, 3, 3, 4, 6)))

    assert view(table)["throw"] == {
        "index": 0,
        "dice": [2, 2, 3, 3, 4, 6],
        "kept": None,
        "score": 0,
        "assumed": False,
        "tapped_in": True,
        "simulated": False,
        "seat": 0,
        "turn_points": 0,
        "ending": "farkle",
    }
    assert view(table)["keeps"] == []


def test_earlier_keeps_of_the_turn_are_locked(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    table.do(KeepDice((3, 3, 3)))
    table.do(EnterThrow((1, 2, 2)))

    turn = view(table)["turn"]

    assert (turn["locked_points"], turn["points"], len(turn["throws"])) == (300, 300, 2)


def test_last_round_shows_who_closed_and_the_score_to_beat(table):
    table.do(StartMatch(("Anna", "Ben", "Clara"), target=1000))
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(Bank())

    assert view(table)["last_round"] == {
        "closer": 0,
        "leader": 0,
        "to_beat": 1000,
        "left": [1, 2],
        "needed": 1001,
        "decides": False,
    }


def test_score_to_beat_in_the_last_round_is_not_of_a_player_who_has_left(table):
    table.do(StartMatch(("Anna", "Ben", "Clara"), target=1000))
    table.do(EnterThrow((1, 1, 1, 1, 1, 2)))
    table.do(Bank())
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(Bank())
    table.do(RecordEvent(Left(0)))

    assert view(table)["last_round"] == {
        "closer": 1,
        "leader": 1,
        "to_beat": 1000,
        "left": [2],
        "needed": 1001,
        "decides": True,
    }


def test_turn_of_the_closer_decides_nothing_while_somebody_still_has_a_last_turn(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(RecordEvent(ScoreSet(0, 10_000)))

    last = view(table)["last_round"]
    assert (last["left"], last["needed"], last["decides"]) == ([1], 0, False)


def test_no_turn_decides_a_last_round_that_goes_on_until_nobody_beats_the_best_score(table):
    options = {"last_round": "until unbeaten"}
    table.do(StartMatch(("Anna", "Ben"), target=1000, options=options))
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(Bank())

    assert not view(table)["last_round"]["decides"]
    table.do(EnterThrow((1, 1, 1, 1, 2, 3)))
    table.do(Bank())
    assert (table.match.state.winner, view(table)["last_round"]["closer"]) == (None, 1)


def test_won_match_offers_neither_keep_nor_bank(table):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(Bank())
    table.do(EnterThrow((2, 2, 3, 3, 4, 6)))

    state = view(table)

    assert (state["winner"], state["bank"], state["keeps"]) == (0, None, [])
    assert not any(player["on_turn"] for player in state["players"])


def test_question_photo_and_rolloff_are_in_the_state(table):
    die = PhotoDie(None, 0.5, 0.25, 0.1, 0.2, 12.0, "tray", "cocked")
    table.show(
        question="Did Anna bank?",
        choices=(Choice("yes", "Yes"),),
        photo=Photo("p7", 640, 480, (die, replace(die, slot=3)), index=8),
        rolloff=RollOff().add(3).add(5).close(),
    )

    state = view(table)

    assert state["choices"] == [{"id": "yes", "label": "Yes"}]
    assert state["photo"]["url"] == "/api/v1/photo/p7.jpg"
    assert state["photo"]["dice"][0]["problem"] == "cocked"
    assert state["photo"]["dice"][1]["url"] == "/api/v1/photo/p7/1.jpg"
    assert state["photo"]["index"] == 8
    assert [die["slot"] for die in state["photo"]["dice"]] == [None, 3]
    assert state["rolloff"] == {"rolls": [[3], [5]], "open": False, "seat": None, "first": 1}


def test_die_of_the_roll_off_can_be_undone(table):
    table.show(rolloff=RollOff())
    assert not view(table)["can_undo"]

    table.show(rolloff=RollOff().add(3))
    assert view(table)["can_undo"]


def test_ignored_object_can_be_undone_before_the_first_throw(table):
    table.do(StartMatch(("Anna", "Ben")))
    assert not view(table)["can_undo"]

    table.show(can_undo_more=True)
    assert view(table)["can_undo"]
