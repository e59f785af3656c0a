"""Bring the catalogues up to date with the page, and compile them.

python scripts/languages.py
"""

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from web.i18n.languages import LANGUAGES

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "web" / "translations"
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2")]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}


def main() -> None:
    for language in LANGUAGES:
        if language != "en":
            print(f"{language}: {update(language)} to translate")


def update(language: str) -> int:
    """Write both files of a language; gives how many sentences it still lacks."""
    catalog = fresh(language)
    folder = FOLDER / language / "LC_MESSAGES"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "messages.po").write_bytes(as_po(catalog))
    (folder / "messages.mo").write_bytes(as_mo(catalog))
    return len(untranslated(catalog))


def fresh(language: str) -> Catalog:
    """What is on the page now, with the translations there are."""
    file = FOLDER / language / "LC_MESSAGES" / "messages.po"
    catalog = Catalog(locale=language)
    if file.exists():
        with file.open("rb") as text:
            catalog = read_po(text, locale=language)
    catalog.update(template(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def template() -> Catalog:
    """Every sentence that the page can show."""
    catalog = Catalog()
    found = extract_from_dir(str(ROOT / "web"), METHODS, keywords=KEYWORDS)
    for _file, _line, message, _comments, context in found:
        catalog.add(message, context=context)
    return catalog


def untranslated(catalog: Catalog) -> list[str]:
    """The sentences without a translation."""
    return [str(m.id) for m in catalog if m.id and not (m.string and all(_texts(m.string)))]


def _texts(string: object) -> tuple[str, ...]:
    return string if isinstance(string, tuple) else (str(string),)


def as_po(catalog: Catalog) -> bytes:
    """Sorted and without places and dates, so that a change shows what changed."""
    out = BytesIO()
    write_po(out, catalog, sort_output=True, no_location=True, omit_header=True, width=0)
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
    plural = f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    return (head + plural).encode() + out.getvalue()


def as_mo(catalog: Catalog) -> bytes:
    out = BytesIO()
    write_mo(out, read_po(BytesIO(as_po(catalog)), locale=catalog.locale))
    return out.getvalue()


if __name__ == "__main__":
    main()
