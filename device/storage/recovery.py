"""A journal that is damaged is set aside, and the newest good backup takes its place.

Whatever can still be read of the damaged one, and came after the backup, is put in again.
"""

import logging
from contextlib import ExitStack, suppress
from pathlib import Path

from device.storage.backup import Backup, counted
from device.storage.daily_backup import Backups
from game.errors import DamagedJournal
from game.journal.history import History
from game.journal.journal import FILE, Journal
from game.journal.salvage import readable

log = logging.getLogger(__name__)


def open_journal(folder: Path, backups: Backups) -> tuple[Journal, str]:
    """The journal of this folder, and what people have to know about it; usually nothing.

    Raises:
        JournalError: it cannot be used at all: disk full, read-only, used by another.
    """
    path = folder / FILE
    try:
        return Journal.open(path), ""
    except DamagedJournal as error:
        log.error("%s", error)  # noqa: TRY400 - the line says it all
        aside = set_aside(path)
    with ExitStack() as undo:
        journal = Journal.open(path)
        undo.callback(journal.close)
        good = next(backups.good(), None)
        if good:
            journal.restore(good.journal)
        saved = journal.adopt(*readable(aside, good.position if good else 0))
        notice = _notice(aside, good, saved, History(path).count())
        undo.pop_all()  # all went well
    log.error("%s", notice)
    return journal, notice


def set_aside(path: Path) -> Path:
    """Move the file and its log out of the way; gives where to."""
    number = 1
    while (aside := path.with_name(f"{path.stem}-damaged-{number}{path.suffix}")).exists():
        number += 1
    with suppress(FileNotFoundError):  # the log first: without its file it means nothing
        path.with_name(f"{path.name}-wal").rename(aside.with_name(f"{aside.name}-wal"))
    with suppress(FileNotFoundError):
        path.with_name(f"{path.name}-shm").unlink()
    path.rename(aside)
    return aside


def _notice(aside: Path, good: Backup | None, saved: int, matches: int) -> str:
    source = f"a backup ({good})" if good else "no backup: there was none"
    steps = "1 later step" if saved == 1 else f"{saved:,} later steps"
    return (
        f"The journal was damaged. In its place: {source}, and {steps} that could still be read; "
        f"{counted(matches)} in all. Look at the scores before you play on. "
        f"The damaged one is kept as {aside.name}."
    )
