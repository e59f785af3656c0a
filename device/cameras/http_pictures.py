"""The pictures of a camera that is asked over HTTP, as a stream or one by one, each with the time at which it arrived."""

import select
import socket
import ssl
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from functools import partial
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPMessage,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
)
from io import BufferedReader, RawIOBase
from re import sub
from time import monotonic, sleep
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPHandler,
    HTTPPasswordMgrWithDefaultRealm,
    HTTPSHandler,
    ProxyHandler,
    Request,
    build_opener,
)

from device.cameras.base import CameraError, LoginRefusedError
from device.cameras.newest_frame import JPEG_BEGIN, JPEG_END, SinglePicture
from game.message import Message

OPEN_TIMEOUT_S = 4.0
READ_TIMEOUT_S = 2.0

POLL_MS = 20
"""How often the reader looks whether data has arrived, in milliseconds: the precision of the time of a picture."""

BUFFER_BYTES = 256 * 1024
"""Size of the socket's receive buffer. In a larger one, more old pictures would wait while this process is stopped."""

MAX_LINE, MAX_JPEG = 8 * 1024, 32 * 1024**2
PADDING = 64
"""The end marker must be in this many last bytes of a JPEG, because some cameras append a few bytes after it."""

POLL_HZ = 10.0
"""Largest number of single pictures to ask for in a second."""

SLOWEST_POLL_S = 1.0
"""Longest pause between two single pictures if a camera refuses to send them faster, in seconds."""

BUSY, SERVER_ERRORS = (429, 503), 5

REFUSED = Message(
    "nothing answers at the camera's port: start the app or the camera's server, and check the port in its address"
)
NO_NAME = Message(
    "no device has the name in the camera's address: check the name, or write the device's number"
)
WEB_PAGE = Message(
    "the camera's address leads to a web page: open it in a browser, and copy the address of the video itself"
)
NO_TLS = Message("the camera does not speak https: write http in its address")
NOT_PICTURES = Message(
    "the camera answers, but not with pictures: look up the address of its video in its manual"
)


def http_pictures(url: str) -> Generator[SinglePicture, None, bool]:
    """Yield the pictures from an http or https address as they arrive, until the stream breaks off.

    If the address gives a single JPEG, it is asked for again and again.

    Args:
        url: The address, which may contain a user and a password.

    Returns:
        Whether the address leads to a video in another format than MJPEG.

    Raises:
        CameraError: If the address gives no pictures. `LoginRefusedError` if the user may not see them.
        OSError: If the camera does not answer in time.
    """
    try:
        return (yield from _pictures(_opener(url)))
    except CameraError:
        raise
    except HTTPError as error:
        error.close()
        raise answer_error(error.code) from None
    except URLError as error:
        raise _connection_error(error.reason) from None
    except (OSError, IncompleteRead):
        raise OSError from None
    except (HTTPException, ValueError):
        raise CameraError(NOT_PICTURES) from None


def _pictures(request: Callable[[], HTTPResponse]) -> Generator[SinglePicture, None, bool]:
    asked_s = monotonic()
    with closing(request()) as response:
        begin = response.peek(len(JPEG_BEGIN)).lstrip()
        kind = response.headers.get_content_maintype()
        if kind == "multipart" or begin.startswith(b"--"):
            yield from _multipart(response)
            return False
        if kind == "text" or begin.startswith(b"<"):
            raise CameraError(WEB_PAGE)
        if not begin.startswith(JPEG_BEGIN):
            return True
        yield SinglePicture(response.read(MAX_JPEG), asked_s)
    yield from _snapshots(request)
    return False


def _snapshots(request: Callable[[], HTTPResponse]) -> Iterator[SinglePicture]:
    """Ask for one JPEG after another, as fast as the camera sends them but at most `POLL_HZ` times a second."""
    period_s, asked_s = 1 / POLL_HZ, monotonic()
    while True:
        sleep(max(0.0, asked_s + period_s - monotonic()))
        asked_s = monotonic()
        try:
            with closing(request()) as response:
                data = response.read(MAX_JPEG)
        except HTTPError as error:
            if error.code not in BUSY or period_s >= SLOWEST_POLL_S:
                raise
            error.close()
            period_s = min(2 * period_s, SLOWEST_POLL_S)
        else:
            if is_whole_jpeg(data):
                yield SinglePicture(data, asked_s)


def answer_error(status: int) -> CameraError:
    """Return the error for a camera that answers a request with an HTTP status other than 200.

    RTSP uses the same numbers.
    """
    match status:
        case 401:
            return LoginRefusedError(
                Message(
                    "the camera refuses the user or the password (401): correct them in its address"
                )
            )
        case 403:
            return LoginRefusedError(
                Message(
                    "the camera does not let this user see its pictures (403): allow that in the camera's settings"
                )
            )
        case 404 | 410:
            return CameraError(
                Message(
                    "the camera has nothing at this address (%(status)s): look up the path in its manual",
                    status=str(status),
                )
            )
        case _ if status in BUSY or status // 100 == SERVER_ERRORS:
            return CameraError(
                Message(
                    "the camera reports a fault of its own (%(status)s): close other viewers, or restart it",
                    status=str(status),
                )
            )
    return CameraError(
        Message(
            "the camera refuses the request (%(status)s): look up the address of its video in its manual",
            status=str(status),
        )
    )


def _connection_error(reason: object) -> Exception:
    if isinstance(reason, ConnectionRefusedError):
        return CameraError(REFUSED)
    if isinstance(reason, socket.gaierror):
        return CameraError(NO_NAME)
    if isinstance(reason, ssl.SSLError):
        return CameraError(NO_TLS)
    return reason if isinstance(reason, OSError) else OSError()


def is_whole_jpeg(data: bytes | bytearray) -> bool:
    """Return whether data is a JPEG that has not been cut off."""
    return data.startswith(JPEG_BEGIN) and JPEG_END in data[-PADDING:]


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
        self.host = self.host.replace("%25", "%")  # before the zone of an IPv6 address
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


class _OneLogin(HTTPDigestAuthHandler):
    """Sends a password once, while the class it derives from sends a wrong one five times."""

    def http_error_401(
        self, req: Request, fp: Any, code: int, msg: str, headers: HTTPMessage
    ) -> HTTPResponse | None:
        fp.close()
        if req.has_header(self.auth_header):
            raise HTTPError(req.full_url, code, msg, headers, fp)
        return super().http_error_401(req, fp, code, msg, headers)


def _opener(url: str) -> Callable[[], HTTPResponse]:
    """Return a function that requests this address, which may contain a user and a password.

    The function raises `HTTPError` if the status of the response is not 200.
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    address = parts._replace(netloc=host).geturl()
    passwords = HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        passwords.add_password(None, address, user, password)
    opener = build_opener(
        ProxyHandler({}),
        _Handler,
        _SecureHandler,
        _OneLogin(passwords),
        HTTPBasicAuthHandler(passwords),
    )
    # The zone of an IPv6 address (RFC 6874) means something on this machine only.
    request = Request(address, headers={"Host": sub("%25[^]]*", "", host)})  # noqa: S310 - http or https
    return partial(opener.open, request, timeout=OPEN_TIMEOUT_S)


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
        if is_whole_jpeg(data):
            yield SinglePicture(bytes(data), time_s)


def _line(response: HTTPResponse) -> bytes:
    """Return the next line of a response.

    Raises:
        ConnectionError: If there is none.
    """
    if line := response.readline(MAX_LINE):
        return line
    raise ConnectionResetError
