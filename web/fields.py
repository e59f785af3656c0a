"""The fields of a request body. One JSON schema both checks a field and describes it in OpenAPI.

docs/decisions/validation.md compares this module with libraries.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from game.match.state import LENGTHS, SINGLE_MATCH
from game.message import Message, Value
from web.response import HttpProblem

Schema = dict[str, Any]

MAX_DICE = 20
MAX_TEXT = 200
MAX_LIST = 40
MAX_QUOTED = 40
"""How many characters of a wrong value an error message repeats: one line on a phone."""

MAX_EXACT = 2**53
"""Largest whole number that is exact: JSON readers that use floating-point numbers lose digits above this."""

MAX_PART = 98_304
"""Largest number of characters in a part of a file: 64 kB as base64.

This keeps half-sent requests from filling the memory.
"""

MAX_OUTSIDE = 0.25
"""How far a corner may lie outside the image, as a share of its width or height."""

TYPES: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}
"""JSON type -> the Python types that `json` reads it as."""

BOUNDS = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
"""JSON type -> the schema's keys for its lower and upper bound."""


def _as_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Field:
    """A kind of value that the body of a request may contain.

    Attributes:
        schema: JSON schema of the value.
        allowed: A description of the values that the schema allows, for an error message.
        convert: Makes the value that the program uses; raises ValueError if it cannot.
        item: The field that each item of an array has to satisfy.
        is_quoted: Whether an error message repeats the wrong value.
        is_required: Whether the body must contain the field. A field that is missing or null is None.
    """

    schema: Schema
    allowed: Value
    convert: Callable[[Any], Any] = _as_is
    item: "Field | None" = None
    is_quoted: bool = True
    is_required: bool = True

    def read(self, name: str, value: Any) -> Any:
        """Check a value and convert it.

        Args:
            name: Name of the field, for the error message.
            value: The value as parsed from JSON.

        Raises:
            HttpProblem: If the value is wrong. The message names the field and what is allowed.
        """
        if not _conforms(value, self.schema):
            raise self._error(name, value)
        if self.item:
            return tuple(self.item.read(name, each) for each in value)
        try:
            return self.convert(value)
        except ValueError:
            raise self._error(name, value) from None

    def _error(self, name: str, value: Any) -> HttpProblem:
        if not self.is_quoted:
            return HttpProblem(400, Message("%(field)s: %(why)s", field=name, why=self.allowed))
        text = json.dumps(value)
        found = text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
        wrong = Message(
            "%(field)s: %(allowed)s, not %(found)s", field=name, allowed=self.allowed, found=found
        )
        return HttpProblem(400, wrong)


Fields = Mapping[str, Field]


def values(body: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """Check and convert all fields of a body.

    Args:
        body: The JSON object of the request.
        fields: The fields that the body may contain.

    Raises:
        HttpProblem: If a field is wrong, missing or unknown.
    """
    for name in body:
        if name not in fields:
            words = ", ".join(fields)
            known = Message("known names are %(words)s", words=words)
            unknown = Message(
                "unknown field %(field)s: %(known)s",
                field=repr(name),
                known=known if fields else Message("no fields are needed"),
            )
            raise HttpProblem(400, unknown)
    return {name: _value(name, body.get(name), field) for name, field in fields.items()}


def _value(name: str, value: Any, field: Field) -> Any:
    if value is not None:
        return field.read(name, value)
    if field.is_required:
        raise HttpProblem(400, Message("%(field)s is missing", field=name))
    return None


def _conforms(value: Any, schema: Schema) -> bool:
    """Return whether a value conforms to a schema. The items of an array are not checked."""
    kind = schema["type"]
    has_type = isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")
    if not has_type:
        return False
    if kind == "boolean":
        return True
    lower, upper = BOUNDS[kind]
    size = value if kind in ("integer", "number") else len(value)
    is_within = schema.get(lower, -inf) <= size <= schema.get(upper, inf)  # NaN is not
    return is_within and value in schema.get("enum", [value])


def optional(field: Field) -> Field:
    """Return the field as one that the body may leave out."""
    return replace(field, is_required=False)


def boolean() -> Field:
    """Return a field for true or false."""
    return Field({"type": "boolean"}, Message("true or false"))


def integer(low: int, high: int) -> Field:
    """Return a field for a whole number.

    Args:
        low: The smallest number allowed.
        high: The largest number allowed.
    """
    allowed = Message("a whole number from %(low)s to %(high)s", low=low, high=high)
    return Field({"type": "integer", "minimum": low, "maximum": high}, allowed)


def integers(low: int, high: int) -> Field:
    """Return a field for a list of whole numbers.

    Args:
        low: The smallest number allowed.
        high: The largest number allowed.
    """
    allowed = Message("whole numbers from %(low)s to %(high)s", low=low, high=high)
    return _list_of(replace(integer(low, high), allowed=allowed))


def number(low: float, high: float) -> Field:
    """Return a field for a finite number.

    Args:
        low: The smallest number allowed.
        high: The largest number allowed.
    """
    allowed = Message("a number from %(low)s to %(high)s", low=f"{low:g}", high=f"{high:g}")
    return Field({"type": "number", "minimum": low, "maximum": high}, allowed, float)


def dice() -> Field:
    """Return a field for the dice of a throw."""
    return _list_of(replace(integer(1, 6), allowed=Message("a die shows 1 to 6")), MAX_DICE)


def text() -> Field:
    """Return a field for a short string."""
    return replace(long_text(MAX_TEXT), is_quoted=True)


def long_text(most: int) -> Field:
    """Return a field for a string of at most `most` characters, which error messages do not repeat."""
    allowed = Message("text of at most %(n)s characters", n=most)
    return Field({"type": "string", "maxLength": most}, allowed, is_quoted=False)


def texts() -> Field:
    """Return a field for a list of short strings."""
    return _list_of(text())


def one_of(words: tuple[str, ...]) -> Field:
    """Return a field whose value is one of these words."""
    quoted = ", ".join(word or '""' for word in words)
    schema = {"type": "string", "enum": list(words)}
    return Field(schema, Message("one of %(words)s", words=quoted))


def series_length() -> Field:
    """Return a field for the number of matches of a series; 1 is a single match."""
    lengths = [SINGLE_MATCH, *LENGTHS]
    words = ", ".join(map(str, lengths))
    return Field({"type": "integer", "enum": lengths}, Message("one of %(words)s", words=words))


def corners(count: int = 4) -> Field:
    """Return a field for `count` points [x, y], as fractions of the image's width and height."""
    allowed = Message("%(n)s points [x, y], each from 0 to 1", n=count)
    share = replace(number(-MAX_OUTSIDE, 1 + MAX_OUTSIDE), allowed=allowed, is_quoted=False)
    point = replace(_list_of(share, 2, least=2), allowed=allowed, is_quoted=False)
    return replace(_list_of(point, count, least=count), allowed=allowed, is_quoted=False)


def any_object() -> Field:
    """Return a field for an object whose own fields the route checks."""
    allowed = Message("an object with at most %(n)s fields", n=MAX_LIST)
    schema = {"type": "object", "maxProperties": MAX_LIST, "additionalProperties": True}
    return Field(schema, allowed, is_quoted=False)


def file_part() -> Field:
    """Return a field for a part of a file, sent as base64."""
    schema = {"type": "string", "contentEncoding": "base64", "maxLength": MAX_PART}
    return Field(schema, "base64", lambda text: b64decode(text, validate=True))


def _list_of(item: Field, most: int = MAX_LIST, *, least: int = 1) -> Field:
    schema = {"type": "array", "items": item.schema, "minItems": least, "maxItems": most}
    return Field(schema, Message("a list of 1 to %(most)s items", most=most), item=item)


@dataclass(frozen=True, slots=True)
class QueryInteger:
    """A whole number in the query of an address.

    People keep such links and write them by hand. So text that is not a number counts as the
    default, and a number out of range as the nearest one in range.

    Attributes:
        low: The smallest number.
        high: The largest number.
        default: The number if the query has none.
    """

    low: int
    high: int
    default: int

    @property
    def schema(self) -> Schema:
        """The JSON schema of the number."""
        return integer(self.low, self.high).schema | {"default": self.default}

    def read(self, text: str | None) -> int:
        """Return the number that a query asks for."""
        try:
            return max(self.low, min(int(text or self.default), self.high))
        except ValueError:
            return self.default


@dataclass(frozen=True, slots=True)
class QueryText:
    """A text in the query of an address. A longer one is cut off.

    Attributes:
        most: The largest number of characters.
    """

    most: int

    @property
    def schema(self) -> Schema:
        """The JSON schema of the text."""
        return {"type": "string", "maxLength": self.most, "default": ""}

    def read(self, text: str | None) -> str:
        """Return the text that a query contains, or an empty one."""
        return (text or "")[: self.most]
