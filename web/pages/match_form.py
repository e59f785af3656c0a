"""The options of a rule set, as shown in the form for a new match.

The form leaves out tables of points by face, which only a file of house rules can set.
"""

from enum import StrEnum

from game.rules import rule_options
from game.rules.rule_options import OPTIONS, RuleOption
from game.rules.ruleset import Ruleset

Value = str | int | bool

DEFAULTS = Ruleset("", "")

SHOWN = tuple(row for row in OPTIONS if row.label)
SECTIONS = tuple(
    (section, [row for row in section.options if row.label]) for section in rule_options.SECTIONS
)


COMMON = tuple(
    row for row in SHOWN if row.name in ("opening", "hot_dice", "piggyback", "three_farkles")
)
"""The options on which groups of players differ most; the form shows them before the long list."""


def is_switch(row: RuleOption) -> bool:
    """Return whether an option has no values other than on and off."""
    return isinstance(getattr(DEFAULTS, row.name), bool)


def option_values(rules: Ruleset) -> dict[str, Value]:
    """Return the value of each option as a JSON type."""
    return {row.name: _plain(getattr(rules, row.name)) for row in SHOWN}


def beyond_defaults(rules: Ruleset) -> dict[str, Value]:
    """Return only the options that differ from the defaults."""
    values = option_values(rules)
    return {name: value for name, value in values.items() if value != DEFAULT_VALUES[name]}


def _plain(value: Value) -> Value:
    return value.value if isinstance(value, StrEnum) else value


DEFAULT_VALUES = option_values(DEFAULTS)
