"""The journal of a running program: lost under its hands, it is put right from what is known."""

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
"""Rescues the journal, with what the program remembers; gives what people have to know."""


class MendingJournal:
    """A journal that can be opened anew. Used by one thread, but where it says otherwise.

    Args:
        journal: as it was opened.
        reopen: opens it again.
        told: called with what people have to know.

    Raises (every method):
        JournalError: it cannot be used; the next call tries again.
        DamagedJournal: `mend` may put it right.
    """

    def __init__(self, journal: Journal, reopen: Reopen, told: Callable[[Message], object]) -> None:
        self._journal: Journal | None = journal
        self._path = journal.path
        self._reopen, self._told = reopen, told
        self._remembered = Salvaged()

    def __repr__(self) -> str:
        return f"<MendingJournal in {self._path}>"

    @property
    def path(self) -> Path:
        return self._path

    @property
    def trouble(self) -> Message | None:
        """Why it or its trace is not as it should be, seen from any thread."""
        journal = self._journal
        if journal is None:
            return Message("the journal was lost, and cannot be written yet")
        try:
            journal.check_in_place()
        except JournalError as error:
            return error.message
        return journal.trace_problem

    def mend(self) -> bool:
        """Put it right; False where it is whole, and something else was wrong."""
        if self._journal is not None:
            if self._journal.is_intact():
                return False
            self._remembered = self._journal.salvage()
            self._journal.close()
            self._journal = None
        self._there()
        return True

    def match(self, match_id: int) -> Match:
        return self._there().match(match_id)

    def newest(self, *, except_match: int = 0) -> tuple[int, Match] | None:
        return self._there().newest(except_match=except_match)

    def start(self, match: Match, *, request: str = "") -> int:
        return self._there().start(match, request=request)

    def append(
        self, match_id: int, *actions: Action, result: Result | None = None, request: str = ""
    ) -> int:
        return self._there().append(match_id, *actions, result=result, request=request)

    def reopen(self, match_id: int, *, request: str = "") -> Match:
        return self._there().reopen(match_id, request=request)

    def restore(self, copy: bytes) -> None:
        """Mended before, where that is needed."""
        try:
            self._there().restore(copy)
        except DamagedJournal:
            if not self.mend():
                raise
            self._there().restore(copy)

    def cut_trace(self, held: Callable[[str], int]) -> None:
        """Backups hold what is up to the position that `held` tells of this identity. Any thread may call."""
        if journal := self._journal:
            journal.cut_trace(held(journal.identity))

    def close(self) -> None:
        if self._journal:
            self._journal.close()

    def _there(self) -> Journal:
        """The journal, opened again where that has failed before."""
        if self._journal is None:
            self._journal, notice = self._reopen(self._remembered)
            self._remembered = Salvaged()
            if notice:
                self._told(notice)
        return self._journal
