"""Where phones find this machine."""

import fcntl
import socket
import struct
from contextlib import closing

SIOCGIFADDR = 0x8915
"""Linux's question for the address of an interface, of netdevice(7)."""

ALL_INTERFACES = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
NOT_FOR_PHONES = ("127.", "169.254.")


def lan_address(host: str) -> str:
    """The address that phones can reach: our own on the LAN where we listen everywhere."""
    return (
        _towards_others() or _of_an_interface() or "localhost" if host in ALL_INTERFACES else host
    )


def _towards_others() -> str | None:
    """Our address on the way out; there is none where no router is, as in a hotspot of our own."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks the system which way it would go
            return str(probe.getsockname()[0])
        except OSError:
            return None


def _of_an_interface() -> str | None:
    addresses = (interface_address(name) for _, name in socket.if_nameindex())
    return next((one for one in addresses if one and not one.startswith(NOT_FOR_PHONES)), None)


def interface_address(interface: str) -> str | None:
    """Its IPv4 address, if it is up and has one."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            asked = struct.pack("256s", interface.encode())
            answer = fcntl.ioctl(probe.fileno(), SIOCGIFADDR, asked)
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])
