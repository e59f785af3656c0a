"""JSON of other programs is read by the types of a dataclass, and refused if it does not fit them."""

import json
from dataclasses import dataclass
from enum import StrEnum

import pytest

from game.typed_json import plain_json, typed


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    data: bytes
    size: int = 0


@dataclass(frozen=True)
class Whole:
    name: str
    colour: Colour
    dice: tuple[int, ...]
    part: Part | None = None


WHOLE = Whole("a", Colour.RED, (1, 5), Part(b"\xff\x00", 2))


def test_what_was_written_is_read_again():
    assert typed(Whole, json.loads(json.dumps(WHOLE, default=plain_json))) == WHOLE


def test_missing_fields_get_their_defaults_and_unknown_fields_are_ignored():
    found = typed(Whole, {"name": "a", "colour": "red", "dice": [], "later": 1})

    assert found == Whole("a", Colour.RED, ())


@pytest.mark.parametrize(
    "change",
    [
        {"name": 1},
        {"name": None},
        {"colour": "blue"},
        {"colour": []},
        {"dice": "15"},
        {"dice": [1.0]},
        {"dice": [True]},
        {"part": []},
        {"part": {}},
        {"part": {"data": "no base64!"}},
    ],
)
def test_a_value_of_another_type_is_refused(change):
    data = json.loads(json.dumps(WHOLE, default=plain_json))

    with pytest.raises((TypeError, ValueError, KeyError)):
        typed(Whole, data | change)
