"""A receiver for tests: it accepts requests, fails or hangs, as the test demands."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread


class FakeReceiver(ThreadingHTTPServer):
    """A receiver that counts each delivery once by its id, as docs/events.md recommends.

    Attributes:
        behaviour: What it does with the next requests: "accept", "fail", "drop" (answer with 500 after
            it has counted the delivery), "hang", "hang up", "busy" or "gone".
        requests: Headers and body of every request, in order.
        bodies: The body of each delivery, in the order in which they were first accepted.
    """

    daemon_threads = True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.behaviour = "accept"
        self.requests, self.bodies = [], {}
        self.lock, self.is_over = Lock(), Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/dice?token=abc"

    @property
    def events(self):
        return [event for body in self.bodies.values() for event in body["events"]]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with server.lock:
            behaviour = server.behaviour
            server.requests.append((dict(self.headers), body))
            if behaviour in {"accept", "drop"}:
                server.bodies.setdefault(self.headers["webhook-id"], json.loads(body))
        if behaviour == "hang":
            server.is_over.wait()
        if behaviour in {"hang", "hang up"}:
            self.close_connection = True
            return
        self.send_response({"accept": 204, "busy": 429, "gone": 410}.get(behaviour, 500))
        if behaviour == "busy":
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def fake_receiver(port=0):
    server = FakeReceiver(port)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.is_over.set()
        server.shutdown()
        thread.join()
        server.server_close()
