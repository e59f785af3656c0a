"""What tests ask of languages: a place where one is spoken, and English that was left over."""

import importlib.util
import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from babel.messages.pofile import read_po
from flask import Flask
from flask_babel import force_locale

from web.i18n import languages
from web.i18n.languages import LANGUAGES

ROOT = Path(__file__).parents[1]
OTHERS = [language for language in LANGUAGES if language != "en"]

HOLE = re.compile(r"%\(\w+\)s|\{\w+\}")
WORD = re.compile(r"[^\W\d_]{2,}")
NO_WORDS = re.compile(r"`[^`]*`|'[^' ]+ [^']+'|--[\w-]+|[\w.]*/[\w./]+")
"""Commands, headings, options and paths: they are the same in every language."""


@cache
def script():
    """`scripts/languages.py`."""
    spec = importlib.util.spec_from_file_location("languages", ROOT / "scripts" / "languages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _app():
    app = Flask("web")
    languages.register(app)
    return app


@contextmanager
def spoken(language):
    """Within it, `web.i18n.translate.say` speaks this language."""
    with _app().app_context(), force_locale(language):
        yield


def texts(of):
    """A message of a catalogue, or its translation, as a tuple: plurals have several."""
    return of if isinstance(of, tuple) else (of,)


def po(language):
    return ROOT / "web" / "translations" / language / "LC_MESSAGES" / "messages.po"


@cache
def sentences_of(language):
    """What its catalogue holds, but for the header."""
    with po(language).open("rb") as file:
        return [each for each in read_po(file, locale=language) if each.id]


@cache
def catalogue(language):
    """English -> this language, of every form of every sentence."""
    return {
        english: told
        for each in sentences_of(language)
        for english, told in zip(texts(each.id), texts(each.string), strict=True)
    }


def words(text):
    return set(WORD.findall(NO_WORDS.sub(" ", HOLE.sub(" ", text)).lower()))


@cache
def english_only(language):
    """Words that only English sentences have."""
    sentences = catalogue(language)
    english, others = (set().union(*map(words, each)) for each in (sentences, sentences.values()))
    return english - others


def english_left(text, language):
    """What of this text was not translated."""
    return words(text) & english_only(language)
