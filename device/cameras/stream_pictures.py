"""The pictures of a network camera as they arrive, none of them decoded, each with the time at which it arrived."""

import select
import socket
import ssl
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPHandler,
    HTTPPasswordMgrWithDefaultRealm,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from device.cameras.newest_frame import JPEG_BEGIN, JPEG_END, ArrivedPicture, SinglePicture

OPEN_TIMEOUT_S = 4.0
READ_TIMEOUT_S = 2.0

POLL_MS = 20
"""How often the reader looks whether data has arrived, in milliseconds: the precision of the time of a picture."""

BUFFER_BYTES = 256 * 1024
"""Size of the socket's receive buffer. In a larger one, more old pictures would wait while this process is stopped."""

MAX_LINE, MAX_JPEG = 8 * 1024, 32 * 1024**2
PADDING = 64
"""The end marker must be in this many last bytes of a JPEG, because some cameras append a few bytes after it."""

Pictures = Generator[ArrivedPicture, None, None]


def open_pictures(url: str) -> Pictures:
    """Yield the pictures from an address as they arrive, until the stream breaks off.

    Args:
        url: The address of an MJPEG stream over HTTP, or of a video in any format that FFmpeg supports.
    """
    with suppress(OSError, HTTPException, ValueError, EOFError):
        if urlsplit(url).scheme in ("http", "https"):
            with closing(_request(url)) as response:
                if response.headers.get_content_maintype() == "multipart":
                    yield from _multipart(response)
                    return
        # FFmpeg takes 0.2 s and 20 MB to load, and MJPEG does not need it.
        from device.cameras.video_pictures import video_pictures  # noqa: PLC0415

        yield from video_pictures(url, OPEN_TIMEOUT_S, READ_TIMEOUT_S)


class ArrivalReader(RawIOBase):
    """A reader of a socket that notes when no data was waiting there.

    Data that is read afterwards arrived after that moment, even if this process was stopped in between. The time at
    which data is read would not tell that, because it may have been waiting in the socket for seconds.

    Args:
        sock: A connected socket.

    Attributes:
        empty_s: When no data was waiting for the last time, in seconds.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock, self._raw = sock, sock.makefile("rb", buffering=0)
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self.empty_s = monotonic()

    def readable(self) -> bool:
        """Implement `RawIOBase.readable`."""
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        """Implement `RawIOBase.readinto`: wait for data and read it.

        Raises:
            TimeoutError: If no data arrives within `READ_TIMEOUT_S`.
        """
        end_s = monotonic() + READ_TIMEOUT_S
        while not self._has_data(0):
            self.empty_s = monotonic()
            if self.empty_s > end_s:
                raise TimeoutError
            self._has_data(POLL_MS)
        return self._raw.readinto(buffer)

    def _has_data(self, wait_ms: int) -> bool:
        is_decrypted = isinstance(self._sock, ssl.SSLSocket) and self._sock.pending() > 0
        return is_decrypted or bool(self._poll.poll(wait_ms))

    def close(self) -> None:
        """Implement `RawIOBase.close`."""
        self._raw.close()
        super().close()


class _Socket:
    """The socket of a connection, as `http.client` uses it, which reads through an `ArrivalReader`."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.sendall, self.close = sock.sendall, sock.close

    def makefile(self, _mode: str) -> BufferedReader:
        return BufferedReader(ArrivalReader(self._sock))


class _Connection(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self.sock: Any = _Socket(self.sock)


class _SecureConnection(_Connection, HTTPSConnection):
    pass


class _Handler(HTTPHandler):
    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_Connection, request)


class _SecureHandler(HTTPSHandler):
    def https_open(self, request: Request) -> HTTPResponse:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # Cameras sign their own certificates.
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return self.do_open(_SecureConnection, request, context=context)


class _OneDigest(HTTPDigestAuthHandler):
    """Sends a password once, while the class it derives from sends a wrong one five times."""

    def retry_http_digest_auth(self, req: Request, auth: str) -> HTTPResponse | None:
        if req.has_header(self.auth_header):
            return None
        return super().retry_http_digest_auth(req, auth)


def _request(url: str) -> HTTPResponse:
    """Return the response of a camera to a request for this address, which may contain a user and a password."""
    parts = urlsplit(url)
    address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    passwords = HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        passwords.add_password(
            None, address, unquote(parts.username), unquote(parts.password or "")
        )
    opener: OpenerDirector = build_opener(
        ProxyHandler({}),
        _Handler,
        _SecureHandler,
        _OneDigest(passwords),
        HTTPBasicAuthHandler(passwords),
    )
    response: HTTPResponse = opener.open(address, timeout=OPEN_TIMEOUT_S)
    return response


def _multipart(response: HTTPResponse) -> Iterator[SinglePicture]:
    """Yield the JPEGs of a `multipart/x-mixed-replace` response."""
    arrivals: Any = response.fp.raw
    while not (boundary := _line(response).strip()):
        pass
    while line := response.readline(MAX_LINE):
        length = 0
        while line.strip():
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = min(int(value), MAX_JPEG)
            line = _line(response)
        response.peek(1)
        time_s = arrivals.empty_s  # the JPEG began to arrive later
        data = bytearray(response.read(length))
        while not (line := _line(response)).startswith(boundary):
            if not length and len(data) < MAX_JPEG:
                data += line
        data = data.rstrip(b"\r\n")
        if data.startswith(JPEG_BEGIN) and JPEG_END in data[-PADDING:]:
            yield SinglePicture(bytes(data), time_s)


def _line(response: HTTPResponse) -> bytes:
    """Return the next line of a response.

    Raises:
        EOFError: If there is none.
    """
    if line := response.readline(MAX_LINE):
        return line
    raise EOFError
