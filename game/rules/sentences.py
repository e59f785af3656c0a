"""The rules in force as plain sentences with their figures, for page and sheet."""

from collections.abc import Iterator

from game.message import Message
from game.rules.rule_options import OPTIONS, Section
from game.rules.ruleset import Ruleset


def sentences(rules: Ruleset) -> tuple[Message, ...]:
    """Every option that is in force, in the order in which one would explain the game."""
    return tuple(_said(rules, tuple(Section)))


def playing_sentences(rules: Ruleset) -> tuple[Message, ...]:
    """How turns go, how the match ends, what is taken away: all but what scores."""
    return tuple(_said(rules, (Section.TURN, Section.END, Section.PENALTIES)))


def _said(rules: Ruleset, sections: tuple[Section, ...]) -> Iterator[Message]:
    for row in OPTIONS:
        if row.section in sections:
            yield from row.says(rules)
