"""What players may be called: anything that can be read, and told from the others."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from game.errors import IllegalMove, quoted
from game.message import Message, Value

MAX_NAME = 24
"""Characters of a name: what fits on a phone beside a score."""

_JOINERS = "\u200c\u200d"
"""They show nothing, but make one emoji of several, and write Persian."""

_TAGS = range(0xE0020, 0xE0080)
"""They spell the flags of Scotland, England and Wales."""

_EMOJI = range(0x1F000, 0x1FB00)
"""Some are newer than the Python of a Pi, which takes them for unprintable."""

_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters by their class, but nothing is seen of them."""


def clean_names(names: Sequence[str]) -> list[str]:
    """The names of a table, each made clean.

    Raises:
        IllegalMove: two are the same, or one is no name.
    """
    clean = [clean_name(name) for name in names]
    if twice := next((name for name in clean if clean.count(name) > 1), None):
        raise IllegalMove(
            Message("two players are called %(name)s: give one another name", name=twice)
        )
    return clean


def check_distinct(names: Iterable[str]) -> None:
    """Whether nobody is called like another but for capitals: beyond this match they are one person.

    Raises:
        IllegalMove: two are.
    """
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.casefold(), name)
        if other != name:
            raise IllegalMove(
                Message(
                    "%(one)s and %(other)s would be one person in the statistics: "
                    "give one another name",
                    one=other,
                    other=name,
                )
            )


def clean_name(name: str) -> str:
    """The name without blanks around it.

    Raises:
        IllegalMove: it is empty, too long, or holds control characters.
    """
    clean = " ".join(unicodedata.normalize("NFC", name).split()).strip(_JOINERS)
    readable = any(map(_is_seen, clean)) and is_printable(clean)
    if not readable or len(clean) > MAX_NAME:
        raise IllegalMove(
            Message(
                "a name has 1 to %(most)s printable characters: %(name)s has not",
                most=MAX_NAME,
                name=quoted(name),
            )
        )
    return clean


_NAMELESS = re.compile(r"Player ([1-9][0-9]?)")


def default_name(seat: int) -> str:
    """The name of this seat until somebody gives a better one.

    >>> nameless(2)
    'Player 3'
    """
    return f"Player {seat + 1}"


def display_name(name: str) -> Value:
    """The name as people are told it: of who has none yet, in words of their own language."""
    found = _NAMELESS.fullmatch(name)
    return Message("Player %(n)s", n=int(found[1])) if found else name


def is_printable(text: str) -> bool:
    """Whether it is one line that no screen takes for a command."""
    return all(map(_is_allowed, text))


def _is_seen(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return (kind[0] in "LNPS" and letter not in _BLANKS) or ord(letter) in _EMOJI


def _is_allowed(letter: str) -> bool:
    point = ord(letter)
    return letter.isprintable() or letter in _JOINERS or point in _TAGS or point in _EMOJI
