"""A question about a turn, such as "3200 2950 turn 450 dice 3"."""

from dataclasses import dataclass

from device.errors import UsageError
from game.errors import quoted
from game.odds.advice import MatchPosition
from game.rules import scoring
from game.rules.ruleset import Dice, Ruleset
from game.rules.scoring import Keep

_EXAMPLE = '"3200 2950 turn 450 dice 3", or with "throw 11355" for its keeps'
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class OddsQuestion:
    """A question about a turn.

    Attributes:
        table: Scores of both players, and who began the match.
        at_risk: Points at risk in this turn before the throw.
        n_dice: Number of dice in hand.
        hot: Whether all dice have scored, so that the player may throw all of them again.
        throw: The throw to decide about; None if the question names none.
        keeps: Legal keeps of the throw, best first.
        bonus: Points that the rules give for the throw in addition to any keep.
    """

    table: MatchPosition
    at_risk: int
    n_dice: int
    hot: bool
    throw: Dice | None
    keeps: tuple[Keep, ...]
    bonus: int

    def most(self, rules: Ruleset) -> int:
        """Return the most points that can be at risk after the throw and a keep."""
        best = max((keep.score for keep in self.keeps), default=0)
        return self.at_risk + best + rules.last_die_twice


def parse(text: str, rules: Ruleset) -> OddsQuestion:
    """Parse a question about a turn.

    Args:
        text: Two scores, then keywords with their values, such as "3200 2950 turn 450 dice 3".
        rules: The rule set.

    Raises:
        UsageError: If a word is not understood.
        ThrowError: If the dice are not a throw under these rules.
    """
    words = text.split()
    mine, theirs = (int(_figures(words, i)) for i in (0, 1))
    values = _values(words[2:])
    n_dice = int(values.get("dice", rules.n_dice))
    if not 1 <= n_dice <= rules.n_dice:
        raise UsageError(f"--from: dice must be 1 to {rules.n_dice}, not {n_dice}")
    at_risk = int(values.get("turn", 0))
    throw = scoring.checked_dice(map(int, values["throw"]), rules) if "throw" in values else None
    keeps = scoring.legal_keeps(throw, rules) if throw else ()
    if throw and not keeps:
        raise UsageError("--from: this throw is a farkle, so there is nothing to decide")
    return OddsQuestion(
        MatchPosition(mine, theirs, second="second" in values),
        at_risk,
        n_dice,
        hot=n_dice == rules.n_dice and at_risk > 0,
        throw=throw,
        keeps=keeps,
        bonus=rules.last_die_twice if throw and len(throw) == 1 else 0,
    )


def _values(words: list[str]) -> dict[str, str]:
    """Return the value of each keyword in a question: the number after it, or "" for `second`, which takes none."""
    found: dict[str, str] = {}
    i = 0
    while i < len(words):
        word = words[i]
        if word == "second":
            found[word] = ""
            i += 1
        elif word in ("turn", "dice", "throw"):
            found[word] = _figures(words, i + 1)
            i += 2
        else:
            raise UsageError(f"--from: {quoted(word)} is not understood: write {_EXAMPLE}")
    return found


def _figures(words: list[str], i: int) -> str:
    word = words[i].replace(",", "") if i < len(words) else ""
    if not (word.isascii() and word.isdigit() and len(word) <= len(str(_MOST))):
        found = quoted(words[i]) if i < len(words) else "nothing"
        raise UsageError(f"--from: {found} where a number is expected: write {_EXAMPLE}")
    return word
