"""The JSON body of a request, checked at the door: every fault is a problem that names the field."""

import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Self

from flask import Request

from game.rules.ruleset import FACES
from web.problem import HttpProblem

MAX_BYTES = 16_384
"""Twenty names are well under 2 kB."""

MAX_DICE = 20
MAX_TEXT = 200
MAX_LIST = 40


class RequestBody:
    """The fields of a request, each fetched with the type it must have.

    >>> body = Body({"dice": [1, 1]}, known=["dice", "index"])
    >>> body.dice("dice"), "index" in body
    ((1, 1), False)
    """

    def __init__(self, fields: Mapping[str, Any], known: list[str]) -> None:
        for name in fields:
            if name not in known:
                raise HttpProblem(400, f"{name!r} is no field here: {_known(known)}")
        self._fields = fields

    @classmethod
    def of(cls, request: Request, *known: str) -> Self:
        """The body of this request; none at all is as good as `{}`.

        Raises:
            Problem: it is no JSON object, or has fields other than the known.
        """
        raw = request.get_data(cache=False)
        if not raw:
            return cls({}, list(known))
        if not request.is_json:
            raise HttpProblem(415, "send JSON, with the header Content-Type: application/json")
        return cls(_object(raw), list(known))

    def __contains__(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def dice(self, name: str) -> tuple[int, ...]:
        faces = self._list(name, MAX_DICE)
        for face in faces:
            if not _is_whole(face) or face not in FACES:
                raise HttpProblem(400, f"{name}: a die shows 1 to 6, not {_shown(face)}")
        return tuple(faces)

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(self._is_text(name, value) for value in self._list(name, MAX_LIST))

    def integers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        values = self._list(name, MAX_LIST)
        for value in values:
            if not _is_whole(value) or not low <= value <= high:
                raise HttpProblem(
                    400, f"{name}: whole numbers from {low} to {high}, not {_shown(value)}"
                )
        return tuple(values)

    def points(self, name: str, count: int) -> tuple[tuple[float, float], ...]:
        """So many points, each [x, y] as shares of a picture; a little outside of it will do."""
        points = self._list(name, count)
        if len(points) != count or not all(map(_is_point, points)):
            raise HttpProblem(400, f"{name}: {count} points [x, y], each from 0 to 1")
        return tuple((float(x), float(y)) for x, y in points)

    def text(self, name: str) -> str:
        return self._is_text(name, self._required(name))

    def bytes(self, name: str) -> bytes:
        """What is written as base64."""
        value = self._required(name)
        try:
            return b64decode(value, validate=True)
        except (TypeError, ValueError):
            raise HttpProblem(400, f"{name}: base64, not {_shown(value)}") from None

    def fields(self, name: str) -> Mapping[str, Any]:
        """An object within the body; what its fields hold is checked by who takes it."""
        value = self._required(name)
        if not isinstance(value, dict) or len(value) > MAX_LIST:
            raise HttpProblem(400, f"{name}: an object of at most {MAX_LIST} fields")
        return value

    def integer(self, name: str, low: int, high: int) -> int:
        value = self._required(name)
        if not _is_whole(value) or not low <= value <= high:
            raise HttpProblem(
                400, f"{name}: a whole number from {low:,} to {high:,}, not {_shown(value)}"
            )
        return int(value)

    def number(self, name: str, low: float, high: float) -> float:
        value = self._required(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:  # NaN is neither
            raise HttpProblem(
                400, f"{name}: a number from {low:g} to {high:g}, not {_shown(value)}"
            )
        return float(value)

    def boolean(self, name: str) -> bool:
        value = self._required(name)
        if not isinstance(value, bool):
            raise HttpProblem(400, f"{name}: true or false, not {_shown(value)}")
        return value

    def _required(self, name: str) -> Any:
        if name not in self:
            raise HttpProblem(400, f"{name} is missing")
        return self._fields[name]

    def _list(self, name: str, longest: int) -> list[Any]:
        value = self._required(name)
        if not isinstance(value, list) or not 1 <= len(value) <= longest:
            raise HttpProblem(400, f"{name}: a list of 1 to {longest}, not {_shown(value)}")
        return value

    def _is_text(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise HttpProblem(
                400, f"{name}: text of at most {MAX_TEXT} characters, not {_shown(value)}"
            )
        return value


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HttpProblem(400, f"the body is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise HttpProblem(400, 'the body must be a JSON object such as {"dice": [1, 1, 5]}')
    return value


def _is_point(value: Any) -> bool:
    """NaN is neither more nor less."""
    two = isinstance(value, list) and len(value) == 2  # noqa: PLR2004 - x and y
    return two and all(
        isinstance(part, int | float) and not isinstance(part, bool) and -0.25 <= part <= 1.25  # noqa: PLR2004
        for part in value
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _known(names: list[str]) -> str:
    return f"known are {', '.join(names)}" if names else "nothing is needed"


def _shown(value: Any) -> str:
    """The value as JSON, cut short."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"  # noqa: PLR2004 - a line on a phone
