"""Rule sets from TOML files: flat keys, each an option of `Ruleset`, every one checked.

The published ones are `rulesets/NAME.toml`. A house rule is a small file of its own that
`extends` a published one and changes some lines:

    extends = "walnut-studiolo"
    title = "Our kitchen table"
    opening = 350
"""

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from game.errors import RulesetError
from game.ruleset import FACES, Alike, Ruleset

TABLE_KEYS = {
    "alike_fixed": ("4", "5", "6"),
    "alike_faces": tuple(f"{face}x{n}" for face in FACES for n in (4, 5, 6)),
}
"""Keys of the options that are tables; of all others the faces."""

MAX_POINTS = 1_000_000
"""No published figure comes near; a slipped key does."""


def names() -> tuple[str, ...]:
    """The names of the published rule sets, sorted."""
    files = resources.files("game").joinpath("rulesets").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files))


def load(name_or_path: str) -> Ruleset:
    """The rule set of that name, or of that file where it ends in `.toml`.

    Raises:
        RulesetError: no such name or file, or the file does not hold.
    """
    if name_or_path.endswith(".toml"):
        path = Path(name_or_path)
        return parse(_read(path), name=path.stem, where=name_or_path)
    return published(name_or_path)


@cache
def published(name: str) -> Ruleset:
    """The rule set of that name; no file is opened on anybody's word.

    Raises:
        RulesetError: no such name.
    """
    if name not in names():
        raise RulesetError(f"no rule set is called {name!r}: {_nearest(name, names())}")
    text = resources.files("game").joinpath("rulesets", f"{name}.toml").read_text("utf-8")
    return parse(text, name=name, where=f"{name}.toml")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise RulesetError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise RulesetError(f"{path}: this is a folder, not a rule set file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RulesetError(f"{path}: cannot be read as UTF-8 text: {error}") from None


def parse(text: str, *, name: str, where: str) -> Ruleset:
    """The rule set written in `text`; `where` is what error messages call it.

    Raises:
        RulesetError: naming the line, the key, what was found and what is allowed.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also figures of thousands of digits
        raise RulesetError(f"{where}: not valid TOML: {error}") from None
    return _Builder(text, where).build(name, data)


@dataclass(frozen=True, slots=True)
class _Builder:
    text: str
    where: str

    def build(self, name: str, data: dict[str, Any]) -> Ruleset:
        base = self._base(data.pop("extends", None))
        known = {f.name for f in fields(Ruleset)} - {"name"}
        changes: dict[str, Any] = {}
        for key, value in data.items():
            if key not in known:
                raise self._error(key, f"is no option: {_nearest(key, sorted(known))}")
            changes[key] = self._value(key, value, getattr(base, key))
        rules = replace(base, name=name, **{"title": name} | changes)
        self._check_together(rules)
        return rules

    def _base(self, extends: object) -> Ruleset:
        if extends is None:
            return Ruleset(name="", title="")
        if not isinstance(extends, str) or extends not in names():
            raise self._error("extends", f"found {extends!r}: {_nearest(str(extends), names())}")
        return published(extends)

    def _value(self, key: str, found: object, default: object) -> object:
        """`found` as the type that `default` has, or an error that says what is allowed."""
        match default:
            case bool():
                return self._expect(key, found, isinstance(found, bool), "true or false")
            case StrEnum():
                allowed = [str(member) for member in type(default)]
                self._expect(key, found, found in allowed, " or ".join(map(repr, allowed)))
                return type(default)(str(found))
            case str():
                return self._expect(key, found, isinstance(found, str), "text in quotes")
            case int():
                return self._points(key, found)
            case tuple() if key == "assumed":
                ok = isinstance(found, list) and all(isinstance(line, str) for line in found)
                self._expect(key, found, ok, "a list of texts")
                return tuple(found) if isinstance(found, list) else ()
            case tuple():
                return self._by_number(key, found, default)
        raise AssertionError(key)

    def _points(self, key: str, found: object) -> int:
        ok = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= MAX_POINTS
        self._expect(key, found, ok, f"a whole number from 0 to {MAX_POINTS:,}")
        return found if isinstance(found, int) else 0

    def _by_number(self, key: str, found: object, default: tuple[Any, ...]) -> tuple[Any, ...]:
        """A table like `{ 1 = 100, 5 = 50 }`; with `extends` only what differs need be said."""
        keys = TABLE_KEYS.get(key, tuple(map(str, FACES)))
        if not isinstance(found, Mapping) or not set(found) <= set(keys):
            example = f"a table like {{ {keys[0]} = 100 }} with keys {', '.join(keys)}"
            raise self._error(key, f"found {found!r}: allowed is {example}")
        extends = re.search(r"^\s*extends\s*=", self.text, re.MULTILINE)
        absent = None if key == "alike_faces" else 0
        points = dict(zip(keys, default if extends else (absent,) * len(keys), strict=True))
        for name, value in found.items():
            points[name] = self._points(f"{key}.{name}", value)
        return tuple(points.values())

    def _expect(self, key: str, found: object, ok: bool, allowed: str) -> object:  # noqa: FBT001
        if not ok:
            raise self._error(key, f"found {found!r}: allowed is {allowed}")
        return found

    def _check_together(self, rules: Ruleset) -> None:
        if rules.n_dice not in (5, 6):
            raise self._error("n_dice", f"found {rules.n_dice}: allowed is 5 or 6")
        if rules.target == 0:
            raise self._error("target", "found 0: a match needs points to play for")
        if rules.alike is Alike.FIXED and not any(rules.alike_fixed):
            raise self._error("alike", "is 'fixed': say alike_fixed = { 4 = 1000, ... } too")

    def _error(self, key: str, what: str) -> RulesetError:
        stem = key.partition(".")[0]
        lines = self.text.splitlines()
        number = next((i for i, line in enumerate(lines, 1) if line.lstrip().startswith(stem)), 0)
        line = f", line {number}" if number else ""
        return RulesetError(f"{self.where}{line}: {key} {what}")


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    """A hint: the known word that is near, or all there are."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"


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


def with_differences(name: str, lines: Sequence[str]) -> Ruleset:
    """The published set of that name with these lines of TOML changed, or made of them alone.

    Raises:
        RulesetError: no such set, or a line that does not hold.
    """
    if not lines or name not in names():
        return parse("\n".join(lines), name=name, where="option") if lines else published(name)
    extends = [f'extends = "{name}"']
    if not any(line.startswith("title") for line in lines):
        extends.append(f"title = {_toml('title', published(name).title)}")
    return parse("\n".join([*extends, *lines]), name=name, where="option")


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
