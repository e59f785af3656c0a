"""The options of the rules as the set-up of a match shows them, section by section.

The tables of points by face are left to house files.
"""

from enum import StrEnum

from game.rules.rule_options import OPTIONS, RuleOption, Section
from game.rules.ruleset import Ruleset

Value = str | int | bool

DEFAULTS = Ruleset("", "")

SHOWN = tuple(row for row in OPTIONS if row.label)
SECTIONS = tuple((section, [row for row in SHOWN if row.section is section]) for section in Section)


FIRST = tuple(
    row for row in SHOWN if row.name in ("opening", "hot_dice", "piggyback", "three_farkles")
)
"""What tables differ in most: these stand before the long list."""


def is_switch(row: RuleOption) -> bool:
    """Whether it is played or not; else it is a number, or one of its choices."""
    return isinstance(getattr(DEFAULTS, row.name), bool)


def option_values(rules: Ruleset) -> dict[str, Value]:
    """What these rules say of each, as JSON has it."""
    return {row.name: _plain(getattr(rules, row.name)) for row in SHOWN}


def beyond_defaults(rules: Ruleset) -> dict[str, Value]:
    """Only those that are not as usual."""
    usual = option_values(DEFAULTS)
    return {name: value for name, value in option_values(rules).items() if value != usual[name]}


def _plain(value: Value) -> Value:
    return value.value if isinstance(value, StrEnum) else value
