"""A network camera as phone apps and the ESP32-CAM are: MJPEG over HTTP, with the faults of Wi-Fi and of servers."""

import base64
import re
import socket
import threading
from collections.abc import Callable
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

import cv2
import numpy as np

FPS = 20
WAYS = ("length", "no length", "chunked")
"""How a part is sent: with its length, without it, or in chunks of HTTP/1.1."""


class MjpegServer:
    """A server that streams pictures to everyone who asks.

    Args:
        take: Returns the next picture, or a JPEG of it.
        fps: Pictures per second.
        host: Address to listen at.

    Attributes:
        fault: What is wrong now: "", "stall", "drop", "refuse", "garbage", "torn", "page", or an HTTP status.
        way: One of `WAYS`, or "snapshot" for one picture for each request.
        login: USER:PASSWORD that is required; "" for none.
        scheme: How the login is asked for: "Basic" or "Digest".
        connections: How often a picture or a stream was asked for.
        logins: When a password was sent, in seconds.
        asked_host: The host that was asked for last.
    """

    def __init__(
        self, take: Callable[[], np.ndarray | bytes], fps: float = FPS, host: str = "127.0.0.1"
    ) -> None:
        self.take, self.fault, self.connections = take, "", 0
        self.way, self.login, self.scheme, self.logins = WAYS[0], "", "Basic", []
        self.asked_host = ""
        self.closing, self.frame_s = threading.Event(), 1 / fps
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.serve(self)

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
            daemon_threads = True

        self._server = Server((host, 0), Handler)
        self.port = self._server.server_port
        self.url = f"http://{host}:{self.port}/video"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        self.connections += 1
        self.asked_host = request.headers["Host"]
        if self.login and not self._admits(request):
            request.send_response(401)
            more = ', nonce="1", qop="auth"' if self.scheme == "Digest" else ""
            request.send_header("WWW-Authenticate", f'{self.scheme} realm="camera"{more}')
            request.end_headers()
        elif self.fault == "refuse" or self.fault.isdecimal():
            request.send_error(503 if self.fault == "refuse" else int(self.fault))
        elif self.fault == "page":
            self._reply(request, "text/html", b"<html><img src=/video></html>")
        elif self.way == "snapshot":
            self._reply(request, "image/jpeg", self._jpeg())
        else:
            self._stream(request)

    def _admits(self, request: BaseHTTPRequestHandler) -> bool:
        sent = request.headers.get("Authorization", "")
        if not sent:
            return False
        self.logins.append(monotonic())
        if self.scheme == "Basic":
            return sent == f"Basic {base64.b64encode(self.login.encode()).decode()}"
        fields = dict(re.findall(r'(\w+)="?([^",]+)', sent))
        user, _, password = self.login.partition(":")
        one = _md5(f"{user}:camera:{password}")
        two = _md5(f"GET:{request.path}")
        middle = ":".join(fields[name] for name in ("nonce", "nc", "cnonce", "qop"))
        return fields["response"] == _md5(f"{one}:{middle}:{two}")

    def _reply(self, request: BaseHTTPRequestHandler, kind: str, body: bytes) -> None:
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _stream(self, request: BaseHTTPRequestHandler) -> None:
        if self.way == "chunked":
            request.protocol_version = "HTTP/1.1"
        request.send_response(200)
        request.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        if self.way == "chunked":
            request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        try:
            while not self.closing.wait(self.frame_s):
                if self.fault in ("drop", "refuse"):
                    return
                if self.fault != "stall":
                    self._send(request, self._jpeg())
        except OSError:
            pass  # the camera went away

    def _jpeg(self) -> bytes:
        taken = self.take()
        data = taken if isinstance(taken, bytes) else cv2.imencode(".jpg", taken)[1].tobytes()
        if self.fault == "garbage":
            return np.random.default_rng(1).bytes(len(data))
        return data[: len(data) // 2] if self.fault == "torn" else data

    def _send(self, request: BaseHTTPRequestHandler, data: bytes) -> None:
        length = "" if self.way == "no length" else f"Content-Length: {len(data)}\r\n"
        part = f"--frame\r\nContent-Type: image/jpeg\r\n{length}\r\n".encode() + data + b"\r\n"
        if self.way == "chunked":
            part = f"{len(part):x}\r\n".encode() + part + b"\r\n"
        request.wfile.write(part)
        request.wfile.flush()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


def _md5(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()
