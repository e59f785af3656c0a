"""The results of the club, and merging and splitting its players."""

import time
from dataclasses import replace

import pytest

from bench.self_play import SelfPlay
from game.errors import IllegalMove
from game.match.events import Banked, Bot, ScoreSet, Skipped, Thrown
from game.match.match import Match
from game.rules.ruleset import LastRound
from game.stats.counts import tallies
from tests.web.club.conftest import EVENING_S, RULES
from web.club.standings import evening_start_s


def names(standings):
    return {standing.name: standing for standing in standings.table()}


def winner(tape):
    return tape.match.state.players[tape.match.state.winner].name


def test_table_counts_wins(played, standings):
    tapes = [played(["Anna", "Ben"], seed) for seed in range(1, 8)]
    wins = [winner(tape) for tape in tapes]
    table = names(standings)

    assert table["Anna"].won == wins.count("Anna")
    assert table["Ben"].won == wins.count("Ben")
    assert table["Anna"].played == 7
    assert [s.won for s in standings.table()] == sorted(
        (s.won for s in standings.table()), reverse=True
    )


def test_the_table_counts_turns_and_farkles_as_the_tray_does(history, standings):
    """A skipped turn is no turn, and a last throw that scores too few points is no farkle."""
    rules = replace(RULES, last_round=LastRound.CHARITY_ROLL, minimum_bank=300)
    tape = SelfPlay(Match.start(rules, ["Anna", "Ben"]), "00000000000000ab", EVENING_S)
    for _ in range(5):
        tape.do(Skipped())
        tape.do(Thrown((2, 2, 3, 4, 6, 6)))
    tape.do(Thrown((1, 1, 1, 1, 2, 3)))
    tape.do(Banked())
    tape.do(Thrown((1, 2, 3, 4, 6, 6)))
    for entry in tape.entries:
        history.add("t1", entry)
    table = names(standings)
    anna, ben = tallies(tape.match)

    assert tape.match.state.winner == 0
    assert (table["Anna"].turns, table["Anna"].average) == (anna.turns, anna.average_turn)
    assert (table["Anna"].turns, table["Anna"].average, table["Anna"].farkles) == (1, 2000, 0)
    assert (table["Ben"].turns, table["Ben"].farkles) == (ben.turns, ben.farkles) == (6, 5)
    assert ("Quickest win", "1 turn") in [(r["title"], r["value"]) for r in standings.records()]


def test_name_means_one_player_at_every_tray_and_in_any_case(played, standings):
    played(["Anna", "Ben"], 1, "t1")
    played(["ANNA", "Cleo"], 2, "t2")

    assert names(standings)["Anna"].played == 2


def test_player_without_a_name_is_in_no_table(played, standings):
    played(["Player 1", "Player 2"], 1)

    assert standings.table() == []
    assert [seat.name for seat in standings.matches()[0].seats] == ["Player 1", "Player 2"]


def test_a_bot_is_in_no_table_and_holds_no_record(history, standings, people):
    """The match counts for the person, and is shown with both names."""
    tape = SelfPlay(
        Match.start(RULES, ["Anna", "Bot"], bots=[None, Bot()]), "00000000000000ac", EVENING_S
    )
    for dice in ((1, 1, 1, 2, 3, 4), (1, 1, 1, 1, 1, 1)):
        tape.do(Thrown(dice))
        tape.do(Banked())
    tape.do(Thrown((2, 2, 3, 4, 6, 6)))
    for entry in tape.entries:
        history.add("t1", entry)

    assert [(s.name, s.played, s.won) for s in standings.table()] == [("Anna", 1, 0)]
    assert {record["name"] for record in standings.records()} == {"Anna"}
    assert [seat.name for seat in standings.matches()[0].seats] == ["Anna", "Bot"]
    assert [person.name for person in people.all()] == ["Anna"]


def test_rivalry_counts_matches_of_both_players(played, standings, people):
    tapes = [played(["Anna", "Ben"], seed) for seed in range(1, 6)]
    played(["Ben", "Cleo"], 9)
    anna = people.find("Anna", "t1")
    (against_ben,) = standings.rivalries(anna)

    assert against_ben["name"] == "Ben"
    assert against_ben["won"] == [winner(tape) for tape in tapes].count("Anna")
    assert against_ben["won"] + against_ben["lost"] == against_ben["played"] == 5


def test_team_mates_are_not_rivals(played, standings, people):
    played(["A", "B", "C", "D"], 4, teams=[1, 2, 1, 2])

    assert {r["name"] for r in standings.rivalries(people.find("A", "t1"))} == {"B", "D"}
    assert sum(standing.won for standing in standings.table()) == 2


def test_merged_player_has_the_results_of_both_names(played, standings, people):
    played(["Anna", "Ben"], 1)
    played(["Annie", "Ben"], 2)
    anna, annie = people.find("Anna", "t1"), people.find("Annie", "t1")
    people.merge(annie, anna)
    played(["Annie", "Ben"], 3)

    assert names(standings)["Anna"].played == 3
    assert people.person(annie) is None
    assert people.person(anna).names == (("anna", ""), ("annie", ""))


def test_name_of_two_people_is_split_by_tray(played, standings, people):
    played(["Anna", "Ben"], 1, "t1")
    played(["Anna", "Ben"], 2, "t2")
    other = people.split(people.find("Anna", "t1"), "Anna", "t2")
    played(["Anna", "Ben"], 3, "t2")

    assert names(standings)["Anna"].played == 1
    assert names(standings)["Anna (t2)"].played == 2
    assert people.find("anna", "t2") == other


def test_split_undoes_a_merge(played, standings, people):
    played(["Anna", "Ben"], 1)
    played(["Annie", "Ben"], 2)
    people.merge(people.find("Annie", "t1"), people.find("Anna", "t1"))
    people.split(people.find("Anna", "t1"), "Annie")

    assert names(standings)["Anna"].played == names(standings)["Annie"].played == 1


def test_impossible_merge_or_split_is_refused_with_the_reason(played, people):
    played(["Anna", "Ben"], 1)
    anna = people.find("Anna", "t1")
    with pytest.raises(IllegalMove, match="that is the same player"):
        people.merge(anna, anna)
    with pytest.raises(IllegalMove, match="that player no longer exists"):
        people.merge(anna, 999)
    with pytest.raises(IllegalMove, match="no results under the name Zoe"):
        people.split(anna, "Zoe")


def test_records_hold_the_best_of_all_matches(played, standings):
    tapes = [played(["Anna", "Ben"], seed) for seed in range(1, 6)]
    best = max(turn.points for tape in tapes for turn in tape.match.state.turns if turn.ending)
    records = {record["title"]: record for record in standings.records()}

    assert records["Highest turn"]["value"] == f"{best:,} points"
    assert set(records) >= {"Highest winning score", "Quickest win"}


@pytest.fixture
def team_match(history):
    """Anna and Cleo win with a turn of 1,000 each; Ben farkles twice and gets 500 points by hand."""
    tape = SelfPlay(
        Match.start(RULES, ["Anna", "Ben", "Cleo"], teams=[1, 2, 1]), f"{1:016x}", EVENING_S
    )
    thousand, farkle = Thrown((1, 1, 1, 2, 3, 4)), Thrown((2, 3, 3, 4, 6, 6))
    for step in (
        (thousand, Banked()),
        (farkle,),
        (ScoreSet(1, 500),),
        (thousand, Banked()),
        (farkle,),
    ):
        tape.do(*step)
    for entry in tape.entries:
        history.add("t1", entry)


def averages(standings):
    return {name: standing.average for name, standing in names(standings).items()}


def test_average_counts_only_the_points_of_a_players_own_turns(team_match, standings):
    assert averages(standings) == {"Anna": 1000, "Cleo": 1000, "Ben": 0}


def test_evening_lasts_until_six():
    late, early = (time.mktime((2026, 11, 21, hour, 30, 0, 0, 0, -1)) for hour in (23, 5))

    assert time.localtime(evening_start_s(late))[2:4] == (21, 6)
    assert time.localtime(evening_start_s(early))[2:4] == (20, 6)
