"""The messages between the two trays of a shared match.

Each message says how much of the match its sender has, and contains entries that the other tray lacks. A message can be
lost, repeated or overtaken by a later one without harm, because the next one repeats what is still missing.
"""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from device.shared_match.links import MatchKeys, MatchSide
from game.errors import JournalError, TraykeeperError
from game.journal.entry import WireEntry
from game.message import Message

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
    """Raised when a message or an entry has an invalid signature."""

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
class SignedEntry:
    """An entry of a match with the signature of the side that made it."""

    wire: WireEntry
    author: MatchSide
    signature: str

    @staticmethod
    def text(wire: WireEntry) -> str:
        """Return the text that the signature of an entry covers."""
        return json.dumps(wire.to_json(), sort_keys=True, separators=(",", ":"))

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON, with its author and signature."""
        return {"entry": self.wire.to_json(), "by": self.author, "signature": self.signature}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the entry in data that `to_json` has created."""
        return cls(
            WireEntry.from_json(data["entry"]), MatchSide(data["by"]), _text(data["signature"])
        )


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
    names: tuple[str, ...] = ()
    match: str = ""
    guest_seats: tuple[int, ...] = ()
    rules: str = ""
    seq: int = NOTHING
    chain: str = ""
    entries: tuple[SignedEntry, ...] = ()
    wish: Wish | None = None
    done_wish: str = ""
    want: FilePart | None = None
    part: FilePart | None = None
    refusal: Refusal = Refusal.NONE

    def sealed(self, keys: MatchKeys) -> str:
        """Return the message as JSON, signed by the side that sends it."""
        text = json.dumps({"version": VERSION} | _plain(self), separators=(",", ":"))
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
            data = json.loads(sealed.text)
            if data["version"] != VERSION:
                raise SharedMatchError(OTHER_VERSION)
            return cls(
                side,
                names=tuple(map(_text, data["names"][:MAX_NAMES])),
                match=_text(data["match"]),
                guest_seats=tuple(map(_number, data["guest_seats"])),
                rules=_text(data["rules"]),
                seq=_number(data["seq"]),
                chain=_text(data["chain"]),
                entries=tuple(map(SignedEntry.from_json, data["entries"][:MAX_ENTRIES])),
                wish=_wish(data["wish"]),
                done_wish=_text(data["done_wish"]),
                want=_part(data["want"]),
                part=_part(data["part"]),
                refusal=Refusal(data["refusal"]),
            )
        except (KeyError, TypeError, ValueError, RecursionError, JournalError):
            raise SharedMatchError(OTHER_VERSION) from None


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
            fields = json.loads(data)
            return cls(*(_text(fields[name]) for name in ("id", "text", "mac")))
        except (KeyError, TypeError, ValueError, RecursionError):
            raise SharedMatchError(GARBLED) from None


def _plain(sync: Sync) -> dict[str, Any]:
    wish = sync.wish and {name: getattr(sync.wish, name) for name in Wish.__slots__}
    return {name: getattr(sync, name) for name in Sync.__slots__ if name != "side"} | {
        "entries": [entry.to_json() for entry in sync.entries],
        "wish": wish,
        "want": _plain_part(sync.want),
        "part": _plain_part(sync.part),
    }


def _plain_part(part: FilePart | None) -> dict[str, Any] | None:
    if part is None:
        return None
    fields = {name: getattr(part, name) for name in FilePart.__slots__}
    return fields | {"data": b64encode(part.data).decode()}


def _part(data: Any) -> FilePart | None:
    if data is None:
        return None
    seq, at, size = (_number(data[name]) for name in ("seq", "at", "size"))
    return FilePart(seq, _text(data["kind"]), at, size, b64decode(data["data"], validate=True))


def _wish(data: Any) -> Wish | None:
    if data is None:
        return None
    dice = tuple(map(_number, data["dice"]))
    return Wish(
        _text(data["id"]), _text(data["kind"]), _number(data["seq"]), _number(data["index"]), dice
    )


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise TypeError("text expected")
    return found


def _number(found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise TypeError("a number expected")
    return found
