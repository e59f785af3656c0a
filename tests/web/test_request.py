import pytest

from web.problem import HttpProblem
from web.request import RequestBody


def body(**fields):
    return RequestBody(fields, list(fields))


def test_gives_each_field_its_type():
    given = body(dice=[1, 5], names=["Anna"], name="Ben", seat=2, seconds=1, down=True)

    assert given.dice("dice") == (1, 5)
    assert given.names("names") == ("Anna",)
    assert given.text("name") == "Ben"
    assert given.integer("seat", 0, 9) == 2
    assert given.number("seconds", 0, 60) == 1.0
    assert given.boolean("down") is True


def test_null_is_as_good_as_nothing():
    assert "index" not in body(index=None)


@pytest.mark.parametrize(
    ("fetch", "value", "detail"),
    [
        (lambda b: b.dice("f"), [1, 7], "f: a die shows 1 to 6, not 7"),
        (lambda b: b.dice("f"), [True], "f: a die shows 1 to 6, not true"),
        (lambda b: b.dice("f"), [1.0], "f: a die shows 1 to 6, not 1.0"),
        (lambda b: b.dice("f"), [], "f: a list of 1 to 20, not []"),
        (lambda b: b.dice("f"), "115", 'f: a list of 1 to 20, not "115"'),
        (lambda b: b.dice("f"), None, "f is missing"),
        (lambda b: b.text("f"), 3, "f: text of at most 200 characters, not 3"),
        (lambda b: b.integer("f", 0, 9), 1.5, "f: a whole number from 0 to 9, not 1.5"),
        (lambda b: b.integer("f", 0, 9), 10, "f: a whole number from 0 to 9, not 10"),
        (lambda b: b.number("f", 0, 60), float("inf"), "f: a number from 0 to 60, not Infinity"),
        (lambda b: b.number("f", 0, 60), "1", 'f: a number from 0 to 60, not "1"'),
        (lambda b: b.boolean("f"), 1, "f: true or false, not 1"),
    ],
)
def test_a_fault_names_the_field_what_is_allowed_and_what_was_found(fetch, value, detail):
    with pytest.raises(HttpProblem) as found:
        fetch(body(f=value))

    assert found.value.detail == detail
    assert found.value.status == 400


def test_an_unknown_field_is_named_with_those_known():
    with pytest.raises(HttpProblem, match="'die' is no field here: known are dice, index"):
        RequestBody({"die": [1]}, ["dice", "index"])


def test_a_long_wrong_value_is_cut_short():
    with pytest.raises(HttpProblem) as found:
        body(f=["x" * 500]).boolean("f")

    assert len(found.value.detail) < 80
