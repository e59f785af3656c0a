"""The address of an MQTT broker, and the topics of a tray on it. docs/mqtt.md lists the topics."""

import re
import socket
import ssl
from dataclasses import dataclass, field

from device.addresses import NetworkAddress
from device.errors import UsageError
from device.files import read_secret_file
from game.errors import quoted

MAX_NAME_LENGTH = 40
EXAMPLE = "mqtt://broker.local, or mqtts://broker.local:8883"

ROOT = "traykeeper"

BIRTH = "homeassistant/status"
"""Topic on which Home Assistant reports that it has started and that devices must be announced again."""

ONLINE, OFFLINE = "online", "offline"
_BOARD = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Address(NetworkAddress):
    """A broker and the user who connects to it.

    Attributes:
        ca: File with the certificate of the authority that signed the broker's certificate; None trusts the
            system's authorities.
        secret: File that the user name and password were read from, for messages; None if there is none.
    """

    ca: str | None = None
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    secret: str | None = None

    @property
    def tls(self) -> bool:
        """Whether the connection uses TLS."""
        return self.scheme == "mqtts"

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the TLS context that checks the broker's certificate, or None without TLS.

        The certificate of a home-made authority rarely contains everything that RFC 5280 requires. Python 3.13
        rejects such a certificate by default; 3.12 did not. If the user names an authority, it is trusted anyway.

        Raises:
            UsageError: If the file `ca` contains no readable certificate.
        """
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(
                f"{self.ca}: this file contains no readable certificate ({error})"
            ) from None
        if self.ca:
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context


def parse_address(url: str, *, secret: str = "", ca: str = "") -> Address:
    """Parse the URL of a broker, and read the user name and password for it.

    Args:
        url: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
        secret: File with the user name and password; empty connects without them.
        ca: File with the certificate of the authority that signed the broker's certificate; empty trusts the
            system's authorities.

    Raises:
        UsageError: If the URL or the file `secret` is not valid.
    """
    found = NetworkAddress.parse(url, ("mqtt", "mqtts"))
    if "@" in url:
        raise UsageError(
            "the broker address contains a user name: move the user name and password to a file, "
            "and name it in mqtt_secret (for the club: --secret)"
        )
    if found is None or found.path != "/":
        raise UsageError(f"this is not the address of a broker: write {EXAMPLE}")
    user, password = _read_secret(secret) if secret else (None, None)
    return Address(
        found.scheme,
        found.host,
        found.port,
        ca=ca or None,
        user=user,
        password=password,
        secret=secret or None,
    )


def _read_secret(path: str) -> tuple[str, str]:
    """Read the user name and password from a file with the lines `user = "..."` and `password = "..."`."""
    expected = 'two lines, user = "..." and password = "..."'
    table = read_secret_file(path, "mqtt_secret (for the club: --secret)", expected)
    return table.line("user"), table.line("password")


def tray_name(wanted: str) -> str:
    """Return the name of the tray in MQTT topics: `wanted` from the settings, or the host name if it is empty.

    Raises:
        UsageError: If the name contains characters other than `a-z`, digits, `-` and `_`, or is too long.
    """
    name = wanted or re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower()).strip("-")
    if not is_tray_name(name[:MAX_NAME_LENGTH] if not wanted else name):
        raise UsageError(
            f"mqtt_tray: {quoted(wanted)} cannot be the name of a tray: "
            f"use 1 to {MAX_NAME_LENGTH} of the letters a-z, digits, - and _"
        )
    return name[:MAX_NAME_LENGTH]


def is_tray_name(name: str) -> bool:
    """Return whether a text can be the name of a tray in MQTT topics."""
    return bool(re.fullmatch(rf"[a-z0-9_-]{{1,{MAX_NAME_LENGTH}}}", name))


class Topics:
    """The MQTT topics of one tray, or of every tray.

    Args:
        tray: Name of the tray; "+" matches every tray.

    Attributes:
        tray: Name of the tray.
        availability: Availability of the tray, `online` or `offline`.
        state: Current state of the tray and its match; the broker retains the last message.
        event: Entries of the journal.
        moment: Special moments of a match, such as a farkle, for lights and sounds.
        replay: Requests of club boards for missed entries.
        assign: Matches that a club board assigns to the tray.
        assigned: Whether the tray accepts or declines a match that a club board has assigned to it.
        discovery: The announcement of the tray to Home Assistant.
    """

    def __init__(self, tray: str) -> None:
        self.tray = tray
        self.availability = f"{ROOT}/{tray}/availability"
        self.state = f"{ROOT}/{tray}/state"
        self.event = f"{ROOT}/{tray}/event"
        self.moment = f"{ROOT}/{tray}/moment"
        self.replay = f"{ROOT}/{tray}/replay"
        self.assign = f"{ROOT}/{tray}/assign"
        self.assigned = f"{self.assign}/answer"
        self.discovery = f"homeassistant/device/{ROOT}_{tray}/config"

    def answer(self, board: str) -> str:
        """Return the topic on which a club board receives the answers to its requests."""
        return f"{self.replay}/{board}"


def is_board(name: object) -> bool:
    """Return whether a value can be the name of a club board in topics."""
    return isinstance(name, str) and _BOARD.fullmatch(name) is not None
