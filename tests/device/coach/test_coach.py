"""The coach with its real process, over a real journal."""

import os
import signal
from contextlib import closing
from dataclasses import replace
from threading import Event

import pytest

from device.coach.coach import TABLES, TableCoach
from device.coach.notes_file import FILE, NotesFile
from device.coach.worker_client import WorkerClient, WorkerLostError
from game.errors import JournalError
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import Thrown
from game.match.match import Match
from game.rules.rule_files import load
from game.situation import TableError
from game.stats.counts import DiceSetPeriod
from web.contracts.coach import CoachMode

RULES = load("walnut-studiolo")
PATIENCE_S = 30.0


class Bench:
    """A coach, and waiting for what it has to say."""

    def __init__(self, folder):
        path = folder / "journal.db"
        self.journal = Journal.open(path)
        self.aside = WorkerClient(path, folder / TABLES)
        self.coach = TableCoach(self.aside, History(path), NotesFile(folder / FILE))
        self._news = Event()
        self.coach.changed = self._news.set

    def close(self):
        self.coach.close()
        self.journal.close()

    def until(self, ask, *, holds=bool):
        """What it says once it says something; asked at every change, and now and then."""
        for _ in range(int(PATIENCE_S / 0.1)):
            if holds(said := ask()):
                return said
            self._news.wait(0.1)
            self._news.clear()
        raise TimeoutError(said)

    def play(self, rules=RULES):
        """The first throw of a match."""
        number = self.journal.start(Match.start(rules, ("Anna", "Ben")))
        self.journal.append(number, Thrown((1, 1, 1, 2, 3, 5)))
        return number


@pytest.fixture
def bench(tmp_path):
    with closing(Bench(tmp_path)) as bench:
        yield bench


def short(target):
    return Match.start(replace(RULES, target=target), ["Anna", "Ben"]).throw((1, 1, 1, 2, 3, 5))


def test_no_process_is_started_while_it_says_nothing(bench):
    assert bench.coach.coaching(short(10_000)).figures is None
    assert "running=False" in repr(bench.aside)


def test_figures_come_a_moment_later(bench):
    match = short(10_000)
    bench.coach.switch(CoachMode.LIVE)
    assert bench.coach.coaching(match).figures is None
    said = bench.until(lambda: bench.coach.coaching(match).figures)

    assert said.solved
    assert said.keeps[0].win > 0.5


def test_after_the_turn_nothing_is_said_of_the_turn_being_played(bench):
    match = short(10_000).bank()
    bench.coach.switch(CoachMode.AFTER)
    said = bench.until(lambda: bench.coach.coaching(match).figures)

    assert (said.keeps, said.before) == ((), None)
    assert len(said.turn) == 2


def test_what_is_not_solved_is_solved_and_kept(bench, tmp_path):
    match = short(500)
    bench.coach.switch(CoachMode.LIVE)
    bench.until(lambda: bench.coach.coaching(match), holds=lambda c: c.figures and c.figures.solved)

    assert bench.coach.coaching(match).solving is None
    assert len(list((tmp_path / TABLES).iterdir())) == 1


def test_what_has_no_solution_says_why(bench):
    match = short(100_000)
    bench.coach.switch(CoachMode.LIVE)
    said = bench.until(lambda: bench.coach.coaching(match), holds=lambda c: c.trouble)

    assert "a target can be 1 to 50,000" in str(said.trouble)
    assert said.figures.keeps[0].win is None


def test_a_process_that_is_killed_is_started_again(bench):
    bench.coach.switch(CoachMode.LIVE)
    bench.until(lambda: bench.coach.coaching(short(10_000)).figures)
    os.kill(bench.aside._process.pid, signal.SIGKILL)

    assert bench.until(lambda: bench.coach.coaching(short(10_000)).figures)


def test_it_works_at_the_lowest_priority_and_ends_with_the_companion(bench):
    bench.aside.ask("figures", short(10_000)).result(PATIENCE_S)
    process = bench.aside._process

    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19
    bench.coach.close()
    assert process.poll() is not None
    with pytest.raises(WorkerLostError):
        bench.aside.ask("figures", short(10_000)).result(PATIENCE_S)


def test_a_match_of_the_journal_is_looked_back_on(bench):
    number = bench.play()
    assert bench.coach.review(number, 1) is None
    found = bench.until(lambda: bench.coach.review(number, 1))

    assert found.solved
    assert found.caveats == ()
    assert len(found.review.moments) == 1


def test_a_match_that_is_not_there_is_no_match(bench):
    with pytest.raises(JournalError):
        bench.coach.solve(7)


def test_everything_is_counted_and_dice_can_be_named(bench):
    bench.play()
    first = bench.until(bench.coach.counts)
    bench.coach.start_dice_set("ivory")
    bench.play()
    counts = bench.until(bench.coach.counts)

    assert [each.dice.name for each in first.sets] == [""]
    assert [(each.dice.name, each.fairness.total) for each in counts.sets] == [
        ("ivory", 6),
        ("", 6),
    ]


def test_how_much_it_says_outlives_a_restart(tmp_path):
    notes_file = NotesFile(tmp_path / FILE)
    with closing(
        TableCoach(WorkerClient(tmp_path, tmp_path), History(tmp_path), notes_file)
    ) as coach:
        coach.switch(CoachMode.AFTER)

    assert NotesFile(tmp_path / FILE).notes.mode is CoachMode.AFTER


@pytest.mark.parametrize("text", ["", "{}", '{"mode": "loud", "dice": []}', '{"mode": 3}', "\x00"])
def test_a_damaged_notebook_is_as_good_as_none(tmp_path, text):
    (tmp_path / FILE).write_text(text)

    assert NotesFile(tmp_path / FILE).notes.mode is CoachMode.OFF


def test_a_notebook_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    notes_file = NotesFile(tmp_path / "file" / FILE)

    with pytest.raises(TableError, match="cannot be written"):
        notes_file.change(lambda notes: replace(notes, mode=CoachMode.LIVE))


def test_rules_that_are_never_solved_say_so_at_once(bench):
    rules = load("farkle-ten")
    number = bench.play(rules)
    looked = bench.until(lambda: bench.coach.review(number, 1))

    assert "so many turns each" in str(looked.trouble)
    bench.coach.solve(number)
    assert bench.coach.review(number, 1).solving is None


def test_a_set_of_dice_named_after_what_was_restored_is_thrown_from_there_on(bench):
    bench.play()
    bench.until(bench.coach.counts)
    bench.coach.start_dice_set("red")
    position = bench.coach._notes_file.notes.dice[-1].after
    bench.coach.start_dice_set("ivory")
    for _ in range(3):
        bench.play()
    bench.coach.start_dice_set("blue")
    bench.coach.rewind(position)

    assert bench.coach._notes_file.notes.dice[1:] == (DiceSetPeriod("blue", position),)
