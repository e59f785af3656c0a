"""A club board calls a match to this tray: it begins only if somebody here says yes."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

from game.commands import Command, ProposeMatch, StartMatch
from game.errors import GameError
from game.message import Message, Paragraph, join_with_and
from game.situation import READY_FOR_MATCH, TableError
from web.contracts.table import Snapshot

LARGEST_CALL = 4_000
"""Bytes; twenty names of the longest fit."""

MAX_TITLE = 60
MAX_TARGET = 1_000_000


class HostTable(Protocol):
    """What the broker needs of the companion."""

    def snapshot(self) -> Snapshot: ...

    def wait(self, after: int, timeout_s: float) -> Snapshot | None: ...

    def do(self, command: Command) -> Snapshot: ...


@dataclass(frozen=True, slots=True)
class Invitation:
    """A match that is called to this tray; `id` is the board's."""

    id: str
    title: str
    match: StartMatch

    @classmethod
    def of(cls, payload: bytes) -> Self | None:
        """What was called; None where it is nothing that can be asked."""
        try:
            data: Any = json.loads(payload) if len(payload) <= LARGEST_CALL else None
            return cls(
                _text(data["id"]),
                _text(data["title"]),
                StartMatch(
                    tuple(map(_text, _list(data["names"]))),
                    rules=None if data["rules"] is None else _text(data["rules"]),
                    target=_points(data["target"]),
                ),
            )
        except (KeyError, TypeError, ValueError, RecursionError):
            return None

    @property
    def question(self) -> Message:
        calls = Message(
            "%(title)s calls %(names)s to this tray.",
            title=self.title,
            names=join_with_and(self.match.names),
        )
        return Paragraph(calls, Message("Begin their match?"))


class Invitations:
    """Asks once the table is free, again where the question was passed over; for one thread.

    Args:
        table: the companion.
        answer: hears the id of a call, and whether it was accepted; on any thread.
    """

    def __init__(self, table: HostTable, answer: Callable[[str, bool], object]) -> None:
        self._table, self._answer = table, answer
        self._open: Invitation | None = None
        self._done = ""

    def heard(self, payload: bytes) -> None:
        """A call, or that it was taken back; the same one again changes nothing."""
        found = Invitation.of(payload)
        self._open = found if found and found.id != self._done else None

    def look(self, snapshot: Snapshot) -> None:
        """Ask, if now is the time."""
        wanted = self._open
        if wanted is None or snapshot.situation not in READY_FOR_MATCH:
            return

        def answered(accepted: bool) -> None:  # noqa: FBT001 - what was said
            self._done, self._open = wanted.id, None
            self._answer(wanted.id, accepted)

        try:
            self._table.do(ProposeMatch(wanted.question, wanted.match, answered))
        except TableError:
            return  # somebody was quicker: it is asked when that match is over
        except GameError:  # names or rules that no match can have
            answered(accepted=False)


def _text(found: Any) -> str:
    if not isinstance(found, str) or not found.isprintable():
        raise TypeError("text expected")
    return found[:MAX_TITLE]


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise TypeError("a list expected")
    return found


def _points(found: Any) -> int | None:
    if found is None:
        return None
    if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= MAX_TARGET:
        raise TypeError("points expected")
    return found
