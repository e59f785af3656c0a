"""Fails, halves and kills each call that touches a file, on each way that told steps take.

    FAULT_ROOT=FOLDER LD_PRELOAD=faults.so python -m tests.campaigns.failing FOLDER MOST SEED

Each try is a fork: it begins with the same files, and one of its calls fails, or it dies there. Then the
folder is opened without any fault: every step that was told is there, and what was damaged is told. Prints
one line a way.
"""

import ctypes
import logging
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from device.companion.companion import Companion, Inbox
from device.errors import UsageError
from device.hardware.outputs import Signals
from device.session.live_match import LiveMatch
from device.storage import backup
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from device.storage.restore import restore_backup
from device.storage.throw_pictures import FRAMES_FOLDER
from game.commands import RestoreBackup
from game.errors import GameError
from game.journal.entry import Entry, entry_from_row
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal
from game.journal.schema import entries_after, open_copy
from game.match.events import Kept, ScoreSet, Thrown
from game.match.match import Match
from game.rules import rule_files

FAULTS = ctypes.CDLL(None)
COUNT, *HOWS = range(7)
"""Faults: EIO, ENOSPC, a kill before or after the call, half of the data written, a kill after half of it."""

STEPS = 9
RULES = rule_files.load("walnut-studiolo")
REFUSED = (GameError, OSError, UsageError)
"""Exceptions that may report a fault; any other one is a bug."""

Told = Callable[[int], object]
"""Called with the position of each step after it is accepted."""


def begin(folder: Path, steps: int = STEPS) -> None:
    with closing(Journal.open(folder / JOURNAL_FILE)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        for score in range(steps):
            journal.append(number, ScoreSet(0, 50 * score))


def begin_again_and_keep(folder: Path) -> None:
    """Prepare a backup, a later step, and pictures of throws, one of which cannot be deleted."""
    begin(folder)
    Backups(folder).make()
    with closing(Journal.open(folder / JOURNAL_FILE)) as journal:
        journal.append(1, Thrown((1, 1, 1, 2, 3, 4)))
    (folder / FRAMES_FOLDER / "000000099.jpg").mkdir(parents=True)
    for position in (3, 11):
        (folder / FRAMES_FOLDER / f"{position:09}.jpg").touch()


def begin_damaged(folder: Path) -> None:
    begin_again_and_keep(folder)
    path = folder / JOURNAL_FILE
    data = bytearray(path.read_bytes())
    for at in range(2 * 4096 - 50, len(data), 4096):
        data[at] ^= 0xFF
    path.write_bytes(data)


def write(folder: Path, told: Told, steps: int = 3) -> None:
    journal, _ = open_journal(folder, Backups(folder))
    with closing(journal):
        for score in range(steps):
            with suppress(GameError):  # refused; the next one may be taken
                told(journal.append(1, ScoreSet(1, 50 * score)))


def write_back(folder: Path, told: Told) -> None:
    """Play until SQLite has written its log back twice, and once more at the end."""
    write(folder, told, 12)


def open_and_play(folder: Path, told: Told) -> None:
    journal, _ = open_journal(folder, Backups(folder))
    with closing(journal):
        live_match = LiveMatch(journal)
        live_match.reload()
        play(live_match, told)


def play(live_match: LiveMatch, told: Told) -> None:
    """Continue the match; the first step is legal only if the throw before it was not lost."""
    for action in (Kept((1, 1, 1)), ScoreSet(1, 650), ScoreSet(1, 700)):
        with suppress(GameError):
            told(len(live_match.do(action).timeline))


def back_up(folder: Path, _: Told) -> None:
    Backups(folder).make()


def restore(folder: Path, told: Told) -> None:
    """Restore a backup during a match, which continues whatever happens."""
    backups = Backups(folder)
    good = backup.read(folder / "backups" / "traykeeper-000001.zip")
    journal, _ = open_journal(folder, backups)
    with closing(journal):
        live_match = LiveMatch(journal)
        live_match.reload()
        companion = Companion(Inbox(), live_match, RULES, None, Signals())
        try:
            companion.do(RestoreBackup(lambda: restore_backup(good, journal, folder, backups)))
        finally:
            play(live_match, told)


@dataclass(frozen=True)
class Way:
    """What is done, from which files on.

    Attributes:
        steps: that it tries to write.
        damaged: whether it begins with damaged files.
        goes_back: whether a backup may stand there afterwards.
    """

    begin: Callable[[Path], object]
    do: Callable[[Path, Told], object]
    steps: int = 0
    damaged: bool = False
    goes_back: bool = False


WAYS = {
    "write": Way(begin, write, steps=3),
    "rescue": Way(begin_damaged, open_and_play, steps=3, damaged=True),
    "backup": Way(begin_again_and_keep, back_up),
    "restore": Way(begin_again_and_keep, restore, steps=3, goes_back=True),
    "checkpoint": Way(begin, write_back, steps=12),
}


@dataclass
class Tally:
    """The results of all attempts in one scenario."""

    calls: int = 0
    tries: int = 0
    refused: int = 0
    lost: int = 0
    untold: int = 0
    doubled: int = 0
    tracebacks: int = 0

    @property
    def bad(self) -> int:
        return self.lost + self.untold + self.doubled + self.tracebacks

    def __str__(self) -> str:
        return (
            f"{self.calls} calls, {self.tries} faults, {self.refused} of them told at once: "
            f"{self.lost} lost, {self.untold} untold, {self.doubled} twice, "
            f"{self.tracebacks} tracebacks"
        )


class Try:
    """A forked process with one fault."""

    def __init__(self, way: Way, folder: Path, at: int, how: int) -> None:
        self._way, self._folder, self._at, self._how = way, folder, at, how
        self.words: list[bytes] = []

    def run(self) -> int:
        """Return the number of calls, or 0 if the process was killed."""
        there, out = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(there)
            os._exit(self._in_the_fork(out))
        os.close(out)
        with os.fdopen(there, "rb") as lines:
            self.words = [line.strip() for line in lines]
        status = os.waitpid(child, 0)[1]
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        assert killed or os.WIFEXITED(status), status
        counts = [int(word[6:]) for word in self.words if word.startswith(b"calls ")]
        return counts[0] if counts else 0

    def _in_the_fork(self, out: int) -> int:
        def tell(word: str) -> None:
            os.write(out, f"{word}\n".encode())

        logging.disable()
        FAULTS.fault_arm(ctypes.c_long(self._at), self._how)
        try:
            self._way.do(self._folder, lambda position: tell(f"told {position}"))
        except REFUSED:
            tell("refused")
        except BaseException as error:  # noqa: BLE001 - that is what is looked for
            tell(f"traceback {type(error).__name__} {error}"[:400].replace("\n", " "))
        tell(f"calls {FAULTS.fault_count()}")
        return 0

    @property
    def told(self) -> int:
        return sum(word.startswith(b"told ") for word in self.words)


def entries_of(folder: Path) -> tuple[Entry, ...]:
    return History(folder / JOURNAL_FILE).entries(limit=-1)


def entries_in(good: backup.Backup) -> tuple[Entry, ...]:
    with closing(open_copy(good.journal)) as db:
        return tuple(map(entry_from_row, entries_after(db, 0).rows))


def alike(found: tuple[Entry, ...], told: tuple[Entry, ...]) -> bool:
    """Whether the steps are the same, apart from the time of a match."""
    return [(e.match_id, e.seq, e.start_match, e.actions) for e in found] == [
        (e.match_id, e.seq, e.start_match, e.actions) for e in told
    ]


def check(way: Way, folder: Path, one: Try, before: tuple[Entry, ...], tally: Tally) -> None:
    """Return what is there after a start without faults."""
    journal, notice = open_journal(folder, Backups(folder))
    with closing(journal):
        tally.lost += not can_be_played(journal)
    found = entries_of(folder)
    went_back = way.goes_back and not alike(found[: len(before)], before)
    if went_back:
        tally.lost += not restored(folder, found, before, one)
    else:
        tally.lost += lost(found, before, one)
    tally.doubled += max(0, len(found) - len(before) - way.steps)
    damaged = way.damaged or any(folder.glob("journal-damaged-*.db"))
    tally.untold += damaged and notice is None
    for path in (folder / "backups").glob("*.zip"):
        backup.read(path)
    tally.refused += b"refused" in one.words
    tally.tracebacks += any(word.startswith(b"traceback") for word in one.words)


def lost(found: tuple[Entry, ...], before: tuple[Entry, ...], one: Try) -> bool:
    """Whether anything is missing that was confirmed before or during this attempt."""
    return not alike(found[: len(before)], before) or len(found) < len(before) + one.told


def can_be_played(journal: Journal) -> bool:
    try:
        return journal.newest() is not None
    except GameError:
        return False


def restored(folder: Path, found: tuple[Entry, ...], before: tuple[Entry, ...], one: Try) -> bool:
    """Whether the backup is restored with all later confirmed steps, and the state before it is kept as a backup."""
    kept = {good.position: entries_in(good) for good in Backups(folder).valid()}
    is_backup = any(
        alike(found[:position], entries) and len(found) >= position + one.told
        for position, entries in kept.items()
    )
    return is_backup and len(before) in kept


def go(name: str, way: Way, folder: Path, most: int, rng: random.Random) -> Tally:
    """Yield all faults of one scenario, or a sample of them."""
    seed = folder / f"{name}-begins"
    seed.mkdir()
    way.begin(seed)
    before = told_before(name, way, seed, folder)
    tally = Tally(calls=Try(way, copied(seed, folder), 1 << 40, COUNT).run())
    assert tally.calls, name
    cases = [(at, how) for at in range(tally.calls) for how in HOWS]
    for at, how in cases if most >= len(cases) else rng.sample(cases, most):
        there = copied(seed, folder)
        one = Try(way, there, at, how)
        one.run()
        was = tally.bad
        check(way, there, one, before, tally)
        if tally.bad != was:
            print(f"  {name}: call {at}, {how}: {one.words}")
        tally.tries += 1
    return tally


def told_before(name: str, way: Way, seed: Path, folder: Path) -> tuple[Entry, ...]:
    """Return the steps that were confirmed before the start, or before the files were damaged."""
    whole = folder / f"{name}-whole"
    whole.mkdir()
    if way.damaged:
        begin_again_and_keep(whole)
    else:
        shutil.copytree(seed, whole, dirs_exist_ok=True)
    open_journal(whole, Backups(whole))[0].close()
    return entries_of(whole)


def copied(seed: Path, folder: Path) -> Path:
    there = folder / "here"
    shutil.rmtree(there, ignore_errors=True)
    return Path(shutil.copytree(seed, there))


def main() -> None:
    folder, most, rng = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    logging.disable()
    for name, way in WAYS.items():
        if not sys.argv[4:] or name in sys.argv[4:]:
            print(f"{name}: {go(name, way, folder, most, rng)}", flush=True)


if __name__ == "__main__":
    main()
