"""What the body of a request may hold: each kind of field checks what comes, and says what may come."""

import json
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from game.message import Message, Value
from game.rules.ruleset import FACES
from web.problem import HttpProblem

Schema = dict[str, Any]

MAX_DICE = 20
MAX_TEXT = 200
MAX_LIST = 40
SHOWN = 40
"""Characters of a wrong value in an answer: a line on a phone."""


class Field(Protocol):
    """One kind of value."""

    @property
    def schema(self) -> Schema:
        """What it may be, as JSON schema."""

    def read(self, name: str, value: Any) -> Any:
        """The value as the program takes it.

        Raises:
            HttpProblem: it does not hold; names the field and what is allowed.
        """


@dataclass(frozen=True, slots=True)
class Optional:
    """A field that need not be there; it is None then."""

    field: Field


Fields = Mapping[str, Field | Optional]


def values(body: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """The fields of a body, each checked; null is as good as nothing.

    Raises:
        HttpProblem: one does not hold, is missing, or is none of these.
    """
    for name in body:
        if name not in fields:
            none = Message(
                "%(field)s is no field here: %(known)s", field=repr(name), known=_known(fields)
            )
            raise HttpProblem(400, none)
    return {name: _value(name, body.get(name), field) for name, field in fields.items()}


def _value(name: str, value: Any, field: Field | Optional) -> Any:
    if isinstance(field, Optional):
        return None if value is None else field.field.read(name, value)
    if value is None:
        raise HttpProblem(400, Message("%(field)s is missing", field=name))
    return field.read(name, value)


def _known(fields: Fields) -> Message:
    if not fields:
        return Message("nothing is needed")
    return Message("known are %(words)s", words=", ".join(fields))


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between these."""

    low: int
    high: int

    @property
    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def read(self, name: str, value: Any) -> int:
        if not self.holds(value):
            allowed = Message(
                "a whole number from %(low)s to %(high)s", low=self.low, high=self.high
            )
            raise _wrong(name, allowed, value)
        return int(value)

    def holds(self, value: Any) -> bool:
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )


@dataclass(frozen=True, slots=True)
class QueryInteger:
    """A whole number in an address, behind the question mark.

    Links are kept and written by hand: what is no number is as good as none, and one that is too
    small or too large is the nearest.
    """

    low: int
    high: int
    usual: int

    @property
    def schema(self) -> Schema:
        return Whole(self.low, self.high).schema | {"default": self.usual}

    def read(self, text: str | None) -> int:
        try:
            return max(self.low, min(int(text or self.usual), self.high))
        except ValueError:
            return self.usual


@dataclass(frozen=True, slots=True)
class Wholes:
    """A list of whole numbers between these."""

    low: int
    high: int

    @property
    def schema(self) -> Schema:
        return _list_schema(Whole(self.low, self.high).schema, MAX_LIST)

    def read(self, name: str, value: Any) -> tuple[int, ...]:
        found = _list(name, value, MAX_LIST)
        for each in found:
            if not Whole(self.low, self.high).holds(each):
                allowed = Message(
                    "whole numbers from %(low)s to %(high)s", low=self.low, high=self.high
                )
                raise _wrong(name, allowed, each)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Number:
    """A number between these."""

    low: float
    high: float

    @property
    def schema(self) -> Schema:
        return {"type": "number", "minimum": self.low, "maximum": self.high}

    def read(self, name: str, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not self.low <= value <= self.high:  # NaN is neither
            low, high = f"{self.low:g}", f"{self.high:g}"
            raise _wrong(
                name, Message("a number from %(low)s to %(high)s", low=low, high=high), value
            )
        return float(value)


@dataclass(frozen=True, slots=True)
class Faces:
    """The dice of a throw."""

    @property
    def schema(self) -> Schema:
        return _list_schema(Whole(1, 6).schema, MAX_DICE)

    def read(self, name: str, value: Any) -> tuple[int, ...]:
        faces = _list(name, value, MAX_DICE)
        for face in faces:
            if not isinstance(face, int) or isinstance(face, bool) or face not in FACES:
                raise _wrong(name, Message("a die shows 1 to 6"), face)
        return tuple(faces)


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text."""

    @property
    def schema(self) -> Schema:
        return {"type": "string", "maxLength": MAX_TEXT}

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise _wrong(name, Message("text of at most %(n)s characters", n=MAX_TEXT), value)
        return value


@dataclass(frozen=True, slots=True)
class Names:
    """A list of lines of text."""

    @property
    def schema(self) -> Schema:
        return _list_schema(Text().schema, MAX_LIST)

    def read(self, name: str, value: Any) -> tuple[str, ...]:
        return tuple(Text().read(name, each) for each in _list(name, value, MAX_LIST))


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these words."""

    words: tuple[str, ...]

    @property
    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self.words)}

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            words = ", ".join(word or '""' for word in self.words)
            raise _wrong(name, Message("one of %(words)s", words=words), value)
        return value


@dataclass(frozen=True, slots=True)
class Yes:
    """True or false."""

    @property
    def schema(self) -> Schema:
        return {"type": "boolean"}

    def read(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise _wrong(name, Message("true or false"), value)
        return value


@dataclass(frozen=True, slots=True)
class Corners:
    """So many points, each [x, y] as shares of a picture; a little outside of it will do."""

    count: int = 4

    @property
    def schema(self) -> Schema:
        point = _list_schema(Number(-0.25, 1.25).schema, 2, least=2)
        return _list_schema(point, self.count, least=self.count)

    def read(self, name: str, value: Any) -> tuple[tuple[float, float], ...]:
        allowed = Message("%(n)s points [x, y], each from 0 to 1", n=self.count)
        points = _list(name, value, self.count)
        if len(points) != self.count:
            raise _only(name, allowed)
        return tuple(self._point(name, allowed, point) for point in points)

    def _point(self, name: str, allowed: Message, point: Any) -> tuple[float, float]:
        try:
            x, y = (Number(-0.25, 1.25).read(name, part) for part in point)
        except (HttpProblem, TypeError, ValueError):
            raise _only(name, allowed) from None
        return x, y


@dataclass(frozen=True, slots=True)
class Object:
    """An object within the body; what its fields hold is checked by who takes it."""

    @property
    def schema(self) -> Schema:
        return {"type": "object", "maxProperties": MAX_LIST}

    def read(self, name: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict) or len(value) > MAX_LIST:
            raise _only(name, Message("an object of at most %(n)s fields", n=MAX_LIST))
        return value


@dataclass(frozen=True, slots=True)
class Base64:
    """Bytes, written as base64."""

    longest: int

    @property
    def schema(self) -> Schema:
        return {"type": "string", "contentEncoding": "base64", "maxLength": self.longest}

    def read(self, name: str, value: Any) -> bytes:
        try:
            return b64decode(value, validate=True)
        except (TypeError, ValueError):
            raise _wrong(name, "base64", value) from None


def _list_schema(items: Schema, most: int, *, least: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _list(name: str, value: Any, longest: int) -> list[Any]:
    if not isinstance(value, list) or not 1 <= len(value) <= longest:
        raise _wrong(name, Message("a list of 1 to %(most)s", most=longest), value)
    return value


def _only(name: str, allowed: Message) -> HttpProblem:
    return HttpProblem(400, Message("%(field)s: %(why)s", field=name, why=allowed))


def _wrong(name: str, allowed: Value, value: Any) -> HttpProblem:
    text = json.dumps(value)
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return HttpProblem(
        400,
        Message("%(field)s: %(allowed)s, not %(found)s", field=name, allowed=allowed, found=shown),
    )
