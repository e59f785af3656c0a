"""The choice of rules in the form for a new match: the rule sets, each with a summary, and their options.

The form leaves out tables of points by face, which only a file of house rules can set.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from game.message import Message, Plural
from game.rules import rule_options
from game.rules.rule_options import OPTIONS, RuleOption
from game.rules.ruleset import LastRound, Piggyback, Ruleset
from game.wording import dice_count

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


COMMON_RULES = ("walnut-studiolo", "standard", "facebook", "ten-thousand", "zilch", "greed")
"""Names of the rule sets that are best known; they are listed first."""

MODERATE_STRAIGHT, USUAL_STRAIGHT, MODERATE_OPENING = 1000, 1500, 500
"""The bounds between the answers to the questions that find a rule set."""


def common_first(offered: Sequence[Ruleset]) -> tuple[list[Ruleset], list[Ruleset]]:
    """Return the common rule sets, with the default one first, and all others.

    Args:
        offered: All rule sets, the default one first.
    """
    common = [each for each in offered if each is offered[0] or each.name in COMMON_RULES]
    return common, [each for each in offered if each not in common]


def summary(rules: Ruleset) -> Iterator[Message]:
    """Yield what people ask first about a rule set, in a few words each."""
    if rules.straight:
        yield Message("straight %(points)s", points=rules.straight)
    if rules.three_pairs:
        yield Message("three pairs %(points)s", points=rules.three_pairs)
    if rules.opening:
        yield Message("on the board with %(points)s", points=rules.opening)
    if rules.minimum_bank:
        yield Message("bank at least %(points)s", points=rules.minimum_bank)
    if rules.piggyback is not Piggyback.NO:
        yield Message("the next player may take over")
    if rules.rounds:
        yield Plural("one turn each", "%(n)s turns each", n=rules.rounds)
    elif rules.last_round is not LastRound.NONE:
        yield Message("to %(points)s, then a last round", points=rules.target)
    else:
        yield Message("to %(points)s", points=rules.target)
    if rules.n_dice != DEFAULTS.n_dice:
        yield Message("with %(dice)s", dice=dice_count(rules.n_dice))


def answers(rules: Ruleset) -> dict[str, str]:
    """Return how a rule set answers the three questions that find it: straight, opening and taking over."""
    bounds = (0, MODERATE_STRAIGHT, USUAL_STRAIGHT)
    straight = sum(rules.straight > bound for bound in bounds)
    first_bank = max(rules.opening, rules.minimum_bank)
    opening = sum(first_bank > bound for bound in (0, MODERATE_OPENING))
    takeover = "no" if rules.piggyback is Piggyback.NO else "yes"
    return {"straight": str(straight), "opening": str(opening), "takeover": takeover}


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
