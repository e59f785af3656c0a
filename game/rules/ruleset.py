"""A rule set as data: every option with its default."""

from dataclasses import astuple, dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

PENALTY_STREAK = 3
"""Number of farkles in a row, or of turns in a row with a scoreless first throw, that incurs a
penalty."""

FacePoints = tuple[int, int, int, int, int, int]
"""Points for each face, from 1 to 6."""

Dice = tuple[int, ...]
"""Faces from 1 to 6, in ascending order."""

FACES = range(1, 7)
"""The faces of a die."""

PENALTY_FACE = 3
"""Three dice with this face in one throw may cost points."""

NO_EXCEPTIONS: tuple[int | None, ...] = (None,) * 18
"""Points for four, five and six 1s, then for the 2s, and so on. None leaves the points to
`alike`."""


class Alike(StrEnum):
    """How four, five and six of a kind score."""

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
    """Which players have another turn after the target has been reached."""

    NONE = "none"
    EVERY_OTHER = "every other"
    LATER_IN_ROUND = "later in round"
    CHARITY_ROLL = "charity roll"
    UNTIL_UNBEATEN = "until unbeaten"


class Ties(StrEnum):
    """Who plays on if the match ends in a tie."""

    NOBODY = "nobody"
    TIED_PLAYERS = "tied players"
    EVERYBODY = "everybody"


class HotDice(StrEnum):
    """Whether a player may or must throw again after scoring with all dice."""

    MAY = "may"
    MUST = "must"


class Piggyback(StrEnum):
    """Whether the next player may take over the dice and points that were just banked."""

    NO = "no"
    YES = "yes"
    NOT_HEAVY = "not heavy"


@dataclass(frozen=True)
class Ruleset:
    """The rules of a game: the value of every option.

    Points are 0 where a combination does not score or a rule is not played. `docs/rules.md`
    explains each option, and `game.rules.rule_options` describes the options of a rule set in
    sentences.
    """

    name: str
    title: str
    source: str = ""
    assumed: tuple[str, ...] = ()
    # Scoring
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
    nothing_first_throw: bool = False
    keep_all: bool = False
    hot_dice_multiply: bool = False
    # Turns
    opening: int = 0
    minimum_bank: int = 0
    must_beat_turn: bool = False
    most_throws: int = 0
    hot_dice: HotDice = HotDice.MAY
    must_throw_from: int = 0
    last_die_twice: int = 0
    must_bank_after_triple: bool = False
    piggyback: Piggyback = Piggyback.NO
    take_over_on_board: bool = False
    # The end of a match
    target: int = 10_000
    win: Win = Win.AT_LEAST
    last_round: LastRound = LastRound.NONE
    ties: Ties = Ties.NOBODY
    rounds: int = 0
    target_ends_rounds: bool = False
    welfare: bool = False
    all_alike_wins: bool = False
    all_ones_win: bool = False
    all_sixes_win: bool = False
    straight_wins: bool = False
    knock_back: bool = False
    # Penalties
    three_farkles: int = 0
    farkles_keep_costing: bool = False
    opening_at_zero: bool = False
    scoreless_start: int = 0
    three_scoreless_starts: int = 0
    take_over_farkle: int = 0
    triple_threes: int = 0
    four_twos_reset: bool = False
    below_zero: bool = True

    @property
    def has_target(self) -> bool:
        """Whether reaching the target ends the match."""
        return not self.rounds or self.target_ends_rounds

    def has_penalty(self, face: int) -> bool:
        """Return whether three dice with this face in one throw cost points."""
        return face == PENALTY_FACE and self.triple_threes > 0

    def triple_points(self, face: int) -> int:
        """Return the points for three of a kind, or 0 if they incur a penalty."""
        return 0 if self.has_penalty(face) else self.triples[face - 1]

    def exception_points(self, face: int, n: int) -> int | None:
        """Return the points for n of a kind if they are an exception to the option `alike`, else None.

        Args:
            face: The face.
            n: Number of dice, from 4 to 6.
        """
        points = self.alike_faces[3 * (face - 1) + n - 4]
        return 0 if points is None and self.has_penalty(face) else points

    @cached_property
    def _hash(self) -> int:
        return hash(astuple(self))

    def __hash__(self) -> int:
        """Return the hash, which is computed once because every lookup of a throw needs it."""
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Leave the hash out of pickles, because it differs in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}
