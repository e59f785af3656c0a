"""The exchange of messages between two trays about one shared match, over any transport.

The journal is the queue: each message contains entries of the journal that the other tray lacks.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import blake2s
from secrets import token_hex
from typing import NamedTuple, Self

from device.shared_match.links import Link, MatchKeys, MatchSide
from game.commands import (
    CorrectThrow,
    FollowStep,
    FollowWish,
    Rematch,
    ShowOtherPhoto,
    Undo,
)
from game.errors import GameError, JournalError, TraykeeperError
from game.journal.entry import OTHER_TRAY, Entry, EntryFit, WireEntry, comparable_entries
from game.journal.history import History
from game.match.events import Action, Revision, Thrown
from game.match.match import Match
from game.message import Message
from game.rules.ruleset import Ruleset
from game.situation import TableError
from game.typed_json import plain_json, typed
from web.contracts import OtherTrayView, SharedPhase, Table

VERSION = 2
"""Version of the messages. Trays with different versions do not play together."""

MAX_BYTES = 98_304
"""Largest message, in bytes: twenty entries and a part of a picture."""

MAX_ENTRIES, MAX_ENTRY_CHARS = 20, 24_000
"""Largest number of entries in one message, and the number of characters after which no further entry is added."""

PART_BYTES = 36_000
"""Largest part of a picture in one message, in bytes; in base64, that is 48 kB."""

MAX_FILE_BYTES = 1_000_000
"""Largest picture that a tray accepts from the other one, in bytes."""

MAX_NAMES = 19
NOTHING = -1
"""The number of a tray's last entry as long as it has none."""


class SharedMatchError(TraykeeperError):
    """Raised when two trays cannot play together. The message says why, and what to do."""


class NotSignedError(SharedMatchError):
    """Raised when the other tray has not signed a message, so that it may come from anybody."""


BAD_SIGNATURE = Message(
    "A message from the other tray has an invalid signature: agree on a new code, and join again."
)
OTHER_VERSION = Message(
    "The other tray runs a different version of Traykeeper: install the same version on both trays."
)
GARBLED = Message("The other tray has sent something that is not a match message.")


class Refusal(StrEnum):
    """The reason why a tray is not playing a shared match now. `REFUSALS` maps it to a message for the other tray."""

    NONE = ""
    SAME_NAME = "same name"
    OTHER_MATCH = "other match"
    PLAYS_ALONE = "plays alone"
    BUSY = "busy"
    PLAYERS = "players"


REFUSALS = {
    Refusal.SAME_NAME: Message(
        "A player at the other tray has the same name: join again with another name."
    ),
    Refusal.PLAYERS: Message(
        "The match cannot begin with these players: the page of the other tray says why."
    ),
    Refusal.OTHER_MATCH: Message(
        "The other tray is now playing another match: this one waits until it is continued there."
    ),
    Refusal.BUSY: Message(
        "Another match is being played at the other tray: it has to be finished or set aside there first."
    ),
    Refusal.PLAYS_ALONE: Message(
        "The other tray has left this match: play on alone, or agree on a new one."
    ),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A request to make a change that only the other tray may make, such as undoing its player's step.

    Attributes:
        id: Id that distinguishes this request from others.
        kind: "undo", "correct" or "rematch".
        seq: Number of the requesting tray's last entry. If the match has moved on since, the request is ignored.
        index: Index, in the match's timeline, of the throw to correct.
        dice: The corrected faces.
    """

    id: str
    kind: str
    seq: int
    index: int = 0
    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a picture of a throw or, if it has no data, a request for one.

    Attributes:
        seq: Number of the entry with the throw.
        kind: Kind of picture: `photo` or `clip`.
        at: Offset of the part, in bytes.
        size: Size of the whole picture in bytes; 0 in a request, or if there is no picture (yet).
        data: The bytes of the part.
    """

    seq: int
    kind: str
    at: int
    size: int = 0
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Sync:
    """One message between the two trays of a shared match.

    Attributes:
        side: The side that sends the message.
        version: Version of the messages that the sender writes.
        names: Names of the players at the guest's tray; sent by the guest until the match begins.
        match: Id of the match; "" before it begins.
        guest_seats: Seats of the players at the guest's tray; sent by the host.
        rules: Digest of the complete rules; sent by the host.
        seq: Number of the last entry that the sender has.
        chain: Digest of the match up to that entry.
        entries: Entries that the receiver lacks.
        wish: A change that the receiver is asked to make; None if there is none.
        done_wish: Id of the last request for a change that the sender has dealt with; "" if there was none.
        want: Request for a part of a picture that the sender lacks; None if nothing is missing.
        part: The part that the receiver has requested; None if it has requested none.
        refusal: Why the sender is not playing now.
    """

    side: MatchSide
    version: int = VERSION
    names: tuple[str, ...] = ()
    match: str = ""
    guest_seats: tuple[int, ...] = ()
    rules: str = ""
    seq: int = NOTHING
    chain: str = ""
    entries: tuple[WireEntry, ...] = ()
    wish: Wish | None = None
    done_wish: str = ""
    want: FilePart | None = None
    part: FilePart | None = None
    refusal: Refusal = Refusal.NONE

    def sealed(self, keys: MatchKeys) -> str:
        """Return the message as JSON, signed by the side that sends it."""
        text = json.dumps(self, default=plain_json, separators=(",", ":"))
        return json.dumps({"id": keys.id, "text": text, "mac": keys.sign(self.side, text)})

    @classmethod
    def opened(cls, sealed: "Sealed", keys: MatchKeys, side: MatchSide) -> Self:
        """Check who sent a signed message, and return its content.

        Args:
            sealed: The signed message.
            keys: The keys that the two sides use to sign messages.
            side: The side that must have sent the message.

        Raises:
            NotSignedError: If that side has not signed the message.
            SharedMatchError: If the sender runs a different version of Traykeeper.
        """
        if not keys.is_signed(side, sealed.text, sealed.mac):
            raise NotSignedError(BAD_SIGNATURE)
        try:
            found = typed(cls, json.loads(sealed.text))
        except (KeyError, TypeError, ValueError, RecursionError, JournalError):
            raise SharedMatchError(OTHER_VERSION) from None
        if found.version != VERSION or found.side is not side or found.is_too_long:
            raise SharedMatchError(OTHER_VERSION)
        return found

    @property
    def is_too_long(self) -> bool:
        """Whether the message contains more names or entries than any tray sends."""
        return len(self.names) > MAX_NAMES or len(self.entries) > MAX_ENTRIES


@dataclass(frozen=True, slots=True)
class Sealed:
    """A signed message whose signature has not been checked yet.

    Attributes:
        id: Id of the keys that sign the message.
        text: The message as JSON.
        mac: The signature.
    """

    id: str
    text: str
    mac: str

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Parse a signed message from the bytes that have arrived.

        Raises:
            NotSignedError: If the bytes are not a signed message.
        """
        try:
            if len(data) > MAX_BYTES:
                raise NotSignedError(GARBLED)
            return typed(cls, json.loads(data))
        except (KeyError, TypeError, ValueError, RecursionError):
            raise NotSignedError(GARBLED) from None


MAX_WANTED = 6
"""Number of the latest throws whose pictures are fetched, so that few are transferred after a long outage."""

MAX_TRIES = 12
"""Number of requests for a picture that the other tray does not have (yet): pictures are stored after their throws."""

UNREACHABLE_S = 6.0
"""After this many seconds without a message, a tray counts as unreachable: three times the longest pause."""

NOT_REACHABLE = Message("The other tray is not reachable: the match is waiting.")
ASK_LATER = Message("The other tray is not reachable: ask it again when it is back.")

PHOTO, CLIP = "photo", "clip"
"""The kinds of pictures of a throw that the page shows."""


class ThrowFiles(NamedTuple):
    """A store of throw pictures of one kind, addressed by the position of the throw in this tray's journal.

    Attributes:
        get: Returns the picture of the throw at a position, or None if there is none.
        add: Stores a picture from the other tray at a position; returns False if it is not valid, or cannot be stored
            now.
    """

    get: Callable[[int], bytes | None]
    add: Callable[[int, bytes], bool]


FetchedFiles = tuple[int, Mapping[str, bytes]]
"""The index of a throw in the match's timeline, and its pictures that have arrived so far, by kind."""


@dataclass(slots=True)
class _Fetch:
    """A picture that is being fetched from the other tray."""

    position: int
    index: int
    data: bytearray
    tries: int = 0


class FileFetcher:
    """An exchange of throw pictures with the other tray: fetches its pictures, and sends it this tray's pictures.

    Args:
        files: The stores of this tray's pictures, by kind. The kind named first is fetched first.
    """

    def __init__(self, files: Mapping[str, ThrowFiles]) -> None:
        self._files = files
        self._own: dict[int, int] = {}
        self._wanted: OrderedDict[tuple[int, str], _Fetch] = OrderedDict()
        self._answer: FilePart | None = None
        self._has_advanced = False
        self._arrived: FetchedFiles = (-1, {})

    def __repr__(self) -> str:
        return f"<FileFetcher: {len(self._wanted)} wanted>"

    @property
    def is_urgent(self) -> bool:
        """Whether an answer is waiting to be sent, or the next part can be requested at once."""
        return self._answer is not None or self._has_advanced

    def note_throw(self, seq: int, position: int, index: int, *, is_own: bool) -> None:
        """Record a throw, so that its pictures can be fetched from the other tray, or sent to it.

        Args:
            seq: Number of the throw's entry in the match.
            position: Position of the entry in this tray's journal.
            index: Index of the throw in the match's timeline.
            is_own: Whether the throw was made at this tray, so that its pictures are sent and not fetched.
        """
        if is_own:
            self._own[seq] = position
            return
        for kind in reversed(list(self._files)):  # the kind that is named first is fetched first
            if self._files[kind].get(position) is None:
                self._wanted[seq, kind] = _Fetch(position, index, bytearray())
        while len(self._wanted) > MAX_WANTED * len(self._files):
            self._wanted.popitem(last=False)

    def forget(self) -> None:
        """Forget all recorded throws, because the journal has been replaced."""
        self._own.clear()
        self._wanted.clear()

    def want(self) -> FilePart | None:
        """Return the request for the next part of a picture, for the latest throw first; None if nothing is missing."""
        self._has_advanced = False
        for (seq, kind), fetch in reversed(self._wanted.items()):
            return FilePart(seq, kind, len(fetch.data))
        return None

    def answer(self, want: FilePart) -> None:
        """Prepare the answer to a request from the other tray."""
        files, position = self._files.get(want.kind), self._own.get(want.seq)
        data = (files.get(position) if files and position is not None else None) or b""
        part = data[want.at : want.at + PART_BYTES]
        self._answer = FilePart(want.seq, want.kind, want.at, len(data), part)

    def take_answer(self) -> FilePart | None:
        """Return the prepared answer and forget it; None if there is none."""
        answer, self._answer = self._answer, None
        return answer

    def add(self, part: FilePart) -> FetchedFiles | None:
        """Add a part of a picture that has arrived; if that completes it, return the pictures of its throw."""
        name = (part.seq, part.kind)
        fetch = self._wanted.get(name)
        if fetch is None or part.at != len(fetch.data):
            return None
        fetch.data += part.data
        if not part.data or part.size > MAX_FILE_BYTES or len(fetch.data) > part.size:
            self._try_later(name, fetch)
            return None
        self._has_advanced = True
        if len(fetch.data) < part.size:
            return None
        data = bytes(fetch.data)
        if not self._files[part.kind].add(fetch.position, data):
            self._try_later(name, fetch)
            return None
        del self._wanted[name]
        index, files = self._arrived
        before = files if index == fetch.index else {}
        self._arrived = (fetch.index, {**before, part.kind: data})
        return self._arrived

    def _try_later(self, name: tuple[int, str], fetch: _Fetch) -> None:
        """Request other pictures before this one, named by entry number and kind; after `MAX_TRIES` attempts, give up."""
        fetch.data.clear()
        fetch.tries += 1
        self._wanted.move_to_end(name, last=False)
        if fetch.tries >= MAX_TRIES:
            del self._wanted[name]


def diverged(seq: int) -> SharedMatchError:
    """Return the error for two trays whose copies of a match differ from entry number `seq` onwards."""
    return SharedMatchError(
        Message(
            "The match differs between the two trays from step %(n)s on: run `traykeeper "
            "compare` to see where, and play on at one of them.",
            n=str(seq),
        )
    )


def out_of_turn(seq: int, match: Match) -> SharedMatchError:
    """Return the error for entry number `seq`, which the other tray added while it was a turn at this tray."""
    return SharedMatchError(
        Message(
            "The other tray sent step %(n)s although it is %(name)s's turn at this tray, so it is refused: run "
            "`traykeeper compare` to see where the matches differ, and play on at one of the trays.",
            n=str(seq),
            name=match.state.player.display_name,
        )
    )


def rules_id(rules: Ruleset) -> str:
    """Return a digest of complete rules. It shows whether two versions of Traykeeper use one name for the same rules."""
    return blake2s(json.dumps(asdict(rules), sort_keys=True).encode(), digest_size=8).hexdigest()


class Replica:
    """The entries of a shared match that this tray has.

    The entries so far determine which side adds the next one: the host until the match has started, then the side whose
    player's turn it is. Each tray keeps to this, so the two sides never add different entries at the same place.

    Args:
        guest_seats: The seats of the players at the guest's tray.

    Attributes:
        match: The match after the last entry; None before the first.
    """

    def __init__(self, guest_seats: Sequence[int]) -> None:
        self._guest_seats = frozenset(guest_seats)
        self._entries: list[WireEntry] = []
        self.match: Match | None = None

    def __repr__(self) -> str:
        return f"<Replica at {self.seq}>"

    @property
    def seq(self) -> int:
        """Number of the last entry, counted from 0; -1 if there is none."""
        return len(self._entries) + NOTHING

    def chain(self, seq: int) -> str:
        """Return the digest of the match up to the entry with this number; "" if this tray lacks that entry."""
        return self._entries[seq].chain if 0 <= seq <= self.seq else ""

    @property
    def may_add(self) -> MatchSide:
        """The side that may add the next entry."""
        return self._may_add_after(self.match)

    def _may_add_after(self, match: Match | None) -> MatchSide:
        is_guest = match is not None and match.state.turn.seat in self._guest_seats
        return MatchSide.GUEST if is_guest else MatchSide.HOST

    def add(self, entry: WireEntry) -> None:
        """Add the next entry of this tray's journal.

        Raises:
            GameError: If this version cannot play the entry.
        """
        self.match = entry.played(self.match)
        self._entries.append(entry)

    def after(self, seq: int) -> tuple[WireEntry, ...]:
        """Return the entries after the one with this number, as many as fit into one message."""
        found: list[WireEntry] = []
        length = 0
        for entry in self._entries[seq + 1 : seq + 1 + MAX_ENTRIES]:
            length += len(json.dumps(entry.to_json(), separators=(",", ":")))
            if found and length > MAX_ENTRY_CHARS:
                break
            found.append(entry)
        return tuple(found)

    def missing(self, sync: Sync, *, gets_back: bool = False) -> list[WireEntry]:
        """Check a message from the other tray, and return the entries in it that this tray lacks.

        Args:
            sync: The message.
            gets_back: Whether entries that this tray added itself may be among them, because its journal has lost
                some.

        Raises:
            SharedMatchError: If the two trays have different matches, if the other tray was not allowed to add an
                entry, or if this version cannot play an entry.
        """
        if self.chain(sync.seq) not in ("", sync.chain):
            raise diverged(self._first_difference(sync))
        entries, match = [*self._entries], self.match
        for entry in sync.entries:
            fit = entry.fit(len(entries) + NOTHING, lambda seq: entries[seq].chain)
            if fit is EntryFit.GAP:
                break
            if fit is EntryFit.DIFFERENT or entry.match != sync.match:
                raise diverged(entry.seq)
            if fit is EntryFit.NEW:
                if match and not gets_back and self._may_add_after(match) is not sync.side:
                    raise out_of_turn(entry.seq, match)
                match = _played(entry, match, sync.rules)
                entries.append(entry)
        return entries[self.seq + 1 :]

    def _first_difference(self, sync: Sync) -> int:
        different = (
            each.seq for each in sync.entries if self.chain(each.seq) not in ("", each.chain)
        )
        return next(different, sync.seq)


def _played(entry: WireEntry, match: Match | None, rules: str) -> Match:
    """Return the match after an entry from the other tray, whose rules have this digest."""
    try:
        after = entry.played(match)
    except GameError:
        raise SharedMatchError(OTHER_VERSION) from None
    if match is None and rules_id(after.rules) != rules:
        raise SharedMatchError(OTHER_VERSION)
    return after


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
        table: Table,
        *,
        files: Mapping[str, ThrowFiles],
        clock: Callable[[], float],
    ) -> None:
        self.link, self.number = link, number
        self._history, self._table, self._clock = history, table, clock
        self._replica = Replica(self.link.guest_seats)
        self._fetcher = FileFetcher(files)
        self._heard_s = float("-inf")
        self._their_seq: int | None = None  # before the first message
        # True until a message shows that the other tray has no further steps.
        self._may_lack_own_steps = True
        self._trouble: Message | None = None
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
        is_reachable = self._clock() - self._heard_s < UNREACHABLE_S
        return OtherTrayView(
            SharedPhase.PLAYING,
            tuple(filter(self.link.is_elsewhere, seats)),
            is_reachable,
            self._trouble or (None if is_reachable else NOT_REACHABLE),
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

    def were_guests(self, names: Sequence[str]) -> bool:
        """Return whether the players at the guest's tray had these names when the match began."""
        match, seats = self._replica.match, self.link.guest_seats
        players = enumerate(match.start_state.players) if match else ()
        return {player.name for seat, player in players if seat in seats} == set(names)

    @property
    def has_other_tray_caught_up(self) -> bool:
        """Whether the other tray has reported that it has every step in this tray's journal."""
        entries = self._entries()
        return self._their_seq is not None and self._their_seq >= len(entries) - 1

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
        entries = self._entries()
        head = self._replica.seq
        if head >= 0 and (
            len(entries) <= head or entries[head][0].chain != self._replica.chain(head)
        ):
            self._replica = Replica(self.link.guest_seats)  # a backup was restored
            self._may_lack_own_steps = True
            self._fetcher.forget()
        for wire, entry in entries[self._replica.seq + 1 :]:
            before, is_own = self._replica.match, self._replica.may_add is self.link.side
            self._replica.add(wire)
            if before and (found := _place_of_throw(entry.actions)) is not None:
                index = len(before.timeline) + found
                self._fetcher.note_throw(wire.seq, entry.position, index, is_own=is_own)

    def _entries(self) -> list[tuple[WireEntry, Entry]]:
        """Return the entries of the match, in the form that trays exchange and as they are in this tray's journal."""
        entries = [
            e for e in self._history.match_entries(self.number) if e.start_match or e.actions
        ]
        return list(zip(comparable_entries(self.link.match, entries), entries, strict=True))

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
        entries = () if self._their_seq is None else replica.after(self._their_seq)
        self._said = self._news
        return Sync(
            link.side,
            match=link.match,
            guest_seats=link.guest_seats if is_host else (),
            rules=rules_id(replica.match.rules) if is_host and replica.match else "",
            seq=replica.seq,
            chain=replica.chain(replica.seq),
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
        self._heard_s = self._clock()
        self._trouble = REFUSALS.get(sync.refusal)
        if sync.refusal:
            return
        if sync.match != self.link.match:
            if sync.match and self._their_seq == NOTHING:  # it has this match, and plays another
                self._trouble = REFUSALS[Refusal.OTHER_MATCH]
            self._their_seq = NOTHING
            return
        self._their_seq = sync.seq
        if sync.seq <= self._replica.seq:
            self._may_lack_own_steps = False
        try:
            new = self._replica.missing(sync, gets_back=self._may_lack_own_steps)
        except SharedMatchError as error:
            self._trouble = error.message
            raise
        for entry in new:
            self._table.do(FollowStep(self.number, entry.actions, entry.chain), OTHER_TRAY)
        if new:
            self.refresh()
        self._follow_wishes(sync)
        self._exchange_files(sync)

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
        command: FollowWish | Rematch = FollowWish(self.number, Undo())
        if asked.kind == "rematch":
            command = Rematch()
        elif asked.kind == "correct":
            command = FollowWish(self.number, CorrectThrow(asked.dice, asked.index))
        with suppress(TableError, GameError):  # the other side sees that nothing has changed
            self._table.do(command)
        self.refresh()

    def _exchange_files(self, sync: Sync) -> None:
        if sync.want:
            self._fetcher.answer(sync.want)
        found = self._fetcher.add(sync.part) if sync.part else None
        last = self._replica.match.last_throw if self._replica.match else None
        index, files = found or (-1, {})
        if last and last.index == index and PHOTO in files:
            shown = ShowOtherPhoto(index, files[PHOTO], files.get(CLIP))
            with suppress(TableError, GameError):
                self._table.do(shown)


def _place_of_throw(actions: tuple[Action, ...]) -> int | None:
    """Return the index of the throw among the actions of a step; None if the step is not a new throw."""
    if any(isinstance(action, Revision) for action in actions):
        return None
    places = [i for i, action in enumerate(actions) if isinstance(action, Thrown)]
    return places[0] if places else None
