"""The club's history holds each entry once and in order, however it arrives."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.self_play import SelfPlay, whole_match
from game.journal.entry import EntryFit
from game.match.events import Banked, Renamed, ScoreSet, Thrown, Undone
from game.match.match import Match
from tests.examples import SHARED_FIXTURES
from tests.web.club.conftest import EVENING_S, RULES
from web.club.match_history import MatchHistory

ID = "00000000000000aa"


def tape(steps=0):
    tape = SelfPlay(Match.start(RULES, ["Anna", "Ben"]), ID, EVENING_S)
    random = Random(7)
    for _ in range(steps):
        tape.play(random)
    return tape


def test_history_equals_the_tray_after_every_step(history):
    random, tray = Random(3), tape()
    history.add("t1", tray.entries[0])
    for _ in range(60):
        entry = (
            tray.do(Undone())
            if random.random() < 0.2 and tray.match.can_undo
            else tray.play(random)
        )

        assert history.add("t1", entry) is EntryFit.NEW
        assert history.get(ID).match.state == tray.match.state
        assert history.get(ID).chain == entry.chain
        if tray.match.state.winner is not None:
            break


@settings(
    max_examples=30,
    suppress_health_check=SHARED_FIXTURES,
)
@given(st.data())
def test_entries_that_arrive_twice_or_out_of_order_count_once(history, data):
    tray = tape(25)
    here = history.get(ID)
    told = data.draw(st.lists(st.sampled_from(tray.entries), max_size=40))
    for entry in told:
        before = history.get(ID)
        taken = history.add("t1", entry)

        assert taken is not EntryFit.DIFFERENT
        assert (taken is EntryFit.NEW) == (entry.seq == (before.seq + 1 if before else 0))
    for entry in tray.entries:
        history.add("t1", entry)

    assert here is None or here.seq <= 25
    assert history.get(ID).match.state == tray.match.state
    assert [entry.seq for entry in history.entries(ID)] == list(range(26))


def test_entry_after_a_gap_is_not_added(history):
    tray = tape(5)
    history.add("t1", tray.entries[0])

    assert history.add("t1", tray.entries[2]) is EntryFit.GAP
    assert history.get(ID).seq == 0


def test_tray_restored_from_a_backup_overrides_the_history(history):
    tray = tape()
    for entry in (*tray.entries, tray.do(Thrown((1, 1, 2, 3, 4, 6))), tray.do(Undone())):
        history.add("t1", entry)
    restored = tape()
    other = restored.do(Thrown((5, 5, 5, 2, 3, 4)))

    assert history.add("t1", other) is EntryFit.NEW
    assert history.get(ID).match.state == restored.match.state
    assert history.add("t1", restored.do(Banked())) is EntryFit.NEW


def won_by_anna():
    tray = tape()
    tray.do(ScoreSet(0, 5_000))
    while tray.match.state.winner is None:
        tray.do(Thrown((2, 2, 3, 4, 6, 6)))
    return tray


def test_a_win_that_a_restored_tray_no_longer_knows_is_taken_back(history, standings):
    """The first entry that differs is lost on the way, so that the second one only replaces old ones."""
    for entry in won_by_anna().entries:
        history.add("t1", entry)
    assert standings.matches()[0].result.winner == 0
    restored = tape()
    restored.do(ScoreSet(1, 500))
    restored.do(ScoreSet(1, 600))

    assert history.add("t1", restored.entries[2]) is EntryFit.GAP
    assert history.get(ID).match.state.winner is None
    assert not standings.matches()[0].over
    assert standings.table() == []


def test_a_win_is_back_if_the_entry_that_took_it_back_is_replaced(history, standings):
    tray, restored = won_by_anna(), won_by_anna()
    won = len(tray.entries)
    for entry in (*tray.entries, tray.do(Renamed(1, "Bea")), tray.do(Undone()), tray.do(Undone())):
        history.add("t1", entry)
    assert not standings.matches()[0].over
    restored.do(Renamed(1, "Cleo"))
    restored.do(Renamed(1, "Dan"))

    assert history.add("t1", restored.entries[won + 1]) is EntryFit.GAP
    assert standings.matches()[0].over
    assert standings.matches()[0].result.winner == 0


def test_entry_for_the_match_of_another_tray_is_left_out(history):
    tray = tape(3)
    for entry in tray.entries[:3]:
        history.add("t1", entry)

    assert history.add("t2", tray.entries[3]) is EntryFit.ELSEWHERE


def test_impossible_entry_is_refused(history):
    tray = tape()
    history.add("t1", tray.entries[0])
    seven = tray.entries[0].then(Thrown((7, 7, 7, 7, 7, 7)))

    assert history.add("t1", seven) is EntryFit.DIFFERENT
    assert history.get(ID).seq == 0


def test_history_survives_a_restart(history, store, people):
    tray = tape(20)
    for entry in tray.entries:
        history.add("t1", entry)
    again = MatchHistory(store, people)

    assert again.get(ID).match.state == tray.match.state
    assert again.last_numbers("t1") == {ID: 20}


def test_result_appears_with_the_win_and_disappears_when_the_win_is_undone(history, standings):
    tray = whole_match(RULES, ["Anna", "Ben"], 5, EVENING_S)
    for entry in tray.entries:
        history.add("t1", entry)
    (match,) = standings.matches()
    winner = tray.match.state.winner

    assert match.over
    assert [seat.won for seat in match.seats] == [seat == winner for seat in (0, 1)]
    assert [seat.score for seat in match.seats] == [p.score for p in tray.match.state.players]
    history.add("t1", tray.do(Undone()))
    assert not standings.matches()[0].over
    assert standings.table() == []
