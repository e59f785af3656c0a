"""The code of a shared match, the keys that both trays derive from it, and the file with the links to other trays."""

import hmac
import json
import logging
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cache
from hashlib import scrypt, sha256
from pathlib import Path
from threading import Lock
from typing import Any, Self

from device.addresses import NetworkAddress
from game.file_io import write_atomically
from game.journal.entry import is_match_id
from game.message import Message
from game.situation import TableError
from game.typed_json import typed

log = logging.getLogger(__name__)

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32, in which no two characters are easily mistaken for each other."""

ALIKE = str.maketrans("OIL", "011")

LENGTH, GROUP = 10, 5
"""Number of characters in a code, and in each of the groups in which a code is shown.

Ten characters are 50 bits, and each guess costs one run of scrypt. So somebody who reads the messages of a match on a
broker cannot find out its code.
"""

SCRYPT = {"n": 2**14, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024}
"""Parameters of scrypt that OWASP recommends for 16 MB of memory. One run takes about 0.3 s on a Pi 4, once per match."""

NO_CODE = Message("That is not a match code: copy the link, or the ten letters and digits.")
NO_ADDRESS = Message("A match link begins with http:// and the address of the other tray.")

SHARED_FOLDER = "shared"
PENDING = "pending"

MAX_LINKS = 20
"""How many of the latest shared matches are remembered. Older ones can still be viewed, but not continued together."""


class MatchSide(StrEnum):
    """The two sides of a shared match: the tray that made the code, and the one that joined."""

    HOST = "host"
    GUEST = "guest"

    @property
    def other(self) -> "MatchSide":
        """The other side."""
        return MatchSide.GUEST if self is MatchSide.HOST else MatchSide.HOST


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """The keys of a shared match.

    Attributes:
        id: Name of the match in messages between the trays. It does not reveal the code.
        keys: The key that each side uses to sign its messages.
    """

    id: str
    keys: dict[MatchSide, bytes] = field(repr=False)

    def sign(self, side: MatchSide, text: str) -> str:
        """Return the signature of a text.

        Args:
            side: The side that signs.
            text: The text to sign.
        """
        return hmac.digest(self.keys[side], text.encode(errors="surrogatepass"), sha256).hex()

    def is_signed(self, side: MatchSide, text: str, signature: str) -> bool:
        """Return whether a signature is valid, in a time that does not depend on the signature.

        Args:
            side: The side that should have signed.
            text: The signed text.
            signature: The signature to check, in hexadecimal.
        """
        given = signature.encode(errors="surrogatepass")
        return hmac.compare_digest(self.sign(side, text).encode(), given)


@cache
def keys_of(code: str) -> MatchKeys:
    """Derive the keys from a code, written in capitals without separators (as in `TrayInvitation.code`)."""
    root = scrypt(code.encode(), salt=b"traykeeper shared match 1", dklen=32, **SCRYPT)
    keys = {side: hmac.digest(root, side.encode(), sha256) for side in MatchSide}
    return MatchKeys(hmac.digest(root, b"id", sha256).hex()[:16], keys)


def new_code() -> str:
    """Return a new random code for a shared match."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def grouped(code: str) -> str:
    """Return a code in the form that people read, such as `K7QM2-XRT9D`."""
    return f"{code[:GROUP]}-{code[GROUP:]}"


@dataclass(frozen=True, slots=True)
class TrayInvitation:
    """The text that a guest enters to join a match: a code, and possibly the address of the host.

    Attributes:
        code: The code, in capitals without separators.
        address: Address of the host's page; "" if the trays reach each other over a broker.
    """

    code: str = field(repr=False)
    address: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a link such as `http://192.168.1.20:8000/shared#K7QM2-XRT9D`, or a code alone.

        Raises:
            TableError: If the text is neither.
        """
        before, _, code = text.strip().rpartition("#")
        code = code.upper().translate(ALIKE)
        code = "".join(c for c in code if c not in "- ")
        if len(code) != LENGTH or not set(code) <= set(ALPHABET):
            raise TableError(NO_CODE)
        return cls(code, _address(before) if before else "")

    def __str__(self) -> str:
        return f"{self.address}shared#{grouped(self.code)}" if self.address else grouped(self.code)


def _address(link: str) -> str:
    found = NetworkAddress.parse(link, ("http",))
    if found is None or found.has_user:
        raise TableError(NO_ADDRESS)
    return f"{found}/"


@dataclass(frozen=True, slots=True)
class Link:
    """The facts that one tray remembers about a shared match.

    Attributes:
        side: The side of this tray: host or guest.
        code: The code on which the trays agreed.
        id: Id of the keys derived from the code. Messages between the trays identify the match by it.
        address: Address of the host's page, for a guest that reaches it over HTTP; otherwise "".
        names: Names of the players at this tray, cleaned by `clean_name`.
        rules: Name of the rules that the host chose; None means the default rules of this tray.
        target: Points to play for; None means the target of the rules.
        options: Values of rule options that differ from the rules.
        best_of: Number of matches of the series that the host chose; None or 1 means a single match.
        match: Id of the match; "" until it begins.
        guest_seats: The seats of the players at the guest's tray.
        is_ended: Whether this tray has continued the match alone.
        sets_aside: Whether the match may begin although another one is being played here, which then waits in the
            list of matches.
    """

    side: MatchSide
    code: str = field(repr=False)
    id: str
    address: str = ""
    names: tuple[str, ...] = ()
    rules: str | None = None
    target: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    best_of: int | None = None
    match: str = ""
    guest_seats: tuple[int, ...] = ()
    is_ended: bool = False
    sets_aside: bool = False

    @property
    def keys(self) -> MatchKeys:
        """The keys derived from the code."""
        return keys_of(self.code)

    def is_elsewhere(self, seat: int) -> bool:
        """Return whether the player in this seat is at the other tray. Players who join later are at the host's tray."""
        return (seat in self.guest_seats) == (self.side is MatchSide.HOST)


class LinkStore:
    """The links of a tray: what it remembers about each of its shared matches. Thread-safe.

    Args:
        folder: Folder for the files; it is created when the first link is saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._links = {path.stem: link for path in _newest(folder) if (link := _read(path))}

    @property
    def is_empty(self) -> bool:
        """Whether no links are stored, as on a tray that has never played with another one."""
        return not self._links

    @property
    def pending(self) -> Link | None:
        """The link of the match that has not begun yet; None if there is none."""
        return self._links.get(PENDING)

    def get(self, match: str) -> Link | None:
        """Return the link of the match with this id; None if there is none or this tray continued the match alone."""
        link = self._links.get(match)
        return link if link and link.match and not link.is_ended else None

    def find(self, keys_id: str) -> Link | None:
        """Return the link whose keys have this id, preferably of a match that has not begun yet; None if there is none."""
        pending = self.pending
        return pending if pending and pending.id == keys_id else self.begun(keys_id)

    def begun(self, keys_id: str) -> Link | None:
        """Return the latest link whose keys have this id and whose match this tray has begun, or was about to begin.

        Return None if there is no such link.
        """
        links = (link for link in self._links.values() if link.match and link.id == keys_id)
        return next(links, None)

    def save(self, link: Link) -> None:
        """Save a link.

        Raises:
            OSError: If the link cannot be written. Nothing has changed then.
        """
        name = link.match or PENDING
        with self._lock:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(self._folder / f"{name}.json", json.dumps(asdict(link)))
            self._links = {name: link} | {k: v for k, v in self._links.items() if k != name}
        for old in list(self._links)[MAX_LINKS:]:
            self.forget(old)

    def forget(self, match: str = PENDING) -> None:
        """Forget the link of a match that did not begin after all, by default of the one that has not begun yet."""
        with self._lock, suppress(OSError):
            self._links = {k: v for k, v in self._links.items() if k != match}
            (self._folder / f"{match}.json").unlink(missing_ok=True)

    def end(self, match: str) -> None:
        """Record that this tray continues the match with this id alone."""
        if link := self.get(match):
            self.save(replace(link, is_ended=True))


def _newest(folder: Path) -> list[Path]:
    """Return the files that contain links, newest first."""
    files = [
        path for path in folder.glob("*.json") if path.stem == PENDING or is_match_id(path.stem)
    ]
    return sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)


def _read(path: Path) -> Link | None:
    try:
        return typed(Link, json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        log.warning(
            "%s cannot be read (%s): the match will continue at this tray only", path, error
        )
        return None
