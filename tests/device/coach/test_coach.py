"""The coach with its real process, over a real journal."""

import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from threading import Event, Thread
from time import monotonic

import pytest

from device.coach import coach
from device.coach.coach import TABLES, Reviews, TableCoach
from device.coach.notes_file import NOTES_FILE, NotesFile
from device.coach.worker import NICENESS, Worker
from device.coach.worker_client import WorkerClient, WorkerLostError
from game.errors import JournalError
from game.journal.entry import Result
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import Banked, Bot, Kept, Place, Thrown
from game.match.match import Match
from game.odds.several_players import solve_exactly
from game.odds.table_store import TableStore
from game.rules.rule_files import load, with_options
from game.situation import TableError
from game.stats.counts import DiceSetPeriod
from tests.clock import Clock
from tests.throws import FARKLE
from tests.waiting import COACH_PATIENCE_S, until
from tests.web.conftest import MemoryTable, make_app
from web.contracts import CoachMode
from web.pages.matches import MAX_DRILLED

RULES = load("walnut-studiolo")


class CoachRig:
    """A coach, and a way to wait for its answers."""

    def __init__(self, folder):
        path = folder / "journal.db"
        self.journal = Journal.open(path)
        self.worker = WorkerClient(path, folder / TABLES)
        self.coach = TableCoach(self.worker, History(path), NotesFile(folder / NOTES_FILE))
        self._news = Event()
        self.coach.changed = self._news.set

    def close(self):
        self.coach.close()
        self.journal.close()

    def until(self, ask, *, holds=bool):
        """Return what the coach says once `holds` accepts it; ask at every change, and from time to time."""
        end_s = monotonic() + COACH_PATIENCE_S
        while not holds(found := ask()):
            assert monotonic() < end_s, found
            self._news.wait(0.1)
            self._news.clear()
        return found

    def play(self, rules=RULES, names=("Anna", "Ben")):
        """Record a match with its first throw, and return the number of the match."""
        number = self.journal.start(Match.start(rules, names))
        self.journal.append(number, Thrown((1, 1, 1, 2, 3, 5)))
        return number


@pytest.fixture
def rig(tmp_path):
    with closing(CoachRig(tmp_path)) as rig:
        yield rig


def short(target):
    return Match.start(replace(RULES, target=target), ["Anna", "Ben"]).throw((1, 1, 1, 2, 3, 5))


def test_no_process_is_started_while_the_coach_is_off(rig):
    assert rig.coach.coaching(short(10_000)).figures is None
    assert "running=False" in repr(rig.worker)


def test_figures_arrive_a_moment_later(rig):
    match = short(10_000)
    rig.coach.switch(CoachMode.LIVE)
    assert rig.coach.coaching(match).figures is None
    found = rig.until(lambda: rig.coach.coaching(match).figures)

    assert found.solved
    assert found.keeps[0].win > 0.5


def test_the_coach_after_the_turn_says_nothing_about_the_current_turn(rig):
    match = short(10_000).bank()
    rig.coach.switch(CoachMode.AFTER)
    found = rig.until(lambda: rig.coach.coaching(match).figures)

    assert (found.keeps, found.before) == ((), None)
    assert len(found.turn) == 2


def practice(*dice):
    """Return a match against a bot after Anna has banked."""
    return Match.start(RULES, ["Anna", "Bot"], bots=(None, Bot())).throw(dice).bank()


def test_in_practice_the_coach_tells_what_each_decision_cost_until_it_is_switched_off(rig):
    match = practice(1, 1, 1, 2, 3, 5)
    found = rig.until(lambda: rig.coach.coaching(match).figures)
    assert rig.coach.coaching(match).mode is CoachMode.WHY
    assert found.decision.done.bank

    rig.coach.switch(CoachMode.OFF, match)

    assert rig.coach.coaching(match).figures is None


def test_between_people_the_coach_tells_what_decisions_cost_only_if_asked(rig):
    match = short(10_000).bank()
    assert rig.coach.coaching(match).mode is CoachMode.OFF
    rig.coach.switch(CoachMode.AFTER)
    assert rig.until(lambda: rig.coach.coaching(match).figures).decision is None
    rig.coach.switch(CoachMode.WHY)

    assert rig.until(lambda: rig.coach.coaching(match).figures).decision.done.bank


def test_an_unsolved_match_is_solved_and_saved(rig, tmp_path):
    match = short(500)
    rig.coach.switch(CoachMode.LIVE)
    rig.until(lambda: rig.coach.coaching(match), holds=lambda c: c.figures and c.figures.solved)

    assert rig.coach.coaching(match).solving is None
    assert len(list((tmp_path / TABLES).iterdir())) == 1


def test_a_short_match_of_three_players_becomes_exact_while_it_is_played(rig):
    rules = replace(load("kcd"), target=300)
    match = Match.start(rules, ["Anna", "Ben", "Cleo"])
    rig.coach.switch(CoachMode.LIVE)
    exact = rig.until(
        lambda: rig.coach.coaching(match), holds=lambda c: c.figures and not c.figures.caveats
    )

    assert exact.figures.win == pytest.approx(
        solve_exactly(rules, 300).at((0, 0, 0), 0)[0], abs=1e-4
    )
    assert exact.solving is None


def test_a_match_that_is_won_is_reviewed_and_solved_without_being_asked(rig):
    match = short(500).bank()
    number = rig.play(match.rules)
    rig.coach.coaching(match)
    rig.journal.append(number, Banked(), Thrown(FARKLE))
    won = match.throw(FARKLE)
    assert won.state.winner == 0
    rig.coach.coaching(won)
    steps = rig.coach._history.played(number).steps
    key = (rig.coach._history.identity, number, steps)
    rig.until(
        lambda: rig.coach._reviews._reviews.get(key),
        holds=lambda kept: kept and pickle.loads(kept).solved,  # noqa: S301 - pickled by the coach
    )

    assert rig.coach.review(number, steps).review.curve


def test_no_process_is_started_for_a_match_that_was_won_before_the_start(rig):
    won = short(500).bank().throw(FARKLE)
    rig.play(won.rules)
    rig.coach.coaching(won)

    assert "running=False" in repr(rig.worker)


def test_a_match_without_a_solution_gives_the_reason(rig):
    match = short(100_000)
    rig.coach.switch(CoachMode.LIVE)
    found = rig.until(lambda: rig.coach.coaching(match), holds=lambda c: c.trouble)

    assert "the target can be 1 to 50,000" in str(found.trouble)
    assert found.figures.keeps[0].win is None


def test_a_process_that_is_killed_is_started_again(rig):
    rig.coach.switch(CoachMode.LIVE)
    rig.until(lambda: rig.coach.coaching(short(10_000)).figures)
    os.kill(rig.worker._process.pid, signal.SIGKILL)

    assert rig.until(lambda: rig.coach.coaching(short(10_000)).figures)


def test_showing_a_long_match_does_not_wait_for_a_busy_process(rig):
    rig.coach.switch(CoachMode.LIVE)
    rig.until(lambda: rig.coach.coaching(short(10_000)).figures)
    long = Match.start(RULES, ("Anna", "Ben"))
    for n in range(1_500):
        long = long.push(Thrown(FARKLE, tuple(Place(face, n, face, n, n) for face in FARKLE)))
    shown, process = [], rig.worker._process
    process.send_signal(signal.SIGSTOP)
    try:
        showing = Thread(target=lambda: shown.append(rig.coach.coaching(long)))
        showing.start()
        until(lambda: shown)
    finally:
        process.send_signal(signal.SIGCONT)
        showing.join()

    bare = replace(long, before=None, after=())
    assert rig.worker.ask("figures", bare).result(COACH_PATIENCE_S).keeps == ()


def test_the_process_has_a_low_priority_and_ends_with_the_companion(rig):
    rig.worker.ask("figures", short(10_000)).result(COACH_PATIENCE_S)
    process = rig.worker._process

    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == min(own + NICENESS, 19)
    rig.coach.close()
    assert process.poll() is not None
    with pytest.raises(WorkerLostError):
        rig.worker.ask("figures", short(10_000)).result(COACH_PATIENCE_S)


def test_a_match_from_the_journal_is_reviewed(rig):
    number = rig.play()
    assert rig.coach.review(number, 1) is None
    found = rig.until(lambda: rig.coach.review(number, 1))

    assert found.solved
    assert found.caveats == ()
    assert len(found.review.moments) == 1


def test_several_people_practise_at_the_same_time_each_with_their_own_matches(rig):
    people = ("Anna", "Ben", "Cleo", "Dan")
    for name in people * MAX_DRILLED:
        rig.play(names=(name, "Eve"))
    app = make_app(MemoryTable(), coach=rig.coach, history=rig.coach._history)
    phones = {name: app.test_client() for name in people}

    def ready():
        pages = [phones[name].get(f"/practice?name={name}").text for name in people]
        return all("data-wait" not in page for page in pages)

    assert rig.until(ready)


def test_the_review_that_was_not_used_for_the_longest_time_is_dropped_first(rig, monkeypatch):
    monkeypatch.setattr(coach, "MAX_REVIEWS", 2)
    first, second, third = rig.play(), rig.play(), rig.play()
    for number in (first, second):
        rig.until(lambda number=number: rig.coach.review(number, 1))
    assert rig.coach.has_review(first, 1)
    rig.until(lambda: rig.coach.review(third, 1))

    assert rig.coach.has_review(first, 1)
    assert not rig.coach.has_review(second, 1)


def test_a_finished_match_that_this_version_cannot_replay_does_not_hold_up_practice(rig):
    won = short(500).bank().throw(FARKLE)
    number = rig.play(won.rules)
    rig.journal.append(number, Kept((2, 3)), result=Result.of(won))
    rig.play()
    app = make_app(MemoryTable(), coach=rig.coach, history=rig.coach._history)
    page = app.test_client()

    assert rig.until(lambda: "data-wait" not in page.get("/practice?name=Anna").text)


def spoil(rig, monkeypatch, spoilt_question, spoil, times=None):
    """Call `spoil` whenever the process is asked this question, but at most `times` times; it returns what to ask."""
    ask, asked = rig.worker.ask, []

    def spoilt(question, *args):
        if question != spoilt_question or len(asked) == times:
            return ask(question, *args)
        asked.append(args)
        return ask(question, *spoil(args))

    monkeypatch.setattr(rig.worker, "ask", spoilt)


def test_a_match_whose_review_always_fails_does_not_hold_up_practice(rig, monkeypatch, caplog):
    number = rig.play()
    rig.play(names=("Cleo", "Dan"))
    spoil(rig, monkeypatch, "review", lambda args: (args[0] if args[0] != number else "broken",))
    page = make_app(MemoryTable(), coach=rig.coach, history=rig.coach._history).test_client()

    def failed(path):
        return rig.until(lambda: page.get(path).text, holds=lambda text: "data-wait" not in text)

    message = f"he coach cannot review match {number}: restart Traykeeper"
    assert message in failed("/practice?name=Anna")
    assert message in failed(f"/matches/{number}")
    assert message not in failed("/practice?name=Cleo") + failed("/evening")
    for path in ("drill?name=Anna", f"{number}/review"):
        answer = page.get(f"/api/v1/matches/{path}")
        assert (answer.status_code, message in answer.json["detail"]) == (409, True)
    assert caplog.text.count(f"cannot review match {number}") == coach.MAX_TRIES


def test_a_review_is_tried_again_if_the_process_died(rig, monkeypatch):
    number = rig.play()
    rig.worker.ask("figures", short(10_000)).result(COACH_PATIENCE_S)

    def kill(args):
        os.kill(rig.worker._process.pid, signal.SIGKILL)
        return args

    spoil(rig, monkeypatch, "review", kill, times=1)

    assert rig.until(lambda: rig.coach.review(number, 1)).solved


def test_the_review_of_a_match_under_rules_without_odds_is_empty(rig):
    """Without it, pages that wait for the review would wait for ever."""
    every_face = {"singles": dict.fromkeys("123456", 50)}
    number = rig.play(with_options(RULES, every_face))
    found = rig.until(lambda: rig.coach.review(number, 1))

    assert (found.solved, found.review.moments, found.review.of_two) == (False, (), True)


def test_a_missing_match_is_an_error(rig):
    with pytest.raises(JournalError):
        rig.coach.solve(7)


def test_all_matches_are_counted_by_set_of_dice(rig):
    rig.play()
    first = rig.until(rig.coach.counts)
    rig.coach.start_dice_set("ivory")
    rig.play()
    counts = rig.until(rig.coach.counts)

    assert [each.dice.name for each in first.sets] == [""]
    assert [(each.dice.name, each.fairness.total) for each in counts.sets] == [
        ("ivory", 6),
        ("", 6),
    ]


FAILS_FOR_CLEO = """
import sys
from device.coach import worker
from game.stats import counts

real = counts.tallies

def tallies_without_cleo(match):
    if match.state.players[0].name == "Cleo":
        raise ZeroDivisionError("Cleo")
    return real(match)

counts.tallies = tallies_without_cleo
worker.main(int(sys.argv[1]), *sys.argv[2:])
"""
"""The code of a coach's process with an error: it cannot count a match of Cleo."""


def shown(rig, page, path):
    """Return a page of the coach as soon as it does not wait any more."""
    return rig.until(lambda: page.get(path).text, holds=lambda text: "data-wait" not in text)


def test_a_match_that_cannot_be_counted_is_left_out_and_named_once_in_the_log(
    rig, monkeypatch, caplog
):
    run = subprocess.Popen
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda command, **options: run(
            [sys.executable, "-c", FAILS_FOR_CLEO, *command[3:]], **options
        ),
    )
    for names in (("Anna", "Ben"), ("Cleo", "Dan"), ("Anna", "Eve")):
        number = rig.play(names=names)
        rig.journal.append(number, Banked())
    page = make_app(MemoryTable(), coach=rig.coach, history=rig.coach._history).test_client()
    players, dice = shown(rig, page, "/players"), shown(rig, page, "/dice")
    rig.journal.append(number, Thrown(FARKLE))
    again = shown(rig, page, "/players")

    assert ["Anna" in found for found in (players, again)] == [True, True]
    assert ["Cleo" in found for found in (players, again)] == [False, False]
    assert "2 matches." in dice
    assert caplog.text.count("match 2 is left out of the statistics") == 1
    assert "in tallies_without_cleo" in caplog.text
    assert "ZeroDivisionError: Cleo" in caplog.text


def test_statistics_that_fail_each_time_say_so_and_are_tried_again_after_the_next_step(
    rig, monkeypatch, caplog
):
    number = rig.play()
    spoil(rig, monkeypatch, "count", lambda _: ("broken",), times=2 * coach.MAX_TRIES)
    page = make_app(MemoryTable(), coach=rig.coach, history=rig.coach._history).test_client()

    message = "he coach cannot count the matches: restart Traykeeper"
    assert message in shown(rig, page, "/players")
    assert message in shown(rig, page, "/dice")
    for path in ("players", "dice-sets"):
        answer = page.get(f"/api/v1/{path}")
        assert (answer.status_code, message in answer.json["detail"]) == (409, True)
    assert caplog.text.count("cannot count the matches:") == coach.MAX_TRIES
    rig.journal.append(number, Banked())
    assert message in shown(rig, page, "/players")
    rig.journal.append(number, Thrown(FARKLE))
    assert "Anna" in shown(rig, page, "/players")


def test_an_error_in_the_process_of_the_coach_reaches_the_log_with_its_traceback(
    rig, monkeypatch, caplog
):
    number = rig.play()
    spoil(rig, monkeypatch, "review", lambda _: ("broken", "twice"))
    page = make_app(MemoryTable(), coach=rig.coach, history=rig.coach._history).test_client()
    shown(rig, page, f"/matches/{number}")

    (record, *_) = (each for each in caplog.records if each.name == "device.coach.worker")
    assert "Traceback" in record.getMessage()
    assert "worker.py" in record.getMessage()


def test_statistics_include_a_step_that_was_just_taken(rig, monkeypatch):
    monkeypatch.setattr("device.coach.coach.COUNT_WAIT_S", COACH_PATIENCE_S)
    for n_matches in (1, 2, 3):
        rig.play()

        assert rig.coach.counts().sets[0].matches == n_matches


def test_pages_that_ask_again_for_statistics_do_not_wait_again(rig, monkeypatch):
    class Slow:
        def ask(self, *_):
            clock.now_s += COACH_PATIENCE_S
            return Future()

    monkeypatch.setattr("device.coach.coach.COUNT_WAIT_S", COACH_PATIENCE_S)
    clock = Clock()
    reviews = Reviews(Slow(), rig.coach._history, clock=clock)
    pages = [Thread(target=reviews.counts, args=((),), daemon=True) for _ in range(3)]
    for page in pages:
        page.start()

    until(lambda: not any(page.is_alive() for page in pages))


def test_the_mode_survives_a_restart(tmp_path):
    notes_file = NotesFile(tmp_path / NOTES_FILE)
    with closing(
        TableCoach(WorkerClient(tmp_path, tmp_path), History(tmp_path), notes_file)
    ) as coach:
        coach.switch(CoachMode.AFTER)

    assert NotesFile(tmp_path / NOTES_FILE).notes.mode is CoachMode.AFTER


@pytest.mark.parametrize("text", ["", "{}", '{"mode": "loud", "dice": []}', '{"mode": 3}', "\x00"])
def test_a_damaged_notes_file_counts_as_missing(tmp_path, text):
    (tmp_path / NOTES_FILE).write_text(text)

    assert NotesFile(tmp_path / NOTES_FILE).notes.mode is CoachMode.OFF


def test_a_notes_file_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    notes_file = NotesFile(tmp_path / "file" / NOTES_FILE)

    with pytest.raises(TableError, match="cannot be saved"):
        notes_file.change(lambda notes: replace(notes, mode=CoachMode.LIVE))


def test_rules_that_cannot_be_solved_are_reported_at_once(rig):
    rules = load("zonk-ten-rounds")
    number = rig.play(rules)
    looked = rig.until(lambda: rig.coach.review(number, 1))

    assert "only calculated if the match has no target" in str(looked.trouble)
    rig.coach.solve(number)
    assert rig.coach.review(number, 1).solving is None


def test_the_current_set_of_dice_counts_from_the_end_of_a_restored_journal(rig):
    rig.play()
    rig.until(rig.coach.counts)
    rig.coach.start_dice_set("red")
    position = rig.coach._notes_file.notes.dice[-1].after
    rig.coach.start_dice_set("ivory")
    for _ in range(3):
        rig.play()
    rig.coach.start_dice_set("blue")
    rig.coach.rewind(position)

    assert rig.coach._notes_file.notes.dice[1:] == (DiceSetPeriod("blue", position),)


def test_after_a_restored_backup_only_its_matches_are_counted(rig, tmp_path):
    path, sets = tmp_path / "journal.db", (DiceSetPeriod("ivory"),)
    copy, worker = History(path).copy(), Worker(path, TableStore(tmp_path))
    rig.play()
    assert worker.count(sets, COACH_PATIENCE_S).sets[0].matches == 1
    rig.journal.restore(copy)

    assert worker.count(sets, COACH_PATIENCE_S).sets[0].matches == 0
