"""Languages for tests: a context in which one is current, and a search for English left over."""

import importlib.util
import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from babel.messages.pofile import read_po
from flask import Flask
from flask_babel import force_locale

from web import i18n
from web.i18n import LANGUAGES

ROOT = Path(__file__).parents[1]
OTHERS = [language for language in LANGUAGES if language != "en"]

HOLE = re.compile(r"%\(\w+\)s|\{\w+\}")
WORD = re.compile(r"[^\W\d_]{2,}")
NO_WORDS = re.compile(r"`[^`]*`|'[^' ]+ [^']+'|--[\w-]+|[\w.]*/[\w./]+")
"""Commands, headings, options and paths, which are the same in every language."""


@cache
def script():
    """Return `scripts/languages.py` as a module."""
    spec = importlib.util.spec_from_file_location("languages", ROOT / "scripts" / "languages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _app():
    app = Flask("web")
    i18n.register(app)
    return app


@contextmanager
def spoken(language):
    """Make a language the current one for `web.i18n`."""
    with _app().app_context(), force_locale(language):
        yield


def texts(of):
    """Return a message of a catalogue or its translation as a tuple of its plural forms."""
    return of if isinstance(of, tuple) else (of,)


def po(language):
    return ROOT / "web" / "translations" / language / "LC_MESSAGES" / "messages.po"


@cache
def sentences_of(language):
    """Return the entries of a catalogue without its header."""
    with po(language).open("rb") as file:
        return [each for each in read_po(file, locale=language) if each.id]


@cache
def catalogue(language):
    """Return the translation of every form of every sentence."""
    return {
        english: translated
        for each in sentences_of(language)
        for english, translated in zip(texts(each.id), texts(each.string), strict=True)
    }


def words(text):
    return set(WORD.findall(NO_WORDS.sub(" ", HOLE.sub(" ", text)).lower()))


@cache
def english_only(language):
    """Return the words that occur only in English sentences."""
    sentences = catalogue(language)
    english, others = (set().union(*map(words, each)) for each in (sentences, sentences.values()))
    return english - others


def english_left(text, language):
    """Return the English words in a translated text."""
    return words(text) & english_only(language)
