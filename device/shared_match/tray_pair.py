"""The match that this tray plays with another tray, including its beginning and the answer to each message."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import RLock

from device.mqtt.address import Address
from device.session.match_starts import from_form
from device.shared_match.conversation import Conversation, Replica, ThrowFiles
from device.shared_match.links import Link, LinkStore, MatchSide
from device.shared_match.sync import NOTHING, REFUSALS, Refusal, SharedMatchError, Sync
from game.commands import BeginSharedMatch, PlayOnAlone, StartMatch
from game.errors import GameError, IllegalMove, JournalError
from game.journal.entry import OTHER_TRAY
from game.journal.history import History
from game.journal.schema import new_key
from game.match.match import Match
from game.message import Message
from game.names import default_name
from game.rules.ruleset import Ruleset
from game.situation import TableError
from web.contracts import OtherTrayView, SharedPhase, Table

log = logging.getLogger(__name__)

NOT_WAITING = Message("No match with another tray is waiting to begin: invite or join one first.")


@dataclass(frozen=True, slots=True)
class SharedParts:
    """The stores and connections that shared matches use.

    Attributes:
        links: The facts that this tray stores about its shared matches.
        history: This tray's journal.
        files: The stores of throw pictures, by kind.
        rules: The default rules of this tray.
        broker: Address of this tray's broker; None if there is none.
        warn: Prints one line about a problem.
        on_change: Called when the page must be updated at once, because its view of the other tray has changed.
    """

    links: LinkStore
    history: History
    files: Mapping[str, ThrowFiles]
    rules: Ruleset
    broker: Address | None = None
    warn: Callable[[str], object] = log.warning
    on_change: Callable[[], object] = lambda: None


class SameNameError(IllegalMove):
    """Raised when a player at one tray has the same name as a player at the other."""


class TrayPair:
    """The match that this tray plays with another tray. Thread-safe.

    Args:
        parts: The stores and connections that shared matches use.
        clock: Monotonic clock, in seconds.

    Attributes:
        conversation: The exchange of messages about the match being played; None if that match is not shared.
        trouble: Why the trays cannot play together now; None if they can.
    """

    def __init__(self, parts: SharedParts, clock: Callable[[], float]) -> None:
        self._parts, self._clock = parts, clock
        self._table: Table | None = None
        self._lock = RLock()
        self._version: tuple[str, int] | None = None
        self.conversation: Conversation | None = None
        self.trouble: Message | None = None

    def connect(self, table: Table) -> None:
        """Set the companion that carries out the steps of the other tray."""
        self._table = table

    @property
    def link(self) -> Link | None:
        """The link of the match that has not begun yet or, if there is none, of the match being played."""
        pending = self._parts.links.pending
        return pending or (self.conversation.link if self.conversation else None)

    @property
    def view(self) -> OtherTrayView | None:
        """The facts that the page shows about the other tray; None if this tray plays alone."""
        link, conversation = self.link, self.conversation
        if link and not link.match:
            is_host = link.side is MatchSide.HOST
            phase = SharedPhase.INVITING if is_host else SharedPhase.JOINING
            return OtherTrayView(phase, trouble=self.trouble, sets_aside=link.sets_aside)
        if conversation is None:
            return None
        view = conversation.view
        return replace(view, trouble=self.trouble) if self.trouble and view.is_reachable else view

    def open(self, link: Link) -> None:
        """Save a link and wait for the other tray, so that their match can begin.

        Raises:
            GameError: If these players cannot play under these rules, or another match between two trays is being
                played.
        """
        if self._is_playing:
            raise IllegalMove(
                Message(
                    "A match with the other tray is being played: finish it, or play on alone first."
                )
            )
        if link.side is MatchSide.HOST:
            names = map(default_name, range(len(link.names) + 1))
            self._match_of(link, (next(name for name in names if name not in link.names),))
        with self._lock:
            self.trouble = None
            self._parts.links.save(link)

    @property
    def _is_playing(self) -> bool:
        match = self.conversation.match if self.conversation else None
        return match is not None and match.state.winner is None

    def leave(self) -> None:
        """Stop waiting for the other tray; if their match has begun, continue it alone."""
        with self._lock:
            self.trouble = None
            if self._parts.links.pending:
                self._parts.links.withdraw()
            elif self.conversation and self._table:
                self._parts.links.end(self.conversation.link.match)
                self.conversation = self._version = None
                self._table.do(PlayOnAlone())

    def set_aside(self) -> None:
        """Let the match with the other tray begin although another one is being played here.

        Raises:
            TableError: If no match with another tray is waiting to begin.
        """
        with self._lock:
            link = self._parts.links.pending
            if link is None:
                raise TableError(NOT_WAITING)
            self._parts.links.save(replace(link, sets_aside=True))

    def refresh(self) -> None:
        """Read what is new in the journal, and switch to the match that is being played now if it is a shared one."""
        history, links = self._parts.history, self._parts.links
        if links.is_empty:
            return  # as on most trays: do not even open the journal
        with self._lock:
            try:
                version = history.version
                if version == self._version or self._table is None:
                    return
                newest = history.newest()
                link = links.get(newest[1]) if newest else None
                if newest is None or link is None:
                    self.conversation = None
                    return
                if self.conversation is None or self.conversation.link != link:
                    self.conversation = Conversation(
                        link, newest[0], history, self._table,
                        files=self._parts.files, clock=self._clock,
                    )  # fmt: skip
                self.conversation.refresh()
                self._version = version
            except JournalError as error:
                self.trouble = error.message

    def rematch(self, match: Match) -> str | None:
        """Prepare a rematch and return its id; return None if this tray is the guest, who cannot begin one.

        Args:
            match: The rematch before its first event.

        Raises:
            TableError: If the other tray does not know yet that the previous match is over.
        """
        link = self.conversation.link if self.conversation else None
        if self.conversation is None or link is None or link.side is MatchSide.GUEST:
            return None
        if not self.conversation.has_other_tray_caught_up:
            raise TableError(
                Message("The other tray has not received the last step yet: try again in a moment.")
            )
        seated = enumerate(player.name for player in match.state.players)
        guests = tuple(seat for seat, name in seated if name in self.conversation.guests)
        rematch = replace(link, match=new_key(), guest_seats=guests)
        self._parts.links.save(rematch)
        return rematch.match

    def message(self, link: Link) -> Sync:
        """Return the message that this tray sends now about a match."""
        with self._lock:
            if self.conversation and self.conversation.link.id == link.id:
                return self.conversation.message()
            names = link.names if link.side is MatchSide.GUEST else ()
            refusal = Refusal.BUSY if self._is_busy(link) else Refusal.NONE
            return Sync(link.side, names=names, refusal=refusal)

    def _is_busy(self, link: Link) -> bool:
        """Return whether a match with the other tray has to wait for the one that is being played here."""
        is_pending = not link.match and not link.sets_aside
        return is_pending and self._table is not None and self._table.snapshot().is_busy

    def hear(self, link: Link, sync: Sync) -> Refusal:
        """Handle a message from the other tray, and return why this tray does not play that match (`NONE` if it does).

        Args:
            link: The facts that this tray stores about the match in the message.
            sync: The message, whose signature has been checked.
        """
        if link.is_ended:
            return Refusal.PLAYS_ALONE
        with self._lock:
            try:
                self.trouble = None
                is_start = not link.match or self._is_rematch(link, sync)
                if is_start:
                    self._begin(link, sync)
                self.refresh()
                if is_start and self.conversation:
                    self._parts.on_change()  # the page was shown before this tray knew the players
                if self.conversation is None or self.conversation.link.id != link.id:
                    return Refusal.OTHER_MATCH if link.match else Refusal.NONE
                self.conversation.take(sync)
                self.refresh()
            except SameNameError as error:
                self.trouble = error.message
                return Refusal.SAME_NAME
            except (SharedMatchError, TableError, GameError) as error:
                self.trouble = error.message
            return Refusal.NONE

    def answer(self, link: Link, sync: Sync) -> Sync:
        """Handle a message from the other tray, and return the message that answers it.

        Args:
            link: The facts that this tray stores about the match in the message.
            sync: The message, whose signature has been checked.
        """
        with self._lock:
            refusal = self.hear(link, sync)
            return (
                Sync(link.side, match=link.match, refusal=refusal)
                if refusal
                else self.message(link)
            )

    def _begin(self, link: Link, sync: Sync) -> None:
        """Begin the match if the message contains what is missing: the guest's players, or the host's first entry."""
        if sync.refusal:
            raise SharedMatchError(REFUSALS[sync.refusal])
        if not link.match and self._has_begun(link):
            self._parts.links.withdraw()
        elif self._is_busy(link):
            return  # the next message says so, and the page offers a remedy
        elif link.side is MatchSide.HOST and sync.names:
            match = self._match_of(link, sync.names)
            seated = enumerate(player.name for player in match.state.players)
            guests = tuple(seat for seat, name in seated if name not in link.names)
            self._begin_match(replace(link, match=new_key(), guest_seats=guests), match, "")
        elif link.side is MatchSide.GUEST and sync.match and sync.entries:
            start = replace(sync, entries=sync.entries[:1], seq=NOTHING)
            for first in Replica(sync.guest_seats).missing(start):
                begun = replace(link, match=sync.match, guest_seats=sync.guest_seats)
                self._begin_match(begun, first.played(None), OTHER_TRAY)

    def _is_rematch(self, link: Link, sync: Sync) -> bool:
        """Return whether the current match has been won and the host has begun a rematch with the same code."""
        match = self.conversation.match if self.conversation else None
        is_next = link.side is MatchSide.GUEST and sync.match not in ("", link.match)
        return is_next and match is not None and match.state.winner is not None

    def _has_begun(self, link: Link) -> bool:
        """Return whether the match had already begun when the program was last stopped."""
        begun = self._parts.links.begun(link.id)
        keys = {key for _, key, _ in self._parts.history.match_sizes()}
        return begun is not None and begun.match in keys

    def _begin_match(self, link: Link, match: Match, request: str) -> None:
        if self._table is None:
            return
        self._parts.links.save(link)
        try:
            is_guest = link.side is MatchSide.GUEST
            self._table.do(
                BeginSharedMatch(match, link.match, is_guest=is_guest, sets_aside=link.sets_aside),
                request,
            )
        except TableError:
            self._parts.links.forget(link.match)
            raise
        self._parts.links.withdraw()

    def _match_of(self, link: Link, guests: tuple[str, ...]) -> Match:
        """Return a new match between this tray's players and the guests, seated alternately.

        Raises:
            SameNameError: If a guest has the same name as a player at this tray.
        """
        own = {name.casefold() for name in link.names}
        if clash := next((name for name in guests if name.casefold() in own), None):
            why = Message(
                "%(name)s would play at both trays: one of them needs another name.", name=clash
            )
            raise SameNameError(why)
        rows = range(max(len(link.names), len(guests)))
        pairs = [link.names[i : i + 1] + guests[i : i + 1] for i in rows]
        names = tuple(name for pair in pairs for name in pair)
        form = StartMatch(names, link.rules, link.target, link.options, best_of=link.best_of)
        return from_form(self._parts.rules, form)
