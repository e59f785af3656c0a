"""Random rule files with any option and any value, sensible or not."""

import random

from game.rules import rule_files
from game.rules.rule_files import KEYS, TABLE_KEYS
from game.rules.ruleset import FACES, Ruleset

POINTS = (0, 0, 50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2500)
USUAL = Ruleset("", "")
ABOUT = ("title", "source", "assumed", "extends", "aliases")
BARELY_FEWER = 0.3
"""Share of the options in a file. With more of them, hardly any file would be a valid game."""


def rule_text(rng: random.Random) -> str:
    """Return a well-formed file, which may or may not be a valid game."""
    options = sorted(KEYS - set(ABOUT))
    share = rng.choice((0.05, 0.15, BARELY_FEWER))
    lines = [f"{key} = {_value(key, rng)}" for key in options if rng.random() < share]
    if rng.random() < 0.8:
        lines.insert(0, f'extends = "{rng.choice(rule_files.names())}"')
    return "\n".join(lines)


def _value(key: str, rng: random.Random) -> str:
    match getattr(USUAL, key):
        case bool():
            return rng.choice(("true", "false"))
        case str() as usual:
            return f'"{rng.choice(list(type(usual)))}"'
        case tuple():
            keys = TABLE_KEYS.get(key, tuple(map(str, FACES)))
            chosen = rng.sample(keys, rng.randint(1, min(6, len(keys))))
            return f"{{ {', '.join(f'{k} = {rng.choice(POINTS)}' for k in chosen)} }}"
    return str(_whole(key, rng))


def _whole(key: str, rng: random.Random) -> int:
    match key:
        case "n_dice":
            return rng.choice((5, 6))
        case "target":
            return rng.choice((500, 1000, 2500, 5000, 7777, 10_000))
    return rng.choice(POINTS)
