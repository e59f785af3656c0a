"""Rule sets from TOML files: flat keys, each an option of `Ruleset`, every one checked.

The published ones are `published/NAME.toml`. A house rule is a small file of its own that
`extends` a published one and changes some lines:

    extends = "walnut-studiolo"
    title = "Our kitchen table"
    opening = 350

It may extend another file, named with its ending: that one is looked for in the same folder.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from game import toml_table
from game.errors import FileError, RulesetError, quoted
from game.file_io import read_text
from game.message import Message
from game.rules.playability import find_problem
from game.rules.rule_options import find_option
from game.rules.ruleset import FACES, Alike, Ruleset
from game.toml_table import TomlTable, nearest

TABLE_KEYS = {
    "alike_fixed": ("4", "5", "6"),
    "alike_faces": tuple(f"{face}x{n}" for face in FACES for n in (4, 5, 6)),
}
"""Keys of the options that are tables; of all others the faces."""
METADATA_KEYS = ("extends", "aliases")
"""What a file says of itself; `aliases` are other names of a published game."""

KEYS = ({f.name for f in fields(Ruleset)} - {"name"}) | set(METADATA_KEYS)
"""What a file may say."""

MAX_PARENTS = 10
"""Files that extend each other, one after the other."""


@cache
def names() -> tuple[str, ...]:
    """The names of the published rule sets, sorted."""
    files = resources.files("game.rules").joinpath("published").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files))


def load(name_or_path: str) -> Ruleset:
    """The rule set of that name, or of that file where it ends in `.toml`.

    Raises:
        FileError: the file cannot be read.
        RulesetError: no such name, or the file does not hold.
    """
    if name_or_path.endswith(".toml"):
        return from_file(name_or_path)
    return published(name_or_path)


def from_file(path: str) -> Ruleset:
    """The rule set in that file.

    Raises:
        FileError: it cannot be read.
        RulesetError: it does not hold.
    """
    table = toml_table.parse(read_text(Path(path)), path, RulesetError)
    return _proved(_read(table, Path(path).stem, None, (Path(path),)), table)


@cache
def published(name: str) -> Ruleset:
    """The rule set of that name, or alias; no file is opened on anybody's word.

    Raises:
        RulesetError: no such name.
    """
    if name in names():
        return _read(_published_table(name), name, None)
    if name in aliases():
        return published(aliases()[name])
    raise RulesetError(
        Message(
            "no rule set is called %(name)s: %(hint)s",
            name=quoted(name),
            hint=nearest(name, [*names(), *aliases()]),
        )
    )


@cache
def aliases() -> Mapping[str, str]:
    """Other names of published rule sets, and which is meant."""
    return MappingProxyType(
        {
            alias: name
            for name in names()
            for alias in _published_table(name).data.get("aliases", ())
        }
    )


@cache
def _published_table(name: str) -> TomlTable:
    text = resources.files("game.rules").joinpath("published", f"{name}.toml").read_text("utf-8")
    return toml_table.parse(text, f"{name}.toml", RulesetError)


def parse(text: str, *, name: str, where: str) -> Ruleset:
    """The rule set written in `text`, and proved; `where` is what error messages call it.

    Raises:
        RulesetError: naming the line, the key, what was found and what is allowed; or why such
            rules make no game.
    """
    table = toml_table.parse(text, where, RulesetError)
    return _proved(_read(table, name, None), table)


def _read(table: TomlTable, name: str, extends: str | None, path: tuple[Path, ...] = ()) -> Ruleset:
    """The rules of this table; `path` are the files read so far, each extending the next."""
    extends = table.data.get("extends", extends)
    base = _base(table, extends, path)
    if base.name != name:
        base = replace(base, name=name, title=name, source="", assumed=())
    return _changed(base, table, anew=extends is None)


def _proved(rules: Ruleset, table: TomlTable) -> Ruleset:
    if not rules.title.strip():
        raise table.wrong("title", Message("one line of text in quotes"))
    if found := find_problem(rules):
        raise table.error(found.option, found.why)
    return rules


def with_options(rules: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """These rules with some options as given, each checked as if a file said so.

    >>> changed(published("stirler"), {"opening": 350, "triples": {"1": 300}}).opening
    350

    Raises:
        RulesetError: naming the option, what was found and what is allowed.
    """
    for name in ("title", "source", "assumed"):
        if name in options:
            raise RulesetError(
                Message("options: %(name)s is said by a file alone: leave it out", name=name)
            )
    table = TomlTable(options, "options", "", RulesetError)
    return _proved(_changed(rules, table), table)


def to_toml(rules: Ruleset) -> str:
    """The text of a house rule that makes these: it reads back by `parse`."""
    extends = [f"extends = {json.dumps(rules.name)}"] if _extends_published(rules) else []
    base = rules if extends else replace(rules, name="")
    return "".join(f"{line}\n" for line in (*extends, *differing_lines(base)))


def _extends_published(rules: Ruleset) -> bool:
    """Whether a file that extends the set of that name can say these: it can drop no exception."""
    if rules.name not in names():
        return False
    pairs = zip(published(rules.name).alike_faces, rules.alike_faces, strict=True)
    return all(points is not None for known, points in pairs if known is not None)


def _base(table: TomlTable, extends: object, path: tuple[Path, ...]) -> Ruleset:
    """What a file takes as it is where it says nothing."""
    if extends is None:
        return Ruleset(name="", title="")
    if path and isinstance(extends, str) and extends.endswith(".toml"):
        return _base_file(table, extends, path)
    if not isinstance(extends, str) or extends not in (*names(), *aliases()):
        hint = nearest(str(extends), names())
        raise table.error(
            "extends", Message("found %(found)s: %(hint)s", found=quoted(extends), hint=hint)
        )
    return published(extends)


def _base_file(table: TomlTable, extends: str, path: tuple[Path, ...]) -> Ruleset:
    """The rules of the file beside the one that extends it."""
    file = path[-1].parent / extends
    if file.resolve() in [each.resolve() for each in path] or len(path) > MAX_PARENTS:
        what = Message("leads back to itself: %(file)s is read already", file=str(file))
        raise table.error("extends", what)
    try:
        text = read_text(file)
    except FileError as error:
        raise table.error("extends", Message("cannot be: %(why)s", why=error.message)) from None
    parent = toml_table.parse(text, str(file), RulesetError)
    return _read(parent, file.stem, None, (*path, file))


def _changed(base: Ruleset, table: TomlTable, *, anew: bool = False) -> Ruleset:
    """The base with what the table says otherwise; `anew` fills tables of points with nothing."""
    table.only(KEYS, Message("is no option"))
    changes = {
        key: _value(table, key, getattr(base, key), anew=anew)
        for key in table.data
        if key not in METADATA_KEYS
    }
    rules = replace(base, **changes)
    if rules.alike is Alike.FIXED and not any(rules.alike_fixed):
        example = "alike_fixed = { 4 = 1000, ... }"
        raise table.error("alike", Message("is 'fixed': say %(example)s too", example=example))
    return rules


def _value(table: TomlTable, key: str, default: object, *, anew: bool) -> Any:
    match default:
        case tuple() if key == "assumed":
            return table.lines(key)
        case tuple():
            return _by_number(table, key, default, anew=anew)
        case int() if not isinstance(default, bool):
            return table.whole(key, *_bounds(key))
        case _:
            return table.like(key, default)


def _by_number(
    table: TomlTable, key: str, default: tuple[Any, ...], *, anew: bool
) -> tuple[Any, ...]:
    """A table like `{ 1 = 100, 5 = 50 }`; with `extends` only what differs need be said."""
    keys = TABLE_KEYS.get(key, tuple(map(str, FACES)))
    found = table.data[key]
    if not isinstance(found, Mapping) or not set(found) <= set(keys):
        allowed = Message(
            "a table like %(example)s with keys %(keys)s",
            example=f"{{ {keys[0]} = 100 }}",
            keys=", ".join(keys),
        )
        raise table.wrong(key, allowed)
    if anew:
        default = (None if key == "alike_faces" else 0,) * len(keys)
    inner = table.table(key)
    said = {name: inner.whole(name, *_bounds(key)) for name in found} if inner else {}
    return tuple((dict(zip(keys, default, strict=True)) | said).values())


def _bounds(key: str) -> tuple[int, int]:
    row = find_option(key)
    return row.least, row.most


def defaults() -> dict[str, object]:
    """Each option and its default, as the documentation lists them."""
    return {f.name: f.default for f in fields(Ruleset) if f.default is not MISSING}


def differing_lines(rules: Ruleset) -> Iterator[str]:
    """Lines of TOML that make the published set of that name into these rules."""
    base = published(rules.name) if rules.name in names() else Ruleset("", "")
    for f in fields(Ruleset):
        value, known = getattr(rules, f.name), getattr(base, f.name)
        if f.name != "name" and value != known:
            yield f"{f.name} = {_toml(f.name, value)}"


def from_differing_lines(name: str, text: str, where: str) -> Ruleset:
    """The published set of that name with these lines of TOML changed, or made of them alone.

    They are not proved: whoever recorded a match by them could play by them.

    Raises:
        RulesetError: a line does not hold.
    """
    table = toml_table.parse(text, where, RulesetError)
    rules = _read(table, name, name if name in names() else None)
    if "alike_faces" in table.data:  # whole: what it leaves out is no exception here
        faces = _by_number(table, "alike_faces", rules.alike_faces, anew=True)
        rules = replace(rules, alike_faces=faces)
    return rules


def _toml(key: str, value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case tuple() if key == "assumed":
            return json.dumps(value, ensure_ascii=False)
        case tuple():
            pairs = zip(TABLE_KEYS.get(key, map(str, FACES)), value, strict=True)
            return f"{{ {', '.join(f'{k} = {v}' for k, v in pairs if v is not None)} }}"
    return str(value)
