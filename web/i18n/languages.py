"""The languages of the page, chosen for each phone, and how each writes numbers."""

from flask import Flask, has_request_context, request
from flask_babel import Babel, format_decimal, format_percent, get_locale

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
COOKIE = "traykeeper_language"

THOUSANDS_SEPARATORS = {"en": ",", "de": ".", "fr": "\u202f", "es": "."}


def register(app: Flask) -> None:
    """Answer each request in the language of its phone."""
    Babel(app, locale_selector=requested_language)
    app.context_processor(lambda: {"lang": language(), "languages": LANGUAGES})


def requested_language() -> str:
    """Return the language that was picked on the phone, else the best one for its browser."""
    if not has_request_context():
        return "en"
    picked = request.cookies.get(COOKIE, "")
    if picked in LANGUAGES:
        return picked
    return request.accept_languages.best_match(LANGUAGES) or "en"


def language() -> str:
    """Return the current language; English outside a request."""
    locale = get_locale()
    return locale.language if locale and locale.language in LANGUAGES else "en"


def points(number: int) -> str:
    """Write a whole number in the current language."""
    return f"{number:,}".replace(",", THOUSANDS_SEPARATORS[language()]).replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """Write a share as a percentage in the current language.

    Args:
        share: From 0 to 1.
        digits: Digits after the decimal point.
    """
    return str(format_percent(share, f"0.{'0' * digits}%" if digits else "0%"))


def decimal(number: float) -> str:
    """Write a number with one decimal in the current language."""
    return str(format_decimal(number, "0.0"))
