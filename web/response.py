"""The kinds of responses: JSON, JPEG images and downloads. No cache may keep them by default."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from flask import Response

from game.message import Message
from web.contracts.table import Snapshot
from web.problem import required
from web.state.state_json import state_json

CHUNK_BYTES = 65_536
NO_STORE = "no-store"
JPEG, MOTION_JPEG, SVG = "image/jpeg", "video/x-motion-jpeg", "image/svg+xml"


def fresh(content: str | bytes, media_type: str = "text/html") -> Response:
    """Return a response that no cache keeps.

    Args:
        content: The body.
        media_type: Media type of the body.
    """
    return Response(content, headers={"Cache-Control": NO_STORE}, mimetype=media_type)


def state_text(snapshot: Snapshot) -> str:
    """Return the state as one line of JSON, ready for an event stream."""
    return json.dumps(state_json(snapshot), separators=(",", ":"))


def state_response(snapshot: Snapshot) -> Response:
    """Return a response with the state of the table."""
    return _json(state_text(snapshot))


def json_response(value: Any) -> Response:
    """Return a response with a JSON value."""
    return _json(json.dumps(value))


def image_response(
    data: bytes | None, missing: Message, cache: str = NO_STORE, media_type: str = JPEG
) -> Response:
    """Return a response with an image or a clip.

    Args:
        data: The image, if there is one.
        missing: The message of the error if there is none.
        cache: The `Cache-Control` header.
        media_type: Media type of the image.

    Raises:
        HttpProblem: If there is no image (status 404).
    """
    headers = {"Cache-Control": cache}
    return Response(required(data, missing), headers=headers, mimetype=media_type)


def download(
    content: str | Iterable[bytes] | Iterable[str], filename: str, mimetype: str
) -> Response:
    """Return a response that a browser saves as a file.

    Args:
        content: The content of the file, whole or in parts.
        filename: The name that the browser proposes.
        mimetype: Media type of the file.
    """
    headers = {
        "Cache-Control": NO_STORE,
        "Content-Disposition": f'attachment; filename="{filename}"',
    }
    return Response(content, headers=headers, mimetype=mimetype)


def iter_chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a file as fast as the phone takes them, and close the file at the end."""
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _json(text: str) -> Response:
    return fresh(text + "\n", "application/json")
