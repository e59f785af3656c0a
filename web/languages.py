"""The page's languages: gettext catalogues in `web/translations`, chosen by the browser.

The companion speaks English: what it says comes here as whole sentences, and `say` finds each among
the sentences that the catalogues know. One that is not there stays English, and nothing breaks.
"""

import re
from functools import lru_cache

from flask import Flask, has_request_context, request
from flask_babel import Babel, format_decimal, format_percent, get_locale, gettext

from web.phrases import PHRASES

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
COOKIE = "traykeeper_language"

SEPARATORS = {"en": ",", "de": ".", "fr": "\u202f", "es": "."}
"""Between thousands."""

_HOLE = re.compile(r"%\((\w+)\)s")
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=\S)")
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")


def register(app: Flask) -> None:
    """Each request in the language of its phone."""
    Babel(app, locale_selector=chosen)
    app.context_processor(lambda: {"lang": language(), "languages": LANGUAGES})


def chosen() -> str:
    """What the phone was told to show, else what its browser asks for."""
    if not has_request_context():
        return "en"
    told = request.cookies.get(COOKIE, "")
    if told in LANGUAGES:
        return told
    return request.accept_languages.best_match(LANGUAGES) or "en"


def language() -> str:
    """The language now; English where nobody asks."""
    locale = get_locale()
    return locale.language if locale and locale.language in LANGUAGES else "en"


def points(number: int) -> str:
    """As people write it in the language now."""
    return f"{number:,}".replace(",", SEPARATORS[language()]).replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """As people write it in the language now, rounded."""
    return str(format_percent(share, f"0.{'0' * digits}%" if digits else "0%"))


def decimal(number: float) -> str:
    """With one digit behind the point, or comma, of the language now."""
    return str(format_decimal(number, "0.0"))


def say(text: str) -> str:
    """What the companion said, in the language now; sentence by sentence, else as a whole."""
    if language() == "en" or not text:
        return text
    sentences = _SENTENCE_END.split(text)
    said = [_translated(sentence) for sentence in sentences]
    if all(said):
        return " ".join(said)
    halves = zip(said, sentences, strict=True)
    return _translated(text) or " ".join(ours or theirs for ours, theirs in halves)


def _translated(text: str) -> str:
    """The whole text by the first phrase that it fits, or ""."""
    for phrase, pattern in _patterns():
        if found := pattern.fullmatch(text):
            parts = {name: _part(part) for name, part in found.groupdict().items()}
            return str(gettext(phrase, **parts))
    return ""


def _part(text: str) -> str:
    """A hole may hold a phrase of its own, such as `four dice`, or a number."""
    return _translated(text) or _COMMA.sub(SEPARATORS[language()], text)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((phrase, _pattern(phrase)) for phrase in PHRASES)


def _pattern(phrase: str) -> re.Pattern[str]:
    """`%(name)s` takes anything; all else stands as it is."""
    parts = _HOLE.split(phrase)
    words, names = parts[::2], parts[1::2]
    holes = [f"(?P<{name}>.+?)" for name in names]
    return re.compile("".join(re.escape(w) + h for w, h in zip(words, [*holes, ""], strict=True)))
