"""The board's history is the trays' own: each entry once, in order, however it came."""

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.bench.self_play import SelfPlay, whole_match
from game.match.events import Banked, Thrown, Undone
from game.match.match import Match
from tests.web.club.conftest import EVENING_S, RULES
from web.club.match_history import MatchHistory, Taken

ID = "00000000000000aa"


def tape(steps=0):
    tape = SelfPlay(Match.start(RULES, ["Anna", "Ben"]), ID, EVENING_S)
    random = Random(7)
    for _ in range(steps):
        tape.play(random)
    return tape


def test_the_board_equals_the_tray_at_every_step(history):
    random, tray = Random(3), tape()
    history.take("t1", tray.entries[0])
    for _ in range(60):
        entry = (
            tray.do(Undone())
            if random.random() < 0.2 and tray.match.can_undo
            else tray.play(random)
        )

        assert history.take("t1", entry) is Taken.NEW
        assert history.held(ID).match.state == tray.match.state
        assert history.held(ID).chain == entry.chain
        if tray.match.state.winner is not None:
            break


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_whatever_comes_twice_late_or_not_at_all_counts_once(history, data):
    tray = tape(25)
    here = history.held(ID)
    told = data.draw(st.lists(st.sampled_from(tray.entries), max_size=40))
    for entry in told:
        before = history.held(ID)
        taken = history.take("t1", entry)

        assert taken is not Taken.REFUSED
        assert (taken is Taken.NEW) == (entry.seq == (before.seq + 1 if before else 0))
    for entry in tray.entries:
        history.take("t1", entry)

    assert here is None or here.seq <= 25
    assert history.held(ID).match.state == tray.match.state
    assert [entry.seq for entry in history.entries(ID)] == list(range(26))


def test_a_gap_is_seen_and_nothing_is_taken_over_it(history):
    tray = tape(5)
    history.take("t1", tray.entries[0])

    assert history.take("t1", tray.entries[2]) is Taken.GAP
    assert history.held(ID).seq == 0


def test_a_tray_that_went_back_to_a_backup_is_right(history):
    tray = tape()
    for entry in (*tray.entries, tray.do(Thrown((1, 1, 2, 3, 4, 6))), tray.do(Undone())):
        history.take("t1", entry)
    restored = tape()
    other = restored.do(Thrown((5, 5, 5, 2, 3, 4)))

    assert history.take("t1", other) is Taken.NEW
    assert history.held(ID).match.state == restored.match.state
    assert history.take("t1", restored.do(Banked())) is Taken.NEW


def test_nobody_writes_into_the_match_of_another_tray(history):
    tray = tape(3)
    for entry in tray.entries[:3]:
        history.take("t1", entry)

    assert history.take("t2", tray.entries[3]) is Taken.REFUSED


def test_what_cannot_have_happened_is_refused(history):
    tray = tape()
    history.take("t1", tray.entries[0])
    seven = tray.entries[0].then(Thrown((7, 7, 7, 7, 7, 7)))

    assert history.take("t1", seven) is Taken.REFUSED
    assert history.held(ID).seq == 0


def test_the_history_is_there_after_a_restart(history, store, people):
    tray = tape(20)
    for entry in tray.entries:
        history.take("t1", entry)
    again = MatchHistory(store, people)

    assert again.held(ID).match.state == tray.match.state
    assert again.matches_of("t1") == {ID: 20}


def test_the_result_stands_once_a_match_is_won_and_goes_when_it_is_taken_back(history, standings):
    tray = whole_match(RULES, ["Anna", "Ben"], 5, EVENING_S)
    for entry in tray.entries:
        history.take("t1", entry)
    (match,) = standings.matches()
    winner = tray.match.state.winner

    assert match.over
    assert [seat.won for seat in match.seats] == [seat == winner for seat in (0, 1)]
    assert [seat.score for seat in match.seats] == [p.score for p in tray.match.state.players]
    history.take("t1", tray.do(Undone()))
    assert not standings.matches()[0].over
    assert standings.table() == []
