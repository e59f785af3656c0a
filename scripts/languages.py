"""Update the catalogues of translations from the source, and compile them.

.venv/bin/python scripts/languages.py
"""

import ast
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from vision import Problem
from web.i18n import LANGUAGES

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "web" / "translations"
ROOMS = ("game", "device", "web")

TEMPLATE_TAKERS = {
    "Message": 1,
    "Headline": 1,
    "Plural": 2,
    "gettext": 1,
    "ngettext": 2,
    "_": 1,
}
"""Functions and classes that take message templates in Python, and how many templates each takes. Errors that people
read take one as well."""

KEYWORDS = {"_": None, "ngettext": (1, 2)}
"""Functions that take message templates in Jinja, in the format of Babel's extractor."""

Words = str | tuple[str, ...]


def main() -> None:
    """Update the catalogue of every language, and print how many translations each one lacks."""
    for language in LANGUAGES:
        if language != "en":
            print(f"{language}: {update(language)} to translate")


def update(language: str) -> int:
    """Update and write the catalogue of a language, and return how many translations it lacks."""
    catalog = fresh(language)
    folder = FOLDER / language / "LC_MESSAGES"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "messages.po").write_bytes(as_po(catalog))
    (folder / "messages.mo").write_bytes(as_mo(catalog))
    return len(untranslated(catalog))


def fresh(language: str) -> Catalog:
    """Return a catalogue of all current message templates, with the translations that exist in the given language."""
    file = FOLDER / language / "LC_MESSAGES" / "messages.po"
    catalog = Catalog(locale=language)
    if file.exists():
        with file.open("rb") as text:
            catalog = read_po(text, locale=language)
    catalog.update(template(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


@cache
def template() -> Catalog:
    """Return a catalogue of all message templates, without translations."""
    catalog = Catalog()
    for words in (*in_python(), *_in_pages(), *_in_rule_sets(), *Problem):
        catalog.add(words)
    return catalog


def in_python() -> Iterator[Words]:
    """Yield the message templates in Python files, each as a string or as its singular and plural."""
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    takers = TEMPLATE_TAKERS | dict.fromkeys(_errors(classes, "TraykeeperError"), 1)
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            words = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if words and takers.get(name) == 1:
                yield words[0]
            elif len(words) > 1 and takers.get(name):
                yield words[0], words[1]


def _errors(classes: Sequence[ast.ClassDef], base: str) -> Iterator[str]:
    """Yield the names of an error and of all errors derived from it that are created from a template as well."""
    yield base
    for each in classes:
        own = {node.name for node in each.body if isinstance(node, ast.FunctionDef)}
        if "__init__" not in own and base in {getattr(node, "id", "") for node in each.bases}:
            yield from _errors(classes, each.name)


def _in_pages() -> Iterator[Words]:
    pages = ROOT / "web" / "templates"
    for _file, _line, words, *_ in extract_from_dir(
        str(pages), [("**.html", "jinja2")], keywords=KEYWORDS
    ):
        yield words


def _in_rule_sets() -> Iterator[Words]:
    """Yield the assumptions in the published rule sets, which are translated as well."""
    for file in sorted((ROOT / "game" / "rules" / "published").glob("*.toml")):
        yield from tomllib.loads(file.read_text("utf-8")).get("assumed", [])


def untranslated(catalog: Catalog) -> list[str]:
    """Return the message templates whose translation in a catalogue is missing, uncertain or incomplete."""
    return [str(m.id) for m in catalog if m.id and (m.fuzzy or not all(_texts(m.string)))]


def _texts(string: object) -> tuple[str, ...]:
    return string if isinstance(string, tuple) else (str(string or ""),)


def as_po(catalog: Catalog) -> bytes:
    """Return the text of a catalogue, sorted and without dates, so that a diff shows only changes."""
    out = BytesIO()
    write_po(out, catalog, sort_output=True, no_location=True, omit_header=True, width=0)
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    plural = f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    return (head + plural).encode() + out.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    """Compile a catalogue to the binary format of gettext, without the time of compilation."""
    out = BytesIO()
    compiled = read_po(BytesIO(as_po(catalog)), locale=catalog.locale)
    compiled.creation_date = compiled.revision_date = datetime.fromtimestamp(0, UTC)
    write_mo(out, compiled)
    return out.getvalue()


if __name__ == "__main__":
    main()
