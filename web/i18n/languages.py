"""The languages of the page, chosen for each phone, and how each writes numbers."""

import logging
from pathlib import Path

from babel.support import Translations
from flask import Flask, current_app, has_request_context, request
from flask_babel import Babel, format_decimal, format_percent, get_locale

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
COOKIE = "traykeeper_language"
READABLE = "traykeeper_languages"
"""Key in an app's `extensions` for the languages whose catalogues can be read."""

log = logging.getLogger(__name__)

THOUSANDS_SEPARATORS = {"en": ",", "de": ".", "fr": "\u202f", "es": "."}


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
    return f"{number:,}".replace(",", THOUSANDS_SEPARATORS[language()]).replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage, as text in the current language.

    Args:
        share: The share, from 0 to 1.
        digits: Digits after the decimal point.
    """
    return str(format_percent(share, f"0.{'0' * digits}%" if digits else "0%"))


def decimal(number: float) -> str:
    """Return a number with one decimal as text in the current language."""
    return str(format_decimal(number, "0.0"))
