"""A tournament calls players to trays and fills itself from what is played."""

from random import Random

import pytest

from device.bench.self_play import SelfPlay, whole_match
from game.errors import GameError, IllegalMove
from game.match.events import Undone
from game.match.match import Match
from game.stats.summary import summary
from tests.web.club.conftest import EVENING_S, RULES
from web.club.draw import TournamentKind, TournamentPlan
from web.club.trays import ShownTray

NAMES = ("Anna", "Ben", "Cleo", "Dan")
FREE = (
    ShownTray("t1", online=True, situation="no match"),
    ShownTray("t2", online=True, situation="won"),
)


@pytest.fixture
def cup(tournaments, people):
    """Draws one of these players."""

    def drawn(kind=TournamentKind.KNOCK_OUT, names=NAMES):
        players = tuple(people.add(name) for name in names)
        return tournaments.draw("Club cup", TournamentPlan(kind, players, "walnut-studiolo", 2_000))

    return drawn


def winner(tape):
    return tape.match.state.players[tape.match.state.winner].name


def fixtures(tournaments, cup):
    return tournaments.get(cup).fixtures


def test_free_trays_are_called_to_each_once(tournaments, cup, called):
    cup()

    assert tournaments.tend(FREE)
    assert [(tray, match["names"]) for tray, match in called] == [
        ("t1", ["Anna", "Dan"]),
        ("t2", ["Ben", "Cleo"]),
    ]
    assert called[0][1]["target"] == 2_000
    assert not tournaments.tend(FREE)


def test_a_tray_that_plays_or_is_away_is_left_alone(tournaments, cup, called):
    cup()
    tournaments.tend((ShownTray("t1", online=True, situation="throw accepted"), ShownTray("t2")))

    assert called == []


def test_a_player_is_not_called_away_from_a_match(tournaments, cup, called, people):
    cup()
    playing = summary(Match.start(RULES, ["Dan", "Edith"]))
    busy = ShownTray("t3", online=True, situation="turn begins", summary=playing)
    tournaments.tend((*FREE, busy))

    assert [match["names"] for _, match in called] == [["Ben", "Cleo"]]


def test_results_fill_it_until_there_is_a_champion(tournaments, cup, played):
    drawn = cup()
    first = played(["Dan", "Anna"], 1)
    played(["Anna", "Ben", "Cleo"], 2)  # three at a tray are no match of the cup
    second = played(["Ben", "Cleo"], 3, "t2")
    final = played([winner(first), winner(second)], 4)
    found = tournaments.get(drawn)

    assert [f.met.match for f in found.fixtures] == [
        t.entries[0].match for t in (first, second, final)
    ]
    assert found.over
    assert found.champions == [winner(final)]


def test_what_was_played_before_the_draw_does_not_count(tournaments, cup, played):
    played(["Anna", "Dan"], 1)
    drawn = cup()

    assert fixtures(tournaments, drawn)[0].met is None


def test_what_was_played_before_the_draw_and_is_told_later_does_not_count(
    tournaments, cup, played, clock
):
    clock.now_s = EVENING_S + 7 * 24 * 3600
    drawn = cup()
    played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met is None


def test_a_tray_whose_clock_is_a_little_late_plays_for_the_cup(tournaments, cup, played, clock):
    clock.now_s = EVENING_S + 9 * 60
    drawn = cup()
    played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met


def test_a_cup_of_an_older_version_counts_what_is_told_since(tournaments, cup, played, store):
    drawn = cup()
    store.run("UPDATE tournament SET plan = json_remove(plan, '$.drawn')")
    played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met


def test_a_win_that_is_taken_back_is_taken_back(tournaments, cup, history):
    drawn = cup()
    tape = whole_match(RULES, ["Anna", "Dan"], 1, EVENING_S)
    for entry in tape.entries:
        history.take("t1", entry)
    assert fixtures(tournaments, drawn)[0].met.winner
    history.take("t1", tape.do(Undone()))

    assert fixtures(tournaments, drawn)[0].met.winner is None
    assert fixtures(tournaments, drawn)[2].pairing.first is None


def test_a_match_that_begins_takes_its_call_back(tournaments, cup, history, called):
    drawn = cup()
    tournaments.tend(FREE)
    tape = SelfPlay(Match.start(RULES, ["Anna", "Dan"]), "a" * 16, EVENING_S)
    history.take("t1", tape.entries[0])
    history.take("t1", tape.play(Random(1)))
    called.clear()
    tournaments.tend(FREE[1:])

    assert called == [("t1", None)]
    assert fixtures(tournaments, drawn)[0].met.winner is None


@pytest.fixture
def abandoned(tournaments, cup, history):
    """Anna and Dan have begun their match of the cup, and nobody goes on with it."""
    drawn = cup()
    tape = SelfPlay(Match.start(RULES, ["Anna", "Dan"]), "a" * 16, EVENING_S)
    history.take("t1", tape.entries[0])
    history.take("t1", tape.play(Random(1)))
    assert not fixtures(tournaments, drawn)[0].is_open
    return tape


def test_a_match_that_was_abandoned_is_called_again_by_the_steward(
    tournaments, abandoned, called, client, steward
):
    client.get(f"/{steward.way_in}")
    assert "/tournaments/1/0/withdraw" in client.get("/tournaments/1").text
    client.post("/tournaments/1/0/withdraw")
    tournaments.tend(FREE)

    assert called[0][1]["names"] == ["Anna", "Dan"]
    assert fixtures(tournaments, 1)[0].tray == "t1"


def test_an_abandoned_match_that_is_won_all_the_same_counts(tournaments, abandoned, history):
    tournaments.call_again(1, 0)
    assert fixtures(tournaments, 1)[0].met is None
    dice = Random(1)
    while abandoned.match.state.winner is None:
        history.take("t1", abandoned.play(dice))

    assert fixtures(tournaments, 1)[0].met.winner


def test_a_call_that_was_declined_waits_for_the_steward(tournaments, cup, called):
    drawn = cup()
    tournaments.tend(FREE)
    first = called[0][1]["id"]
    called.clear()
    tournaments.answered("t1", first, accepted=False)
    tournaments.tend(FREE)

    assert called == [("t1", None)]
    assert fixtures(tournaments, drawn)[0].declined
    tournaments.withdraw(drawn, 0)
    tournaments.tend(FREE)
    (again,) = (match for _, match in called if match)
    assert again["names"] == ["Anna", "Dan"]
    assert again["id"] != first


def test_a_tray_that_declined_one_match_is_called_to_another(tournaments, cup, called):
    cup(TournamentKind.ROUND_ROBIN)
    tournaments.tend(FREE[:1])
    tournaments.answered("t1", called[0][1]["id"], accepted=False)
    tournaments.tend(FREE[:1])

    assert called[-1][0] == "t1"
    assert set(called[-1][1]["names"]) != set(called[0][1]["names"])


def declined_then_called_to_another(tournaments, called):
    """At the one free tray Anna and Dan said no; Ben and Cleo are called there now."""
    tournaments.tend(FREE[:1])
    declined = called[-1][1]["id"]
    tournaments.answered("t1", declined, accepted=False)
    tournaments.tend(FREE[:1])
    assert called[-1][1]["names"] == ["Ben", "Cleo"]
    called.clear()
    return declined


def test_to_call_again_who_declined_leaves_the_call_of_others_standing(tournaments, cup, called):
    drawn = cup()
    declined_then_called_to_another(tournaments, called)
    tournaments.withdraw(drawn, 0)

    assert called == []
    assert not fixtures(tournaments, drawn)[0].declined


def test_a_no_that_comes_twice_leaves_the_call_of_others_standing(tournaments, cup, called):
    cup()
    declined = declined_then_called_to_another(tournaments, called)
    tournaments.answered("t1", declined, accepted=False)

    assert called == []


def test_who_declined_and_plays_elsewhere_leaves_the_call_of_others_standing(
    tournaments, cup, called, played
):
    cup()
    declined_then_called_to_another(tournaments, called)
    played(["Anna", "Dan"], 1, "t2")
    tournaments.tend(FREE[:1])

    assert called == []


def test_players_of_a_draw_are_merged_there_too(tournaments, cup, people, played):
    drawn = cup()
    annie = people.add("Annie")
    people.merge(people.add("Dan"), annie)
    tape = played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met.match == tape.entries[0].match
    with pytest.raises(IllegalMove, match="both play in Club cup"):
        people.merge(annie, people.add("Ben"))
    assert people.person(annie)


def test_nobody_declines_for_another_tray(tournaments, cup):
    drawn = cup()
    tournaments.tend(FREE)
    for tray, call in (("t2", f"{drawn}-0-abcd"), ("t1", "x-y"), ("t1", "99-1-0000"), ("t1", "")):
        tournaments.answered(tray, call, accepted=False)

    assert not any(fixture.declined for fixture in fixtures(tournaments, drawn))


def test_a_round_robin_is_over_when_all_have_met(tournaments, cup, played):
    drawn = cup(TournamentKind.ROUND_ROBIN, NAMES[:3])
    tapes = [
        played(two, n) for n, two in enumerate((["Anna", "Ben"], ["Ben", "Cleo"], ["Cleo", "Anna"]))
    ]
    found = tournaments.get(drawn)
    wins = [winner(tape) for tape in tapes]

    assert {row.name: row.won for row in found.rows} == {n: wins.count(n) for n in NAMES[:3]}
    assert found.over
    assert set(found.champions) == {n for n in wins if wins.count(n) == max(map(wins.count, wins))}


def test_rules_and_players_must_be_there(tournaments, cup, people):
    players = tuple(people.add(name) for name in NAMES)
    with pytest.raises(GameError, match="no rule set is called"):
        tournaments.draw("Cup", TournamentPlan(TournamentKind.KNOCK_OUT, players, "bridge"))
    with pytest.raises(GameError, match="is gone"):
        tournaments.draw("Cup", TournamentPlan(TournamentKind.KNOCK_OUT, (*players, 99), "zilch"))


def test_the_steward_draws_one_on_the_page(client, steward, tournaments, played):
    form = {
        "name": "Autumn cup",
        "kind": "knock-out",
        "rules": "zilch",
        "names": "Anna\r\nBen\r\n\r\nCleo",
    }
    assert client.post("/tournaments", data=form).status_code == 403
    client.get(f"/{steward.way_in}")
    answer = client.post("/tournaments", data=form)
    page = client.get(answer.location).text

    assert "Autumn cup" in page
    assert "Final" in page
    assert tournaments.get(1).plan.rules == "zilch"
    assert client.post("/tournaments", data=form | {"names": "Anna"}).status_code == 409
    assert client.get("/tournaments/7").status_code == 404


def test_a_call_is_on_the_screen(client, tournaments, cup):
    cup()
    tournaments.tend(FREE)

    assert "please to <b>t1</b>" in client.get("/").text
    assert client.post("/tournaments/1/0/withdraw").status_code == 403
