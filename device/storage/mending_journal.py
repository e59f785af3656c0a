"""A journal that is recovered while the program is running, if its file is lost or damaged."""

from collections.abc import Callable
from pathlib import Path

from game.errors import DamagedJournal, JournalError
from game.journal.entry import Result
from game.journal.journal import Journal
from game.journal.trace import CopiedSteps
from game.match.events import Action
from game.match.match import Match
from game.message import Message

Reopen = Callable[[CopiedSteps], tuple[Journal, Message | None]]
"""A function that recovers the journal from all sources, including the steps that the program still has in memory.

It returns the open journal, with a notice for the players or None.
"""


class MendingJournal:
    """A journal that can be recovered and reopened. Not thread-safe, except where a method says otherwise.

    Every method raises JournalError if the journal cannot be used, and tries again at the next call. If
    `mend` may help, the error is DamagedJournal.

    Args:
        journal: The open journal.
        reopen: Recovers and reopens the journal.
        on_notice: Called after a recovery with the notice for the players.
    """

    def __init__(
        self, journal: Journal, reopen: Reopen, on_notice: Callable[[Message], object]
    ) -> None:
        self._journal: Journal | None = journal
        self._path = journal.path
        self._reopen, self._on_notice = reopen, on_notice
        self._remembered = CopiedSteps()

    def __repr__(self) -> str:
        return f"<MendingJournal in {self._path}>"

    @property
    def path(self) -> Path:
        """Path of the journal file."""
        return self._path

    @property
    def trouble(self) -> Message | None:
        """What is wrong with the journal or its second copy, the trace; None if nothing is wrong. Thread-safe."""
        journal = self._journal
        if journal is None:
            return Message("the journal was lost and cannot be written again yet")
        try:
            journal.check_in_place()
        except JournalError as error:
            return error.message
        return journal.trace.problem

    def mend(self) -> bool:
        """Recover the journal. Return False if it is intact, so that the error must have another cause."""
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

    def match_before(self, match_id: int) -> int:
        """Implement `Journal.match_before`."""
        return self._opened().match_before(match_id)

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
        """Replace the journal with a copy from a backup. If the journal is damaged, recover it first."""
        try:
            self._opened().restore(copy)
        except DamagedJournal:
            if not self.mend():
                raise
            self._opened().restore(copy)

    def cut_trace(self, held: Callable[[str], int]) -> None:
        """Delete from the trace (the journal's second copy) the steps that backups contain. Any thread may call this.

        Args:
            held: Returns the position up to which backups contain a journal, given the identity of the journal.
        """
        if journal := self._journal:
            journal.cut_trace(held(journal.identity))

    def close(self) -> None:
        """Close the journal file."""
        if self._journal:
            self._journal.close()

    def _opened(self) -> Journal:
        """Return the open journal. If the last attempt to open it failed, try again first."""
        if self._journal is None:
            self._journal, notice = self._reopen(self._remembered)
            self._remembered = CopiedSteps()
            if notice:
                self._on_notice(notice)
        return self._journal
