"""One published rule set as data: every option, with the default that all pages share."""

from dataclasses import dataclass
from enum import StrEnum

Faces = tuple[int, int, int, int, int, int]
"""Points by face: index 0 is the 1."""

NO_POINTS: Faces = (0, 0, 0, 0, 0, 0)
FACES = range(1, 7)


class Alike(StrEnum):
    """What four, five and six of a kind are worth."""

    NONE = "none"
    DOUBLING = "doubling"
    ADDING = "adding"
    FIXED = "fixed"


class Win(StrEnum):
    """When the target counts as reached."""

    AT_LEAST = "at least"
    OVER = "over"
    EXACTLY = "exactly"


class LastRound(StrEnum):
    """Who throws after the target was reached."""

    NONE = "none"
    EVERY_OTHER = "every other"
    LATER_IN_ROUND = "later in round"


class HotDice(StrEnum):
    """Whether one may, or must, throw on after scoring with all dice."""

    MAY = "may"
    MUST = "must"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Every option of the rules; the defaults are what all pages share.

    Points are 0 where a combination does not score. `alike_fixed` holds the points of four,
    five and six of a kind, used where `alike` is fixed.
    """

    name: str
    title: str
    source: str = ""
    assumed: tuple[str, ...] = ()
    n_dice: int = 6
    singles: Faces = (100, 0, 0, 0, 50, 0)
    triples: Faces = (1000, 200, 300, 400, 500, 600)
    alike: Alike = Alike.NONE
    alike_fixed: tuple[int, int, int] = (0, 0, 0)
    straight: int = 0
    low_straight: int = 0
    high_straight: int = 0
    three_pairs: int = 0
    four_and_pair: int = 0
    six_as_pairs: int = 0
    two_triplets: int = 0
    opening: int = 0
    minimum_bank: int = 0
    target: int = 10_000
    win: Win = Win.AT_LEAST
    last_round: LastRound = LastRound.NONE
    hot_dice: HotDice = HotDice.MAY
