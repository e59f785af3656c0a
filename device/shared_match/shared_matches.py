"""Matches that are played together with another tray, in the form that the pages and the companion use."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Any, Protocol

from device.shared_match.conversation import ASK_LATER, DoingTable
from device.shared_match.links import Link
from device.shared_match.match_code import MatchSide, TrayInvitation, keys_of, new_code
from device.shared_match.sync import NotSignedError, Sealed, Sync
from device.shared_match.talker import Talker
from device.shared_match.tray_pair import SharedParts, TrayPair
from game.commands import CorrectThrow, Rematch, Undo
from game.errors import JournalError
from game.match.match import Match
from game.message import Message
from game.situation import TableError
from web.contracts import ChangingTable, OtherTrayView, UnknownCodeError

UNKNOWN = Message("This tray has no match with that code: ask for a new code.")
NO_BROKER = Message(
    "A code without an address needs a broker that both trays use: enter the link, or set `mqtt`."
)
NO_NAMES = Message("Enter who is playing at this tray.")


class SharedTable(DoingTable, ChangingTable, Protocol):
    """The part of the companion that shared matches need."""


class SharedMatches:
    """The matches that this tray plays with another tray.

    Implements `SharedPlay` for the pages and `OtherTray` for the session.

    Args:
        parts: The stores, the journal and the connections that shared matches use.
        clock: Monotonic clock, in seconds.

    Attributes:
        pair: The match that is being played with another tray.
    """

    def __init__(self, parts: SharedParts, clock: Callable[[], float] = monotonic) -> None:
        self._parts = parts
        self.pair = TrayPair(parts, clock)
        self._talker = Talker(self.pair, parts.broker, clock, parts.warn)

    def start(self, table: SharedTable) -> None:
        """Start exchanging messages with other trays.

        Args:
            table: The companion.
        """
        self.pair.connect(table)
        self.pair.refresh()
        self._talker.start(table)

    def close(self) -> None:
        """Stop exchanging messages with other trays."""
        self._talker.close()

    def seating(self, match_id: int) -> Callable[[int], bool] | None:
        """Return a function that reports whether a seat of this match is at the other tray."""
        try:
            link = self._parts.links.get(self._parts.history.key(match_id))
        except JournalError:
            return None
        return link.is_elsewhere if link else None

    def ask(self, command: Undo | CorrectThrow) -> None:
        """Ask the other tray to make a change that only the tray of the current player can make."""
        self._ask(command)

    def rematch(self, match: Match) -> str:
        """Return the id for a rematch, a match between the same players that follows the current one."""
        if (key := self.pair.rematch(match)) is None:
            self._ask(Rematch())
            raise TableError(Message("The other tray is being asked to begin the rematch."))
        return key

    def view(self) -> OtherTrayView | None:
        """Return what the page shows about the other tray, or None if there is none."""
        return self.pair.view

    def invitation(self, page: str) -> str:
        """Return the secret invitation for the other tray; "" if there is none."""
        link = self._parts.links.pending
        return str(TrayInvitation(link.code, page)) if link and link.side is MatchSide.HOST else ""

    def invite(
        self,
        names: tuple[str, ...],
        rules: str | None,
        target: int | None,
        options: Mapping[str, Any] | None,
    ) -> None:
        """Make a code that lets another tray join a match."""
        code = new_code()
        link = Link(MatchSide.HOST, code, keys_of(code).id, names=names)
        self._open(replace(link, rules=rules, target=target, options=dict(options or {})))

    def join(self, invitation: str, names: tuple[str, ...]) -> None:
        """Join a match to which another tray has invited this one."""
        found = TrayInvitation.parse(invitation)
        if not found.address and self._parts.broker is None:
            raise TableError(NO_BROKER)
        keys_id = keys_of(found.code).id
        self._open(Link(MatchSide.GUEST, found.code, keys_id, found.address, names=names))

    def leave(self) -> None:
        """Withdraw the invitation or, if the match has begun, play on alone."""
        self.pair.leave()
        self._talker.wake()
        self._parts.on_change()

    def exchange(self, keys_id: str, text: str, mac: str) -> str:
        """Process a message from the other tray, and return the answer as JSON."""
        sealed = Sealed(keys_id, text, mac)
        link = self._parts.links.find(sealed.id)
        if link is None:
            raise UnknownCodeError(UNKNOWN)
        try:
            sync = Sync.opened(sealed, link.keys, link.side.other)
        except NotSignedError as error:
            raise UnknownCodeError(error.message) from None
        return self.pair.answer(link, sync).sealed(link.keys)

    def _ask(self, command: Undo | CorrectThrow | Rematch) -> None:
        if self.pair.conversation is None:
            raise TableError(ASK_LATER)
        self.pair.conversation.ask(command)
        self._talker.wake()

    def _open(self, link: Link) -> None:
        if not link.names:
            raise TableError(NO_NAMES)
        self.pair.open(link)
        self._talker.wake(at_once=True)
        self._parts.on_change()
