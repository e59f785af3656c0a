"""The code that two trays agree on for a shared match, and the keys that are derived from it."""

import hmac
import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from hashlib import scrypt, sha256
from typing import Self
from urllib.parse import urlsplit

from game.message import Message
from game.situation import TableError

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
        return hmac.digest(self.keys[side], text.encode(), sha256).hex()

    def is_signed(self, side: MatchSide, text: str, signature: str) -> bool:
        """Return whether a signature is valid, in a time that does not depend on the signature.

        Args:
            side: The side that should have signed.
            text: The signed text.
            signature: The signature to check, in hexadecimal.
        """
        return hmac.compare_digest(self.sign(side, text).encode(), signature.encode())


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
    try:
        parts = urlsplit(link)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except ValueError:
        raise TableError(NO_ADDRESS) from None
    if parts.scheme != "http" or not host or parts.username is not None:
        raise TableError(NO_ADDRESS)
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port or 80}/"
