"""The coach, as the pages need it: odds for each choice, and reviews of past matches.

`device.coach.coach` implements `Coach`.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from game.match.bot import PlayerStyle
from game.message import Message
from game.odds.figures import Caveat, Figures
from game.odds.review import Review
from game.practice.handicap import HeadStart
from game.rules.ruleset import Ruleset
from game.stats.counts import Totals


class CoachMode(StrEnum):
    """The amount of advice that the coach gives during a match."""

    OFF = "off"
    AFTER = "after"
    """The coach comments only on turns that are over."""

    WHY = "why"
    """The coach also states what each decision cost."""

    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Coaching:
    """The coach's current advice.

    Attributes:
        mode: The amount of advice that the coach gives.
        figures: The odds; None while they are being calculated, or if the coach is off.
        solving: How much of the calculation of chances of winning is done, from 0 to 1; None if none
            is running.
        trouble: Why there will be no chances of winning; None if there are some, or may be later.
    """

    mode: CoachMode = CoachMode.OFF
    figures: Figures | None = None
    solving: float | None = None
    trouble: Message | None = None


@dataclass(frozen=True, slots=True)
class ReviewedMatch:
    """A past match, reviewed by the coach.

    Attributes:
        review: Luck and decisions of each turn.
        solved: Whether the review contains chances of winning.
        caveats: The rules and circumstances that these chances do not take into account.
        solving: As in `Coaching`, for the rules of this match.
        trouble: As in `Coaching`, for the rules of this match.
    """

    review: Review
    solved: bool
    caveats: tuple[Caveat, ...] = ()
    solving: float | None = None
    trouble: Message | None = None


class Coach(Protocol):
    """Calculates odds and reviews matches in the background. Any thread may call its methods, most of which return at once."""

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """Return the review of a match, or None while it is being calculated.

        Args:
            match_id: Number of the match in the journal.
            steps: How many steps of the match are in the journal; after another step, it is reviewed again.
        """

    def solve(self, match_id: int) -> None:
        """Start calculating the chances of winning under the rules of a match.

        Raises:
            JournalError: If there is no such match.
        """

    def counts(self) -> Totals | None:
        """Return the statistics over all matches, or None while they are being counted."""

    def style(self, name: str, rules: Ruleset) -> PlayerStyle:
        """Return how a person plays. This takes seconds, unlike most of the other methods.

        Args:
            name: Name of the person.
            rules: Rules of the match in which a bot will play in this style.

        Raises:
            OddsError: If the person has made too few decisions.
            TableError: If the coach does not answer.
        """

    def head_start(self, rules: Ruleset) -> HeadStart:
        """Return the head start that gives two equally good players the same chance of winning.

        Raises:
            OddsError: If the chances of winning under these rules have not been computed.
            TableError: If the coach does not answer.
        """

    def start_dice_set(self, name: str) -> None:
        """Count matches that begin from now on towards the dice set with this name.

        Raises:
            TableError: If this cannot be saved.
        """
