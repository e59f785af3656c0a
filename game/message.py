"""What people are told, as values: made where it arises, put into words where somebody reads it.

    >>> told = Message("%(name)s banks %(points)s.", name="Anna", points=1250)
    >>> str(told)
    'Anna banks 1,250.'

`str` is the English text. Another language is a `Language`: `told.said(language)`. Templates are
gettext's, so a percent sign that stands for itself is written twice; `scripts/languages.py` finds
them in the source, which is why they are written out where a message is made.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol, Union


@dataclass(frozen=True, slots=True)
class Percentage:
    """A part of a whole, 0..1: said in percent, with so many digits behind the point."""

    value: float
    digits: int = 0


Value = Union[int, float, str, tuple[int, ...], Percentage, "Message"]
"""What fills a hole.

An int is said with its thousands apart, a float with one digit behind the point, a tuple of dice
as `1 1 5`, a message in the language of the one it stands in; a str as it is: a name, a file, a date.
"""


class Language(Protocol):
    """How things are said in a language."""

    def template(self, english: str) -> str:
        """The same template, its holes still open."""

    def plural(self, one: str, many: str, n: int) -> str:
        """The template for so many."""

    def whole(self, number: int) -> str: ...

    def decimal(self, number: float) -> str: ...

    def percent(self, share: Percentage) -> str: ...


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A sentence, or a part of one, and what fills its holes.

    Args:
        template: in English, each hole as `%(name)s`; no other text of the program stands in it.
        values: what fills each hole.
    """

    template: str
    values: tuple[tuple[str, Value], ...]

    def __init__(self, template: str, /, **values: Value) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "values", tuple(values.items()))

    def translate(self, language: Language) -> str:
        """In the words of this language."""
        holes = {name: format_value(value, language) for name, value in self.values}
        return self._open(language) % holes

    def _open(self, language: Language) -> str:
        return language.template(self.template)

    def __str__(self) -> str:
        return self.translate(ENGLISH)

    @property
    def sentences(self) -> "tuple[Message, ...]":
        """Each by itself, where there are several."""
        return (self,)


@dataclass(frozen=True, slots=True, init=False)
class Plural(Message):
    """What is said otherwise of one than of many.

    >>> [str(Plural("one step", "%(n)s steps", n=n)) for n in (1, 1250)]
    ['one step', '1,250 steps']
    """

    many: str
    n: int

    def __init__(self, one: str, many: str, /, *, n: int, **values: Value) -> None:
        Message.__init__(self, one, n=n, **values)
        object.__setattr__(self, "many", many)
        object.__setattr__(self, "n", n)

    def _open(self, language: Language) -> str:
        return language.plural(self.template, self.many, self.n)


@dataclass(frozen=True, slots=True, init=False)
class Paragraph(Message):
    """Several sentences, one after the other; where there is None, there is none.

    >>> str(Paragraph(Message("Taken back."), None, Message("Anna throws.")))
    'Taken back. Anna throws.'
    """

    parts: tuple[Message, ...]

    def __init__(self, *parts: Message | None) -> None:
        Message.__init__(self, "")
        each = (sentence for part in parts if part for sentence in part.sentences)
        object.__setattr__(self, "parts", tuple(each))

    def translate(self, language: Language) -> str:
        return " ".join(part.translate(language) for part in self.parts)

    @property
    def sentences(self) -> tuple[Message, ...]:
        return self.parts


@dataclass(frozen=True, slots=True, init=False)
class Sentence(Message):
    """A message as a sentence of its own: with a capital, and a full stop where it has no end.

    >>> str(Sentence(Message("throw first: it is %(name)s's turn", name="Ben")))
    "Throw first: it is Ben's turn."
    """

    of: Message

    def __init__(self, of: Message) -> None:
        Message.__init__(self, "")
        object.__setattr__(self, "of", of)

    def translate(self, language: Language) -> str:
        words = self.of.translate(language)
        end = "" if words.endswith((".", "!", "?")) else "."
        return f"{words[:1].upper()}{words[1:]}{end}"


@dataclass(frozen=True, slots=True, init=False)
class Verbatim(Message):
    """Words that are not ours, such as those of a library: they stay in their own language."""

    def __init__(self, words: str) -> None:
        Message.__init__(self, words)

    def translate(self, language: Language) -> str:  # noqa: ARG002 - the same in all of them
        return self.template


Translate = Callable[[Message], str]
"""Puts a message into words; `str` into English ones."""


def join_with_and(parts: Sequence[Value]) -> Value:
    """Of a, b and c: `a and b and c`."""
    return reduce(lambda one, more: Message("%(one)s and %(more)s", one=one, more=more), parts)


def join_with_or(parts: Sequence[Value]) -> Value:
    """Of a, b and c: `a or b or c`."""
    return reduce(lambda one, more: Message("%(one)s or %(more)s", one=one, more=more), parts)


def join_with_commas(parts: Sequence[Value]) -> Value:
    """Of a, b and c: `a, b, c`."""
    return reduce(lambda one, more: Message("%(one)s, %(more)s", one=one, more=more), parts)


def join_with_semicolons(parts: Sequence[Message]) -> Message:
    """Of a, b and c: `a; b; c`."""
    return reduce(lambda one, more: Message("%(one)s; %(more)s", one=one, more=more), parts)


def format_value(value: Value, language: Language) -> str:
    """What fills a hole, in the words of this language."""
    match value:
        case Message():
            return value.translate(language)
        case int():
            return language.whole(value)
        case float():
            return language.decimal(value)
        case Percentage():
            return language.percent(value)
        case tuple():
            return " ".join(map(str, value))
        case str():
            return value


class _English:
    def template(self, english: str) -> str:
        return english

    def plural(self, one: str, many: str, n: int) -> str:
        return one if n == 1 else many

    def whole(self, number: int) -> str:
        return f"{number:,}"

    def decimal(self, number: float) -> str:
        return f"{number:,.1f}"

    def percent(self, share: Percentage) -> str:
        return f"{share.value:.{share.digits}%}"


ENGLISH: Language = _English()
"""The language of the templates: of the log, the terminal, the API and the voice."""
