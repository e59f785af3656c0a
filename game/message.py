"""Messages for people: created where something happens, translated where they are shown.

    >>> message = Message("%(name)s banks %(points)s.", name="Anna", points=1250)
    >>> str(message)
    'Anna banks 1,250.'

`str` returns the English text, and `message.translate(language)` the text in another `Language`.
Templates follow the gettext format, so a literal percent sign is doubled. `scripts/languages.py`
collects the templates from the source code, so each template has to be a literal string in the call
that creates the message.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol, Union


@dataclass(frozen=True, slots=True)
class Percentage:
    """A share of a whole, which is shown as a percentage.

    Attributes:
        value: The share, from 0 to 1.
        digits: Digits after the decimal point.
    """

    value: float
    digits: int = 0


Value = Union[int, float, str, tuple[int, ...], Percentage, "Message"]
"""A value that fills a placeholder of a template.

An int is shown with thousands separators, a float with one decimal place, and a tuple of dice as
`1 1 5`. A message is shown in the language of the message around it, and a str, such as a name, a
file or a date, as it is.
"""


class Language(Protocol):
    """A language into which messages are translated."""

    def template(self, english: str) -> str:
        """Return the translation of a template, with its placeholders unchanged."""

    def plural(self, one: str, many: str, n: int) -> str:
        """Return the translation of a template in the grammatical form that `n` calls for.

        Args:
            one: English template for one thing.
            many: English template for any other number.
            n: The number.
        """

    def whole(self, number: int) -> str:
        """Return a whole number with thousands separators."""

    def decimal(self, number: float) -> str:
        """Return a number with one decimal place."""

    def percent(self, share: Percentage) -> str:
        """Return a share as a percentage."""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """A sentence, or part of one, as a template with values for its placeholders.

    Args:
        template: English text, with each placeholder as `%(name)s`.
        values: The value of each placeholder.
    """

    template: str
    values: tuple[tuple[str, Value], ...]

    def __init__(self, template: str, /, **values: Value) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "values", tuple(values.items()))

    def translate(self, language: Language) -> str:
        """Return the text in the given language."""
        values = {name: format_value(value, language) for name, value in self.values}
        return self._template_in(language) % values

    def _template_in(self, language: Language) -> str:
        return language.template(self.template)

    def __str__(self) -> str:
        return self.translate(ENGLISH)

    @property
    def sentences(self) -> "tuple[Message, ...]":
        """The sentences that this message consists of, each as a message."""
        return (self,)


@dataclass(frozen=True, slots=True, init=False)
class Headline(Message):
    """A sentence that a screen without room for the whole message shows first."""


@dataclass(frozen=True, slots=True, init=False)
class Plural(Message):
    """A message whose template depends on a number.

    >>> [str(Plural("one step", "%(n)s steps", n=n)) for n in (1, 1250)]
    ['one step', '1,250 steps']
    """

    many: str
    n: int

    def __init__(self, one: str, many: str, /, *, n: int, **values: Value) -> None:
        Message.__init__(self, one, n=n, **values)
        object.__setattr__(self, "many", many)
        object.__setattr__(self, "n", n)

    def _template_in(self, language: Language) -> str:
        return language.plural(self.template, self.many, self.n)


@dataclass(frozen=True, slots=True, init=False)
class Paragraph(Message):
    """Several sentences in a row. Parts that are None are left out.

    >>> str(Paragraph(Message("Taken back."), None, Message("Anna throws.")))
    'Taken back. Anna throws.'
    """

    parts: tuple[Message, ...]

    def __init__(self, *parts: Message | None) -> None:
        Message.__init__(self, "")
        each = (sentence for part in parts if part for sentence in part.sentences)
        object.__setattr__(self, "parts", tuple(each))

    def translate(self, language: Language) -> str:
        """Return the sentences in the given language, separated by spaces."""
        return " ".join(part.translate(language) for part in self.parts)

    @property
    def sentences(self) -> tuple[Message, ...]:
        """The sentences of the paragraph."""
        return self.parts


@dataclass(frozen=True, slots=True, init=False)
class Sentence(Message):
    """A message with a capital letter at its start and a punctuation mark at its end.

    >>> str(Sentence(Message("throw first: it is %(name)s's turn", name="Ben")))
    "Throw first: it is Ben's turn."
    """

    of: Message

    def __init__(self, of: Message) -> None:
        Message.__init__(self, "")
        object.__setattr__(self, "of", of)

    def translate(self, language: Language) -> str:
        """Return the sentence in the given language."""
        words = self.of.translate(language)
        end = "" if words.endswith((".", "!", "?")) else "."
        return f"{words[:1].upper()}{words[1:]}{end}"


@dataclass(frozen=True, slots=True, init=False)
class Verbatim(Message):
    """Text that is not translated, such as the error message of a library."""

    def __init__(self, words: str) -> None:
        Message.__init__(self, words)

    def translate(self, language: Language) -> str:  # noqa: ARG002 - the text is the same in every language
        """Return the text unchanged."""
        return self.template


Translate = Callable[[Message], str]
"""A function that turns a message into text. `str` gives English text."""


def join_with_and(parts: Sequence[Value]) -> Value:
    """Join values as `a, b and c`."""
    if len(parts) == 1:
        return parts[0]
    return Message("%(one)s and %(more)s", one=join_with_commas(parts[:-1]), more=parts[-1])


def join_with_or(parts: Sequence[Value]) -> Value:
    """Join values as `a, b or c`."""
    if len(parts) == 1:
        return parts[0]
    return Message("%(one)s or %(more)s", one=join_with_commas(parts[:-1]), more=parts[-1])


def join_with_commas(parts: Sequence[Value]) -> Value:
    """Join values as `a, b, c`."""
    return reduce(lambda one, more: Message("%(one)s, %(more)s", one=one, more=more), parts)


def join_with_semicolons(parts: Sequence[Message]) -> Message:
    """Join messages as `a; b; c`."""
    return reduce(lambda one, more: Message("%(one)s; %(more)s", one=one, more=more), parts)


def format_value(value: Value, language: Language) -> str:
    """Return the value of a placeholder as text.

    Args:
        value: The value of the placeholder.
        language: Language of the text.
    """
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
"""English, the language of the templates. Logs, the terminal and the API use it."""
