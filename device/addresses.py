"""Addresses on the network: of cameras, brokers, webhooks, other trays and pages.

An address may contain a password: before the host, in the path or in the query, under any name. So of every address,
only the scheme, the host and the port are shown, logged, reported or sent, and messages never quote an address that
was refused.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322, "mqtt": 1883, "mqtts": 8883}
"""The standard port of each scheme."""

HOW_TO_ENCODE = (
    "in user names and passwords, write %23 for #, %2F for /, %3F for ?, %40 for @ and %25 for %"
)

_NAME = re.compile(r"[\w.-]+")
"""A host name. It contains none of the characters that may separate a password from it."""

_URL = re.compile(r"\b([a-z][a-z0-9+.-]*)://[^\s\"'<>]*[^\s\"'<>.,:;!?)]", re.IGNORECASE)
"""A URL in a text, without the punctuation after it."""


@dataclass(frozen=True, slots=True)
class NetworkAddress:
    """An address on the network, whose text form is all that may be shown of it.

    >>> str(NetworkAddress.parse("rtsp://me:secret@10.0.0.7/live?key=secret"))
    'rtsp://10.0.0.7:554'

    Attributes:
        scheme: Such as "http", in lower case.
        host: Name or numeric address of the machine; an IPv6 address is without brackets.
        port: The port; the scheme's standard port if the URL names none.
        path: Path and query.
        has_user: Whether the URL contains a user name or a password before the host.
    """

    scheme: str
    host: str
    port: int
    path: str = field(default="/", repr=False)
    has_user: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}://{in_url(self.host)}:{self.port}"

    @staticmethod
    def parse(url: str, schemes: Collection[str] = tuple(PORTS)) -> "NetworkAddress | None":
        """Return the address in a URL, or None if the URL is not valid.

        In "rtsp://me:12#4@host", part of the password looks like a port. So a URL with `#`, or with `@` after the host,
        is not valid.

        Args:
            url: The URL.
            schemes: The schemes that are allowed, which are keys of `PORTS`.
        """
        if not url.isprintable() or any(character in url for character in " #\\"):
            return None
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").replace("%25", "%"), parts.port
            is_host = _is_host(host, is_bracketed="[" in parts.netloc)
        except ValueError:  # brackets in odd places, or a port that is not a number
            return None
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        if parts.scheme not in schemes or not is_host or port == 0 or "@" in path:
            return None
        has_user = "@" in parts.netloc
        return NetworkAddress(parts.scheme, host, port or PORTS[parts.scheme], path, has_user)


def _is_host(host: str, *, is_bracketed: bool) -> bool:
    """Return whether a text is the name or the numeric address of a machine.

    Raises:
        ValueError: If it is not, and Python's parser notices that.
    """
    if is_bracketed:
        return bool(IPv6Address(host))
    return bool(_NAME.fullmatch(host)) and bool(host.encode("idna"))


def in_url(host: str) -> str:
    """Return a host as it is written in a URL: an IPv6 address gets brackets, and its zone is encoded (RFC 6874)."""
    return f"[{host.replace('%', '%25')}]" if ":" in host else host


def reduce_urls(text: str) -> str:
    """Return a text in which every URL is reduced to its scheme, host and port.

    >>> reduce_urls("no answer from http://me:secret@den.local/hook: retrying")
    'no answer from http://den.local:80: retrying'
    """

    def reduced(url: re.Match[str]) -> str:
        return str(NetworkAddress.parse(url[0]) or f"{url[1]}://***")

    return _URL.sub(reduced, text)
