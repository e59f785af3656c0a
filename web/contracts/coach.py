"""What the page needs of the coach: figures for each choice, and matches looked back on.

`device.coach.coach` implements `Coach`; nothing in this room knows how.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from game.message import Message
from game.odds.figures import Caveat, Figures
from game.odds.review import Review
from game.stats.counts import Totals


class CoachMode(StrEnum):
    """How much the coach says at the table."""

    OFF = "off"
    AFTER = "after"
    """Only of a turn that is over."""

    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Coaching:
    """What the coach says now.

    Attributes:
        figures: None until they are worked out, and where nothing is to be said.
        solving: the share that is done of working out chances to win; None while it is not under way.
        trouble: why there will be no chances to win; None where there are, or may be.
    """

    mode: CoachMode = CoachMode.OFF
    figures: Figures | None = None
    solving: float | None = None
    trouble: Message | None = None


@dataclass(frozen=True, slots=True)
class ReviewedMatch:
    """A match looked back on.

    Attributes:
        solved: whether chances to win are in it.
        caveats: what these leave out.
        solving, trouble: as in `Coaching`, for the rules of this match.
    """

    review: Review
    solved: bool
    caveats: tuple[Caveat, ...] = ()
    solving: float | None = None
    trouble: Message | None = None


class Coach(Protocol):
    """Works things out aside. Every method may be called from any thread, and returns at once."""

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """The match of that number, with so many steps in the journal; None while it is worked out."""

    def solve(self, match_id: int) -> None:
        """Work out chances to win under the rules of that match.

        Raises:
            JournalError: there is no such match.
        """

    def counts(self) -> Totals | None:
        """What all matches come to; None while they are counted."""

    def start_dice_set(self, name: str) -> None:
        """Matches that begin from now on are thrown with other dice.

        Raises:
            TableError: that cannot be kept.
        """
