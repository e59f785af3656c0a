"""JSON answers of the API, which no cache may keep."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from flask import Response

from web.contracts.table import Snapshot
from web.state.state_json import state_json

CHUNK_BYTES = 65_536


def state_text(snapshot: Snapshot) -> str:
    """Return the state as one line of JSON, ready for an event stream."""
    return json.dumps(state_json(snapshot), separators=(",", ":"))


def state_response(snapshot: Snapshot) -> Response:
    """Return an answer with the state of the table."""
    return _answer(state_text(snapshot))


def json_response(value: Any) -> Response:
    """Return an answer with a JSON value."""
    return _answer(json.dumps(value))


def iter_chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a file as fast as the phone takes them, and close the file at the end."""
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _answer(text: str) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(text + "\n", headers=headers, mimetype="application/json")
