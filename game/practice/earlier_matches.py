"""The earlier matches of a person in the journal, and what they show about the person's play."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from game.errors import JournalError
from game.journal.history import History, PlayedMatch
from game.match.bot import PlayerStyle
from game.match.match import Match
from game.practice.learning import learn
from game.rules.ruleset import Ruleset

MAX_MATCHES = 60
"""Number of newest matches from which a style is learnt. More matches would change little and take
a long time on a small computer."""

MAX_LISTED = 1_000
"""Number of newest matches in the journal that are searched for matches of a person."""


def earlier_matches(history: History, name: str, rules: Ruleset) -> Iterator[Match]:
    """Yield a person's newest matches with the same number of dice as `rules`, those under `rules` first.

    Args:
        history: The matches of the journal.
        name: Name of the person. Upper and lower case count as the same.
        rules: The rules.
    """
    own = [p for p in history.matches(limit=MAX_LISTED) if _has_played(p, name, rules)]
    own.sort(key=lambda played: played.rules.name != rules.name)
    for played in own:
        with suppress(JournalError):
            yield history.match(played.id)


def _has_played(played: PlayedMatch, name: str, rules: Ruleset) -> bool:
    names = (known.casefold() for known in played.result.names)
    return played.rules.n_dice == rules.n_dice and name.casefold() in names


def style_of(history: History, name: str, rules: Ruleset) -> PlayerStyle:
    """Return the style of a person under a rule set, learnt from the newest matches.

    Args:
        history: The matches of the journal.
        name: Name of the person. Upper and lower case count as the same.
        rules: The rules of the match in which the style is played.

    Raises:
        OddsError: If the person has made too few decisions.
        JournalError: If the journal cannot be read.
    """
    matches = list(islice(earlier_matches(history, name, rules), MAX_MATCHES))
    players = (player.name for match in matches for player in match.state.players)
    written = next((each for each in players if each.casefold() == name.casefold()), name)
    return learn(matches, written, rules)
