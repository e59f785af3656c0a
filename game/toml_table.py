"""TOML that people write, read with care: what does not hold is named with file, line and key.

>>> parse('port = "80"', "settings.toml", ValueError).whole("port", 0, 65_535)
Traceback (most recent call last):
ValueError: settings.toml, line 1: port found '80': allowed is a whole number from 0 to 65,535
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any, TypeGuard, TypeVar

from game.errors import quoted
from game.message import Message, Value, join_with_or
from game.names import is_printable

Fault = Callable[[Message], Exception]
"""Makes an error of what is wrong: the type that the reader of this file is waited for with."""

Kind = TypeVar("Kind", bound=StrEnum)

_LONGEST_KEY = 40
_NEAR = 0.5


def parse(text: str, where: str, fault: Fault) -> "TomlTable":
    """The table that is the whole file; `where` is what error messages call it.

    Raises:
        what `fault` makes: it is no TOML; names the line.
    """
    try:
        return TomlTable(tomllib.loads(text), where, text, fault)
    except (ValueError, RecursionError) as error:
        raise fault(_no_toml(text, where, str(error))) from None


def nearest(word: str, known: Iterable[str]) -> Message:
    """A hint: the known word that is near, or all there are."""
    words = list(known)
    if near := difflib.get_close_matches(word, words, n=1, cutoff=_NEAR):
        return Message("did you mean %(word)s?", word=repr(near[0]))
    return Message("known are %(words)s", words=", ".join(words))


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a file, or one that came another way.

    Attributes:
        data: what stands in it.
        where: the file, as messages call it.
        text: of the file, in which lines are counted; empty where it came another way.
        fault: makes the errors.
        name: of the table in the file; empty is the file itself.
    """

    data: Mapping[str, Any]
    where: str
    text: str
    fault: Fault
    name: str = ""

    def only(self, known: Iterable[str], what: Message) -> None:
        """Nothing but these keys; `what` is said of another, before what may be meant."""
        words = sorted(known)
        for key in self.data:
            if key not in words:
                hint = nearest(key, words)
                raise self.error(key, Message("%(what)s: %(hint)s", what=what, hint=hint))

    def like(self, key: str, default: object, low: float = 0, high: float = 0) -> Any:
        """A value of the type that the default has; a number within these bounds."""
        match default:
            case bool():
                return self.truth(key)
            case StrEnum():
                return self.one_of(key, type(default))
            case str():
                return self.line(key)
            case int():
                return self.whole(key, int(low), int(high))
            case float():
                return self.number(key, low, high)
        raise TypeError(key)

    def truth(self, key: str) -> bool:
        value = self.data.get(key)
        if not isinstance(value, bool):
            raise self.wrong(key, Message("true or false"))
        return value

    def one_of(self, key: str, kind: type[Kind]) -> Kind:
        value = self.data.get(key)
        members = [str(member) for member in kind]
        if value not in members:
            raise self.wrong(key, join_with_or([*map(repr, members)]))
        return kind(str(value))

    def line(self, key: str) -> str:
        value = self.data.get(key)
        if not is_line(value):
            raise self.wrong(key, Message("one line of text in quotes"))
        return value

    def lines(self, key: str) -> tuple[str, ...]:
        value = self.data.get(key)
        if not isinstance(value, list) or not all(map(is_line, value)):
            raise self.wrong(key, Message("a list of lines of text"))
        return tuple(value)

    def whole(self, key: str, low: int, high: int) -> int:
        value = self.data.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            allowed = Message("a whole number from %(low)s to %(high)s", low=low, high=high)
            raise self.wrong(key, allowed)
        return value

    def number(self, key: str, low: float, high: float) -> float:
        value = self.data.get(key)
        if not is_number(value) or not low <= value <= high:
            least, most = f"{low:g}", f"{high:g}"
            raise self.wrong(
                key, Message("a number from %(low)s to %(high)s", low=least, high=most)
            )
        return float(value)

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        value = self.data.get(key)
        if not isinstance(value, list) or len(value) != count or not all(map(is_number, value)):
            raise self.wrong(key, Message("a list of %(n)s numbers", n=count))
        return tuple(float(part) for part in value)

    def table(self, key: str) -> "TomlTable | None":
        """The table of this name, if there is one."""
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.wrong(key, Message("a table, [%(key)s]", key=key))
        return TomlTable(value, self.where, self.text, self.fault, key)

    def tables(self, key: str) -> "tuple[TomlTable, ...]":
        """The tables of this name, of which there may be any number."""
        found = self.data.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
            raise self.wrong(
                key, Message("tables, each below [[%(name)s.%(key)s]]", name=self.name, key=key)
            )
        return tuple(TomlTable(one, self.where, self.text, self.fault, key) for one in found)

    def wrong(self, key: str, allowed: Value) -> Exception:
        """An error that says what was found, and what is allowed."""
        if key not in self.data:
            return self.error(key, Message("is missing: allowed is %(allowed)s", allowed=allowed))
        return self.error(
            key,
            Message(
                "found %(found)s: allowed is %(allowed)s",
                found=quoted(self.data[key]),
                allowed=allowed,
            ),
        )

    def error(self, key: str, what: Message) -> Exception:
        """An error that names the line in which the key is set, or its table begins."""
        path = f"{self.name}.{key}" if self.name else key
        return self.fault(
            Message(
                "%(where)s: %(key)s %(what)s",
                where=self.place(key),
                key=path[:_LONGEST_KEY],
                what=what,
            )
        )

    def place(self, key: str) -> Value:
        """The file, and the line in which the key is set, or its table begins."""
        if number := self._line_of(key):
            return Message("%(file)s, line %(n)s", file=self.where, n=str(number))
        return self.where

    def _line_of(self, key: str) -> int | None:
        name = re.escape(self.name or key)
        line = re.compile(rf"\s*\[*\s*[\"']?{name}[\"']?\s*[=.\]]")
        lines = enumerate(self.text.split("\n"), 1)
        return next((number for number, text in lines if line.match(text)), None)


def is_line(found: object) -> TypeGuard[str]:
    """One line of text that people can read."""
    return isinstance(found, str) and is_printable(found)


def is_number(found: object) -> TypeGuard[float]:
    return isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found)


def _no_toml(text: str, where: str, why: str) -> Message:
    """With the line as others name it, not as `tomllib` does at the end of its own."""
    found, at, place = why.partition(" (at ")
    what: Value = found
    lines = text.rstrip().split("\n")
    if not at:  # thousands of digits or brackets, which Python refuses in words of its own
        what, number = Message("a value is too long"), lines.index(max(lines, key=len)) + 1
    else:
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else len(lines)
    return Message(
        "%(file)s, line %(n)s: not valid TOML: %(why)s", file=where, n=str(number), why=what
    )
