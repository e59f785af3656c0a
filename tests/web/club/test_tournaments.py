"""Tournaments take their results from the history and call players to free trays."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.self_play import SelfPlay, whole_match
from game.errors import GameError, IllegalMove
from game.match.events import Undone
from game.match.match import Match
from game.stats.summary import summary
from tests.web.club.conftest import EVENING_S, RULES
from web.club.tournaments import TournamentKind, TournamentPlan, pairings
from web.club.tray_inbox import TrayStatus

PLAYERS = st.integers(3, 64).map(lambda n: tuple(range(1, n + 1)))


def plan(kind, players):
    return TournamentPlan(kind, tuple(players), "walnut-studiolo")


@given(PLAYERS)
def test_round_robin_pairs_everybody_once_and_nobody_twice_in_a_round(players):
    drawn = pairings(plan(TournamentKind.ROUND_ROBIN, players), {})
    n = len(players)

    assert len({pairing.players for pairing in drawn}) == len(drawn) == n * (n - 1) // 2
    for turn in {pairing.round for pairing in drawn}:
        seated = [p for pairing in drawn if pairing.round == turn for p in pairing.players]
        assert len(seated) == len(set(seated)) == n - n % 2


@given(PLAYERS, st.randoms())
def test_knock_out_eliminates_the_loser_of_each_match(players, random):
    winners = {}
    while True:
        drawn = pairings(plan(TournamentKind.KNOCK_OUT, players), winners)
        ready = [p for p in drawn if p.players and p.players not in winners]
        if not ready:
            break
        winners[ready[0].players] = random.choice(sorted(ready[0].players))
    losers = [p for two, winner in winners.items() for p in two if p != winner]

    assert len(drawn) == len(winners) == len(players) - 1
    assert len(losers) == len(set(losers)) == len(players) - 1


@given(PLAYERS)
def test_two_strongest_players_meet_in_the_final(players):
    winners = {}
    for _ in range(8):
        drawn = pairings(plan(TournamentKind.KNOCK_OUT, players), winners)
        winners |= {p.players: min(p.players) for p in drawn if p.players}

    assert drawn[-1].players == {1, 2}


@pytest.mark.parametrize("players", [(1, 2), (1, 1, 2), tuple(range(65))])
def test_wrong_number_of_players_or_a_repeated_one_is_refused(players):
    with pytest.raises(IllegalMove, match="3 to 64 different players"):
        plan(TournamentKind.KNOCK_OUT, players)


NAMES = ("Anna", "Ben", "Cleo", "Dan")
FREE = (
    TrayStatus("t1", online=True, situation="no match"),
    TrayStatus("t2", online=True, situation="won"),
)


@pytest.fixture
def cup(tournaments, people):
    """Draw a tournament."""

    def drawn(kind=TournamentKind.KNOCK_OUT, names=NAMES):
        players = tuple(people.add(name) for name in names)
        return tournaments.draw("Club cup", TournamentPlan(kind, players, "walnut-studiolo", 2_000))

    return drawn


def winner(tape):
    return tape.match.state.players[tape.match.state.winner].name


def fixtures(tournaments, cup):
    return tournaments.get(cup).pairings


def test_each_free_tray_gets_one_call(calls, cup, called):
    cup()

    assert calls.update(FREE)
    assert [(tray, match["names"]) for tray, match in called] == [
        ("t1", ["Anna", "Dan"]),
        ("t2", ["Ben", "Cleo"]),
    ]
    assert called[0][1]["target"] == 2_000
    assert not calls.update(FREE)


def test_busy_or_offline_tray_gets_no_call(calls, cup, called):
    cup()
    calls.update((TrayStatus("t1", online=True, situation="throw accepted"), TrayStatus("t2")))

    assert called == []


def test_player_in_another_match_is_not_called(calls, cup, called, people):
    cup()
    playing = summary(Match.start(RULES, ["Dan", "Edith"]))
    busy = TrayStatus("t3", online=True, situation="turn begins", summary=playing)
    calls.update((*FREE, busy))

    assert [match["names"] for _, match in called] == [["Ben", "Cleo"]]


def test_results_fill_the_bracket_until_there_is_a_champion(tournaments, cup, played):
    drawn = cup()
    first = played(["Dan", "Anna"], 1)
    played(["Anna", "Ben", "Cleo"], 2)  # a match of three does not count
    second = played(["Ben", "Cleo"], 3, "t2")
    final = played([winner(first), winner(second)], 4)
    found = tournaments.get(drawn)

    assert [f.met.match for f in found.pairings] == [
        t.entries[0].match for t in (first, second, final)
    ]
    assert found.over
    assert found.champions == [winner(final)]


def test_match_played_before_the_draw_does_not_count(tournaments, cup, played):
    played(["Anna", "Dan"], 1)
    drawn = cup()

    assert fixtures(tournaments, drawn)[0].met is None


def test_match_played_before_the_draw_and_sent_later_does_not_count(
    tournaments, cup, played, clock
):
    clock.now_s = EVENING_S + 7 * 24 * 3600
    drawn = cup()
    played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met is None


def test_match_of_a_tray_with_a_slow_clock_counts(tournaments, cup, played, clock):
    clock.now_s = EVENING_S + 9 * 60
    drawn = cup()
    played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met


def test_undone_win_is_removed_from_the_bracket(tournaments, cup, history):
    drawn = cup()
    tape = whole_match(RULES, ["Anna", "Dan"], 1, EVENING_S)
    for entry in tape.entries:
        history.add("t1", entry)
    assert fixtures(tournaments, drawn)[0].met.winner
    history.add("t1", tape.do(Undone()))

    assert fixtures(tournaments, drawn)[0].met.winner is None
    assert fixtures(tournaments, drawn)[2].first is None


def test_tournament_runs_again_after_its_last_win_was_undone(cup, played, history, calls):
    cup()
    first, second = played(["Dan", "Anna"], 1), played(["Ben", "Cleo"], 3, "t2")
    final = played([winner(first), winner(second)], 4)
    calls.update(FREE)
    assert not calls.tournaments.has_running
    history.add("t1", final.do(Undone()))
    calls.update(FREE)

    assert calls.tournaments.has_running


def test_call_is_withdrawn_when_its_match_begins(tournaments, cup, history, called, calls):
    drawn = cup()
    calls.update(FREE)
    tape = SelfPlay(Match.start(RULES, ["Anna", "Dan"]), "a" * 16, EVENING_S)
    history.add("t1", tape.entries[0])
    history.add("t1", tape.play(Random(1)))
    called.clear()
    calls.update(FREE[1:])

    assert called == [("t1", None)]
    assert fixtures(tournaments, drawn)[0].met.winner is None


@pytest.fixture
def abandoned(tournaments, cup, history):
    """Anna and Dan have begun their match of the tournament and then left it."""
    drawn = cup()
    tape = SelfPlay(Match.start(RULES, ["Anna", "Dan"]), "a" * 16, EVENING_S)
    history.add("t1", tape.entries[0])
    history.add("t1", tape.play(Random(1)))
    assert not fixtures(tournaments, drawn)[0].is_open
    return tape


def test_steward_calls_an_abandoned_match_again(abandoned, called, client, steward, calls):
    client.get(f"/{steward.link_path}")
    assert "/tournaments/1/0/withdraw" in client.get("/tournaments/1").text
    client.post("/tournaments/1/0/withdraw")
    calls.update(FREE)

    assert called[0][1]["names"] == ["Anna", "Dan"]
    assert fixtures(calls.tournaments, 1)[0].tray == "t1"


def test_abandoned_match_counts_if_it_is_won_after_all(tournaments, abandoned, history, calls):
    calls.call_again(1, 0)
    assert fixtures(tournaments, 1)[0].met is None
    dice = Random(1)
    while abandoned.match.state.winner is None:
        history.add("t1", abandoned.play(dice))

    assert fixtures(tournaments, 1)[0].met.winner


def test_declined_call_waits_for_the_steward(tournaments, cup, called, calls):
    drawn = cup()
    calls.update(FREE)
    first = called[0][1]["id"]
    called.clear()
    calls.on_answer("t1", first, accepted=False)
    calls.update(FREE)

    assert called == [("t1", None)]
    assert fixtures(tournaments, drawn)[0].declined
    calls.withdraw(drawn, 0)
    calls.update(FREE)
    (again,) = (match for _, match in called if match)
    assert again["names"] == ["Anna", "Dan"]
    assert again["id"] != first


def test_tray_that_declined_a_match_gets_another_call(calls, cup, called):
    cup(TournamentKind.ROUND_ROBIN)
    calls.update(FREE[:1])
    calls.on_answer("t1", called[0][1]["id"], accepted=False)
    calls.update(FREE[:1])

    assert called[-1][0] == "t1"
    assert set(called[-1][1]["names"]) != set(called[0][1]["names"])


def declined_then_called_to_another(calls, called):
    """Anna and Dan have declined at the one free tray; Ben and Cleo are called there now."""
    calls.update(FREE[:1])
    declined = called[-1][1]["id"]
    calls.on_answer("t1", declined, accepted=False)
    calls.update(FREE[:1])
    assert called[-1][1]["names"] == ["Ben", "Cleo"]
    called.clear()
    return declined


def test_calling_a_declined_pairing_again_keeps_the_call_of_others(tournaments, cup, called, calls):
    drawn = cup()
    declined_then_called_to_another(calls, called)
    calls.withdraw(drawn, 0)

    assert called == []
    assert not fixtures(tournaments, drawn)[0].declined


def test_repeated_refusal_keeps_the_call_of_others(calls, cup, called):
    cup()
    declined = declined_then_called_to_another(calls, called)
    calls.on_answer("t1", declined, accepted=False)

    assert called == []


def test_declined_pairing_that_plays_elsewhere_keeps_the_call_of_others(calls, cup, called, played):
    cup()
    declined_then_called_to_another(calls, called)
    played(["Anna", "Dan"], 1, "t2")
    calls.update(FREE[:1])

    assert called == []


def test_merged_player_is_merged_in_the_draw(tournaments, cup, people, played):
    drawn = cup()
    annie = people.add("Annie")
    people.merge(people.add("Dan"), annie)
    tape = played(["Anna", "Dan"], 1)

    assert fixtures(tournaments, drawn)[0].met.match == tape.entries[0].match
    with pytest.raises(IllegalMove, match="both play in the tournament Club cup"):
        people.merge(annie, people.add("Ben"))
    assert people.person(annie)


def test_tray_cannot_decline_the_call_of_another_tray(tournaments, cup, calls):
    drawn = cup()
    calls.update(FREE)
    for tray, call in (("t2", f"{drawn}-0-abcd"), ("t1", "x-y"), ("t1", "99-1-0000"), ("t1", "")):
        calls.on_answer(tray, call, accepted=False)

    assert not any(fixture.declined for fixture in fixtures(tournaments, drawn))


def test_round_robin_ends_when_everybody_has_met(tournaments, cup, played):
    drawn = cup(TournamentKind.ROUND_ROBIN, NAMES[:3])
    tapes = [
        played(two, n) for n, two in enumerate((["Anna", "Ben"], ["Ben", "Cleo"], ["Cleo", "Anna"]))
    ]
    found = tournaments.get(drawn)
    wins = [winner(tape) for tape in tapes]

    assert {row["name"]: row["won"] for row in found.rows} == {n: wins.count(n) for n in NAMES[:3]}
    assert found.over
    assert set(found.champions) == {n for n in wins if wins.count(n) == max(map(wins.count, wins))}


def test_unknown_rules_or_player_is_refused(tournaments, cup, people):
    players = tuple(people.add(name) for name in NAMES)
    with pytest.raises(GameError, match="there is no rule set"):
        tournaments.draw("Cup", TournamentPlan(TournamentKind.KNOCK_OUT, players, "bridge"))
    with pytest.raises(GameError, match="no longer exists"):
        tournaments.draw("Cup", TournamentPlan(TournamentKind.KNOCK_OUT, (*players, 99), "zilch"))


def test_steward_draws_a_tournament_on_the_page(client, steward, tournaments, played):
    form = {
        "name": "Autumn cup",
        "kind": "knock-out",
        "rules": "zilch",
        "names": "Anna\r\nBen\r\n\r\nCleo",
    }
    assert client.post("/tournaments", data=form).status_code == 403
    client.get(f"/{steward.link_path}")
    answer = client.post("/tournaments", data=form)
    page = client.get(answer.location).text

    assert "Autumn cup" in page
    assert "Final" in page
    assert tournaments.get(1).plan.rules == "zilch"
    assert "0 of 2 matches started" in client.get("/tournaments").text
    assert client.post("/tournaments", data=form | {"names": "Anna"}).status_code == 409
    assert client.get("/tournaments/7").status_code == 404


def test_screen_shows_an_open_call(client, tournaments, cup, calls):
    cup()
    calls.update(FREE)

    assert "please go to <b>t1</b>" in client.get("/").text
    assert client.post("/tournaments/1/0/withdraw").status_code == 403
