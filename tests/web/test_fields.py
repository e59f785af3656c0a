"""The fields of a request body."""

import pytest

from web.fields import (
    QueryInteger,
    boolean,
    corners,
    dice,
    integer,
    number,
    one_of,
    optional,
    text,
    texts,
    values,
)
from web.response import HttpProblem


def test_each_field_is_converted():
    fields = {
        "dice": dice(), "names": texts(), "name": text(), "seat": integer(0, 9),
        "seconds": number(0, 60), "down": boolean(), "to": one_of(("", "test")),
    }  # fmt: skip
    body = {
        "dice": [1, 5], "names": ["Anna"], "name": "Ben", "seat": 2, "seconds": 1, "down": True,
        "to": "",
    }  # fmt: skip

    assert values(body, fields) == body | {"dice": (1, 5), "names": ("Anna",), "seconds": 1.0}


def test_null_counts_as_missing():
    assert values({"index": None}, {"index": optional(integer(0, 9))}) == {"index": None}
    assert values({}, {"index": optional(integer(0, 9))}) == {"index": None}


@pytest.mark.parametrize(
    ("field", "value", "detail"),
    [
        (dice(), [1, 7], "f: a die shows 1 to 6, not 7"),
        (dice(), [True], "f: a die shows 1 to 6, not true"),
        (dice(), [1.0], "f: a die shows 1 to 6, not 1.0"),
        (dice(), [], "f: a list of 1 to 20 items, not []"),
        (dice(), "115", 'f: a list of 1 to 20 items, not "115"'),
        (dice(), None, "f is missing"),
        (text(), 3, "f: text of at most 200 characters, not 3"),
        (integer(0, 9), 1.5, "f: a whole number from 0 to 9, not 1.5"),
        (integer(0, 9), 10, "f: a whole number from 0 to 9, not 10"),
        (number(0, 60), float("inf"), "f: a number from 0 to 60, not Infinity"),
        (number(0, 60), "1", 'f: a number from 0 to 60, not "1"'),
        (boolean(), 1, "f: true or false, not 1"),
        (one_of(("", "a")), "b", 'f: one of "", a, not "b"'),
        (corners(), [[0, 0]], "f: 4 points [x, y], each from 0 to 1"),
        (corners(), [[0, 0], [1, 0], [1, 1], [0, 9]], "f: 4 points [x, y], each from 0 to 1"),
    ],
)
def test_error_names_the_field_what_is_allowed_and_what_was_sent(field, value, detail):
    with pytest.raises(HttpProblem) as found:
        values({"f": value}, {"f": field})

    assert str(found.value) == detail
    assert found.value.status == 400


def test_unknown_field_is_named_with_the_known_ones():
    with pytest.raises(HttpProblem, match="unknown field 'die': known names are dice, index"):
        values({"die": [1]}, {"dice": dice(), "index": integer(0, 9)})


def test_long_wrong_value_is_shortened():
    with pytest.raises(HttpProblem) as found:
        values({"f": ["x" * 500]}, {"f": boolean()})

    assert len(str(found.value)) < 80


@pytest.mark.parametrize(
    ("query", "expected"),
    [(None, 9), ("", 9), ("x", 9), ("1e9", 9), ("4", 4), ("-1", 0), ("9" * 40, 10)],
)
def test_query_number_out_of_range_is_the_nearest_one(query, expected):
    assert QueryInteger(0, 10, default=9).read(query) == expected
