"""Error messages about TOML written by people name the file, the line and the key."""

import pytest

from game.errors import GameError
from game.message import Message
from game.toml_table import nearest, parse

TEXT = """port = "80"
name = "a\\nb"
long = 3

[tray]
corners = [1, 2]
"""


def table():
    return parse(TEXT, "my.toml", GameError)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda t: t.integer("port", 0, 9), "my.toml, line 1: port is '80', but must be a whole"),
        (lambda t: t.line("name"), "line 2: name is"),
        (lambda t: t.boolean("long"), "line 3: long is 3, but must be true or false"),
        (lambda t: t.number("long", 0, 2.5), "must be a number from 0 to 2.5"),
        (lambda t: t.number("wide", 0, 2), "my.toml: wide is missing: it must be a number"),
        (lambda t: t.table("long"), "must be a table, [long]"),
        (lambda t: t.table("tray").numbers("corners", 3), "line 5: tray.corners is [1, 2]"),
        (
            lambda t: t.check_keys(["port"], Message("is no key")),
            "line 2: name is no key: known names are port",
        ),
    ],
)
def test_an_invalid_value_is_named_with_line_and_key(ask, message):
    with pytest.raises(GameError) as error:
        ask(table())

    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = ", "f.toml, line 2: not valid TOML: Invalid value"),
        (f"a = 1\nb = {'9' * 9000}", "f.toml, line 2: not valid TOML: a value is too long"),
    ],
)
def test_invalid_toml_is_named_with_its_line(text, message):
    with pytest.raises(GameError) as error:
        parse(text, "f.toml", GameError)

    assert str(error.value) == message


def test_a_similar_key_is_suggested():
    assert str(nearest("prot", ["port", "host"])) == "did you mean 'port'?"
    assert str(nearest("po", ["host", "port"])) == "did you mean 'port'?"
    assert str(nearest("x", ["port", "host"])) == "known names are port, host"


def test_a_long_list_of_known_keys_is_cut():
    assert len(str(nearest("x", [f"option{n}" for n in range(100)]))) < 450
