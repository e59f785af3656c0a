"""The exchange of messages between two trays about one shared match, over any transport.

The journal is the queue: each message contains entries of the journal that the other tray lacks.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Protocol

from device.shared_match.links import Link
from device.shared_match.match_code import MatchSide
from device.shared_match.replica import Replica, entries_with_marks, rules_digest
from device.shared_match.sync import (
    NOTHING,
    REFUSALS,
    Refusal,
    SharedMatchError,
    Sync,
    Wish,
)
from device.shared_match.throw_files import FileFetcher, ThrowFiles
from game.commands import Command, CorrectThrow, FollowStep, Rematch, ShowOtherPhoto, Undo
from game.errors import GameError
from game.journal.history import History
from game.match.events import Action, Revision, Thrown
from game.match.match import Match
from game.message import Message
from game.situation import TableError
from web.contracts import OtherTrayView, SharedPhase

UNREACHABLE_S = 6.0
"""After this many seconds without a message, a tray counts as unreachable: three times the longest pause."""

NOT_REACHABLE = Message("The other tray is not reachable: the match is waiting.")
ASK_LATER = Message("The other tray is not reachable: ask it again when it is back.")

PHOTO, CLIP = "photo", "clip"
"""The kinds of pictures of a throw that the page shows."""


class DoingTable(Protocol):
    """The part of the companion that carries out commands."""

    def do(self, command: Command, request: str = "") -> object:
        """Carry out a command.

        Args:
            command: The command.
            request: Mark that the journal stores with the step; "" if there is none.

        Raises:
            TableError, GameError: If the command is refused.
        """


@dataclass(slots=True)
class _Heard:
    """The report of the other tray in its last message.

    Attributes:
        time_s: When the message arrived, in seconds.
        seq: Number of the other tray's last entry; None before its first message.
        trouble: Why the two trays cannot play on; None if they can.
    """

    time_s: float = float("-inf")
    seq: int | None = None
    trouble: Message | None = None


class Conversation:
    """One side of a match that two trays play. Only one thread at a time may use it.

    Args:
        link: The facts that this tray stores about the match.
        number: Number of the match in this tray's journal.
        history: The journal.
        table: The companion, which carries out the steps of the other tray.
        files: The stores of throw pictures, by kind (`PHOTO` and `CLIP`).
        clock: Monotonic clock, in seconds.
    """

    def __init__(
        self,
        link: Link,
        number: int,
        history: History,
        table: DoingTable,
        *,
        files: Mapping[str, ThrowFiles],
        clock: Callable[[], float],
    ) -> None:
        self.link, self.number = link, number
        self._history, self._table, self._clock = history, table, clock
        self._replica = self._new_replica()
        self._fetcher = FileFetcher(files)
        self._heard = _Heard()
        self._said: tuple[object, ...] = ()
        self._wish: Wish | None = None
        self._done_wish = ""

    def __repr__(self) -> str:
        return f"<Conversation of the {self.link.side} at {self._replica!r}>"

    @property
    def view(self) -> OtherTrayView:
        """The facts that the page shows about the other tray."""
        match = self._replica.match
        seats = range(len(match.state.players)) if match else ()
        is_reachable = self._clock() - self._heard.time_s < UNREACHABLE_S
        return OtherTrayView(
            SharedPhase.PLAYING,
            tuple(filter(self.link.is_elsewhere, seats)),
            is_reachable,
            self._heard.trouble or (None if is_reachable else NOT_REACHABLE),
        )

    @property
    def match(self) -> Match | None:
        """The match after the last entry in the journal; None before the first."""
        return self._replica.match

    @property
    def guests(self) -> frozenset[str]:
        """The names of the players at the guest's tray."""
        players = self._replica.match.state.players if self._replica.match else ()
        seats = self.link.guest_seats
        return frozenset(player.name for seat, player in enumerate(players) if seat in seats)

    @property
    def has_other_tray_caught_up(self) -> bool:
        """Whether the other tray has reported that it has every step in this tray's journal."""
        entries = entries_with_marks(self._history, self.number, self.link.match)
        return self._heard.seq is not None and self._heard.seq >= len(entries) - 1

    @property
    def has_news(self) -> bool:
        """Whether this tray should send a message at once, without waiting for the usual pause."""
        return self._fetcher.is_urgent or self._news != self._said

    @property
    def _news(self) -> tuple[object, ...]:
        return self._replica.seq, self._wish, self._done_wish

    def refresh(self) -> None:
        """Read the entries that have been written to the journal since the last call.

        Raises:
            GameError: If the journal cannot be read.
        """
        entries = entries_with_marks(self._history, self.number, self.link.match)
        head = self._replica.seq
        if head >= 0 and (len(entries) <= head or entries[head][0].chain != self._replica.chain):
            self._replica = self._new_replica()  # a backup was restored
            self._fetcher.forget()
        for wire, entry, mark in entries[self._replica.seq + 1 :]:
            before = self._replica.match
            self._replica.add(wire, mark)
            if before and (found := _place_of_throw(entry.actions)) is not None:
                index = len(before.timeline) + found
                is_own = self._replica.author(wire.seq) is self.link.side
                self._fetcher.note_throw(wire.seq, entry.position, index, is_own=is_own)

    def ask(self, command: Undo | CorrectThrow | Rematch) -> None:
        """Ask the other tray to make a change, or the host to begin a rematch.

        Raises:
            TableError: If the other tray is not reachable.
        """
        if not self.view.is_reachable:
            raise TableError(ASK_LATER)
        name, seq = token_hex(4), self._replica.seq
        match command:
            case Undo():
                self._wish = Wish(name, "undo", seq)
            case Rematch():
                self._wish = Wish(name, "rematch", seq)
            case CorrectThrow(index=int(index)):
                self._wish = Wish(name, "correct", seq, index, command.dice)

    def message(self) -> Sync:
        """Return the message that this tray sends now."""
        replica, link = self._replica, self.link
        is_host = link.side is MatchSide.HOST
        entries = () if self._heard.seq is None else replica.after(self._heard.seq)
        self._said = self._news
        return Sync(
            link.side,
            match=link.match,
            guest_seats=link.guest_seats if is_host else (),
            rules=rules_digest(replica.match.rules) if is_host and replica.match else "",
            seq=replica.seq,
            chain=replica.chain,
            entries=entries,
            wish=self._wish,
            done_wish=self._done_wish,
            want=self._fetcher.want(),
            part=self._fetcher.take_answer(),
        )

    def take(self, sync: Sync) -> None:
        """Handle a message from the other tray: record its steps, make the changes it asks for, and exchange pictures.

        Raises:
            SharedMatchError: If the trays cannot play together. `view` shows why.
            TableError, GameError: If a step cannot be written now. The other tray will send it again.
        """
        self._heard.time_s = self._clock()
        self._heard.trouble = REFUSALS.get(sync.refusal)
        if sync.match != self.link.match:  # the guest has not begun this match yet
            self._heard.seq = NOTHING
            return
        self._heard.seq = sync.seq
        try:
            new = self._replica.check(sync)
        except SharedMatchError as error:
            self._heard.trouble = error.message
            raise
        for entry in new:
            self._table.do(FollowStep(self.number, entry.actions), entry.mark)
        if new:
            self.refresh()
        self._follow_wishes(sync)
        self._exchange_files(sync)

    def _new_replica(self) -> Replica:
        return Replica(self.link.side, self.link.keys, self.link.guest_seats)

    def _follow_wishes(self, sync: Sync) -> None:
        wish = self._wish
        if wish and (sync.done_wish == wish.id or self._replica.seq != wish.seq):
            self._wish = None
        asked = sync.wish
        if asked is None or asked.id == self._done_wish:
            return
        self._done_wish = asked.id
        may_do = MatchSide.HOST if asked.kind == "rematch" else self._replica.may_add
        if asked.seq != self._replica.seq or may_do is not self.link.side:
            return  # the match has moved on
        command: Command = Undo() if asked.kind == "undo" else Rematch()
        if asked.kind == "correct":
            command = CorrectThrow(asked.dice, asked.index)
        with suppress(TableError, GameError):  # the other side sees that nothing has changed
            self._table.do(command)
        self.refresh()

    def _exchange_files(self, sync: Sync) -> None:
        if sync.want:
            self._fetcher.answer(sync.want)
        found = self._fetcher.add(sync.part) if sync.part else None
        last = self._replica.match.last_throw if self._replica.match else None
        if found and last and last.index == found.index and PHOTO in found.files:
            shown = ShowOtherPhoto(found.index, found.files[PHOTO], found.files.get(CLIP))
            with suppress(TableError, GameError):
                self._table.do(shown)


def _place_of_throw(actions: tuple[Action, ...]) -> int | None:
    """Return the index of the throw among the actions of a step; None if the step is not a new throw."""
    if any(isinstance(action, Revision) for action in actions):
        return None
    places = [i for i, action in enumerate(actions) if isinstance(action, Thrown)]
    return places[0] if places else None


def refusing(link: Link, refusal: Refusal) -> Sync:
    """Return a message that says that this tray is not playing a match now.

    Args:
        link: The facts that this tray stores about the match.
        refusal: Why this tray is not playing it.
    """
    return Sync(link.side, match=link.match, refusal=refusal)
