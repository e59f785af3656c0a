"""One published rule set as data: every option, with the default that all pages share."""

from dataclasses import astuple, dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

PENALTY_STREAK = 3
"""Farkles, or turns that begin scoreless, in a row: what the penalties count."""

FacePoints = tuple[int, int, int, int, int, int]
"""Points by face: index 0 is the 1."""

Dice = tuple[int, ...]
"""Faces 1..6 in ascending order."""

FACES = range(1, 7)

PENALTY_FACE = 3
"""Three of it may cost."""

NO_EXCEPTIONS: tuple[int | None, ...] = (None,) * 18
"""Points of four, five and six 1s, then 2s and so on; None is as `alike` has it."""


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
    CHARITY_ROLL = "charity roll"


class HotDice(StrEnum):
    """Whether one may, or must, throw on after scoring with all dice."""

    MAY = "may"
    MUST = "must"


class Piggyback(StrEnum):
    """Whether the next player may go on with the dice and points that were just banked."""

    NO = "no"
    YES = "yes"
    NOT_HEAVY = "not heavy"


@dataclass(frozen=True)
class Ruleset:
    """Every option of the rules; the defaults are what all pages share.

    Points are 0 where a combination does not score or a rule is not played. The meaning of each
    option is in docs/rules.md, and as a sentence with its figures in `game.rules.sentences`.
    """

    name: str
    title: str
    source: str = ""
    assumed: tuple[str, ...] = ()
    # What scores
    n_dice: int = 6
    singles: FacePoints = (100, 0, 0, 0, 50, 0)
    triples: FacePoints = (1000, 200, 300, 400, 500, 600)
    alike: Alike = Alike.NONE
    alike_fixed: tuple[int, int, int] = (0, 0, 0)
    alike_faces: tuple[int | None, ...] = NO_EXCEPTIONS
    straight: int = 0
    low_straight: int = 0
    high_straight: int = 0
    three_pairs: int = 0
    four_and_pair: int = 0
    six_as_pairs: int = 0
    two_triplets: int = 0
    full_house: int = 0
    nothing: int = 0
    hot_dice_multiply: bool = False
    # How a turn goes
    opening: int = 0
    minimum_bank: int = 0
    hot_dice: HotDice = HotDice.MAY
    must_throw_from: int = 0
    last_die_twice: int = 0
    must_bank_after_triple: bool = False
    piggyback: Piggyback = Piggyback.NO
    # How a match ends
    target: int = 10_000
    win: Win = Win.AT_LEAST
    last_round: LastRound = LastRound.NONE
    rounds: int = 0
    welfare: bool = False
    all_alike_wins: bool = False
    all_ones_win: bool = False
    # What is taken away
    three_farkles: int = 0
    three_scoreless_starts: int = 0
    take_over_farkle: int = 0
    triple_threes: int = 0
    four_twos_reset: bool = False
    below_zero: bool = True

    def costs(self, face: int) -> bool:
        """Whether three of it, and more where nothing is said of just so many, cost points."""
        return face == PENALTY_FACE and self.triple_threes > 0

    def triple(self, face: int) -> int:
        """Points of three of it; where three 3s cost, that stands in place of them."""
        return 0 if self.costs(face) else self.triples[face - 1]

    def exception(self, face: int, n: int) -> int | None:
        """Points of `n` of it, four or more; None where they are as `alike` has it."""
        said = self.alike_faces[3 * (face - 1) + n - 4]
        return 0 if said is None and self.costs(face) else said

    @cached_property
    def _hash(self) -> int:
        return hash(astuple(self))

    def __hash__(self) -> int:
        """Worked out once: every look-up of a throw asks for it."""
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash, which is another in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}
