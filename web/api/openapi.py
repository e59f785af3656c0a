"""The description of the HTTP API in OpenAPI 3.1, generated from the declarations of the routes."""

import re
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import version
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from flask import Response

from game.message import Message
from game.stats.step_events import StepGap, WebhookBody
from web.access.idempotency import HEADER, MAX_KEY
from web.access.phone import COOKIE
from web.fields import Schema
from web.json_schema import StateJson
from web.response import json_response
from web.route import JSON, Permission, Route, Routes, declared_routes

VARIABLE = re.compile(r"<(?:(int):)?(\w+)>")
"""A variable part of a Flask path."""

REFUSALS = {
    400: "A field of the body is wrong, missing or unknown",
    403: "This phone only watches, or its proof was wrong",
    404: "There is nothing at this address",
    409: "The rules or the table do not allow it now",
    413: "The body is too large",
    415: "The body is not JSON",
    422: "The same key came with another body before",
    429: "Too many attempts from one address; Retry-After says when to try again",
    503: "Not ready, or too many requests or streams; Retry-After says when to try again",
}

POST_REFUSALS = (400, 403, 404, 409, 413, 415, 422)
"""Status codes with which any `POST` can be refused."""

JSON_TYPES: dict[Any, Schema] = {
    str: {"type": "string"},
    Message: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    Any: {},
}

SCOREKEEPER: list[Schema] = [{"scorekeeper": []}]

KEY_PARAMETER: Schema = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY, "pattern": "^[!-~]+$"},
    "description": "A repeated request with the same key runs once and gets the same response",
}

PROBLEM: Schema = {
    "type": "object",
    "description": "RFC 9457; `detail` says what to do",
    "required": ["title", "status", "detail"],
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


def create_openapi() -> Routes:
    """Create the route that serves the OpenAPI document."""
    routes = Routes("openapi")

    @routes.read("/openapi.json", "This document", answers=dict[str, Any])
    def openapi() -> Response:
        return json_response(document(declared_routes()))

    return routes


def document(routes: Iterable[Route]) -> Schema:
    """Return the OpenAPI document that describes these routes."""
    schemas: dict[str, Schema] = {"Problem": PROBLEM}
    paths: dict[str, Schema] = {}
    for route in routes:
        path = VARIABLE.sub(r"{\2}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    _schema_of(StateJson, schemas)
    _schema_of(StepGap, schemas)
    body = _schema_of(WebhookBody, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Traykeeper", "version": version("traykeeper")},
        "paths": paths,
        "webhooks": {"step": {"post": _webhook(body)}},
        "components": {
            "schemas": schemas,
            "securitySchemes": {"scorekeeper": {"type": "apiKey", "in": "cookie", "name": COOKIE}},
        },
    }


def _webhook(body: Schema) -> Schema:
    return {
        "summary": "A step of a match, sent to the address in the setting `webhook`",
        "description": "docs/events.md describes the headers with id, time and signature.",
        "requestBody": {"required": True, "content": {JSON: {"schema": body}}},
        "responses": {"2XX": {"description": "The step has arrived and is not sent again"}},
    }


def _operation(route: Route, schemas: dict[str, Schema]) -> Schema:
    is_post = route.method == "POST"
    statuses = (*POST_REFUSALS, *route.errors) if is_post else route.errors
    security = {} if route.permission is Permission.ANYBODY else {"security": SCOREKEEPER}
    body = _body(route) if is_post else {}
    return (
        {
            "operationId": _operation_id(route),
            "summary": route.summary,
            "description": f"For {route.permission.value}.",
            "parameters": [*_path_parameters(route), *_other_parameters(route)],
            "responses": {"200": _response(route, schemas)} | _refusals(statuses),
        }
        | security
        | body
    )


def _operation_id(route: Route) -> str:
    """Return a name that programs made from the document use for the function, such as `post_shared_match_join`."""
    words = re.findall(r"\w+", VARIABLE.sub(r"\2", route.path.removeprefix("/api/v1")))
    return "_".join([route.method.lower(), *words])


def _response(route: Route, schemas: dict[str, Schema]) -> Schema:
    schema = {"schema": _schema_of(route.answers, schemas)} if route.media_type == JSON else {}
    return {"description": route.summary, "content": {route.media_type: schema}}


def _body(route: Route) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": {name: field.schema for name, field in route.fields.items()},
        "additionalProperties": False,
    }
    required = [name for name, field in route.fields.items() if field.is_required]
    if required:
        schema["required"] = required
    return {"requestBody": {"required": bool(required), "content": {JSON: {"schema": schema}}}}


def _path_parameters(route: Route) -> list[Schema]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer" if converter else "string"},
        }
        for converter, name in VARIABLE.findall(route.path)
    ]


def _other_parameters(route: Route) -> list[Schema]:
    if route.method == "POST":
        return [KEY_PARAMETER]
    return [
        {"name": name, "in": "query", "required": False, "schema": each.schema}
        for name, each in route.query.items()
    ]


def _refusals(statuses: tuple[int, ...]) -> Schema:
    content = {"application/problem+json": {"schema": _ref("Problem")}}
    return {str(s): {"description": REFUSALS[s], "content": content} for s in statuses}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _schema_of(hint: Any, schemas: dict[str, Schema]) -> Schema:
    """Return the JSON schema of a type or of named types, and add each TypedDict or dataclass to the component schemas."""
    parts = get_args(hint)
    if isinstance(hint, dict):
        return _object(hint, hint, schemas)
    if not parts:
        return JSON_TYPES[hint] if hint in JSON_TYPES else _component(hint, schemas)
    match get_origin(hint):
        case literal if literal is Literal:
            return {"enum": list(parts)}
        case kind if kind in (list, tuple):  # all elements of a tuple have the same type here
            return {"type": "array", "items": _schema_of(parts[0], schemas)}
        case kind if kind is dict:
            return {"type": "object", "additionalProperties": _schema_of(parts[1], schemas)}
    return {"anyOf": [_schema_of(part, schemas) for part in parts]}


def _component(shape: type, schemas: dict[str, Schema]) -> Schema:
    """Return a reference to the component schema of a TypedDict or a dataclass, and add that schema if it is missing."""
    name = shape.__name__
    if name not in schemas:
        hints = get_type_hints(shape)
        required = getattr(shape, "__required_keys__", hints.keys())
        schemas[name] = {}  # its properties may refer to it
        schemas[name] = _object(hints, required, schemas) | {
            "description": " ".join((shape.__doc__ or "").partition("Attributes:")[0].split())
        }
    return _ref(name)


def _object(
    hints: Mapping[str, Any], required: Collection[str], schemas: dict[str, Schema]
) -> Schema:
    return {
        "type": "object",
        "required": [each for each in hints if each in required],
        "properties": {key: _schema_of(each, schemas) for key, each in hints.items()},
    }
