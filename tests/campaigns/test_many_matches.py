"""Thousands of matches in one process: nothing grows; prints the time of the first and the last."""

import os
import random
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median
from threading import Thread

import pytest

from device.app import PlayOptions, serving
from game.commands import AnswerQuestion, Bank, EnterThrow, RecordEvent, StartMatch
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from game.match.events import Skipped
from tests.campaigns.size import count
from tests.patient_parts import patient_parts
from tests.waiting import PATIENCE_S

MATCHES = count(50, 10_000)
GROWTH_MB = 12
"""SQLite's page cache fills up to 2 MB a connection; photos and threads come and go."""

SETTLED = 6
"""Tenths of the campaign after the first daily backup, which is made about ten minutes after the start."""


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def play_one(companion, rng):
    """Play a short match with entered dice, and return the number of its steps."""
    steps = 1
    snapshot = companion.do(StartMatch(("Anna", "Ben", "Cleo"), target=1500))
    while snapshot.match.state.winner is None:
        state = snapshot.match.state
        dice = tuple(rng.randint(1, 6) for _ in range(state.rules.n_dice))
        snapshot = companion.do(EnterThrow(dice))
        steps += 1
        if snapshot.question:
            snapshot = companion.do(AnswerQuestion(snapshot.choices[0].id))
        elif snapshot.match.state.turn.last and not snapshot.match.state.bank_refusal():
            snapshot = companion.do(Bank())
            steps += 1
        elif snapshot.match.state.turn.last:
            snapshot = companion.do(RecordEvent(Skipped()))
            steps += 1
    return steps


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_memory_and_files_do_not_grow_over_many_matches():
    rng = random.Random(11)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        options = PlayOptions(
            camera="usb:97", host="127.0.0.1", port=0, state=folder, rules="walnut-studiolo"
        )
        with patient_parts(), serving(options) as (companion, server):
            phone = Thread(target=_listen, args=(server.port,), daemon=True)
            phone.start()
            samples, took_s, steps = [], [], 0
            for number in range(MATCHES):
                began_s = time.perf_counter()
                played = play_one(companion, rng)
                took_s.append((time.perf_counter() - began_s) / played)
                steps += played
                if number % (MATCHES // 10) == MATCHES // 10 - 1:
                    samples.append((round(resident_mb(), 1), open_files()))
            matches = History(Path(folder) / JOURNAL_FILE).count()
    fifth = MATCHES // 5
    first_ms, last_ms = (median(part) * 1e3 for part in (took_s[:fifth], took_s[-fifth:]))
    print(
        f"\n{matches:,} matches, {steps:,} steps, {first_ms:.2f} and {last_ms:.2f} ms a step at"
        f" beginning and end; memory in MB and open files after each tenth: {samples}"
    )
    assert matches == MATCHES
    assert samples[-1][0] - samples[SETTLED][0] < GROWTH_MB
    assert abs(samples[-1][1] - samples[SETTLED][1]) <= 3


def _listen(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/live", timeout=PATIENCE_S) as stream:
        while stream.readline():
            pass
