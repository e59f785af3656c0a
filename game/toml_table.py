"""Reading and checking of TOML written by people. Errors name the file, the line and the key.

>>> parse('port = "80"', "settings.toml", ValueError).integer("port", 0, 65_535)
Traceback (most recent call last):
ValueError: settings.toml, line 1: port is '80', but must be a whole number from 0 to 65,535
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from textwrap import shorten
from typing import Any, TypeGuard, TypeVar

from game.errors import quoted
from game.message import Message, Value, join_with_or, join_with_semicolons
from game.names import is_printable

MakeError = Callable[[Message], Exception]
"""A function or class that makes an error from a message."""

Kind = TypeVar("Kind", bound=StrEnum)

_LONGEST_KEY = 40
_LONGEST_LIST = 400
"""Largest number of characters in the list of known words in a hint."""

_NEAR = 0.55
"""Lowest similarity of a suggested word: "walnut" finds "walnut-studiolo", "house" finds nothing."""


def parse(
    text: str, where: str, make_error: MakeError, private: Collection[str] = ()
) -> "TomlTable":
    """Parse a TOML file.

    Args:
        text: Content of the file.
        where: Name of the file in error messages.
        make_error: Makes an error from a message, for errors in this file.
        private: Keys whose values errors never quote, because they may be secrets.

    Raises:
        Exception: What `make_error` returns, if the text is not valid TOML.
    """
    try:
        return TomlTable(tomllib.loads(text), where, text, make_error, private=private)
    except (ValueError, RecursionError) as error:
        raise make_error(_no_toml(text, where, str(error), private)) from None


def nearest(word: str, known: Iterable[str]) -> Message:
    """Return a hint that names the most similar known word, or all known words if none is similar.

    Args:
        word: The unknown word.
        known: All words that are allowed.
    """
    words = list(known)
    begun = [known for known in words if len(word) > 1 and known.startswith(word)]
    if near := begun or difflib.get_close_matches(word, words, n=1, cutoff=_NEAR):
        return Message("did you mean %(word)s?", word=repr(near[0]))
    return Message("known names are %(words)s", words=shorten(", ".join(words), _LONGEST_LIST))


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a TOML file, or a mapping from another source that is checked in the same way.

    Attributes:
        data: The keys and values.
        where: Name of the file in error messages.
        text: Content of the file, in which the lines of keys are looked up. Empty for another
            source.
        make_error: Makes an error from a message.
        name: Name of the table within the file. Empty for the file itself.
        private: Keys whose values errors never quote, because they may be secrets.
    """

    data: Mapping[str, Any]
    where: str
    text: str
    make_error: MakeError
    name: str = ""
    private: Collection[str] = ()

    def check_keys(self, known: Iterable[str], what: Message) -> None:
        """Check that the table contains only known keys.

        Args:
            known: The keys that are allowed.
            what: What an error says about an unknown key, such as "is no setting".
        """
        words = sorted(known)
        for key in self.data:
            if key not in words:
                hint = nearest(key, words)
                raise self.error(key, Message("%(what)s: %(hint)s", what=what, hint=hint))

    def value_like(self, key: str, default: object, low: float = 0, high: float = 0) -> Any:
        """Return the value of a key, which must have the type of a default.

        Args:
            key: The key.
            default: A value of the required type.
            low: Smallest number that is allowed, if the value is a number.
            high: Largest number that is allowed, if the value is a number.
        """
        match default:
            case bool():
                return self.boolean(key)
            case StrEnum():
                return self.choice(key, type(default))
            case str():
                return self.line(key)
            case int():
                return self.integer(key, int(low), int(high))
            case float():
                return self.number(key, low, high)
        raise TypeError(key)

    def boolean(self, key: str) -> bool:
        """Return the value of a key, which must be true or false."""
        value = self.data.get(key)
        if not isinstance(value, bool):
            raise self.invalid(key, Message("true or false"))
        return value

    def choice(self, key: str, kind: type[Kind]) -> Kind:
        """Return the value of a key, which must name a member of an enum.

        Args:
            key: The key.
            kind: The enum.
        """
        value = self.data.get(key)
        members = [str(member) for member in kind]
        if value not in members:
            raise self.invalid(key, join_with_or([*map(repr, members)]))
        return kind(str(value))

    def line(self, key: str) -> str:
        """Return the value of a key, which must be one line of text."""
        value = self.data.get(key)
        if not is_line(value):
            raise self.invalid(key, Message("one line of text in quotes"))
        return value

    def lines(self, key: str) -> tuple[str, ...]:
        """Return the value of a key, which must be a list of lines of text."""
        value = self.data.get(key)
        if not isinstance(value, list) or not all(map(is_line, value)):
            raise self.invalid(key, Message("a list of lines of text"))
        return tuple(value)

    def integer(self, key: str, low: int, high: int) -> int:
        """Return the value of a key, which must be a whole number in a range.

        Args:
            key: The key.
            low: Smallest number that is allowed.
            high: Largest number that is allowed.
        """
        value = self.data.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            allowed = Message("a whole number from %(low)s to %(high)s", low=low, high=high)
            raise self.invalid(key, allowed)
        return value

    def number(self, key: str, low: float, high: float) -> float:
        """Return the value of a key, which must be a number in a range.

        Args:
            key: The key.
            low: Smallest number that is allowed.
            high: Largest number that is allowed.
        """
        value = self.data.get(key)
        if not is_number(value) or not low <= value <= high:
            least, most = f"{low:g}", f"{high:g}"
            raise self.invalid(
                key, Message("a number from %(low)s to %(high)s", low=least, high=most)
            )
        return float(value)

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        """Return the value of a key, which must be a list of numbers.

        Args:
            key: The key.
            count: Required length of the list.
        """
        value = self.data.get(key)
        if not isinstance(value, list) or len(value) != count or not all(map(is_number, value)):
            raise self.invalid(key, Message("a list of %(n)s numbers", n=count))
        return tuple(float(part) for part in value)

    def table(self, key: str) -> "TomlTable | None":
        """Return the inner table with this name, or None if there is none."""
        value = self.data.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.invalid(key, Message("a table, [%(key)s]", key=key))
        return TomlTable(value, self.where, self.text, self.make_error, key)

    def tables(self, key: str) -> "tuple[TomlTable, ...]":
        """Return all tables in the array of tables with this name."""
        found = self.data.get(key, [])
        if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
            raise self.invalid(
                key, Message("tables, each under [[%(name)s.%(key)s]]", name=self.name, key=key)
            )
        return tuple(TomlTable(one, self.where, self.text, self.make_error, key) for one in found)

    def invalid(self, key: str, allowed: Value) -> Exception:
        """Return an error that states the value found and the values allowed.

        Args:
            key: The key.
            allowed: Description of the allowed values.
        """
        if key not in self.data:
            return self.error(key, Message("is missing: it must be %(allowed)s", allowed=allowed))
        if key in self.private:
            return self.error(key, Message("must be %(allowed)s", allowed=allowed))
        return self.error(
            key,
            Message(
                "is %(found)s, but must be %(allowed)s",
                found=quoted(self.data[key]),
                allowed=allowed,
            ),
        )

    def error(self, key: str, what: Message) -> Exception:
        """Return an error that names the file, the line and the key.

        Args:
            key: The key. If it is not in the file, the error names the line of its table.
            what: What is wrong.
        """
        return self.make_error(self._describe(key, what))

    def errors(self, problems: Iterable[tuple[str, Message]]) -> Exception:
        """Return one error for several problems, which names the line and the key of each problem.

        Args:
            problems: Pairs of a key and what is wrong with it.
        """
        found = [self._describe(key, what) for key, what in problems]
        return self.make_error(join_with_semicolons(found))

    def _describe(self, key: str, what: Message) -> Message:
        path = f"{self.name}.{key}" if self.name else key
        return Message(
            "%(where)s: %(key)s %(what)s",
            where=self.location(key),
            key=path[:_LONGEST_KEY],
            what=what,
        )

    def location(self, key: str) -> Value:
        """Return the file and the line that contain a key, or the table that the key is missing from."""
        if number := self._line_of(key):
            return Message("%(file)s, line %(n)s", file=self.where, n=str(number))
        return self.where

    def _line_of(self, key: str) -> int | None:
        name = re.escape(self.name or key)
        line = re.compile(rf"\s*\[*\s*[\"']?{name}[\"']?\s*[=.\]]")
        lines = enumerate(self.text.split("\n"), 1)
        return next((number for number, text in lines if line.match(text)), None)


def is_line(found: object) -> TypeGuard[str]:
    """Return whether a value is one line of printable text."""
    return isinstance(found, str) and is_printable(found)


def is_number(found: object) -> TypeGuard[float]:
    """Return whether a value is a finite number. A boolean does not count as a number."""
    return isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found)


def _no_toml(text: str, where: str, why: str, private: Collection[str]) -> Message:
    """Return an error message for invalid TOML, with the file, the line and, if known, the remedy.

    `where` is the name of the file, `why` is the message of tomllib's error, and the values of the keys in `private`
    are not quoted.
    """
    found, at, place = why.partition(" (at ")
    what: Value = found
    lines = text.rstrip().split("\n")
    if not at:  # Python's own error for thousands of digits or brackets
        what, number = Message("a value is too long"), lines.index(max(lines, key=len)) + 1
    else:
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else len(lines)
        wrong = lines[min(number, len(lines)) - 1]
        is_private = wrong.partition("=")[0].strip("\t \"'") in private
        what = (None if is_private else _slip(wrong)) or found
    return Message(
        "%(file)s, line %(n)s: not valid TOML: %(why)s", file=where, n=str(number), why=what
    )


_CURLY_QUOTES = "“”„‘’‚«»"
_NUMBER_WITH_COMMAS = re.compile(r"=\s*(\d{1,3}(?:,\d{3})+)\s*(?:#|$)")
_BARE_WORD = re.compile(r"=\s*([^\W\d][\w -]*?)\s*(?:#|$)")


def _slip(line: str) -> Message | None:
    """Return the remedy for a common mistake in a line that is not valid TOML, or None."""
    if any(quote in line for quote in _CURLY_QUOTES):
        return Message("use straight quotes, %(quotes)s", quotes='"')
    if number := _NUMBER_WITH_COMMAS.search(line):
        plain = number[1].replace(",", "")
        return Message("write the number without commas: %(number)s", number=plain)
    if word := _BARE_WORD.search(line):
        return Message(
            "%(word)s is not a value: write text in quotes, %(quoted)s, a number in digits, "
            "or true or false",
            word=word[1][:_LONGEST_KEY],
            quoted=f'"{word[1][:_LONGEST_KEY]}"',
        )
    return None
