"""Answers of the API: JSON that no cache keeps."""

import json
from typing import Any

from flask import Response

from web.contracts.table import Snapshot
from web.state.state_json import state_json


def state_text(snapshot: Snapshot) -> str:
    """The state on one line, as the stream sends it."""
    return json.dumps(state_json(snapshot), separators=(",", ":"))


def state_answer(snapshot: Snapshot) -> Response:
    return _answer(state_text(snapshot))


def json_answer(value: Any) -> Response:
    return _answer(json.dumps(value))


def _answer(text: str) -> Response:
    kept = {"Cache-Control": "no-store"}
    return Response(text + "\n", headers=kept, mimetype="application/json")
