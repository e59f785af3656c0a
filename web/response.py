"""Answers of the API: JSON that no cache keeps."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from flask import Response

from web.contracts.table import Snapshot
from web.state.state_json import state_json

PART_BYTES = 65_536


def state_text(snapshot: Snapshot) -> str:
    """The state on one line, as the stream sends it."""
    return json.dumps(state_json(snapshot), separators=(",", ":"))


def state_response(snapshot: Snapshot) -> Response:
    return _answer(state_text(snapshot))


def json_response(value: Any) -> Response:
    return _answer(json.dumps(value))


def in_parts(file: BinaryIO) -> Iterator[bytes]:
    """What is in it, as fast as the phone takes it: it never lies whole in memory."""
    with file:
        while part := file.read(PART_BYTES):
            yield part


def _answer(text: str) -> Response:
    kept = {"Cache-Control": "no-store"}
    return Response(text + "\n", headers=kept, mimetype="application/json")
