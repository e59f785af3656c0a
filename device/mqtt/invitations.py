"""Matches that a club board assigns to this tray. They begin only if somebody at the tray agrees."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

from game.commands import Command, ProposeMatch, StartMatch
from game.errors import GameError
from game.message import Message, Paragraph, join_with_and
from game.situation import READY_FOR_MATCH, TableError
from web.contracts import ChangingTable, Snapshot

MAX_CALL_BYTES = 4_000
"""Largest accepted invitation, in bytes: enough for twenty names of the maximum length."""

MAX_TEXT_LENGTH = 60
MAX_TARGET = 1_000_000


class HostTable(ChangingTable, Protocol):
    """The part of the companion that the broker connection uses."""

    def snapshot(self) -> Snapshot:
        """Return the current state of the match and the tray."""

    def do(self, command: Command) -> Snapshot:
        """Carry out a command, and return the state of the match and the tray after it."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A match that a club board asks this tray to play.

    Attributes:
        id: Identifier that the club board has chosen, and that the answer repeats.
        title: Name of the tournament.
        match: The players and rules of the match.
    """

    id: str
    title: str
    match: StartMatch

    @classmethod
    def of(cls, payload: bytes) -> Self | None:
        """Return the invitation in a message, or None if the message does not contain a valid one."""
        try:
            data: Any = json.loads(payload) if len(payload) <= MAX_CALL_BYTES else None
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
        """The question that the players are asked."""
        calls = Message(
            "%(title)s: %(names)s have been called to this tray.",
            title=self.title,
            names=join_with_and(self.match.names),
        )
        return Paragraph(calls, Message("Start their match?"))


class Invitations:
    """The open invitation from a club board. The players are asked about it once no match is under way.

    The question is asked again until it is answered. This class is not thread-safe.

    Args:
        table: The companion.
        on_answer: Called, on any thread, with the id of an invitation and whether the players accepted it.
    """

    def __init__(self, table: HostTable, on_answer: Callable[[str, bool], object]) -> None:
        self._table, self._on_answer = table, on_answer
        self._open: Invitation | None = None
        self._answered_id = ""

    def receive(self, payload: bytes) -> None:
        """Store the invitation in a message, or withdraw the stored one if the message is empty.

        An invitation that has already been answered is ignored.
        """
        found = Invitation.of(payload)
        self._open = found if found and found.id != self._answered_id else None

    def propose(self, snapshot: Snapshot) -> None:
        """Ask the players about the open invitation if the tray is ready for a match."""
        invitation = self._open
        if invitation is None or snapshot.situation not in READY_FOR_MATCH:
            return

        def answer(is_accepted: bool) -> None:  # noqa: FBT001 - the answer
            self._answered_id, self._open = invitation.id, None
            self._on_answer(invitation.id, is_accepted)

        try:
            self._table.do(ProposeMatch(invitation.question, invitation.match, answer))
        except TableError:
            return  # another match has just begun: ask when it is over
        except GameError:  # the names or rules are not valid
            answer(is_accepted=False)


def _text(found: Any) -> str:
    if not isinstance(found, str) or not found.isprintable():
        raise TypeError("text expected")
    return found[:MAX_TEXT_LENGTH]


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
