"""Opens the journal, and rebuilds it if it is damaged, empty or missing.

The new journal is built from the newest valid backup, the readable parts of the damaged file, its trace (the second
copy of every step), and the steps that a running program still has in memory. The damaged file is set aside. A
recovery may fail or be killed at any point; `RescueState` records its progress in a file, so that the next start continues
it. The file remains after the recovery until somebody has acknowledged the notice about it.

The trace is the text file next to the journal that contains a second copy of every step.
"""

import json
import logging
import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import IO, Self

from device.files import write_atomically
from device.storage.backup import Backup, match_count
from device.storage.daily_backup import RESTORED, Backups, number_of
from device.storage.throw_pictures import FRAMES_FOLDER, delete_after
from game.errors import DamagedJournal, JournalError, reason
from game.file_io import read_bounded, sync_folder
from game.journal import schema, trace
from game.journal.entry import CopiedEntries
from game.journal.journal import JOURNAL_FILE, LOCK_SUFFIX, Journal, lock_journal, read_owner
from game.journal.schema import salvage_file
from game.journal.trace import SUFFIX, rows_by_position
from game.message import Message, Paragraph, Plural

RESCUE_FILE = "rescue.json"
MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class RescueState:
    """The progress and the result of a recovery.

    Attributes:
        number: Number of the recovery, and of the files that it sets aside.
        aside: New name of the damaged journal; "" if there was none.
        gone: Whether the journal was missing or empty.
        done: Whether the new journal is in place.
        made_s: When the backup on which the new journal is based was made, in seconds since 1970.
        kept: Number of matches in that backup.
        files: Names of the files in that backup; empty if there was no backup.
        steps: Number of later steps that could still be read.
        matches: Number of matches in the new journal.
        trace: File name of the trace (the second copy of the journal) if only the trace was lost; otherwise "".
    """

    number: int
    aside: str
    gone: bool = False
    done: bool = False
    made_s: float = 0.0
    kept: int = 0
    files: tuple[str, ...] = ()
    steps: int = 0
    matches: int = 0
    trace: str = ""

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Return the state stored in a folder, or None if there is neither a recovery nor a notice."""
        try:
            return cls(**json.loads(read_bounded(folder / RESCUE_FILE, MAX_BYTES).decode("utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, RecursionError):
            return cls(0, "", done=True)  # the notice without its details

    def write(self, folder: Path) -> None:
        """Write the state to a folder.

        Raises:
            OSError: If the file cannot be written.
        """
        write_atomically(folder / RESCUE_FILE, json.dumps(asdict(self)))

    def with_result(self, good: Backup | None, steps: int, matches: int) -> Self:
        """Return the state with the result of the recovery.

        Args:
            good: Backup on which the new journal is based; None if there was none.
            steps: Number of later steps that could be read.
            matches: Number of matches in the new journal.
        """
        result = replace(self, steps=steps, matches=matches)
        if good is None:
            return replace(result, files=())
        return replace(result, made_s=good.made_s, kept=good.matches, files=tuple(good.parts))

    def finished(self) -> Self:
        """Return the state after the new journal has been put in place."""
        return replace(self, done=True)

    @property
    def notice(self) -> Message:
        """The notice that tells the players what was damaged, and what replaced it."""
        if self.trace:
            return Paragraph(
                Message(
                    "%(file)s, the second copy of the journal, was missing or damaged and is "
                    "being written again.",
                    file=self.trace,
                ),
                Message("Check the scores before you play on."),
            )
        damaged = Message("The journal was damaged.")
        kept = Message("The damaged file is kept as %(file)s.", file=self.aside)
        return Paragraph(
            Message("The journal was missing or empty.") if self.gone else damaged,
            self._in_its_place,
            Message("Check the scores before you play on."),
            kept if self.aside and not self.gone else None,
        )

    @property
    def _in_its_place(self) -> Message:
        steps = Plural("1 later step", "%(n)s later steps", n=self.steps)
        matches = match_count(self.matches)
        if not self.files:
            return Message(
                "There was no backup; %(steps)s could still be read; %(matches)s in all.",
                steps=steps,
                matches=matches,
            )
        good = Backup(self.made_s, 0, self.kept, dict.fromkeys(self.files, b""))
        return Message(
            "It was replaced by a backup (%(file)s) and %(steps)s that could still be read; "
            "%(matches)s in all.",
            file=good.contents,
            steps=steps,
            matches=matches,
        )


def delete_notice(folder: Path) -> None:
    """Delete the stored state because somebody has acknowledged the notice, unless the recovery is unfinished."""
    state = RescueState.of(folder)
    if state and state.done:
        (folder / RESCUE_FILE).unlink(missing_ok=True)


def known_steps(
    path: Path, aside: Path, backups: Backups, remembered: CopiedEntries
) -> tuple[Backup | None, CopiedEntries]:
    """Collect the steps of a damaged journal from every source.

    Args:
        path: Original path of the journal.
        aside: Path to which the damaged file has been moved.
        backups: The automatic backups in the state folder.
        remembered: The steps that the running program still has in memory.

    Returns:
        The newest valid backup of the journal, or None if there is none, and the later steps.
    """
    sources = [source for source in _sources(path, aside, remembered) if source.rows]
    if not sources:
        good = next(backups.valid(), None)
        return good, CopiedEntries(good.identity if good else "")
    identity = next((source.identity for source in sources if source.identity), "")
    ours = [source for source in sources if source.identity in ("", identity)]
    ours.sort(key=lambda source: source.rows[-1][0])  # where sources differ, the longest one wins
    found = tuple(rows_by_position(chain.from_iterable(source.rows for source in ours)))
    keys = dict(chain.from_iterable(source.keys.items() for source in ours))
    requests = dict(chain.from_iterable(source.requests.items() for source in ours))
    good = _base(backups, identity, found[0][0])
    after = good.position if good else 0
    later = tuple(row for row in found if row[0] > after)
    return good, CopiedEntries(identity, later, keys, requests)


def _base(backups: Backups, identity: str, first: int) -> Backup | None:
    """Return the newest backup to which the known steps, beginning at position `first`, can be added.

    A backup of another journal is used only if there is no backup of this journal and the first steps are missing.
    """
    good = next(backups.valid(identity), None)
    return good or (next(backups.valid(), None) if first > 1 else None)


def _sources(path: Path, aside: Path, remembered: CopiedEntries) -> list[CopiedEntries]:
    """Return what each source still knows, beginning with the source that identifies the journal most reliably."""
    traces = (path.with_suffix(SUFFIX), aside.with_suffix(SUFFIX))
    found = [
        salvage_file(aside),
        remembered,
        *(trace.read(one) or CopiedEntries() for one in traces),
    ]
    if any(source.rows for source in found):
        return found
    for one in damaged_earlier(path):
        found += salvage_file(one), trace.read(one.with_suffix(SUFFIX)) or CopiedEntries()
    return found


def damaged_earlier(path: Path) -> list[Path]:
    """Return the paths of damaged journals that were set aside earlier, newest first.

    If a journal was missing, there may be only its trace, the second copy of its steps.
    """
    found = path.parent.glob(f"{path.stem}-damaged-*")
    whole = {one.with_suffix(path.suffix) for one in found if one.suffix in (path.suffix, SUFFIX)}
    return sorted(whole, key=number_of, reverse=True)


log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
"""Number of attempts to write the new journal. A card that damages a new file three times will do so again."""


def open_journal(
    folder: Path, backups: Backups, remembered: CopiedEntries | None = None
) -> tuple[Journal, Message | None]:
    """Open the journal in a state folder, and recover it first if necessary.

    Args:
        folder: The state folder.
        backups: The automatic backups in this folder.
        remembered: The steps that the program still has in memory, if the journal was lost while it was running;
            None if nothing is known to be lost.

    Returns:
        The open journal, and a notice for the players or None.

    Raises:
        JournalError: If the journal cannot be used because the disk is full or read-only, or another program
            is using it.
    """
    path = folder / JOURNAL_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _rename_obstacles(path)
        with ExitStack() as undo:
            lock = undo.enter_context(lock_journal(path))
            opened = _open_or_recover(path, backups, remembered, lock)
            undo.pop_all()  # the journal keeps the lock
    except OSError as error:
        raise JournalError(
            Message(
                "%(file)s: the journal cannot be used (%(why)s): is the disk full or read-only?",
                file=str(path),
                why=reason(error),
            )
        ) from None
    return opened


def _rename_obstacles(path: Path) -> None:
    """Rename folders, pipes and the like that have the name of one of the journal's files."""
    for name in (LOCK_SUFFIX, path.suffix, f"{path.suffix}-wal", f"{path.suffix}-shm", SUFFIX):
        there = path.with_name(f"{path.stem}{name}")
        if os.path.lexists(there) and not there.is_file():
            free = (path.with_name(f"{path.stem}-strange-{n}{name}") for n in count(1))
            aside = next(one for one in free if not os.path.lexists(one))
            there.rename(aside)
            log.error("%s is not a file: renamed to %s", there, aside.name)


def _open_or_recover(
    path: Path, backups: Backups, remembered: CopiedEntries | None, lock: IO[bytes]
) -> tuple[Journal, Message | None]:
    state = RescueState.of(path.parent)
    if (state is None or state.done) and remembered is None:
        try:
            return _open_intact(path, backups, state, lock)
        except DamagedJournal as error:
            log.error("%s", error)  # noqa: TRY400 - a traceback would add nothing
    if state is None or state.done:
        state = _begin(path)
    journal, state = _recover(path, state, backups, remembered or CopiedEntries(), lock)
    log.error("%s", state.notice)
    with suppress(Exception):  # the daily backup tries again
        backups.make(RESTORED)
    return journal, state.notice


def _open_intact(
    path: Path, backups: Backups, state: RescueState | None, lock: IO[bytes]
) -> tuple[Journal, Message | None]:
    """Open an intact journal.

    Args:
        path: Path of the journal.
        backups: The automatic backups of the journal.
        state: The stored state of the last recovery; None if there is none.
        lock: A lock from `lock_journal`, which the journal then owns.

    Returns:
        The open journal, and a notice if the journal was recovered or its second copy was lost (otherwise None).

    Raises:
        DamagedJournal: If the journal is damaged, or its steps have disappeared.
    """
    _refuse_emptied(path, backups)
    journal = Journal.open(path, lock=lock)
    if journal.trace.was_lost and state is None:
        state = RescueState(0, "", done=True, trace=path.with_suffix(SUFFIX).name)
        with suppress(OSError):  # then the notice is shown only until the next start
            state.write(path.parent)
    return journal, state.notice if state else None


def _refuse_emptied(path: Path, backups: Backups) -> None:
    """Refuse an empty or missing journal if there is evidence that it contained steps before.

    Raises:
        DamagedJournal: If there is such evidence.
    """
    identities = _identities_if_empty(path)
    if identities is not None and _had_steps(path, identities, backups):
        raise DamagedJournal(
            Message(
                "%(file)s: the journal is missing or empty and is being repaired", file=str(path)
            )
        )


def _had_steps(path: Path, identities: tuple[str, ...], backups: Backups) -> bool:
    """Return whether there is evidence that an empty journal contained steps before.

    Args:
        path: Path of the journal.
        identities: The current and the previous identity of the journal; empty if they are lost.
        backups: The automatic backups of the journal.
    """
    found = trace.read(path.with_suffix(SUFFIX))
    if read_owner(path) and not identities:
        return True
    if found and found.identity in identities:
        return False
    return bool(found and found.rows) or backups.exist() or bool(damaged_earlier(path))


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _identities_if_empty(path: Path) -> tuple[str, ...] | None:
    """Return the current and the previous identity of a journal without steps.

    None means that the journal contains steps or cannot be read. The result is an empty tuple if the file is missing,
    empty or without tables.
    """
    if not path.exists() or not path.stat().st_size:
        return ()
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as db:
            if not db.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]:
                return ()
            if db.execute("SELECT 1 FROM entry LIMIT 1").fetchone():
                return None
            return schema.identity(db), schema.previous_identity(db)
    except (sqlite3.Error, UnicodeDecodeError, TypeError):
        return None  # opening the journal will report the reason


def _begin(path: Path) -> RescueState:
    """Record that a recovery has begun, and keep a copy of the journal's trace (see `game.journal.trace`)."""
    number = 1
    while any(path.parent.glob(f"{path.stem}-damaged-{number}.*")):
        number += 1
    aside = path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")
    _keep_copy(path.with_suffix(SUFFIX), aside.with_suffix(SUFFIX))
    there = path.exists() or _log(path).exists()
    gone = _identities_if_empty(path) is not None
    state = RescueState(number, aside.name if there else "", gone=gone)
    state.write(path.parent)
    return state


def _keep_copy(path: Path, copy: Path) -> None:
    with suppress(FileNotFoundError):
        try:
            os.link(path, copy)
        except OSError:  # the file system has no hard links
            write_atomically(copy, path.read_bytes())


def _recover(
    path: Path, state: RescueState, backups: Backups, remembered: CopiedEntries, lock: IO[bytes]
) -> tuple[Journal, RescueState]:
    folder = path.parent
    aside = path.with_name(f"{path.stem}-damaged-{state.number}{path.suffix}")
    if state.aside and not aside.exists():
        set_aside(path, aside)
    for attempts_left in range(MAX_ATTEMPTS, 0, -1):
        if not path.exists():
            good, entries = known_steps(path, aside, backups, remembered)
            state = _build(path, state, good, entries)
        path.with_suffix(SUFFIX).unlink(
            missing_ok=True
        )  # all of it is in the journal or in the copy
        try:
            journal = Journal.open(path, lock=lock)
            break
        except DamagedJournal:
            if attempts_left == 1:
                raise
            _remove(path)
    with ExitStack() as undo:
        undo.callback(journal.close)
        delete_after(folder / FRAMES_FOLDER, 0)
        state = state.finished()
        state.write(folder)
        undo.pop_all()  # the caller keeps the journal
    return journal, state


def _build(
    path: Path, state: RescueState, good: Backup | None, entries: CopiedEntries
) -> RescueState:
    """Record the result of the recovery, then write the new journal atomically."""
    with closing(_empty() if good is None else schema.open_copy(good.journal)) as db:
        with schema.transaction(db):
            adopted = schema.append_missing(db, entries)
            schema.assign_identity(db, entries.identity)
        (matches,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
        data = db.serialize()
    state = state.with_result(good, adopted, int(matches))
    state.write(path.parent)
    _remove(path)
    write_atomically(path, data)
    return state


def _empty() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.prepare(db)
    return db


def set_aside(path: Path, aside: Path) -> None:
    """Move a damaged journal and its write-ahead log out of the way. This can be repeated after a crash.

    Args:
        path: Path of the journal.
        aside: Its new path.
    """
    with suppress(FileNotFoundError):  # the log first, because it is useless without its journal
        _log(path).rename(_log(aside))
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        path.rename(aside)
    sync_folder(path.parent)


def _remove(path: Path) -> None:
    """Delete a journal after its write-ahead log, because SQLite would apply a leftover log to the next journal."""
    for name in (f"{path.name}-wal", f"{path.name}-shm", path.name):
        path.with_name(name).unlink(missing_ok=True)
