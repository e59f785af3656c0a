"""The rules that are in force, as sentences for the page and for printing."""

from collections.abc import Iterable
from itertools import chain

from game.message import Message
from game.rules.rule_options import SECTIONS, Section
from game.rules.ruleset import Ruleset


def sentences(rules: Ruleset, sections: Iterable[Section] = SECTIONS) -> tuple[Message, ...]:
    """Return a sentence for every option in force, in the order in which people explain a game.

    Args:
        rules: The rules.
        sections: The groups of options to describe.
    """
    options = chain.from_iterable(section.options for section in sections)
    return tuple(chain.from_iterable(option.sentences(rules) for option in options))
