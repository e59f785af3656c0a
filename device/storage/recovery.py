"""A journal that is damaged, emptied or gone is set aside, and what is known of it takes its place.

What is known: the newest good backup that belongs to it, what can still be read of the file, its
trace, and what a running program remembers. `rescue_state` says how far a rescue has come: it may be
killed or fail at any step, and the next start goes on with it.
"""

import logging
import os
import shutil
import sqlite3
from contextlib import ExitStack, closing, suppress
from itertools import count
from pathlib import Path
from typing import IO

from device.files import write_atomically
from device.storage.daily_backup import RESTORED, Backups
from device.storage.known_steps import KnownSteps, damaged_earlier, known_steps
from device.storage.rescue_state import RescueState
from device.storage.throw_pictures import FOLDER as FRAMES
from device.storage.throw_pictures import forget
from game.errors import DamagedJournal, JournalError, reason
from game.file_io import sync_folder
from game.journal import rows, schema, trace
from game.journal.file_guard import LOCK_SUFFIX, lock_journal, read_owner
from game.journal.journal import JOURNAL_FILE, Journal
from game.journal.salvage import Salvaged
from game.journal.trace import SUFFIX
from game.message import Message

log = logging.getLogger(__name__)

_NOTHING = Salvaged()

TRIES = 3
"""A card that damages what was just built does it again."""


def open_journal(
    folder: Path, backups: Backups, remembered: Salvaged | None = None
) -> tuple[Journal, Message | None]:
    """The journal of this folder, and what people have to know about it; usually nothing.

    Args:
        folder: of the state.
        backups: of this folder.
        remembered: what the program still knows of a journal that was lost under its hands; None
            where nothing is known to be lost.

    Raises:
        JournalError: it cannot be used at all: disk full, read-only, used by another.
    """
    path = folder / JOURNAL_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _clear_the_way(path)
        with ExitStack() as undo:
            lock = undo.enter_context(lock_journal(path))
            opened = _opened_or_rescued(path, backups, remembered, lock)
            undo.pop_all()  # all went well: the journal keeps the lock
    except OSError as error:
        raise JournalError(
            Message(
                "%(file)s: the journal cannot be used (%(why)s): is the disk full or read-only?",
                file=str(path),
                why=reason(error),
            )
        ) from None
    return opened


def _clear_the_way(path: Path) -> None:
    """What has the name of one of our files and is none, a folder or a pipe, gets another."""
    for name in (LOCK_SUFFIX, path.suffix, f"{path.suffix}-wal", f"{path.suffix}-shm", SUFFIX):
        there = path.with_name(f"{path.stem}{name}")
        if os.path.lexists(there) and not there.is_file():
            free = (path.with_name(f"{path.stem}-strange-{n}{name}") for n in count(1))
            aside = next(one for one in free if not os.path.lexists(one))
            there.rename(aside)
            log.error("%s is no file: it is called %s now", there, aside.name)


def _opened_or_rescued(
    path: Path, backups: Backups, remembered: Salvaged | None, lock: IO[bytes]
) -> tuple[Journal, Message | None]:
    state = RescueState.of(path.parent)
    if (state is None or state.done) and remembered is None:
        try:
            return _whole(path, backups, state, lock)
        except DamagedJournal as error:
            log.error("%s", error)  # noqa: TRY400 - the line says it all
    if state is None or state.done:
        state = _begun(path)
    journal, state = _rescued(
        path, state, backups, _NOTHING if remembered is None else remembered, lock
    )
    log.error("%s", state.notice)
    with suppress(Exception):  # tried again by itself
        backups.make(RESTORED)
    return journal, state.notice


def _whole(
    path: Path, backups: Backups, state: RescueState | None, lock: IO[bytes]
) -> tuple[Journal, Message | None]:
    """The journal as it is, and what is to be told of an earlier rescue, or of a trace that was lost.

    Raises:
        DamagedJournal: it is not what was written.
    """
    _refuse_lost(path, backups)
    journal = Journal.open(path, lock=lock)
    if journal.was_trace_lost and state is None:
        state = RescueState(0, "", done=True, trace=path.with_suffix(SUFFIX).name)
        with suppress(OSError):  # told now, at least
            state.write(path.parent)
    return journal, state.notice if state else None


def _refuse_lost(path: Path, backups: Backups) -> None:
    """An empty journal beside anything that was kept is no beginning.

    Raises:
        DamagedJournal: something was here once.
    """
    names = _names(path)
    if names is not None and _was_here(path, names, backups):
        raise DamagedJournal(
            Message("%(file)s: the journal is gone, or empty: it is mended", file=str(path))
        )


def _was_here(path: Path, names: tuple[str, ...], backups: Backups) -> bool:
    """Whether anything tells that there were steps beside an empty journal of these names."""
    found = trace.read(path.with_suffix(SUFFIX))
    if read_owner(path) and not names:
        return True
    if found and found.identity in names:
        return False
    return bool(found and found.rows) or backups.exist() or bool(damaged_earlier(path))


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _names(path: Path) -> tuple[str, ...] | None:
    """What an empty journal is called, and was before; None where it is not empty."""
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
        return None  # opening it tells what is wrong


def _begun(path: Path) -> RescueState:
    """From here on it is a rescue, whatever happens; the trace is kept as it is now."""
    number = 1
    while any(path.parent.glob(f"{path.stem}-damaged-{number}.*")):
        number += 1
    aside = path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")
    _keep_copy(path.with_suffix(SUFFIX), aside.with_suffix(SUFFIX))
    there = path.exists() or _log(path).exists()
    state = RescueState(number, aside.name if there else "", gone=_names(path) is not None)
    state.write(path.parent)
    return state


def _keep_copy(path: Path, copy: Path) -> None:
    with suppress(FileNotFoundError):
        try:
            os.link(path, copy)
        except OSError:  # a card that knows no links
            shutil.copyfile(path, copy)


def _rescued(
    path: Path, state: RescueState, backups: Backups, remembered: Salvaged, lock: IO[bytes]
) -> tuple[Journal, RescueState]:
    folder = path.parent
    aside = path.with_name(f"{path.stem}-damaged-{state.number}{path.suffix}")
    if state.aside and not aside.exists():
        set_aside(path, aside)
    for left in range(TRIES, 0, -1):
        if not path.exists():
            known = known_steps(path, aside, backups, remembered)
            state = _build(path, state, known)
        path.with_suffix(SUFFIX).unlink(missing_ok=True)  # the journal knows it all, or the copy
        try:
            journal = Journal.open(path, lock=lock)
            break
        except DamagedJournal:
            if left == 1:
                raise
            _remove(path)
    with ExitStack() as undo:
        undo.callback(journal.close)
        forget(folder / FRAMES, after=0)
        state = state.finished()
        state.write(folder)
        undo.pop_all()  # all went well: whoever asked keeps it
    return journal, state


def _build(path: Path, state: RescueState, known: KnownSteps) -> RescueState:
    """The new journal, whole or not at all; what will be told of it is written down before."""
    with closing(_empty() if known.good is None else rows.open_copy(known.good.journal)) as db:
        with rows.transaction(db):
            adopted = rows.append_missing(db, known.rows, known.keys, known.requests)
            schema.assign_identity(db, known.identity)
        (matches,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
        data = db.serialize()
    state = state.with_result(known.good, adopted, int(matches))
    state.write(path.parent)
    _remove(path)
    write_atomically(path, data)
    return state


def _empty() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.prepare(db)
    return db


def set_aside(path: Path, aside: Path) -> None:
    """Move the file and its log out of the way; again where that was broken off."""
    with suppress(FileNotFoundError):  # the log first: without its file it means nothing
        _log(path).rename(_log(aside))
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        path.rename(aside)
    sync_folder(path.parent)


def _remove(path: Path) -> None:
    """A log without its file would be taken for the next one's."""
    for name in (f"{path.name}-wal", f"{path.name}-shm", path.name):
        path.with_name(name).unlink(missing_ok=True)
