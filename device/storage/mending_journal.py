"""A journal that is mended while the program runs, if its file is lost or damaged."""

from collections.abc import Callable
from pathlib import Path

from game.errors import DamagedJournal, JournalError
from game.journal.entry import Result
from game.journal.journal import Journal
from game.journal.salvage import Salvaged
from game.match.events import Action
from game.match.match import Match
from game.message import Message

Reopen = Callable[[Salvaged], tuple[Journal, Message | None]]
"""Recovers the journal with what the program remembers, and returns it with a notice for the players."""


class MendingJournal:
    """A journal that can be opened again. For one thread, except where a method says otherwise.

    Every method raises JournalError if the journal cannot be used, and tries again at the next call. It
    raises DamagedJournal if `mend` may help.

    Args:
        journal: The open journal.
        reopen: Opens it again.
        on_notice: Receives what the players have to know.
    """

    def __init__(
        self, journal: Journal, reopen: Reopen, on_notice: Callable[[Message], object]
    ) -> None:
        self._journal: Journal | None = journal
        self._path = journal.path
        self._reopen, self._on_notice = reopen, on_notice
        self._remembered = Salvaged()

    def __repr__(self) -> str:
        return f"<MendingJournal in {self._path}>"

    @property
    def path(self) -> Path:
        """The file of the journal."""
        return self._path

    @property
    def trouble(self) -> Message | None:
        """What is wrong with the journal or its trace, or None. Any thread may ask."""
        journal = self._journal
        if journal is None:
            return Message("the journal was lost and cannot be written again yet")
        try:
            journal.check_in_place()
        except JournalError as error:
            return error.message
        return journal.trace.problem

    def mend(self) -> bool:
        """Recover the journal; return False if it is intact and something else was wrong."""
        if self._journal is not None:
            if self._journal.is_intact():
                return False
            self._remembered = self._journal.salvage()
            self._journal.close()
            self._journal = None
        self._opened()
        return True

    def match(self, match_id: int) -> Match:
        """Implement `Journal.match`."""
        return self._opened().match(match_id)

    def newest(self, *, except_match: int = 0) -> tuple[int, Match] | None:
        """Implement `Journal.newest`."""
        return self._opened().newest(except_match=except_match)

    def start(self, match: Match, *, request: str = "", key: str = "") -> int:
        """Implement `Journal.start`."""
        return self._opened().start(match, request=request, key=key)

    def append(
        self, match_id: int, *actions: Action, result: Result | None = None, request: str = ""
    ) -> int:
        """Implement `Journal.append`."""
        return self._opened().append(match_id, *actions, result=result, request=request)

    def reopen(self, match_id: int, *, request: str = "") -> Match:
        """Implement `Journal.reopen`."""
        return self._opened().reopen(match_id, request=request)

    def restore(self, copy: bytes) -> None:
        """Replace the journal by a copy from a backup, and mend it before if necessary."""
        try:
            self._opened().restore(copy)
        except DamagedJournal:
            if not self.mend():
                raise
            self._opened().restore(copy)

    def cut_trace(self, held: Callable[[str], int]) -> None:
        """Shorten the trace by the steps that backups contain. Any thread may call.

        Args:
            held: Returns the position up to which backups contain the journal of this identity.
        """
        if journal := self._journal:
            journal.cut_trace(held(journal.identity))

    def close(self) -> None:
        """Close the file."""
        if self._journal:
            self._journal.close()

    def _opened(self) -> Journal:
        """Return the journal, after another attempt to open it if the last one failed."""
        if self._journal is None:
            self._journal, notice = self._reopen(self._remembered)
            self._remembered = Salvaged()
            if notice:
                self._on_notice(notice)
        return self._journal
