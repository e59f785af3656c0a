"""JSON that another program has written: what it contains, checked against the types of a dataclass or a TypedDict.

>>> typed(tuple[int, ...], [1, 5])
(1, 5)
"""

from base64 import b64decode, b64encode
from dataclasses import MISSING, fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

MALFORMED = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError,
)  # fmt: skip
"""What reading or using JSON raises if it does not contain what Traykeeper writes. `GameError` is a `ValueError`."""


def typed(kind: type[T], value: Any) -> T:
    """Return a value that was parsed from JSON as a value of a type.

    Lists become tuples where the type says so, texts become enums or bytes (from base64), and objects become dataclasses.
    A missing field of a dataclass gets its default; unknown fields are ignored.

    Args:
        kind: A plain type, an enum, a list, a tuple, a mapping, a dataclass, a TypedDict, or one of these and None.
            A class with a method `from_json` reads its values itself.
        value: The value.

    Raises:
        TypeError, ValueError, KeyError: If the value does not have the type.
    """
    return cast("T", _typed(kind, value))


def _typed(kind: Any, value: Any) -> Any:  # noqa: PLR0911 - one per kind
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is UnionType:
        inner = next(arg for arg in args if arg is not NoneType)
        return None if value is None else _typed(inner, value)
    if origin in (list, tuple):
        return origin(_typed(args[0], each) for each in _exactly(list, value))
    if origin is not None:  # a mapping
        return _exactly(dict, value)
    if hasattr(kind, "from_json"):
        return kind.from_json(value)
    if kind is bytes:
        return b64decode(_exactly(str, value), validate=True)
    if issubclass(kind, Enum):
        return kind(value)
    if hasattr(kind, "__dataclass_fields__"):
        optional = {each.name for each in fields(kind) if not _is_required(each)}
        return kind(**_fields(kind, value, optional))
    return _fields(kind, value, set()) if issubclass(kind, dict) else _exactly(kind, value)


def _is_required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _fields(kind: Any, value: Any, optional: set[str]) -> dict[str, Any]:
    hints = get_type_hints(kind).items()
    found = _exactly(dict, value)
    return {n: _typed(hint, found[n]) for n, hint in hints if n in found or n not in optional}


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value


def plain_json(value: Any) -> Any:
    """Return an object as `typed` reads it again, for the argument `default` of `json.dumps`."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if hasattr(value, "to_json"):
        return value.to_json()
    return {each.name: getattr(value, each.name) for each in fields(value)}
