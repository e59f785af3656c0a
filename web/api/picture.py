"""The API for a picture of the dice that a phone took: it arrives in parts and is then read."""

from threading import Lock

from flask import Response, g

from game.commands import SubmitPhoto
from game.message import Message
from web.contracts.table import Table
from web.fields import MAX_EXACT, MAX_PART, file_part, integer, optional
from web.picture_check import MAX_PICTURE_BYTES, TOO_MANY_BYTES, check_picture, check_type
from web.problem import HttpProblem
from web.response import json_response, state_response
from web.route import Permission, Routes


def create_picture(table: Table) -> Routes:
    """Create the routes under /api/v1/picture."""
    routes = Routes("picture", "/api/v1/picture")
    upload = PictureUpload()

    @routes.command(
        "/part", "Send a part of a picture as base64, with its offset in bytes",
        {"at": integer(0, MAX_PICTURE_BYTES), "part": file_part()},
        Permission.PLAYER_ON_TURN, max_body_bytes=MAX_PART,
    )  # fmt: skip
    def receive(at: int, part: bytes) -> Response:
        return json_response({"at": upload.add(at, part)})

    @routes.command(
        "", "Read the picture that was sent", {"step": optional(integer(0, MAX_EXACT))},
        Permission.PLAYER_ON_TURN, returns_state=True,
    )  # fmt: skip
    def read(step: int | None) -> Response:
        picture = upload.take()
        check_picture(picture)
        return state_response(table.do(SubmitPhoto(picture, step=step), g.request_mark))

    return routes


class PictureUpload:
    """The parts of the one picture that is being uploaded. Any thread may call its methods."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._data = bytearray()

    def __repr__(self) -> str:
        return f"<PictureUpload: {len(self._data)} bytes>"

    def add(self, offset: int, part: bytes) -> int:
        """Append a part and return the offset of the next one.

        Args:
            offset: Offset of the part, in bytes; 0 starts a new picture.
            part: The bytes of the part.

        Raises:
            HttpProblem: If another part is expected, or if the picture is too large or of the wrong type.
        """
        with self._lock:
            if offset == 0:
                self._data.clear()
                check_type(part)
            if offset != len(self._data):
                raise HttpProblem(
                    409, Message("Another photo is being sent: try again in a moment.")
                )
            if offset + len(part) > MAX_PICTURE_BYTES:
                self._data.clear()
                raise HttpProblem(413, TOO_MANY_BYTES)
            self._data += part
            return len(self._data)

    def take(self) -> bytes:
        """Return the whole picture and forget it."""
        with self._lock:
            data = bytes(self._data)
            self._data.clear()
            return data
