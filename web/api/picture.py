"""A picture of the dice that a phone has taken: sent in parts, then read like the camera's own."""

from threading import Lock

from flask import Response, g

from game.commands import SubmitPhoto
from game.message import Message
from web.contracts.table import Table
from web.fields import Base64, Whole
from web.picture_check import MOST_BYTES, TOO_MANY_BYTES, refuse_bombs, refuse_other_kinds
from web.problem import HttpProblem
from web.response import json_response, state_response
from web.route import Routes, Who

MAX_PART = 98_304
"""64 kB, as JSON: bodies stay so small that nobody can fill the memory with half a request."""


def create_picture(table: Table) -> Routes:
    """The routes of /api/v1/picture."""
    routes = Routes("picture", "/api/v1/picture")
    coming = ComingPicture()

    @routes.does(
        "/part", "A part of a picture, in base64, and where it begins",
        {"at": Whole(0, MOST_BYTES), "part": Base64(MAX_PART)}, who=Who.OWN_TURN, most_bytes=MAX_PART,
    )  # fmt: skip
    def receive(at: int, part: bytes) -> Response:
        return json_response({"at": coming.take(at, part)})

    @routes.does("", "Read the picture that was sent", who=Who.OWN_TURN, is_state=True)
    def read() -> Response:
        picture = coming.taken()
        refuse_bombs(picture)
        return state_response(table.do(SubmitPhoto(picture), g.request_mark))

    return routes


class ComingPicture:
    """What has come so far of the one picture that is being sent. Any thread may call."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._data = bytearray()

    def __repr__(self) -> str:
        return f"<ComingPicture: {len(self._data)} bytes>"

    def take(self, at: int, part: bytes) -> int:
        """One more part; gives where to go on.

        Raises:
            HttpProblem: it is not the next part, or nothing that will be read.
        """
        with self._lock:
            if at == 0:
                self._data.clear()
                refuse_other_kinds(part)
            if at != len(self._data):
                raise HttpProblem(
                    409, Message("Another picture is being sent: begin again in a moment.")
                )
            if at + len(part) > MOST_BYTES:
                self._data.clear()
                raise HttpProblem(413, TOO_MANY_BYTES)
            self._data += part
            return len(self._data)

    def taken(self) -> bytes:
        """All of it; nothing is kept."""
        with self._lock:
            data = bytes(self._data)
            self._data.clear()
            return data
