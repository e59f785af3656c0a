"""A question about a turn, in words: "3200 2950 turn 450 dice 3"."""

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
    """Points on the board, points at risk, dice in hand; or the throw that is to be decided.

    With a throw `at_risk` is what was there before it.
    """

    table: MatchPosition
    at_risk: int
    n_dice: int
    hot: bool
    throw: Dice | None
    keeps: tuple[Keep, ...]
    bonus: int

    def most(self, rules: Ruleset) -> int:
        """Points at risk up to which the answer looks."""
        best = max((keep.score for keep in self.keeps), default=0)
        return self.at_risk + best + rules.last_die_twice


def parse(text: str, rules: Ruleset) -> OddsQuestion:
    """The question in these words.

    Raises:
        UsageError: it cannot be read; says at which word.
        ThrowError: the dice are no throw of these rules.
    """
    words = text.split()
    mine, theirs = (int(_figures(words, i)) for i in (0, 1))
    said = _said(words[2:])
    n_dice = int(said.get("dice", rules.n_dice))
    if not 1 <= n_dice <= rules.n_dice:
        raise UsageError(f"--from: dice 1 to {rules.n_dice}, not {n_dice}")
    at_risk = int(said.get("turn", 0))
    throw = scoring.checked_dice(map(int, said["throw"]), rules) if "throw" in said else None
    keeps = scoring.legal_keeps(throw, rules) if throw else ()
    if throw and not keeps:
        raise UsageError("--from: that throw is a farkle: nothing is left to choose")
    return OddsQuestion(
        MatchPosition(mine, theirs, second="second" in said),
        at_risk,
        n_dice,
        hot=n_dice == rules.n_dice and at_risk > 0,
        throw=throw,
        keeps=keeps,
        bonus=rules.last_die_twice if throw and len(throw) == 1 else 0,
    )


def _said(words: list[str]) -> dict[str, str]:
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
