"""The page's languages: gettext catalogues in `web/translations`, chosen by the browser."""

from flask import Flask, has_request_context, request
from flask_babel import Babel, format_decimal, format_percent, get_locale

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
COOKIE = "traykeeper_language"

SEPARATORS = {"en": ",", "de": ".", "fr": "\u202f", "es": "."}
"""Between thousands."""


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
