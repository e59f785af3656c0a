"""Rule sets in TOML files. Each key is an option of `Ruleset`, and every value is checked.

The published rule sets are `published/NAME.toml`. A house rule is a small file that `extends` a
published rule set and changes some of its options:

    extends = "walnut-studiolo"
    title = "Our kitchen table"
    opening = 350

To extend another file, give its full name, such as `house.toml`. The file is looked for in the same
folder.
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
from game.rules.playability import find_contradictions, find_problems
from game.rules.rule_options import find_option
from game.rules.ruleset import FACES, Alike, Ruleset
from game.toml_table import TomlTable, nearest

TABLE_KEYS = {
    "alike_fixed": ("4", "5", "6"),
    "alike_faces": tuple(f"{face}x{n}" for face in FACES for n in (4, 5, 6)),
}
"""Option whose value is a table -> the keys of that table. In all other tables the keys are the
faces."""
METADATA_KEYS = ("extends", "aliases")
"""Keys of a file that are not options. `aliases` lists other names of a published game."""

KEYS = ({f.name for f in fields(Ruleset)} - {"name"}) | set(METADATA_KEYS)
"""All keys of a file."""

MAX_LENGTHS = {"title": 60, "source": 300}
"""Largest number of characters of a text. A title of this length fits on the scoreboard."""

MAX_PARENTS = 10
"""Longest chain of files that extend each other."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of the published rule sets, sorted."""
    files = resources.files("game.rules").joinpath("published").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files))


def is_file_name(name_or_path: str) -> bool:
    """Return whether a name is the name of a file, such as `house.toml`.

    The names of published rule sets have no extension.
    """
    return bool(Path(name_or_path).suffix)


def load(name_or_path: str) -> Ruleset:
    """Return a published rule set by name, or the rule set in a file such as `house.toml`.

    Raises:
        FileError: If the file cannot be read.
        RulesetError: If there is no such rule set, or the file is not valid.
    """
    if is_file_name(name_or_path):
        return from_file(name_or_path)
    return published(name_or_path)


def from_file(path: str) -> Ruleset:
    """Return the rule set in a file.

    The rule set is named after the file, without its extension. If a published rule set has the same
    name, the extension is kept, so that the two can be told apart.

    Raises:
        FileError: If the file cannot be read.
        RulesetError: If the file is not valid.
    """
    table = toml_table.parse(read_text(Path(path)), path, RulesetError)
    file = Path(path)
    is_taken = file.stem in names() or file.stem in aliases()
    return _proved(_read(table, file.name if is_taken else file.stem, None, (file,)), table)


@cache
def published(name: str) -> Ruleset:
    """Return a published rule set by its name or alias.

    The name is never used as a path, so it may come from an untrusted source.

    Raises:
        RulesetError: If there is no such rule set.
    """
    if name in names():
        return _read(_published_table(name), name, None)
    if name in aliases():
        return published(aliases()[name])
    raise RulesetError(
        "there is no rule set %(name)s: %(hint)s",
        name=quoted(name),
        hint=nearest(name, [*names(), *aliases()]),
    )


@cache
def aliases() -> Mapping[str, str]:
    """Return the other names of published rule sets, as alias -> name."""
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
    """Parse the text of a rule file, and check that a match can be played under its rules.

    Args:
        text: Content of a rule file.
        name: Name of the rule set.
        where: Name of the text in error messages.

    Raises:
        RulesetError: If a key or value is not valid, or no match can be played under the rules.
    """
    table = toml_table.parse(text, where, RulesetError)
    return _proved(_read(table, name, None), table)


def _read(table: TomlTable, name: str, extends: str | None, path: tuple[Path, ...] = ()) -> Ruleset:
    """Return the rules in a TOML table.

    `extends` is the rule set to start from if the table names none. `path` is the chain of files
    that led to the table, each extended by the one before it.
    """
    extends = table.data.get("extends", extends)
    base = _base(table, extends, path)
    if base.name != name:
        base = replace(base, name=name, title=name, source="", assumed=())
    return _changed(_ending_first(base, table.data), table, is_new=extends is None)


def _ending_first(rules: Ruleset, given: Mapping[str, Any]) -> Ruleset:
    """Return rules under which the match ends with the target or the turns, whichever comes first, if both are given."""
    both = given.get("rounds") and "target" in given
    return replace(rules, target_ends_rounds=True) if both else rules


def _proved(rules: Ruleset, table: TomlTable) -> Ruleset:
    """Return consistent rules after checking that a match can be played under them."""
    rules = _consistent(rules, table)
    if found := find_problems(rules):
        raise table.errors((problem.option, problem.why) for problem in found)
    return rules


def _consistent(rules: Ruleset, table: TomlTable) -> Ruleset:
    """Return rules after checking their texts, and that no option contradicts another one."""
    if not rules.title.strip():
        raise table.invalid("title", Message("one line of text in quotes"))
    _check_dice_counts(rules, table)
    for key, most in MAX_LENGTHS.items():
        if (length := len(getattr(rules, key))) > most:
            what = Message("has %(n)s characters, but at most %(most)s fit", n=length, most=most)
            raise table.error(key, what)
    if rules.alike is not Alike.FIXED and any(rules.alike_fixed):
        what = Message("has no effect while `alike` is %(alike)s", alike=repr(str(rules.alike)))
        raise table.error("alike_fixed", what)
    if found := find_contradictions(rules):
        raise table.errors((problem.option, problem.why) for problem in found)
    return rules


def _check_dice_counts(rules: Ruleset, table: TomlTable) -> None:
    """Check that a table gives no points for more dice of a kind than the rules have."""
    for key in TABLE_KEYS.keys() & table.data.keys():
        for name, points in table.data[key].items():
            if points and int(name[-1]) > rules.n_dice:
                what = Message(
                    "gives points for %(needed)s dice, but `n_dice` is %(n)s: remove `%(key)s`",
                    needed=int(name[-1]),
                    n=rules.n_dice,
                    key=name,
                )
                raise table.error(key, what)


def with_options(
    rules: Ruleset, options: Mapping[str, Any], *, target: int | None = None
) -> Ruleset:
    """Return a rule set with some options changed, after checking them like the options in a file.

    >>> with_options(published("stirler"), {"opening": 350, "triples": {"1": 300}}).opening
    350

    Args:
        rules: The rule set to change.
        options: The changed options, with the keys and values of a rule file.
        target: The target, unless the options name one. It does not make a match with a fixed number of turns end earlier.

    Raises:
        RulesetError: If an option is not valid, or no match can be played under the rules.
    """
    for name in ("title", "source", "assumed"):
        if name in options:
            raise RulesetError(
                "options: %(name)s can only be set in a file: leave it out", name=name
            )
    given = ({} if target is None else {"target": target}) | dict(options)
    table = TomlTable(given, "options", "", RulesetError)
    return _proved(_changed(_ending_first(rules, options), table), table)


def to_toml(rules: Ruleset) -> str:
    """Return the text of a house rule file that `parse` reads back as these rules."""
    extends = [f"extends = {json.dumps(rules.name)}"] if _extends_published(rules) else []
    base = rules if extends else replace(rules, name="")
    return "".join(f"{line}\n" for line in (*extends, *differing_lines(base)))


def _extends_published(rules: Ruleset) -> bool:
    """Return whether the rules can be written as an extension of the published rule set of that name.

    An extension cannot remove exceptions that the published rule set has in `alike_faces`.
    """
    if rules.name not in names():
        return False
    pairs = zip(published(rules.name).alike_faces, rules.alike_faces, strict=True)
    return all(points is not None for known, points in pairs if known is not None)


def _base(table: TomlTable, extends: object, path: tuple[Path, ...]) -> Ruleset:
    """Return the rules that a table extends, or the default rules if it extends none.

    `extends` is the name of the rule set to extend, not yet checked, or None. `path` is the chain
    of files that led to the table, as in `_read`.
    """
    if extends is None:
        return Ruleset(name="", title="")
    if path and isinstance(extends, str) and is_file_name(extends):
        return _base_file(table, extends, path)
    if not isinstance(extends, str) or extends not in (*names(), *aliases()):
        hint = nearest(str(extends), names())
        raise table.error(
            "extends", Message("is %(found)s: %(hint)s", found=quoted(extends), hint=hint)
        )
    return published(extends)


def _base_file(table: TomlTable, extends: str, path: tuple[Path, ...]) -> Ruleset:
    """Return the rules of the file that a table extends.

    The file is looked for in the folder of the last file in `path`, the chain that led to the table.
    """
    file = path[-1].parent / extends
    if file.resolve() in [each.resolve() for each in path] or len(path) > MAX_PARENTS:
        what = Message("refers back to itself through %(file)s", file=str(file))
        raise table.error("extends", what)
    try:
        text = read_text(file)
    except FileError as error:
        raise table.error(
            "extends", Message("is not possible: %(why)s", why=error.message)
        ) from None
    parent = toml_table.parse(text, str(file), RulesetError)
    return _read(parent, file.stem, None, (*path, file))


def _changed(base: Ruleset, table: TomlTable, *, is_new: bool = False) -> Ruleset:
    """Return base rules changed by the options of a table.

    If `is_new`, missing keys of inner tables become 0 instead of keeping the values of the base.
    """
    _check_keys(table)
    changes = {
        key: _value(table, key, getattr(base, key), is_new=is_new)
        for key in table.data
        if key not in METADATA_KEYS
    }
    rules = _without_unused_points(replace(base, **changes), changes)
    if rules.alike is Alike.FIXED and not any(rules.alike_fixed):
        example = "alike_fixed = { 4 = 1000, ... }"
        raise table.error("alike", Message("is 'fixed': also set %(example)s", example=example))
    return rules


def _without_unused_points(rules: Ruleset, given: Mapping[str, Any]) -> Ruleset:
    """Remove inherited points for four, five and six of a kind that these rules do not use.

    `given` holds the options that the rule file itself sets; they stay as they are.
    """
    if rules.alike is not Alike.FIXED and "alike_fixed" not in given:
        rules = replace(rules, alike_fixed=(0, 0, 0))
    if rules.n_dice < max(FACES):
        four, five, _ = rules.alike_fixed
        if "alike_fixed" not in given:
            rules = replace(rules, alike_fixed=(four, five, 0))
        if "alike_faces" not in given:
            pairs = zip(TABLE_KEYS["alike_faces"], rules.alike_faces, strict=True)
            faces = tuple(None if key.endswith("6") else points for key, points in pairs)
            rules = replace(rules, alike_faces=faces)
    return rules


def _check_keys(table: TomlTable) -> None:
    for key, value in table.data.items():
        if key not in KEYS and isinstance(value, Mapping):
            what = Message(
                "is not an option: options need no heading, so remove [%(key)s]", key=key
            )
            raise table.error(key, what)
    if "name" in table.data:
        raise table.error(
            "name", Message("is not an option: did you mean %(word)s?", word="'title'")
        )
    table.check_keys(KEYS, Message("is not an option"))


def _value(table: TomlTable, key: str, default: object, *, is_new: bool) -> Any:
    match default:
        case tuple() if key == "assumed":
            return table.lines(key)
        case tuple():
            return _by_number(table, key, default, is_new=is_new)
        case int() if not isinstance(default, bool):
            return table.integer(key, *_bounds(key))
        case _:
            return table.value_like(key, default)


def _by_number(
    table: TomlTable, key: str, default: tuple[Any, ...], *, is_new: bool
) -> tuple[Any, ...]:
    """Return the values of an option that is a table like `{ 1 = 100, 5 = 50 }`, in order of its keys.

    The value for a missing key is taken from `default`. If `is_new`, it is 0 instead, or None in
    `alike_faces`.
    """
    keys = TABLE_KEYS.get(key, tuple(map(str, FACES)))
    found = table.data[key]
    if not isinstance(found, Mapping) or not set(found) <= set(keys):
        allowed = Message(
            "a table like %(example)s with keys %(keys)s",
            example=f"{{ {keys[0]} = 100 }}",
            keys=", ".join(keys),
        )
        raise table.invalid(key, allowed)
    if is_new:
        default = (None if key == "alike_faces" else 0,) * len(keys)
    inner = table.table(key)
    given = {name: inner.integer(name, *_bounds(key)) for name in found} if inner else {}
    return tuple((dict(zip(keys, default, strict=True)) | given).values())


def _bounds(key: str) -> tuple[int, int]:
    row = find_option(key)
    return row.least, row.most


def defaults() -> dict[str, object]:
    """Return the name of each option and its default."""
    return {f.name: f.default for f in fields(Ruleset) if f.default is not MISSING}


def differing_lines(rules: Ruleset) -> Iterator[str]:
    """Yield the lines of TOML that turn the published rule set of the same name into these rules."""
    base = published(rules.name) if rules.name in names() else Ruleset("", "")
    changed = {f.name for f in fields(Ruleset) if getattr(rules, f.name) != getattr(base, f.name)}
    if {"rounds", "target"} <= changed:
        changed.add("target_ends_rounds")
    for f in fields(Ruleset):
        if f.name != "name" and f.name in changed:
            value = getattr(rules, f.name)
            yield f"{f.name} = {_toml(f.name, value)}"


def from_differing_lines(name: str, text: str, where: str, *, check: bool = False) -> Ruleset:
    """Return the rule set that lines from `differing_lines` describe.

    Args:
        name: Name of the rule set. If no published rule set has it, the lines describe all of the
            rules.
        text: The lines of TOML.
        where: Name of the text in error messages.
        check: Whether to refuse options that contradict each other, as in a rule file. Whether the
            rules can be played is not checked, because a recorded match has evidently been played.

    Raises:
        RulesetError: If a line is not valid.
    """
    table = toml_table.parse(text, where, RulesetError)
    for key in METADATA_KEYS:
        if key in table.data:
            what = Message("can only be set in a rule file: name the rule set in the line `rules`")
            raise table.error(key, what)
    rules = _read(table, name, name if name in names() else None)
    if "alike_faces" in table.data:  # the line is complete: a missing key means no exception
        faces = _by_number(table, "alike_faces", rules.alike_faces, is_new=True)
        rules = replace(rules, alike_faces=faces)
    return _consistent(rules, table) if check else rules


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
