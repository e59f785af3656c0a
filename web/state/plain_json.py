"""Plain JSON values made from the objects of the game and of the page's contracts."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, TypeVar, cast

from game.message import Message, Translate

PLAIN_TYPES = frozenset({NoneType, bool, int, float, str})

Shape = TypeVar("Shape", bound=Mapping[str, Any])


def plain(value: Any, translate: Translate = str) -> Any:
    """Return a value as plain JSON: dataclasses as objects, tuples as lists, messages as text.

    Args:
        value: The value to convert.
        translate: Translates messages.
    """
    if type(value) in PLAIN_TYPES:  # an enum of strings is not exactly a string
        return value
    if isinstance(value, Message):
        return translate(value)
    if isinstance(value, tuple):
        return [plain(each, translate) for each in value]
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name), translate) for each in fields(value)}
    return value


def shaped(shape: type[Shape], source: object, translate: Translate = str, **given: Any) -> Shape:
    """Return a JSON object with the fields of a shape.

    A field that is not given is the source's attribute of the same name, as plain JSON.

    Args:
        shape: A TypedDict of `web.state.json_schema`.
        source: The object that the JSON describes.
        translate: Translates messages.
        given: The fields that differ from the attributes of the source, or that it lacks.
    """
    found = {
        name: given[name] if name in given else plain(getattr(source, name), translate)
        for name in shape.__annotations__
    }
    return cast("Shape", found)
