"""Reviews a match as soon as it is won, so that the review is ready when somebody wants to see it."""

import logging
from collections.abc import Callable

from game.errors import JournalError
from game.journal.history import History, PlayedMatch
from game.match.match import Match

log = logging.getLogger(__name__)


class JustWon:
    """Notices when the match in play has been won, and starts its review.

    Args:
        history: All matches in the journal.
        review: Begins to review a match. It is called with the number of the match in the journal
            and the number of its steps.
    """

    def __init__(self, history: History, review: Callable[[int, int], object]) -> None:
        self._history, self._review = history, review
        self._is_played = False
        self._match_id = 0

    def is_about(self, match_id: int) -> bool:
        """Return whether the match with this number is the one that was won last."""
        return match_id == self._match_id

    def note(self, match: Match) -> None:
        """Begin to review the match in play if it has just been won."""
        was_played, self._is_played = self._is_played, match.state.winner is None
        if was_played and not self._is_played and (played := self._newest_match()):
            self._match_id = played.id
            self.review_again()

    def review_again(self) -> None:
        """Begin to review the match that was won last, unless another match has begun since."""
        played = self._newest_match()
        if played and self.is_about(played.id):
            self._review(played.id, played.steps)

    def _newest_match(self) -> PlayedMatch | None:
        try:
            return next(iter(self._history.matches(limit=1)), None)
        except JournalError as error:
            log.warning("cannot review the last match: %s", error)
            return None
