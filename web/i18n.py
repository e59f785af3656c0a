"""The languages of the page: chosen for each phone, with messages, names and numbers written in each."""

import logging
from functools import lru_cache
from pathlib import Path

from babel import Locale, numbers
from babel.support import Translations
from flask import Flask, current_app, has_request_context, request
from flask_babel import (
    Babel,
    format_decimal,
    format_percent,
    get_domain,
    get_locale,
    gettext,
    ngettext,
)

from game.message import Message, Percentage, format_value
from game.names import display_name
from game.rules.ruleset import Ruleset

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
COOKIE = "traykeeper_language"
READABLE = "traykeeper_languages"
"""Key in an app's `extensions` for the languages whose catalogues can be read."""

log = logging.getLogger(__name__)


def register(app: Flask) -> None:
    """Answer each request in the language of its phone, unless the catalogue of that language is damaged."""
    readable = {code: name for code, name in LANGUAGES.items() if _is_readable(app, code)}
    app.extensions[READABLE] = readable
    Babel(app, locale_selector=requested_language)
    app.context_processor(lambda: {"lang": language(), "languages": readable})


def _is_readable(app: Flask, code: str) -> bool:
    try:
        Translations.load(Path(app.root_path) / "translations", [code])
    except Exception:  # damaged bytes raise errors that gettext does not catch
        log.exception("the catalogue of %s cannot be read: the page leaves that language out", code)
        return False
    return True


def requested_language() -> str:
    """Return the language picked on the phone or, if none was, the best one for its browser."""
    if not has_request_context():
        return "en"
    readable: dict[str, str] = current_app.extensions[READABLE]
    picked = request.cookies.get(COOKIE, "")
    if picked in readable:
        return picked
    return request.accept_languages.best_match(readable) or "en"


def language() -> str:
    """Return the current language; English outside a request."""
    locale = get_locale()
    return locale.language if locale and locale.language in LANGUAGES else "en"


def points(number: int) -> str:
    """Return a whole number as text in the current language."""
    return _whole(number, str(get_locale() or "en"))


@lru_cache(4096)  # Babel takes 30 µs for each number, and a page shows hundreds
def _whole(number: int, locale: str) -> str:
    return numbers.format_decimal(number, locale=locale).replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, as text in the current language.

    Args:
        share: The share, from 0 to 1.
        digits: Digits after the decimal point.
    """
    locale = get_locale() or Locale("en")
    # The locale's pattern is such as "#,##0\xa0%", because some languages write a space.
    number = f"0.{'0' * digits}" if digits else "0"
    pattern = locale.percent_formats[None].pattern.replace("#,##0", number)
    return str(format_percent(share, pattern))


def decimal(number: float) -> str:
    """Return a number with one decimal as text in the current language."""
    return str(format_decimal(number, "#,##0.0"))


class _CurrentLanguage:
    """A `game.message.Language` that writes in the language of the current request."""

    def template(self, english: str) -> str:
        return str(get_domain().get_translations().ugettext(english))

    def plural(self, one: str, many: str, n: int) -> str:
        return str(get_domain().get_translations().ungettext(one, many, n))

    def whole(self, number: int) -> str:
        return points(number)

    def decimal(self, number: float) -> str:
        return decimal(number)

    def percent(self, share: Percentage) -> str:
        return percent(share.value, share.digits)


_CURRENT = _CurrentLanguage()


def translate(message: Message) -> str:
    """Return a message in the current language. A message without a translation stays in English."""
    return message.translate(_CURRENT)


def player_name(name: str) -> str:
    """Return a player's name. A player without a name becomes "Player 2" in the current language."""
    return format_value(display_name(name), _CURRENT)


def match_length(rules: Ruleset) -> str:
    """Return the title of a game and how long a match is.

    Args:
        rules: The rules of the match.
    """
    title, target = rules.title, points(rules.target)
    if not rules.rounds:
        return str(gettext("%(rules)s · first to %(target)s", rules=title, target=target))
    turns = ngettext(
        "%(rules)s · one turn each", "%(rules)s · %(num)s turns each", rules.rounds, rules=title
    )
    if not rules.target_ends_rounds:
        return str(turns)
    return str(gettext("%(turns)s, or first to %(target)s", turns=turns, target=target))


def translate_text(text: str) -> str:
    """Translate a text from a published rule set, or a problem that the dice reader reports.

    Texts from a file of house rules have no translation and stay as they are.
    """
    return str(gettext(text))
