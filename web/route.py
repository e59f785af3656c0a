"""The declaration of an API route, which checks requests and describes the route in OpenAPI.

    routes = Routes("scorekeeper", "/api/v1/scorekeeper")

    @routes.command("/sit", "Set whose phone this is", {"name": text()}, Permission.ANYBODY)
    def sit(name: str) -> Response: ...

A request with a missing, wrong or unknown field, or from a phone without permission, is refused
before `sit` is called.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from flask import Blueprint, Response, current_app, request

from game.errors import reason
from game.message import Message
from web.fields import Fields, QueryInteger, QueryText, values
from web.response import NO_JSON, HttpProblem

MAX_BODY_BYTES = 16_384
"""Longest body that most routes accept. Twenty names need well under 2 kB."""

JSON = "application/json"

View = Callable[..., Response]
Query = Mapping[str, QueryInteger | QueryText]


class Permission(Enum):
    """Who may send a request, in the words of the OpenAPI document."""

    ANYBODY = "anybody"
    CURRENT_PLAYER = "the scorekeeper and, if that is allowed, the current player"
    SCOREKEEPER = "the scorekeeper"
    OWNER = "a phone that has proved the machine's own PIN"


@dataclass(frozen=True, slots=True)
class Route:
    """The declaration of one route.

    Attributes:
        path: Path below the host, with variable parts in angle brackets.
        summary: A description of the request's effect, for the OpenAPI document.
        permission: Who may send a request.
        fields: The fields of the body of a `POST`.
        media_type: Media type of the response.
        query: The query parameters of a `GET`.
        answers: Shape of the response if it is JSON: a TypedDict, a dataclass, a list of them, or the type of each field.
        errors: HTTP status codes of the refusals that are particular to this route.
        max_body_bytes: The longest body that is accepted.
    """

    method: str
    path: str
    summary: str
    permission: Permission = Permission.ANYBODY
    fields: Fields = field(default_factory=dict)
    media_type: str = JSON
    query: Query = field(default_factory=dict)
    answers: Any = field(default_factory=dict)
    errors: tuple[int, ...] = ()
    max_body_bytes: int = MAX_BODY_BYTES


class Routes(Blueprint):
    """A blueprint that keeps the declaration of each of its routes.

    Args:
        name: Name of the blueprint.
        prefix: Path that comes before the path of each route.

    Attributes:
        declared: Endpoint -> its declaration.
    """

    def __init__(self, name: str, prefix: str = "/api/v1") -> None:
        super().__init__(name, __name__)
        self.prefix = prefix
        self.declared: dict[str, Route] = {}

    def read(self, path: str, summary: str, **options: Any) -> Callable[[View], View]:
        """Return a decorator that declares a `GET`, which changes nothing.

        Args:
            path: Path below the prefix.
            summary: A description of the response, for the OpenAPI document.
            options: Other attributes of `Route`.
        """
        route = Route("GET", self.prefix + path, summary, **options)
        return lambda view: self._declare(route, view)

    def command(
        self,
        path: str,
        summary: str,
        fields: Fields | None = None,
        permission: Permission = Permission.SCOREKEEPER,
        **options: Any,
    ) -> Callable[[View], View]:
        """Return a decorator that declares a `POST`; the view gets each field as a keyword argument.

        Args:
            path: Path below the prefix.
            summary: A description of the request's effect, for the OpenAPI document.
            fields: The fields of the body; None if the body is empty.
            permission: Who may send a request.
            options: Other attributes of `Route`.
        """
        route = Route("POST", self.prefix + path, summary, permission, fields or {}, **options)
        return lambda view: self._declare(route, view)

    def _declare(self, route: Route, view: View) -> View:
        endpoint = f"{route.method.lower()}_{view.__name__}"
        if endpoint in self.declared:
            endpoint += str(len(self.declared))
        self.declared[endpoint] = route
        checked = _with_body(route, view) if route.method == "POST" else _with_query(route, view)
        self.add_url_rule(route.path, endpoint, checked, methods=[route.method])
        return view


def _with_body(route: Route, view: View) -> View:
    def call() -> Response:
        request.max_content_length = route.max_body_bytes
        return view(**values(_body(), route.fields))

    return call


def _with_query(route: Route, view: View) -> View:
    def call(**path_values: Any) -> Response:
        query = {name: each.read(request.args.get(name)) for name, each in route.query.items()}
        return view(**path_values, **query)

    return call


def _body() -> Mapping[str, Any]:
    """Return the JSON object in the body; an empty body counts as `{}`."""
    raw = request.get_data()
    if not raw:
        return {}
    if not request.is_json:
        raise HttpProblem(415, NO_JSON)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HttpProblem(
            400, Message("the request body is not valid JSON: %(why)s", why=reason(error))
        ) from None
    if not isinstance(value, dict):
        raise HttpProblem(
            400,
            Message(
                "the request body must be a JSON object such as %(example)s",
                example='{"dice": [1, 1, 5]}',
            ),
        )
    return value


def current_route() -> Route | None:
    """Return the declaration of the route that handles the current request, if it has one."""
    _, _, endpoint = (request.endpoint or "").rpartition(".")
    blueprint = current_app.blueprints.get(request.blueprint or "")
    return blueprint.declared.get(endpoint) if isinstance(blueprint, Routes) else None


def declared_routes() -> list[Route]:
    """Return the declarations of all API routes of the current app."""
    return [
        route
        for blueprint in current_app.blueprints.values()
        if isinstance(blueprint, Routes)
        for route in blueprint.declared.values()
    ]
