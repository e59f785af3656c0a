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
from game.message import Message, Paragraph, Plural

log = logging.getLogger(__name__)


def open_journal(folder: Path, backups: Backups) -> tuple[Journal, Message | None]:
    """The journal of this folder, and what people have to know about it; usually nothing.

    Raises:
        JournalError: it cannot be used at all: disk full, read-only, used by another.
    """
    path = folder / FILE
    try:
        return Journal.open(path), None
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


def _notice(aside: Path, good: Backup | None, saved: int, matches: int) -> Message:
    steps = Plural("1 later step", "%(n)s later steps", n=saved)
    in_its_place = (
        Message(
            "In its place: a backup (%(file)s), and %(steps)s that could still be read; "
            "%(matches)s in all.",
            file=good.contents,
            steps=steps,
            matches=counted(matches),
        )
        if good
        else Message(
            "In its place: no backup: there was none, and %(steps)s that could still be read; "
            "%(matches)s in all.",
            steps=steps,
            matches=counted(matches),
        )
    )
    return Paragraph(
        Message("The journal was damaged."),
        in_its_place,
        Message("Look at the scores before you play on."),
        Message("The damaged one is kept as %(file)s.", file=aside.name),
    )
