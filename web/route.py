"""One declaration of each route of the API: it checks what comes, and describes itself.

    routes = Routes("pencil", "/api/v1/pencil")

    @routes.does("/sit", "Whose phone this is", {"name": Text()}, who=Who.ANYBODY)
    def sit(name: str) -> Response: ...

A request without the field, with another, or by a phone that may not, is refused before `sit` is called.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from flask import Blueprint, Response, current_app, request

from game.errors import reason
from game.message import Message
from web.fields import Fields, QueryInteger, values
from web.problem import NO_JSON, HttpProblem

MAX_BODY_BYTES = 16_384
"""Of a body; twenty names are well under 2 kB."""

JSON = "application/json"

View = Callable[..., Response]
Asked = Mapping[str, QueryInteger]


class Who(Enum):
    """Who may ask this."""

    ANYBODY = "anybody"
    OWN_TURN = "the holder of the pencil, and where that is allowed the player on turn"
    HOLDER = "the holder of the pencil"
    OWNER = "a phone that proved the machine's own PIN"


@dataclass(frozen=True, slots=True)
class Route:
    """What is declared of one.

    Attributes:
        who: may ask this.
        path: below the host, with what varies in angle brackets.
        kind: media type of its answer.
        asked: what may stand behind the question mark, of a `GET`.
        is_state: whether the answer is the state of the table.
        refused: how it can be refused besides what every route can.
        most_bytes: of the body.
    """

    method: str
    path: str
    summary: str
    who: Who = Who.ANYBODY
    fields: Fields = field(default_factory=dict)
    kind: str = JSON
    asked: Asked = field(default_factory=dict)
    is_state: bool = False
    refused: tuple[int, ...] = ()
    most_bytes: int = MAX_BODY_BYTES


class Routes(Blueprint):
    """A blueprint that knows what its routes take and give.

    Attributes:
        declared: endpoint -> what is declared of it.
    """

    def __init__(self, name: str, prefix: str = "/api/v1") -> None:
        super().__init__(name, __name__)
        self.prefix = prefix
        self.declared: dict[str, Route] = {}

    def reads(
        self, path: str, summary: str, *, kind: str = JSON, refused: tuple[int, ...] = (),
        is_state: bool = False, who: Who = Who.ANYBODY, asked: Asked | None = None,
    ) -> Callable[[View], View]:  # fmt: skip
        """A `GET`."""
        route = Route(
            "GET", self.prefix + path, summary, who,
            kind=kind, asked=asked or {}, refused=refused, is_state=is_state,
        )  # fmt: skip
        return lambda view: self._declare(route, view)

    def does(
        self, path: str, summary: str, fields: Fields | None = None, *, who: Who = Who.HOLDER,
        is_state: bool = False, refused: tuple[int, ...] = (), most_bytes: int = MAX_BODY_BYTES,
    ) -> Callable[[View], View]:  # fmt: skip
        """A `POST` of these fields."""
        route = Route(
            "POST", self.prefix + path, summary, who, fields or {},
            is_state=is_state, refused=refused, most_bytes=most_bytes,
        )  # fmt: skip
        return lambda view: self._declare(route, view)

    def _declare(self, route: Route, view: View) -> View:
        endpoint = f"{route.method.lower()}_{view.__name__}"
        if endpoint in self.declared:
            endpoint += str(len(self.declared))
        self.declared[endpoint] = route
        called = _checking(route, view) if route.method == "POST" else _asking(route, view)
        self.add_url_rule(route.path, endpoint, called, methods=[route.method])
        return view


def _checking(route: Route, view: View) -> View:
    def check() -> Response:
        request.max_content_length = route.most_bytes
        return view(**values(_body(), route.fields))

    return check


def _asking(route: Route, view: View) -> View:
    def ask(**of_path: Any) -> Response:
        asked = {name: each.read(request.args.get(name)) for name, each in route.asked.items()}
        return view(**of_path, **asked)

    return ask if route.asked else view


def _body() -> Mapping[str, Any]:
    """The body of this request; none at all is as good as `{}`."""
    raw = request.get_data()
    if not raw:
        return {}
    if not request.is_json:
        raise HttpProblem(415, NO_JSON)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HttpProblem(
            400, Message("the body is not valid JSON: %(why)s", why=reason(error))
        ) from None
    if not isinstance(value, dict):
        raise HttpProblem(
            400,
            Message(
                "the body must be a JSON object such as %(example)s",
                example='{"dice": [1, 1, 5]}',
            ),
        )
    return value


def current_route() -> Route | None:
    """What is declared of the route that this request is for."""
    _, _, endpoint = (request.endpoint or "").rpartition(".")
    blueprint = current_app.blueprints.get(request.blueprint or "")
    return blueprint.declared.get(endpoint) if isinstance(blueprint, Routes) else None


def declared_routes() -> list[Route]:
    """Those of this app."""
    return [
        route
        for blueprint in current_app.blueprints.values()
        if isinstance(blueprint, Routes)
        for route in blueprint.declared.values()
    ]
