"""The address at which phones find this machine."""

import fcntl
import socket
import struct
from contextlib import closing

SIOCGIFADDR = 0x8915
"""Linux's request for the address of an interface, from netdevice(7)."""

ALL_INTERFACES = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
NOT_FOR_PHONES = ("127.", "169.254.")


def lan_address(host: str) -> str:
    """Return the address that phones can reach.

    Args:
        host: The address that the server listens on. If that is every interface, the address on the
            LAN is returned.
    """
    return (
        _address_towards_router() or _address_of_any_interface() or "localhost"
        if host in ALL_INTERFACES
        else host
    )


def _address_towards_router() -> str | None:
    """Return the address towards the router; None without one, for example in this machine's own hotspot."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing, only selects a route
            return str(probe.getsockname()[0])
        except OSError:
            return None


def _address_of_any_interface() -> str | None:
    addresses = (interface_address(name) for _, name in socket.if_nameindex())
    return next((each for each in addresses if each and not each.startswith(NOT_FOR_PHONES)), None)


def interface_address(interface: str) -> str | None:
    """Return the IPv4 address of an interface, if it is up and has one."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            request = struct.pack("256s", interface.encode())
            answer = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, request)
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])
