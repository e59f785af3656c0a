"""Rule sets from TOML files: flat keys, each an option of `Ruleset`, every one checked.

The published ones are `published/NAME.toml`. A house rule is a small file of its own that
`extends` a published one and changes some lines:

    extends = "walnut-studiolo"
    title = "Our kitchen table"
    opening = 350
"""

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from game.errors import RulesetError, quoted
from game.message import Message, Value, any_of
from game.names import is_printable
from game.rules.rule_options import option
from game.rules.ruleset import FACES, Alike, Ruleset
from game.textfile import read_text

TABLE_KEYS = {
    "alike_fixed": ("4", "5", "6"),
    "alike_faces": tuple(f"{face}x{n}" for face in FACES for n in (4, 5, 6)),
}
"""Keys of the options that are tables; of all others the faces."""

_LONGEST_KEY = 40


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
    return parse(read_text(Path(path)), name=Path(path).stem, where=path)


@cache
def published(name: str) -> Ruleset:
    """The rule set of that name; no file is opened on anybody's word.

    Raises:
        RulesetError: no such name.
    """
    if name not in names():
        raise RulesetError(
            Message(
                "no rule set is called %(name)s: %(hint)s",
                name=quoted(name),
                hint=_nearest(name, names()),
            )
        )
    text = resources.files("game.rules").joinpath("published", f"{name}.toml").read_text("utf-8")
    return parse(text, name=name, where=f"{name}.toml")


def parse(text: str, *, name: str, where: str, extends: str | None = None) -> Ruleset:
    """The rule set written in `text`; `where` is what error messages call it.

    Where the text does not say itself what it `extends`, it is the published set given here.

    Raises:
        RulesetError: naming the line, the key, what was found and what is allowed.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_toml(text, where, str(error)) from None
    return _Builder(text, where, data.pop("extends", extends)).build(name, data)


def changed(rules: Ruleset, options: Mapping[str, Any]) -> Ruleset:
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
    return _Builder("", "options", rules.name).changed(rules, options)


def house_file(rules: Ruleset) -> str:
    """The text of a house rule that makes these: it reads back by `parse`."""
    extends = [f"extends = {json.dumps(rules.name)}"] if rules.name in names() else []
    return "".join(f"{line}\n" for line in (*extends, *differences(rules)))


def _not_toml(text: str, where: str, why: str) -> RulesetError:
    """An error that names the line as others do, not as `tomllib` does at the end of its own."""
    found, at, place = why.partition(" (at ")
    what: Value = found
    lines = text.rstrip().split("\n")
    if not at:  # thousands of digits or brackets, which Python refuses in words of its own
        what, number = Message("a value is too long"), lines.index(max(lines, key=len)) + 1
    else:
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else len(lines)
    return RulesetError(
        Message(
            "%(file)s, line %(n)s: not valid TOML: %(why)s", file=where, n=str(number), why=what
        )
    )


@dataclass(frozen=True, slots=True)
class _Builder:
    text: str
    where: str
    extends: object

    def build(self, name: str, data: dict[str, Any]) -> Ruleset:
        base = self._base()
        title = base.title if base.name == name else name
        return self.changed(replace(base, name=name, title=title), data)

    def changed(self, base: Ruleset, data: Mapping[str, Any]) -> Ruleset:
        """The base with what is said otherwise."""
        known = {f.name for f in fields(Ruleset)} - {"name"}
        changes: dict[str, Any] = {}
        for key, value in data.items():
            if key not in known:
                hint = _nearest(key, sorted(known))
                raise self._error(key, Message("is no option: %(hint)s", hint=hint))
            changes[key] = self._value(key, value, getattr(base, key))
        rules = replace(base, **changes)
        self._check_together(rules)
        return rules

    def _base(self) -> Ruleset:
        if self.extends is None:
            return Ruleset(name="", title="")
        if not isinstance(self.extends, str) or self.extends not in names():
            hint = _nearest(str(self.extends), names())
            raise self._error(
                "extends",
                Message("found %(found)s: %(hint)s", found=quoted(self.extends), hint=hint),
            )
        return published(self.extends)

    def _value(self, key: str, found: object, default: object) -> object:
        """`found` as the type that `default` has, or an error that says what is allowed."""
        match default:
            case bool():
                allowed = Message("true or false")
                return self._expect(key, found, isinstance(found, bool), allowed)
            case StrEnum():
                members = [str(member) for member in type(default)]
                self._expect(key, found, found in members, any_of([*map(repr, members)]))
                return type(default)(str(found))
            case str():
                allowed = Message("one line of text in quotes")
                return self._expect(key, found, _is_line(found), allowed)
            case int():
                return self._points(key, found)
            case tuple() if key == "assumed":
                ok = isinstance(found, list) and all(map(_is_line, found))
                self._expect(key, found, ok, Message("a list of lines of text"))
                return tuple(found) if isinstance(found, list) else ()
            case tuple():
                return self._by_number(key, found, default)
        raise AssertionError(key)

    def _points(self, key: str, found: object) -> int:
        row = option(key.partition(".")[0])
        ok = (
            isinstance(found, int)
            and not isinstance(found, bool)
            and row.least <= found <= row.most
        )
        allowed = Message("a whole number from %(low)s to %(high)s", low=row.least, high=row.most)
        self._expect(key, found, ok, allowed)
        return found if isinstance(found, int) else 0

    def _by_number(self, key: str, found: object, default: tuple[Any, ...]) -> tuple[Any, ...]:
        """A table like `{ 1 = 100, 5 = 50 }`; with `extends` only what differs need be said."""
        keys = TABLE_KEYS.get(key, tuple(map(str, FACES)))
        if not isinstance(found, Mapping) or not set(found) <= set(keys):
            allowed = Message(
                "a table like %(example)s with keys %(keys)s",
                example=f"{{ {keys[0]} = 100 }}",
                keys=", ".join(keys),
            )
            raise self._wrong(key, found, allowed)
        if self.extends is None:
            default = (None if key == "alike_faces" else 0,) * len(keys)
        points = dict(zip(keys, default, strict=True))
        for name, value in found.items():
            points[name] = self._points(f"{key}.{name}", value)
        return tuple(points.values())

    def _expect(self, key: str, found: object, ok: bool, allowed: Value) -> object:  # noqa: FBT001
        if not ok:
            raise self._wrong(key, found, allowed)
        return found

    def _check_together(self, rules: Ruleset) -> None:
        if rules.alike is Alike.FIXED and not any(rules.alike_fixed):
            raise self._error(
                "alike",
                Message(
                    "is 'fixed': say %(example)s too", example="alike_fixed = { 4 = 1000, ... }"
                ),
            )

    def _wrong(self, key: str, found: object, allowed: Value) -> RulesetError:
        what = Message(
            "found %(found)s: allowed is %(allowed)s", found=quoted(found), allowed=allowed
        )
        return self._error(key, what)

    def _error(self, key: str, what: Message) -> RulesetError:
        """An error that names the line in which the key is set, or its table begins."""
        name = re.escape(key.partition(".")[0])
        line = re.compile(rf"\s*\[*\s*[\"']?{name}[\"']?\s*[=.\]]")
        lines = self.text.split("\n")
        number = next((i for i, text in enumerate(lines, 1) if line.match(text)), None)
        where: Value = self.where
        if number:
            where = Message("%(file)s, line %(n)s", file=self.where, n=str(number))
        return RulesetError(
            Message("%(where)s: %(key)s %(what)s", where=where, key=key[:_LONGEST_KEY], what=what)
        )


def _is_line(found: object) -> bool:
    return isinstance(found, str) and is_printable(found)


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> Message:
    """A hint: the known word that is near, or all there are."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if near:
        return Message("did you mean %(word)s?", word=repr(near[0]))
    return Message("known are %(words)s", words=", ".join(known))


def defaults() -> dict[str, object]:
    """Each option and its default, as the documentation lists them."""
    return {f.name: f.default for f in fields(Ruleset) if f.default is not MISSING}


def differences(rules: Ruleset) -> Iterator[str]:
    """Lines of TOML that make the published set of that name into these rules."""
    base = published(rules.name) if rules.name in names() else Ruleset("", "")
    for f in fields(Ruleset):
        value, known = getattr(rules, f.name), getattr(base, f.name)
        if f.name != "name" and value != known:
            yield f"{f.name} = {_toml(f.name, value)}"


def with_differences(name: str, text: str, where: str) -> Ruleset:
    """The published set of that name with these lines of TOML changed, or made of them alone.

    Raises:
        RulesetError: a line does not hold.
    """
    return parse(text, name=name, where=where, extends=name if name in names() else None)


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
