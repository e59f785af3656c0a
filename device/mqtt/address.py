"""Where a broker is, and as whom one goes there."""

import re
import socket
import ssl
import stat
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from device.errors import UsageError
from game import toml_table
from game.errors import quoted
from game.file_io import read_text

PORTS = {"mqtt": 1883, "mqtts": 8883}
"""The usual ones, plain and with TLS."""

LONGEST_NAME = 40
EXAMPLE = "mqtt://broker.local, or mqtts://broker.local:8883"


@dataclass(frozen=True, slots=True)
class Address:
    """A broker, and the user there.

    Attributes:
        ca: the file with the certificate of who signed the broker's; None trusts the system's.
        secret: the file that user and password are from, for messages.
    """

    host: str
    port: int
    tls: bool = False
    ca: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    secret: str | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self}"

    def tls_context(self) -> ssl.SSLContext | None:
        """What checks the broker's certificate; None where it is spoken plainly.

        An authority of one's own, made with a line of openssl, seldom says all that RFC 5280 asks
        for. Python 3.13 refuses it for that, 3.12 did not; who names it trusts it.

        Raises:
            UsageError: the file of `ca` holds no certificate.
        """
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(f"{self.ca}: no certificate can be read there ({error})") from None
        if self.ca:
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context


def address(url: str, *, secret: str = "", ca: str = "") -> Address:
    """The broker at this address, with user and password from the file `secret`.

    Raises:
        UsageError: the address or a file does not hold; says what would.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
        (parts.hostname or "").encode("idna")  # as whoever looks the name up will do
    except ValueError:
        raise UsageError(f"{quoted(url)} is no address: write {EXAMPLE}") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.path.strip("/"):
        raise UsageError(f"{quoted(url)} is no address: write {EXAMPLE}")
    if parts.username is not None:
        raise UsageError(
            "user and password belong into the file that mqtt_secret (the club: --secret) names"
        )
    user, password = _secret(secret) if secret else (None, None)
    tls = parts.scheme == "mqtts"
    return Address(
        parts.hostname,
        port or PORTS[parts.scheme],
        tls,
        ca or None,
        user,
        password,
        secret or None,
    )


def _secret(path: str) -> tuple[str, str]:
    """User and password from lines `user = "..."` and `password = "..."`."""
    text = read_text(Path(path))
    if Path(path).stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{path}: others can read the password: chmod 600 {path}")
    two_lines = f'{path}: it needs two lines, user = "..." and password = "..."'
    table = toml_table.parse(text, path, lambda _: UsageError(two_lines))  # and never what it found
    return table.line("user"), table.line("password")


def tray_name(wanted: str) -> str:
    """What the tray is called in topics: the name in the settings, else that of the machine.

    Raises:
        UsageError: the wanted name does not fit into a topic.
    """
    name = wanted or re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower()).strip("-")
    if not is_tray_name(name[:LONGEST_NAME] if not wanted else name):
        raise UsageError(
            f"mqtt_tray: {quoted(wanted)} is no name for a tray: "
            f"take 1 to {LONGEST_NAME} of the letters a-z, digits, - and _"
        )
    return name[:LONGEST_NAME]


def is_tray_name(name: str) -> bool:
    return bool(re.fullmatch(rf"[a-z0-9_-]{{1,{LONGEST_NAME}}}", name))
