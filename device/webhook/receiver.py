"""The program to which the webhook sends steps, and the signature of the requests.

Signatures follow https://www.standardwebhooks.com, so that receivers can check them with the libraries offered there.
"""

import hmac
import stat
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from device.errors import UsageError
from game import toml_table
from game.file_io import read_text

PORTS = {"http": 80, "https": 443}
"""The standard port of each URL scheme, without and with TLS."""

PREFIX = "whsec_"
MIN_KEY_BYTES = 24
"""Length of the shortest key that the specification allows, in bytes."""

EXAMPLE = "http://homeserver.local:8080/dice, or https://example.org/dice"
HOW_TO_MAKE_ONE = 'printf \'secret = "whsec_%s"\\n\' "$(openssl rand -base64 32)"'


@dataclass(frozen=True, slots=True)
class Receiver:
    """A program that receives the steps of matches.

    Attributes:
        path: Path and query of its URL. No message shows them, because they may contain a secret.
        key: Key that signs the requests; None sends unsigned requests.
    """

    host: str
    port: int
    path: str = field(default="/", repr=False)
    tls: bool = False
    key: bytes | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def fingerprint(self) -> str:
        """A digest of the address, which does not reveal it."""
        return sha256(f"{self.tls} {self} {self.path}".encode()).hexdigest()[:16]

    def headers(self, delivery_id: str, time_s: float, body: bytes) -> dict[str, str]:
        """Return the headers of a request to the receiver, including its signature if there is a key.

        Args:
            delivery_id: Id of the delivery, the same for each attempt.
            time_s: Time of the attempt, in seconds since 1970.
            body: The body of the request.
        """
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Traykeeper",
            "webhook-id": delivery_id,
            "webhook-timestamp": f"{time_s:.0f}",
        }
        if self.key:
            signed = f"{delivery_id}.{time_s:.0f}.".encode() + body
            digest = b64encode(hmac.digest(self.key, signed, "sha256")).decode()
            headers["webhook-signature"] = f"v1,{digest}"
        return headers


def parse_receiver(url: str, *, secret: str = "") -> Receiver:
    """Parse the URL of a receiver, and read the key that signs the requests.

    Args:
        url: `http://HOST[:PORT][/PATH]`, or the same with `https`.
        secret: File with the key; empty sends unsigned requests.

    Raises:
        UsageError: If the URL or the file `secret` is not valid.
    """
    wrong = UsageError(f"webhook is not an address: write {EXAMPLE}")  # it may contain a secret
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except ValueError:
        raise wrong from None
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    if parts.scheme not in PORTS or not host or not path.isascii() or not path.isprintable():
        raise wrong
    if " " in path:
        raise wrong
    if parts.username is not None:
        raise UsageError("webhook contains a user name: use webhook_secret, or a secret path")
    key = _read_key(secret) if secret else None
    return Receiver(host, port or PORTS[parts.scheme], path, parts.scheme == "https", key)


def _read_key(path: str) -> bytes:
    """Read the key from a file with the line `secret = "whsec_..."`."""
    text = read_text(Path(path))
    if Path(path).stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{path}: other users can read the secret: chmod 600 {path}")
    one_line = UsageError(
        f'{path}: write one line, secret = "whsec_..."; make it with {HOW_TO_MAKE_ONE}'
    )
    table = toml_table.parse(text, path, lambda _: one_line)  # never quote the content
    line = table.line("secret")
    try:
        key = b64decode(line.removeprefix(PREFIX), validate=True)
    except ValueError:
        raise one_line from None
    if not line.startswith(PREFIX) or len(key) < MIN_KEY_BYTES:
        raise one_line
    return key
