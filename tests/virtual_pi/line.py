"""A line to the internet for a system without one, that can be cut: a proxy on its loopback.

python3 line.py PID: listens on 127.0.0.1:3128 of the network that process PID is in, and asks from
the network that this one was started in. HTTP, and CONNECT for HTTPS.
"""

import ctypes
import os
import re
import socket
import sys
import threading
from contextlib import suppress

PORT = 3128
NETWORK = 0x40000000  # CLONE_NEWNET


def listener(pid: int) -> socket.socket:
    """A socket stays in the network namespace in which it was created."""
    enter = ctypes.CDLL(None, use_errno=True).setns
    here, there = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(f"/proc/{pid}/ns/net", 0)
    if enter(there, NETWORK):
        raise OSError(ctypes.get_errno(), "setns")
    server = socket.create_server(("127.0.0.1", PORT))
    enter(here, NETWORK)
    return server


def serve(client: socket.socket) -> None:
    with client, suppress(OSError, ValueError):
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(65536) or b"\r\n\r\n"
        method, target = head.split(b" ", 2)[:2]
        if method == b"CONNECT":
            host, _, port = target.decode().rpartition(":")
            first = b""
        else:
            host, port, first = plain(head)
        with socket.create_connection((host, int(port)), timeout=60) as server:
            if first:
                server.sendall(first)
            else:
                client.sendall(b"HTTP/1.1 200 connected\r\n\r\n")
            threading.Thread(target=pour, args=(client, server), daemon=True).start()
            pour(server, client)


def plain(head: bytes) -> tuple[str, str, bytes]:
    """Allow one request per connection, so that the next one may go elsewhere."""
    found = re.match(rb"(\w+) http://([^/:]+)(?::(\d+))?(\S*) ", head)
    if found is None:
        raise ValueError(head)
    rest = re.sub(rb"(?im)^(proxy-)?connection:.*\r\n", b"", head[found.end() :])
    request = b"%s %s %s" % (found[1], found[4] or b"/", rest)
    return (
        found[2].decode(),
        (found[3] or b"80").decode(),
        request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1),
    )


def pour(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    server = listener(int(sys.argv[1]))
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
