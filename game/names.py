"""Names of players: any readable text that can be told apart from the other names."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from game.errors import IllegalMove, quoted
from game.message import Message, Value

MAX_NAME = 24
"""Longest name, in characters. It fits on a phone next to a score."""

_JOINERS = "\u200c\u200d"
"""Invisible characters that join several emoji into one. Persian needs them as well."""

_TAGS = range(0xE0020, 0xE0080)
"""Invisible characters that spell the flags of Scotland, England and Wales."""

_EMOJI = range(0x1F000, 0x1FB00)
"""Emoji. Python treats those that are newer than its own Unicode tables as unprintable."""

_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Invisible characters that Unicode classifies as letters or symbols."""


def clean_names(names: Sequence[str]) -> list[str]:
    """Return the names of all players, each cleaned by `clean_name`.

    Raises:
        IllegalMove: If two names are equal or a name is not valid.
    """
    clean = [clean_name(name) for name in names]
    if twice := next((name for name in clean if clean.count(name) > 1), None):
        raise IllegalMove(
            "two players are called %(name)s: give one of them another name", name=twice
        )
    return clean


def check_distinct(names: Iterable[str]) -> None:
    """Check that no two names differ only in case, because statistics would merge such players.

    Raises:
        IllegalMove: If two names differ only in case.
    """
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.casefold(), name)
        if other != name:
            raise IllegalMove(
                "%(one)s and %(other)s would count as one person in the statistics: give "
                "one of them another name",
                one=other,
                other=name,
            )


def clean_name(name: str) -> str:
    """Return a name with normalised spaces and characters.

    Raises:
        IllegalMove: If the name is empty, too long, or contains control characters.
    """
    clean = " ".join(unicodedata.normalize("NFC", name).split()).strip(_JOINERS)
    readable = any(map(_is_seen, clean)) and is_printable(clean)
    if len(clean) > MAX_NAME:
        raise IllegalMove(
            "a name has at most %(most)s characters, not %(n)s: %(name)s",
            most=MAX_NAME,
            n=len(clean),
            name=quoted(name),
        )
    if not readable:
        raise IllegalMove(
            "%(name)s is not a valid name: use 1 to %(most)s printable characters",
            most=MAX_NAME,
            name=quoted(name),
        )
    return clean


_NAMELESS = re.compile(r"Player ([1-9][0-9]?)")


def default_name(seat: int) -> str:
    """Return the name that a seat has until somebody enters another name.

    >>> default_name(2)
    'Player 3'
    """
    return f"Player {seat + 1}"


def display_name(name: str) -> Value:
    """Return a name for use in messages. A default name is returned as a message, so that it is translated."""
    found = _NAMELESS.fullmatch(name)
    return Message("Player %(n)s", n=int(found[1])) if found else name


def is_printable(text: str) -> bool:
    """Return whether a string is a single line without control characters."""
    return text.isprintable() or all(map(_is_allowed, text))


def _is_seen(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return (kind[0] in "LNPS" and letter not in _BLANKS) or ord(letter) in _EMOJI


def _is_allowed(letter: str) -> bool:
    point = ord(letter)
    return letter.isprintable() or letter in _JOINERS or point in _TAGS or point in _EMOJI
