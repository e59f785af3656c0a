"""A network camera as phone apps and the ESP32-CAM are: MJPEG over HTTP, with the faults of Wi-Fi."""

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

FPS = 20


class MjpegServer:
    """A server that streams pictures to everyone who asks.

    Args:
        take: Returns the next picture, or a JPEG of it.
        fps: Pictures per second.

    Attributes:
        fault: What is wrong now: "", "stall", "drop", "refuse", "garbage" or "torn".
        connections: How often a stream was opened.
    """

    def __init__(self, take: Callable[[], np.ndarray | bytes], fps: float = FPS) -> None:
        self.take, self.fault, self.connections = take, "", 0
        self.closing, self._frame_s = threading.Event(), 1 / fps
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.serve(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/video"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        self.connections += 1
        if self.fault == "refuse":
            request.send_error(503)
            return
        request.send_response(200)
        request.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        request.end_headers()
        try:
            while not self.closing.wait(self._frame_s):
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
        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
        request.wfile.write(head.encode() + data + b"\r\n")
        request.wfile.flush()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
