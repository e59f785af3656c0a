"""A network camera that sends H.264 over RTSP and TCP, as most do."""

import re
import socketserver
import struct
import threading
from collections.abc import Callable
from time import monotonic

import av
import numpy as np

RTP_HZ, MAX_PAYLOAD = 90_000, 1_400
FU_A = 28


class RtspServer:
    """A server that streams pictures to everyone who asks.

    Args:
        take: Returns the next picture, BGR.
        fps: Pictures per second.

    Attributes:
        answer: The status with which it answers when a viewer asks for the description of the stream.
        logins: The number of requests with a password.
    """

    def __init__(self, take: Callable[[], np.ndarray], fps: float = 20) -> None:
        self.take, self.fps = take, fps
        self.answer, self.logins = 200, 0
        self.closing = threading.Event()
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                outer.serve(self)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"rtsp://127.0.0.1:{self._server.server_address[1]}/live"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def serve(self, handler: socketserver.StreamRequestHandler) -> None:
        sdp = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:track1\r\n"
        more = {
            "OPTIONS": "Public: OPTIONS, DESCRIBE, SETUP, PLAY\r\n\r\n",
            "DESCRIBE": f"Content-Type: application/sdp\r\nContent-Length: {len(sdp)}\r\n\r\n{sdp}",
            "SETUP": "Session: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n",
            "PLAY": "Session: 1\r\n\r\n",
        }
        while line := handler.rfile.readline().decode():
            method = line.split()[0]
            request = line
            while (line := handler.rfile.readline().decode()).strip():
                request += line
            self.logins += "Authorization:" in request
            number = re.search(r"CSeq: (\d+)", request)[1]
            status = self.answer if method == "DESCRIBE" else 200
            head = f"RTSP/1.0 {status} OK\r\nCSeq: {number}\r\n"
            if status == 401:
                head += 'WWW-Authenticate: Basic realm="camera"\r\n'
            handler.wfile.write((head + (more[method] if status == 200 else "\r\n")).encode())
            if method == "PLAY":
                self._play(handler)
                return

    def _play(self, handler: socketserver.StreamRequestHandler) -> None:
        number, began_s = 0, monotonic()
        encoder = None
        try:
            while not self.closing.wait(1 / self.fps):
                image = self.take()
                if encoder is None:
                    encoder = av.CodecContext.create("libx264", "w")
                    encoder.width, encoder.height = image.shape[1], image.shape[0]
                    encoder.pix_fmt, encoder.framerate = "yuv420p", round(self.fps)
                    encoder.gop_size = round(2 * self.fps)
                    encoder.options = {"preset": "ultrafast", "tune": "zerolatency"}
                stamp = int((monotonic() - began_s) * RTP_HZ)
                for packet in encoder.encode(av.VideoFrame.from_ndarray(image, format="bgr24")):
                    payloads = list(_payloads(bytes(packet)))
                    for payload in payloads:
                        marker = 0x80 * (payload is payloads[-1])
                        head = struct.pack(">BBHII", 0x80, marker | 96, number, stamp, 1)
                        number = (number + 1) % 65536
                        data = head + payload
                        handler.wfile.write(struct.pack(">cBH", b"$", 0, len(data)) + data)
        except OSError:
            pass  # the viewer went away

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


def _payloads(access_unit: bytes):
    """Yield the RTP payloads (RFC 6184) of one picture."""
    for unit in re.split(b"\0\0\0?\1", access_unit)[1:]:
        if len(unit) <= MAX_PAYLOAD:
            yield unit
            continue
        indicator, kind, rest = unit[0] & 0xE0 | FU_A, unit[0] & 0x1F, unit[1:]
        for begin in range(0, len(rest), MAX_PAYLOAD):
            part = rest[begin : begin + MAX_PAYLOAD]
            is_last = begin + MAX_PAYLOAD >= len(rest)
            yield bytes((indicator, 0x80 * (begin == 0) | 0x40 * is_last | kind)) + part
