"""The address at which phones find this machine."""

import fcntl
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from ipaddress import IPv6Address
from pathlib import Path

from device.addresses import NetworkAddress, in_url
from device.errors import UsageError

SIOCGIFADDR = 0x8915
"""Linux's request for the address of an interface, from netdevice(7)."""

ALL_INTERFACES = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
NOT_FOR_PHONES = ("127.", "169.254.")

ROUTED_ADDRESSES = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses reserved for documentation. The route to them is the same as the route to the internet."""

SYSTEM = Path("/")

GLOBAL_SCOPE = "00"
TEMPORARY, DEPRECATED, TENTATIVE = 0x01, 0x20, 0x40
"""Scope and flags of an address in `/proc/net/if_inet6`, from the kernel's if_addr.h."""


def lan_address(host: str, system: Path = SYSTEM) -> str:
    """Return the address at which phones can reach this machine; an IPv6 address is in brackets.

    The interface of a VPN or of Docker also has an address, but phones cannot reach it. So the addresses of network
    cards are preferred, above all the address of the card that leads to the router.

    Args:
        host: The address that the server listens on. If it stands for every interface, the address on the
            LAN is returned.
        system: Root folder of the system; tests replace it.
    """
    if host not in ALL_INTERFACES:
        return in_url(host)
    found = _pick(_ipv4_addresses(), socket.AF_INET, system)
    if found is None and host == "::":
        found = _pick(_ipv6_addresses(system), socket.AF_INET6, system)
    return in_url(found or "localhost")


def as_page_url(text: str) -> str:
    """Return the URL in the setting `address`, with a slash at its end; "" if the setting is empty.

    >>> as_page_url("https://dice.example")
    'https://dice.example/'

    Raises:
        UsageError: If the text is not an http or https URL with a host and no path.
    """
    if not text:
        return ""
    address = NetworkAddress.parse(text, ("http", "https"))
    if address is None or address.path != "/" or address.has_user:
        raise UsageError("this is not the address of a page: write http://dice.example:8000, say")
    return f"{text.rstrip('/')}/"


def split_names(text: str) -> list[str]:
    """Return the host names or addresses in a setting, which are separated by commas or spaces."""
    return text.replace(",", " ").split()


def as_page_urls(text: str) -> list[str]:
    """Return the URLs in the setting `readers`, each with a slash at its end and, as browsers write them, no usual port.

    Raises:
        UsageError: If one of them is not an http or https URL with a host and no path.
    """
    try:
        pages = [as_page_url(page).lower() for page in split_names(text)]
    except UsageError:
        raise UsageError(
            "readers: write the whole address of each page, such as http://foundry.local:30000, without a path; "
            "* is not possible"
        ) from None
    return [
        re.sub(r"^(http(?=:.*:80/)|https(?=:.*:443/))(.*):\d+/$", r"\1\2/", page) for page in pages
    ]


def own_address(host: str) -> str:
    """Return the address at which this machine can reach its own server, as it is written in a URL.

    Args:
        host: The address that the server listens on.
    """
    return in_url("127.0.0.1" if host in ALL_INTERFACES else host)


def _pick(
    addresses: Iterator[tuple[str, str]], family: socket.AddressFamily, system: Path
) -> str | None:
    """Return the address that phones are most likely to reach, given pairs of an interface and its address.

    Without a router, for example in this machine's own hotspot, that is the first address; None if there is none.
    """
    every = list(addresses)
    routed = _address_towards_router(family)
    on_cards = [address for interface, address in every if _is_network_card(interface, system)]
    candidates = on_cards or [address for _, address in every]
    if routed in candidates or (routed and not on_cards):
        return routed
    return next(iter(candidates), None)


def _address_towards_router(family: socket.AddressFamily) -> str | None:
    with closing(socket.socket(family, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect((ROUTED_ADDRESSES[family], 9))  # sends nothing, only selects a route
            return str(probe.getsockname()[0])
        except OSError:
            return None


def _is_network_card(interface: str, system: Path) -> bool:
    """Return whether an interface is hardware, or a bridge, bond or VLAN on top of hardware."""
    folder = system / "sys/class/net" / interface
    lower = (path.name.removeprefix("lower_") for path in folder.glob("lower_*"))
    return (folder / "device").exists() or any(_is_network_card(name, system) for name in lower)


def _ipv4_addresses() -> Iterator[tuple[str, str]]:
    for _, interface in socket.if_nameindex():
        address = interface_address(interface)
        if address and not address.startswith(NOT_FOR_PHONES):
            yield interface, address


def interface_address(interface: str) -> str | None:
    """Return the IPv4 address of a network interface, or None if it is down or has none."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            request = struct.pack("256s", interface.encode())
            answer = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, request)
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def _ipv6_addresses(system: Path) -> Iterator[tuple[str, str]]:
    """Yield each interface that has a usable global IPv6 address, with the address; permanent addresses come first."""
    try:
        lines = (system / "proc/net/if_inet6").read_text("ascii").splitlines()
    except OSError:  # a kernel without IPv6
        return
    rows = [line.split() for line in lines]
    found = [
        (int(flags, 16), interface, str(IPv6Address(bytes.fromhex(address))))
        for address, _index, _prefix, scope, flags, interface in rows
        if scope == GLOBAL_SCOPE
    ]
    for flags, interface, address in sorted(found, key=lambda row: row[0] & TEMPORARY):
        if not flags & (DEPRECATED | TENTATIVE):
            yield interface, address
