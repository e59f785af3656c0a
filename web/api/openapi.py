"""The HTTP API described in OpenAPI 3.1: served by the program, and tried against it in the tests."""

import re
from collections.abc import Iterable
from importlib.metadata import version
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

from flask import Response

from web.access.phone import COOKIE
from web.fields import Field, Optional, Schema
from web.response import json_response
from web.route import JSON, Route, Routes, Who, declared_routes
from web.state.json_schema import StateJson

_VARIES = re.compile(r"<(?:(int):)?(\w+)>")

REFUSALS = {
    400: "What was sent does not hold",
    403: "This phone only watches, or the proof was wrong",
    404: "Nothing is there",
    409: "The rules or the table refuse it now",
    413: "It is too large",
    415: "It is not JSON",
    422: "The key came with another body",
    429: "Too often from one address: Retry-After says when it may again",
    503: "Not yet, or too many streams are open: Retry-After says when",
}


EVERY = (400, 403, 404, 409, 413, 415, 422)
"""How every `POST` can be refused."""


def create_openapi() -> Routes:
    """The route of the description."""
    routes = Routes("openapi")

    @routes.reads("/openapi.json", "This")
    def openapi() -> Response:
        return json_response(document(declared_routes()))

    return routes


def document(routes: Iterable[Route]) -> Schema:
    """All of it."""
    paths: dict[str, Schema] = {}
    for route in routes:
        path, parameters = _path(route.path)
        describe = _get if route.method == "GET" else _post
        paths.setdefault(path, {})[route.method.lower()] = describe(route, parameters)
    schemas: dict[str, Schema] = {"Problem": _PROBLEM}
    _schema_of(StateJson, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Traykeeper", "version": version("traykeeper")},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"pencil": {"type": "apiKey", "in": "cookie", "name": COOKIE}},
        },
    }


def _path(rule: str) -> tuple[str, list[Schema]]:
    """A path with braces for what varies, and what may stand there."""
    found = _VARIES.findall(rule)
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer" if sort else "string"},
        }
        for sort, name in found
    ]
    return _VARIES.sub(r"{\2}", rule), parameters


def _get(route: Route, parameters: list[Schema]) -> Schema:
    schema = {"schema": _ref("StateJson")} if route.is_state else {}
    answer = {"description": route.summary, "content": {route.kind: schema}}
    return {
        "summary": route.summary,
        "parameters": [*parameters, *_asked(route)],
        "responses": {"200": answer} | _refused(route.refused),
    } | ({} if route.who is Who.ANYBODY else {"security": _PENCIL})


def _asked(route: Route) -> list[Schema]:
    """What may stand behind the question mark."""
    return [
        {"name": name, "in": "query", "required": False, "schema": each.schema}
        for name, each in route.asked.items()
    ]


def _post(route: Route, parameters: list[Schema]) -> Schema:
    schema = _ref("StateJson") if route.is_state else {"type": "object"}
    told = "The state after it" if route.is_state else "Where it stands after it"
    answer = {"description": told, "content": {JSON: {"schema": schema}}}
    required = [name for name, each in route.fields.items() if not isinstance(each, Optional)]
    body: Schema = {
        "type": "object",
        "properties": {name: _field(each) for name, each in route.fields.items()},
        "additionalProperties": False,
    } | ({"required": required} if required else {})
    return {
        "summary": route.summary,
        "description": f"For {route.who.value}.",
        "security": [] if route.who is Who.ANYBODY else _PENCIL,
        "parameters": [*parameters, _KEY],
        "requestBody": {"required": bool(required), "content": {JSON: {"schema": body}}},
        "responses": {"200": answer} | _refused((*EVERY, *route.refused)),
    }


def _field(field: Field | Optional) -> Schema:
    return (field.field if isinstance(field, Optional) else field).schema


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


_PENCIL: list[Schema] = [{"pencil": []}]

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
