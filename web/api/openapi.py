"""The HTTP API described in OpenAPI 3.1: served by the program, and tried against it in the tests."""

from importlib.metadata import version
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

from flask import Blueprint, Response

from game.match.roster import MAX_TEAM
from game.match.step import MAX_SCORE
from web.request import MAX_DICE, MAX_LIST, MAX_TEXT
from web.response import json_answer
from web.state.json_schema import StateJson

Schema = dict[str, Any]

MAX_INDEX = 1_000_000
MAX_SEAT = 1_000

DICE: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1, "maximum": 6},
    "minItems": 1,
    "maxItems": MAX_DICE,
}
TEXT: Schema = {"type": "string", "maxLength": MAX_TEXT}
YES: Schema = {"type": "boolean"}


def whole(low: int, high: int) -> Schema:
    """A whole number between these."""
    return {"type": "integer", "minimum": low, "maximum": high}


def some(items: Schema) -> Schema:
    """A list as long as lists may be."""
    return {"type": "array", "items": items, "minItems": 1, "maxItems": MAX_LIST}


SEAT, INDEX = whole(0, MAX_SEAT), whole(0, MAX_INDEX)
CORNERS: Schema = {
    "type": "array",
    "items": {
        "type": "array",
        "items": {"type": "number", "minimum": -0.25, "maximum": 1.25},
        "minItems": 2,
        "maxItems": 2,
    },
    "minItems": 4,
    "maxItems": 4,
}
LISTENS: Schema = {"type": "string", "enum": ["", "button", "learn", "test"]}
COLOUR: Schema = {"type": "string", "enum": ["red", "green", "blue"]}

POSTS: dict[str, tuple[str, dict[str, Schema], tuple[str, ...]]] = {
    "press": ("Press the button", {}, ()),
    "hold": (
        "Hold the button so long",
        {"seconds": {"type": "number", "minimum": 0, "maximum": 10}},
        ("seconds",),
    ),
    "reread": ("Look once more at the throw in view", {}, ()),
    "button": ("The simulated button goes down, or up", {"down": YES}, ("down",)),
    "throw": ("Throw the simulated dice", {}, ()),
    "dice": ("A throw tapped in", {"dice": DICE}, ("dice",)),
    "keep": ("Set these aside", {"dice": DICE}, ("dice",)),
    "bank": ("Bank the best keep, or this one", {"dice": DICE}, ()),
    "correct": ("A throw showed other dice", {"dice": DICE, "index": INDEX}, ("dice",)),
    "face": (
        "A die of the newest photo shows this",
        {"photo": TEXT, "die": whole(0, MAX_SEAT), "face": whole(1, 6)},
        ("photo", "die", "face"),
    ),
    "answer": ("One of the state's choices", {"choice": TEXT}, ("choice",)),
    "undo": ("A step back", {}, ()),
    "redo": ("A step forth again", {}, ()),
    "match": (
        "A new match",
        {
            "names": some(TEXT),
            "rules": TEXT,
            "target": whole(1, MAX_INDEX),
            "options": {"type": "object", "maxProperties": MAX_LIST},
            "teams": some(whole(0, MAX_TEAM)),
        },
        ("names",),
    ),
    "rematch": ("The same players again, once a match is won", {}, ()),
    "coach": (
        "How much the coach says",
        {"mode": {"type": "string", "enum": ["off", "after", "live"]}},
        ("mode",),
    ),
    "skip": ("The player on turn is passed over", {}, ()),
    "farkle": ("The player on turn farkled", {}, ()),
    "takeover": ("The player on turn takes over what was banked", {}, ()),
    "join": ("One more player", {"name": TEXT, "team": whole(0, MAX_TEAM)}, ("name",)),
    "leave": ("A player goes", {"seat": SEAT}, ("seat",)),
    "rename": ("A player is called that", {"seat": SEAT, "name": TEXT}, ("seat", "name")),
    "order": ("They throw in this order", {"seats": some(SEAT)}, ("seats",)),
    "score": (
        "A score set by hand",
        {"seat": SEAT, "score": whole(-MAX_SCORE, MAX_SCORE)},
        ("seat", "score"),
    ),
    "turn": (
        "Whose turn, points at risk, dice to throw",
        {"seat": SEAT, "points": whole(0, MAX_SCORE), "dice": whole(1, 6)},
        ("seat", "points", "dice"),
    ),
    "insert": ("A turn that nobody pressed for", {"turn": TEXT, "before": INDEX}, ("turn",)),
    "drop": ("These events never happened", {"start": INDEX, "stop": INDEX}, ("start", "stop")),
    "reopen": ("Go on with an older match", {"match": whole(1, MAX_INDEX)}, ("match",)),
    "matches/solve": (
        "Work out chances to win under the rules of that match",
        {"match": whole(1, MAX_INDEX)},
        ("match",),
    ),
    "dice-sets/new": ("From the next match on other dice are thrown", {"name": TEXT}, ("name",)),
    "heed": ("Somebody has read that the journal was damaged", {}, ()),
    "corrections/switch": ("Whether pictures of corrected throws are kept", {"on": YES}, ("on",)),
    "corrections/delete": ("Delete them all", {}, ()),
    "restore": ("Put the backup that was sent in place", {}, ()),
    "restore/part": (
        "A part of a backup, in base64, and where it begins",
        {"at": whole(0, MAX_INDEX), "part": TEXT},
        ("at", "part"),
    ),
    "pencil/ask": ("Ask for the pencil", {}, ()),
    "pencil/pin": ("Prove it by the PIN", {"pin": TEXT}, ("pin",)),
    "pencil/link": ("Prove it by the link", {"token": TEXT}, ("token",)),
    "pencil/give": ("Hand it to who asks, or keep it", {"yes": YES}, ("yes",)),
    "pencil/lay-down": ("Nobody holds it any more", {}, ()),
    "pencil/own-turn": ("Players' own phones may act in their turns", {"on": YES}, ("on",)),
    "pencil/sit": ("Whose phone this is", {"name": TEXT}, ("name",)),
    "pencil/free": ("No phone is any player's", {}, ()),
    "calibration/place": ("The corners", {"tray": CORNERS, "aside": CORNERS}, ("tray",)),
    "calibration/listen": ("What presses are for", {"to": LISTENS}, ("to",)),
    "calibration/show": (
        "Show a colour",
        {"colour": {"type": "string", "enum": ["", "red", "green", "blue"]}},
        ("colour",),
    ),
    "calibration/lamp": (
        "What a person saw",
        {"colour": COLOUR, "seen": YES},
        ("colour", "seen"),
    ),
} | {
    f"calibration/{name}": (summary, {}, ())
    for name, summary in {
        "find": "Look for the tray",
        "propose": "Propose a set-aside zone",
        "check": "How good a new picture is",
        "focus": "Find focus and exposure again",
        "throw": "Throw all simulated dice",
        "learn": "Look at the dice of one throw",
        "forget": "Learn anew",
        "test": "Read one throw of the self-test",
        "retest": "Test anew",
        "save": "Write the profile",
        "discard": "Back to what is saved",
    }.items()
}
"""Path below /api/v1 -> summary, fields of the body, which of them must be there."""

GETS: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "state": ("The whole state of the table", "application/json", ()),
    "events": ("The state now and after every change", "text/event-stream", (503,)),
    "photo/{photo_id}.jpg": ("The annotated photo that the state names", "image/jpeg", (404,)),
    "view.jpg": ("What the camera sees now, small", "image/jpeg", (404,)),
    "rules": ("The rule sets on offer", "application/json", ()),
    "rules.toml": ("The rules in force, as a house file", "application/toml", ()),
    "match.txt": ("The match as text", "text/plain", (404,)),
    "match.csv": ("Its turns for a spreadsheet", "text/csv", (404,)),
    "match.json": ("Its turns for programs", "application/json", (404,)),
    "pencil": ("Where the pencil is, seen from here", "application/json", ()),
    "pencil/pin": ("The PIN now, for the holder", "application/json", (403,)),
    "matches": ("The matches of the journal, the newest first", "application/json", ()),
    "matches/{match_id}.txt": ("One of them as text", "text/plain", (404,)),
    "matches/{match_id}.csv": ("Its turns for a spreadsheet", "text/csv", (404,)),
    "matches/{match_id}.json": ("Its turns for programs", "application/json", (404,)),
    "matches/{match_id}/review": ("Luck and decisions in it", "application/json", (404, 503)),
    "players": ("What each player did in all matches", "application/json", (404, 503)),
    "dice-sets": ("How the dice of each set fell", "application/json", (404, 503)),
    "frame/{position}.jpg": ("The camera's picture of that throw", "image/jpeg", (404,)),
    "health": ("Every check of the appliance", "application/json", ()),
    "backup": ("Matches, calibration and settings", "application/zip", (404,)),
    "calibration": ("Where the calibration stands", "application/json", (409,)),
    "calibration/picture.jpg": ("What the camera sees now", "image/jpeg", (404, 409)),
    "corrections": ("How many pictures of corrected throws are kept", "application/json", (404,)),
    "corrections/pictures.zip": (
        "All of them with labels, for the holder",
        "application/zip",
        (403, 404),
    ),
    "openapi.json": ("This", "application/json", ()),
}
"""Path below /api/v1 -> summary, type of the answer, how it can be refused."""

REFUSALS = {
    400: "What was sent does not hold",
    403: "This phone only watches, or the proof was wrong",
    404: "Nothing is there",
    409: "The rules or the table refuse it now",
    413: "It is too large",
    415: "It is not JSON",
    429: "Too many wrong PINs",
    503: "Not yet, or too many streams are open: Retry-After says when",
}


def create_openapi() -> Blueprint:
    """The blueprint of /api/v1/openapi.json."""
    blueprint = Blueprint("openapi", __name__)

    @blueprint.get("/api/v1/openapi.json")
    def openapi() -> Response:
        return json_answer(document())

    return blueprint


def document() -> Schema:
    """All of it."""
    paths: dict[str, Schema] = {}
    for path, get in GETS.items():
        paths.setdefault(f"/api/v1/{path}", {})["get"] = _get(path, *get)
    for path, post in POSTS.items():
        paths.setdefault(f"/api/v1/{path}", {})["post"] = _post(path, *post)
    schemas: dict[str, Schema] = {"Problem": _PROBLEM}
    _schema_of(StateJson, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Traykeeper", "version": version("traykeeper")},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "pencil": {"type": "apiKey", "in": "cookie", "name": "traykeeper_phone"}
            },
        },
    }


PLACES = {"photo_id": "string", "match_id": "integer", "position": "integer"}
"""What may stand in braces in a path."""


def _get(path: str, summary: str, kind: str, refusals: tuple[int, ...]) -> Schema:
    schema = _ref("StateJson") if path == "state" else {}
    answer = {"description": summary, "content": {kind: {"schema": schema} if schema else {}}}
    operation: Schema = {"summary": summary, "responses": {"200": answer} | _refused(refusals)}
    operation["parameters"] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": sort}}
        for name, sort in PLACES.items()
        if f"{{{name}}}" in path
    ]
    return operation


def _post(path: str, summary: str, fields: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    is_state = "/" not in path
    schema = _ref("StateJson") if is_state else {"type": "object"}
    told = "The state after it" if is_state else "Where it stands after it"
    refusals = (400, 403, 404, 409, 413, 415) + ((429,) if path == "pencil/pin" else ())
    answer = {"description": told, "content": {"application/json": {"schema": schema}}}
    body: Schema = {"type": "object", "properties": fields, "additionalProperties": False}
    if required:
        body["required"] = list(required)
    return {
        "summary": summary,
        "security": [{"pencil": []}],
        "parameters": [_KEY],
        "requestBody": {
            "required": bool(required),
            "content": {"application/json": {"schema": body}},
        },
        "responses": {"200": answer} | _refused(refusals),
    }


def _refused(statuses: tuple[int, ...]) -> Schema:
    content = {"application/problem+json": {"schema": _ref("Problem")}}
    return {str(s): {"description": REFUSALS[s], "content": content} for s in statuses}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _schema_of(hint: Any, schemas: dict[str, Schema]) -> Schema:
    """The JSON schema of a type of `web.state.json_schema`; TypedDicts become components."""
    plain = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
    if hint in plain:
        return {"type": plain[hint]}
    if get_origin(hint) is list:
        return {"type": "array", "items": _schema_of(get_args(hint)[0], schemas)}
    if get_origin(hint) is UnionType:
        return {"anyOf": [_schema_of(part, schemas) for part in get_args(hint)]}
    assert is_typeddict(hint), hint  # noqa: S101 - there is nothing else in web.shape
    if hint.__name__ not in schemas:
        fields = get_type_hints(hint)
        component: Schema = {"type": "object", "required": list(fields)}
        schemas[hint.__name__] = component
        component["description"] = " ".join((hint.__doc__ or "").split())
        component["properties"] = {name: _schema_of(each, schemas) for name, each in fields.items()}
    return _ref(hint.__name__)


_KEY: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[!-~]+$"},
    "description": "Sent again with the same key, it is done once and answered the same",
}

_PROBLEM: Schema = {
    "type": "object",
    "description": "RFC 9457; `detail` says what to do",
    "required": ["title", "status", "detail"],
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}
