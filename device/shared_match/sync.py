"""The messages between the two trays of a shared match.

Each message says how much of the match its sender has, and contains entries that the other tray lacks. A message can be
lost, repeated or overtaken by a later one without harm, because the next one repeats what is still missing.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from device.shared_match.links import MatchKeys, MatchSide
from game.errors import JournalError, TraykeeperError
from game.journal.entry import WireEntry
from game.message import Message
from game.typed_json import plain_json, typed

VERSION = 1
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
    """Raised when a message has an invalid signature."""

    def __init__(self) -> None:
        super().__init__(
            Message(
                "A message from the other tray has an invalid signature: agree on a new "
                "code, and join again."
            )
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


REFUSALS = {
    Refusal.SAME_NAME: Message(
        "A player at the other tray has the same name: join again with another name."
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
            raise NotSignedError
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
            SharedMatchError: If the bytes are not a signed message.
        """
        try:
            if len(data) > MAX_BYTES:
                raise SharedMatchError(GARBLED)
            return typed(cls, json.loads(data))
        except (KeyError, TypeError, ValueError, RecursionError):
            raise SharedMatchError(GARBLED) from None
