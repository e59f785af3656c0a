"""The matches that are played at two trays: their beginning, and the exchange of messages with the other tray."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event, RLock, Thread
from time import monotonic
from typing import Any

from device.errors import UsageError
from device.mqtt.client import Address
from device.session.match_starts import from_form
from device.shared_match.conversation import (
    ASK_LATER,
    NOT_REACHABLE,
    NOTHING,
    REFUSALS,
    Conversation,
    NotSignedError,
    Refusal,
    Replica,
    Sealed,
    SharedMatchError,
    Sync,
    ThrowFiles,
)
from device.shared_match.links import (
    Link,
    LinkStore,
    MatchSide,
    TrayInvitation,
    keys_of,
    new_code,
)
from device.shared_match.transports import (
    TIMEOUT_S,
    BrokerTransport,
    HostTransport,
    UnknownHereError,
    UnreachableError,
)
from device.threads import new_snapshots
from game.commands import BeginSharedMatch, CorrectThrow, PlayOnAlone, Rematch, StartMatch, Undo
from game.errors import GameError, IllegalMove, JournalError, TraykeeperError
from game.journal.entry import OTHER_TRAY
from game.journal.history import History
from game.journal.schema import new_key
from game.match.match import Match
from game.message import Message
from game.names import clean_names, default_name
from game.rules.ruleset import Ruleset
from game.situation import TableError
from web.contracts import OtherTrayView, SharedPhase, Table, UnknownCodeError

log = logging.getLogger(__name__)

POLL_S = 1.0
"""Longest pause between two messages from a guest to the host over HTTP, in seconds."""

BROKER_S = 2.0
"""Longest pause between two messages over a broker, in seconds."""

REFUSED_S = 60.0
"""Pause after the host has rejected the code, in seconds. More frequent attempts would look like guessing."""

QUIET_S = 10.0
"""Pause between two messages about a match that is over, or that this tray has left, in seconds."""

CLOSE_S = 2 * TIMEOUT_S
"""Longest wait for a thread to end, in seconds: as long as a request to the host takes at most."""

UNKNOWN = Message("This tray has no match with that code: ask for a new code.")

NO_BROKER = Message(
    "A code without an address needs a broker that both trays use: enter the link, or set `mqtt`."
)
NO_NAMES = Message("Enter who is playing at this tray.")


NOT_WAITING = Message("No match with another tray is waiting to begin: invite or join one first.")

ALREADY_BEGUN = Message(
    "That match has already begun: choose it in the list of matches. The address is saved."
)


class PlayersError(IllegalMove):
    """Raised when the players of both trays cannot play a match together."""

    refusal = Refusal.PLAYERS


class SameNameError(PlayersError):
    """Raised when a player at one tray has the same name as a player at the other."""

    refusal = Refusal.SAME_NAME


class Talker:
    """Exchanges messages with the other tray: sends this tray's messages and passes on those that arrive.

    Args:
        shared: The shared matches, which creates this tray's messages and handles the other tray's.
        broker: Address of this tray's broker; None if there is none.
        clock: Monotonic clock, in seconds.
        warn: Prints one line about a problem.
    """

    def __init__(
        self,
        shared: "SharedMatches",
        broker: Address | None,
        clock: Callable[[], float],
        warn: Callable[[str], object],
    ) -> None:
        self._shared, self._address, self._clock, self._warn = shared, broker, clock, warn
        self._host = HostTransport()
        self._brokers: dict[str, BrokerTransport] = {}
        self._news, self._is_urgent, self._closing = Event(), Event(), Event()
        self._next_s: dict[str, float] = {}
        self._threads: tuple[Thread, ...] = ()

    def start(self, table: Table) -> None:
        """Start the threads.

        Args:
            table: The companion, which announces each change of the match.
        """
        self._threads = (
            Thread(target=self._run, name="other-tray", daemon=True),
            Thread(target=self._listen, args=(table,), name="other-tray-listens", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the threads and all connections."""
        self._closing.set()
        self._news.set()
        self.break_off()
        for thread in self._threads:
            thread.join(CLOSE_S)
        self._connect_brokers(())

    def wake(self, *, at_once: bool = False) -> None:
        """Wake the thread, which then sends a message if there is news for the other tray.

        Args:
            at_once: Whether to send a message even if there is no news and the usual pause is not over.
        """
        if at_once:
            self._is_urgent.set()
        self._news.set()

    def broker_trouble(self, link: Link) -> Message | None:
        """Return why the broker passes on no messages about a match; None if no problem is known."""
        broker = self._brokers.get(link.id)
        return broker.trouble if broker else None

    def break_off(self) -> None:
        """Abort the request to the host that is under way."""
        self._host.abort()

    def _listen(self, table: Table) -> None:
        for snapshot in new_snapshots(table, self._closing, POLL_S):
            if snapshot:
                self._news.set()

    def _run(self) -> None:
        wake_s = 0.0
        while not self._closing.is_set():
            self._news.wait(max(0.0, wake_s - self._clock()))
            self._news.clear()
            wake_s = self._clock() + POLL_S
            try:
                self.talk()
                wake_s = min(self._next_s.values(), default=wake_s)
            except Exception:
                log.exception("failed to talk to the other tray; the match continues")

    def talk(self) -> None:
        """Send the messages that are due, and pass on those that have arrived."""
        self._shared.refresh()
        if self._is_urgent.is_set():
            self._is_urgent.clear()
            self._next_s = {}
        links = self._shared.links
        self._connect_brokers(links)
        self._next_s = {link.id: self._next_s.get(link.id, 0.0) for link in links}
        for link in links:
            if link.side is MatchSide.GUEST and link.address:
                self._ask_host(link)
            elif broker := self._brokers.get(link.id):
                self._use_broker(broker, link)
            else:
                self._next_s[link.id] = self._clock() + POLL_S

    def _has_news(self, link: Link) -> bool:
        conversation = self._shared.conversation
        return (
            conversation is not None and conversation.link.id == link.id and conversation.has_news
        )

    def _has_to_speak(self, link: Link) -> bool:
        return self._clock() >= self._next_s[link.id] or self._has_news(link)

    def _pause(self, link: Link, pause_s: float) -> None:
        """Wait before the next message about a match: this many seconds, or longer if it is not the current match."""
        current = self._shared.link
        is_current = current is not None and current.id == link.id
        self._next_s[link.id] = self._clock() + (pause_s if is_current else QUIET_S)

    def _ask_host(self, link: Link) -> None:
        if not self._has_to_speak(link):
            return
        self._pause(link, POLL_S)
        text = self._shared.message(link).sealed(link.keys)
        try:
            self._hear(link, self._host.send(link.address, text))
        except TraykeeperError as error:
            self._shared.note_failure(link, error)
            if isinstance(error, UnknownHereError):
                self._next_s[link.id] = self._clock() + REFUSED_S
        else:
            if self._has_news(link):
                self._news.set()

    def _use_broker(self, broker: BrokerTransport, link: Link) -> None:
        is_asked = False
        for message in broker.received():
            try:
                is_asked = bool(self._hear(link, message)) or is_asked
            except NotSignedError as error:
                log.warning("a message from the other tray is ignored: %s", error)
            except TraykeeperError as error:
                self._shared.note_failure(link, error)
        if is_asked or self._has_to_speak(link):
            self._pause(link, BROKER_S)
            broker.send(self._shared.message(link).sealed(link.keys))

    def _hear(self, link: Link, message: bytes) -> Refusal:
        """Pass on a message from the other tray, and return the refusal with which it has to be answered."""
        sealed = Sealed.parse(message)
        if sealed.id != link.id:
            return Refusal.NONE
        return self._shared.hear(link, Sync.opened(sealed, link.keys, link.side.other))

    def _connect_brokers(self, links: Sequence[Link]) -> None:
        """Connect to the broker for each match that needs it, and close the other connections."""
        wanted = {link.id: link.side for link in links if self._address and not link.address}
        for match_id in [*self._brokers]:
            if match_id not in wanted:
                self._brokers.pop(match_id).close()
        for match_id, side in wanted.items():
            if self._address and match_id not in self._brokers:
                try:
                    self._brokers[match_id] = BrokerTransport(
                        self._address, match_id, side,
                        on_message=self.wake,
                        on_connected=lambda: self.wake(at_once=True),
                        warn=self._warn,
                    )  # fmt: skip
                except UsageError as error:
                    self._warn(str(error))


class SharedMatches:
    """The matches that this tray plays with another tray.

    Implements `SharedPlay` for the pages and `OtherTray` for the session.

    Args:
        links: The facts that this tray stores about its shared matches.
        history: This tray's journal.
        files: The stores of throw pictures, by kind.
        rules: The default rules of this tray.
        broker: Address of this tray's broker; None if there is none.
        warn: Prints one line about a problem.
        on_change: Called when the page must be updated at once, because its view of the other tray has changed.
        clock: Monotonic clock, in seconds.

    Attributes:
        conversation: The exchange of messages about the match being played; None if that match is not shared.
        trouble: Why the trays cannot play together now; None if they can.
    """

    def __init__(
        self,
        links: LinkStore,
        history: History,
        files: Mapping[str, ThrowFiles],
        rules: Ruleset,
        *,
        broker: Address | None = None,
        warn: Callable[[str], object] = log.warning,
        on_change: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._links, self._history, self._files, self._rules = links, history, files, rules
        self._broker, self._on_change, self._clock = broker, on_change, clock
        self._table: Table | None = None
        self._lock = RLock()
        self._version: tuple[str, int] | None = None
        self.conversation: Conversation | None = None
        self.trouble: Message | None = None
        self._refusal = Refusal.NONE
        self._left: Link | None = None
        self._has_sent_refusal = False
        self._talker = Talker(self, broker, clock, warn)

    def connect(self, table: Table) -> None:
        """Set the companion that carries out the steps of the other tray."""
        self._table = table

    def start(self, table: Table) -> None:
        """Start exchanging messages with other trays.

        Args:
            table: The companion.
        """
        self.connect(table)
        self.refresh()
        self._talker.start(table)

    def close(self) -> None:
        """Stop exchanging messages with other trays."""
        self._talker.close()

    def seating(self, match_id: int) -> Callable[[int], bool] | None:
        """Return a function that reports whether a seat of this match is at the other tray."""
        try:
            link = self._links.get(self._history.key(match_id))
        except JournalError:
            return None
        return link.is_elsewhere if link else None

    def ask(self, command: Undo | CorrectThrow) -> None:
        """Ask the other tray to make a change that only the tray of the current player can make."""
        self._ask(command)

    def rematch(self, match: Match) -> str:
        """Prepare a rematch and return its id. If this tray is the guest, ask the host to begin the rematch instead.

        Args:
            match: The rematch before its first event, or with head starts as its only events.

        Raises:
            TableError: If the host has to begin the rematch, or the other tray does not know yet that the previous
                match is over.
        """
        link = self.conversation.link if self.conversation else None
        if self.conversation is None or link is None or link.side is MatchSide.GUEST:
            self._ask(Rematch())
            raise TableError(Message("The other tray is being asked to begin the rematch."))
        if not self.conversation.view.is_reachable:
            raise TableError(ASK_LATER)
        if not self.conversation.has_other_tray_caught_up:
            raise TableError(
                Message("The other tray has not received the last step yet: try again in a moment.")
            )
        seated = enumerate(player.name for player in match.state.players)
        guests = tuple(seat for seat, name in seated if name in self.conversation.guests)
        rematch = replace(link, match=new_key(), guest_seats=guests)
        self._links.save(rematch)
        return rematch.match

    def view(self) -> OtherTrayView | None:
        """Return what the page shows about the other tray, or None if there is none."""
        link, conversation = self.link, self.conversation
        if link and not link.match:
            is_host = link.side is MatchSide.HOST
            phase = SharedPhase.INVITING if is_host else SharedPhase.JOINING
            trouble = self.trouble or self._talker.broker_trouble(link)
            return OtherTrayView(phase, trouble=trouble, sets_aside=link.sets_aside)
        if conversation is None:
            return None
        view = conversation.view
        is_silent = view.trouble == NOT_REACHABLE
        trouble = self.trouble or (
            self._talker.broker_trouble(conversation.link) if is_silent else None
        )
        return replace(view, trouble=trouble) if trouble else view

    def invitation(self, page: str) -> str:
        """Return the secret invitation for the other tray; "" if there is none."""
        link = self.link
        return str(TrayInvitation(link.code, page)) if link and link.side is MatchSide.HOST else ""

    def invite(
        self,
        names: tuple[str, ...],
        rules: str | None,
        target: int | None,
        options: Mapping[str, Any] | None,
        best_of: int | None = None,
    ) -> None:
        """Make a code that lets another tray join a match."""
        code = new_code()
        link = Link(MatchSide.HOST, code, keys_of(code).id, names=names, best_of=best_of)
        self._open(replace(link, rules=rules, target=target, options=dict(options or {})))

    def join(self, invitation: str, names: tuple[str, ...]) -> None:
        """Join a match to which another tray has invited this one, or reach its tray at another address.

        Raises:
            TableError: If the invitation is not valid, or if its match has begun and this tray shows another one. The address is
                saved even then.
        """
        found = TrayInvitation.parse(invitation)
        if not found.address and self._broker is None:
            raise TableError(NO_BROKER)
        keys_id = keys_of(found.code).id
        with self._lock:
            playing = self.conversation
            if playing and playing.link.id != keys_id:
                playing = None
            begun = playing.link if playing else self._links.begun(keys_id)
            if (
                begun
                and begun.side is MatchSide.GUEST
                and not begun.is_ended
                and self._is_in_journal(begun.match)
            ):
                moved = replace(begun, address=found.address)
                self._links.save(moved)
                self._talker.wake(at_once=True)
                if playing is None:
                    if self._left and self._left.id == keys_id:
                        self._left = moved  # the host learns that this tray plays another match
                    raise TableError(ALREADY_BEGUN)
                playing.link = moved
                return
        self._open(Link(MatchSide.GUEST, found.code, keys_id, found.address, names=names))

    def leave(self) -> None:
        """Withdraw the invitation or, if the match has begun, play on alone."""
        with self._lock:
            self.trouble = None
            if self._links.pending:
                self._links.forget()
            elif self.conversation and self._table:
                link, self._version = self.conversation.link, None
                self._links.end(link.match)
                self._switch_to(None)
                self._left = replace(link, is_ended=True)
                self._table.do(PlayOnAlone())
        self._talker.break_off()
        self._talker.wake(at_once=True)
        self._on_change()

    def set_aside(self) -> None:
        """Let the match with the other tray begin although another one is being played here.

        Raises:
            TableError: If no match with another tray is waiting to begin.
        """
        with self._lock:
            link = self._links.pending
            if link is None:
                raise TableError(NOT_WAITING)
            self._links.save(replace(link, sets_aside=True))
        self._talker.wake(at_once=True)
        self._on_change()

    def exchange(self, keys_id: str, text: str, mac: str) -> str:
        """Process a message from the other tray, and return the answer as JSON."""
        sealed = Sealed(keys_id, text, mac)
        link = self._links.find(sealed.id)
        if link is None:
            raise UnknownCodeError(UNKNOWN)
        try:
            sync = Sync.opened(sealed, link.keys, link.side.other)
        except NotSignedError as error:
            raise UnknownCodeError(error.message) from None
        except SharedMatchError as error:
            self.note_failure(link, error)
            return Sync(link.side, match=link.match).sealed(link.keys)
        return self.answer(link, sync).sealed(link.keys)

    def _ask(self, command: Undo | CorrectThrow | Rematch) -> None:
        if self.conversation is None:
            raise TableError(ASK_LATER)
        self.conversation.ask(command)
        self._talker.wake()

    def _open(self, link: Link) -> None:
        if not link.names:
            raise TableError(NO_NAMES)
        if self._is_playing:
            raise IllegalMove(
                Message(
                    "A match with the other tray is being played: finish it, or play on alone first."
                )
            )
        link = replace(link, names=tuple(clean_names(link.names)))
        if link.side is MatchSide.HOST:
            names = map(default_name, range(len(link.names) + 1))
            self._match_of(link, (next(name for name in names if name not in link.names),))
        with self._lock:
            self.trouble, self._refusal = None, Refusal.NONE
            self._links.save(link)
        self._talker.wake(at_once=True)
        self._on_change()

    @property
    def link(self) -> Link | None:
        """The link of the match that has not begun yet or, if there is none, of the match being played."""
        pending = self._links.pending
        return pending or (self.conversation.link if self.conversation else None)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links of the matches about which this tray sends messages now, the most important first.

        These are the match that has not begun yet, and the one being played or, after its end, the last one until the
        other tray knows all of it. If there is neither, it is the match that this tray has left, until the other tray
        knows that.
        """
        with self._lock:
            pending, last = self._links.pending, self.conversation
            links = (pending,) if pending else ()
            if last and (
                not pending
                or self._is_playing
                or last.has_news
                or not last.has_other_tray_caught_up
            ):
                links = (*links, last.link)
            return links or ((self._left,) if self._left else ())

    @property
    def _is_playing(self) -> bool:
        match = self.conversation.match if self.conversation else None
        return match is not None and match.state.winner is None

    def refresh(self) -> None:
        """Read what is new in the journal, and switch to the match that is being played now if it is a shared one."""
        history, links = self._history, self._links
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
                    self._switch_to(None)
                    return
                conversation = self.conversation
                if conversation is None or conversation.link != link:
                    conversation = Conversation(
                        link, newest[0], history, self._table,
                        files=self._files, clock=self._clock,
                    )  # fmt: skip
                    self._switch_to(conversation)
                conversation.refresh()
                self._version = version
            except JournalError as error:
                self.trouble = error.message

    def _switch_to(self, conversation: Conversation | None) -> None:
        """Talk about another match from now on, and note that this tray has left the one before."""
        before, self.conversation = self.conversation, conversation
        if before and (conversation is None or conversation.link.id != before.link.id):
            self.trouble, self._left, self._has_sent_refusal = None, before.link, False
        elif conversation:
            self._left = None

    def message(self, link: Link) -> Sync:
        """Return the message that this tray sends now about a match."""
        with self._lock:
            if self.conversation and self.conversation.link.id == link.id:
                return self.conversation.message()
            if link.match:
                self._has_sent_refusal = True
                refusal = Refusal.PLAYS_ALONE if link.is_ended else Refusal.OTHER_MATCH
                return Sync(link.side, match=link.match, refusal=refusal)
            names = link.names if link.side is MatchSide.GUEST else ()
            refusal = Refusal.BUSY if self._is_busy(link) else self._refusal
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
        with self._lock:
            refusal = Refusal.PLAYS_ALONE if link.is_ended else self._take(link, sync)
            is_left = self._left is not None and self._left.id == link.id
            if is_left and self._has_sent_refusal:
                self._left = None  # the other tray knows
            return refusal

    def _take(self, link: Link, sync: Sync) -> Refusal:
        """Handle a message about a match that this tray has not continued alone, as `hear` does."""
        if not link.match:
            pending = self._links.pending
            if pending is None or pending.id != link.id:
                return Refusal.NONE  # it was withdrawn while the message was on its way
            link, self._refusal = pending, Refusal.NONE
        before = self.trouble
        try:
            self._show(link, None)
            is_start = not link.match or self._is_rematch(link, sync)
            if is_start:
                self._begin(link, sync)
            self.refresh()
            if is_start and self.conversation:
                self._on_change()  # the page was shown before this tray knew the players
            if self.conversation is None or self.conversation.link.id != link.id:
                return Refusal.OTHER_MATCH if link.match else Refusal.NONE
            is_joining = link.side is MatchSide.HOST and not sync.match
            if is_joining and not self.conversation.were_guests(clean_names(sync.names)):
                return Refusal.BUSY
            self.conversation.take(sync)
            self.refresh()
        except PlayersError as error:
            self._show(link, error.message)
            self._refusal = error.refusal
            return error.refusal
        except (SharedMatchError, TableError, GameError) as error:
            self._show(link, error.message)
            if error.message != before:  # not again for each repeated message
                log.warning("a message from the other tray is refused: %s", error)
        return Refusal.NONE

    def _show(self, link: Link, trouble: Message | None) -> None:
        """Show why a match cannot be played now, if the page is about that match."""
        if self.link and self.link.id == link.id:
            self.trouble = trouble

    def note_failure(self, link: Link, error: TraykeeperError) -> None:
        """Show why no messages about a match can be exchanged with the other tray now.

        Args:
            link: The facts that this tray stores about the match.
            error: The reason.
        """
        with self._lock:
            if isinstance(error, UnknownHereError) and self._left and self._left.id == link.id:
                self._left = None  # there is nobody to inform
            before = self.trouble
            is_silent = isinstance(error, UnreachableError)
            # The view of a match that has begun says by itself that the other tray is not reachable.
            self._show(link, None if is_silent and link.match else error.message)
            if self.trouble not in (None, before):
                log.warning("no messages can be exchanged with the other tray: %s", self.trouble)

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
            self._links.forget()
        elif self._is_busy(link):
            return  # the next message says so, and the page offers a remedy
        elif link.side is MatchSide.HOST and sync.names:
            try:
                match = self._match_of(link, tuple(clean_names(sync.names)))
            except SameNameError:
                raise
            except GameError as error:
                raise PlayersError(error.message) from None
            seated = enumerate(player.name for player in match.state.players)
            guests = tuple(seat for seat, name in seated if name not in link.names)
            self._begin_match(replace(link, match=new_key(), guest_seats=guests), match, "")
        elif link.side is MatchSide.GUEST and sync.match and sync.entries:
            start = replace(sync, entries=sync.entries[:1], seq=NOTHING)
            for first in Replica(sync.guest_seats).missing(start):
                begun = replace(link, match=sync.match, guest_seats=sync.guest_seats)
                self._begin_match(begun, first.played(None), OTHER_TRAY)

    def _is_rematch(self, link: Link, sync: Sync) -> bool:
        """Return whether the current match has been won and the host has begun a rematch with the same code.

        While this tray waits for the match of another host, no rematch begins here.
        """
        conversation = self.conversation
        if conversation is None or conversation.link.id != link.id or conversation.match is None:
            return False
        is_next = link.side is MatchSide.GUEST and sync.match not in ("", link.match)
        is_free = conversation.match.state.winner is not None and self._links.pending is None
        return is_next and is_free and not self._is_in_journal(sync.match)

    def _has_begun(self, link: Link) -> bool:
        """Return whether the match had already begun when the program was last stopped."""
        begun = self._links.begun(link.id)
        return begun is not None and self._is_in_journal(begun.match)

    def _is_in_journal(self, match: str) -> bool:
        return match in {key for _, key, _ in self._history.match_sizes()}

    def _begin_match(self, link: Link, match: Match, request: str) -> None:
        if self._table is None:
            return
        self._links.save(link)
        try:
            is_guest = link.side is MatchSide.GUEST
            self._table.do(
                BeginSharedMatch(match, link.match, is_guest=is_guest, sets_aside=link.sets_aside),
                request,
            )
        except TableError:
            self._links.forget(link.match)
            raise
        self._links.forget()

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
        return from_form(self._rules, form)
