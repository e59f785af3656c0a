"""What the companion said, in the language now.

The companion speaks English: what it says comes here as whole sentences, and `say` finds each among
the phrases that the catalogues know. One that is not there stays English, and nothing breaks.
"""

import re
from functools import cached_property

from flask_babel import gettext

from web.i18n import phrases
from web.i18n.languages import SEPARATORS, language

_HOLE = re.compile(r"%\((\w+)\)s")
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=\S)")
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?(%?)")
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")


class Phrasebook:
    """Phrases that belong together: a word of another book is only a name here.

    Args:
        phrases: whole sentences and their parts, the more particular ones first. A hole, written
            `%(name)s`, takes anything, and may hold a phrase of its own, such as `four dice`.
    """

    def __init__(self, phrases: tuple[str, ...]) -> None:
        self.phrases = phrases

    def say(self, text: str) -> str:
        """Sentence by sentence, else as a whole."""
        if language() == "en" or not text:
            return text
        sentences = _SENTENCE_END.split(text)
        said = [self._translated(sentence) for sentence in sentences]
        if all(said):
            return " ".join(said)
        halves = zip(said, sentences, strict=True)
        return self._translated(text) or " ".join(ours or theirs for ours, theirs in halves)

    def _translated(self, text: str) -> str:
        """The whole text by the first phrase that it fits, or ""."""
        if text in self._whole:
            return str(gettext(text))
        for phrase, pattern in self._patterns:
            if found := pattern.fullmatch(text):
                parts = {name: self._part(part) for name, part in found.groupdict().items()}
                return str(gettext(phrase, **parts))
        return ""

    def _part(self, text: str) -> str:
        if number := _NUMBER.fullmatch(text):
            return _number(*number.groups(""))
        return self._translated(text) or _COMMA.sub(SEPARATORS[language()], text)

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(phrase for phrase in self.phrases if not _HOLE.search(phrase))

    @cached_property
    def _patterns(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((p, _pattern(p)) for p in self.phrases if p not in self._whole)


def _number(whole: str, decimals: str, percent: str) -> str:
    """As it is written in every language but English."""
    number = f"{whole},{decimals}" if decimals else whole
    return f"{number}\u00a0%" if percent else number


def _pattern(phrase: str) -> re.Pattern[str]:
    """`%(name)s` takes anything; all else stands as it is."""
    parts = _HOLE.split(phrase)
    words, names = parts[::2], parts[1::2]
    holes = [f"(?P<{name}>.+?)" for name in names]
    return re.compile("".join(re.escape(w) + h for w, h in zip(words, [*holes, ""], strict=True)))


BOOKS = {
    "table": Phrasebook(phrases.AT_THE_TABLE),
    "rules": Phrasebook(phrases.OF_RULES),
    "fitting": Phrasebook((*phrases.AT_THE_TABLE, *phrases.OF_CALIBRATION)),
    "health": Phrasebook(phrases.OF_HEALTH),
}


def say(text: str, about: str = "table") -> str:
    """What the companion said of this, in the language now."""
    return BOOKS[about].say(text)
