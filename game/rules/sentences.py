"""The rules that are in force, as sentences for the page and for printing."""

from collections.abc import Iterator

from game.message import Message
from game.rules.rule_options import OPTIONS, Section
from game.rules.ruleset import Ruleset


def sentences(rules: Ruleset) -> tuple[Message, ...]:
    """Return a sentence for every option in force, in the order in which people explain a game."""
    return tuple(_sentences(rules, tuple(Section)))


def playing_sentences(rules: Ruleset) -> tuple[Message, ...]:
    """Return the sentences on turns, the end of a match and penalties."""
    return tuple(_sentences(rules, (Section.TURN, Section.END, Section.PENALTIES)))


def _sentences(rules: Ruleset, sections: tuple[Section, ...]) -> Iterator[Message]:
    for row in OPTIONS:
        if row.section in sections:
            yield from row.sentences(rules)
