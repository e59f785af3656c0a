"""Which throw the picture in view shows, so that what people put right is known of its picture."""

import logging

from device.corrections import MisreadStore
from device.eye import Seen
from device.photos import slots
from device.truth import truth
from game.events import Place
from game.match import Match
from game.state import State, Throw
from vision.reading import Reading

log = logging.getLogger(__name__)


class MisreadCollector:
    """Looks at the match after every change; it may fail, and nobody but the log hears of it.

    Args:
        store: keeps the pictures that were read wrong.
    """

    def __init__(self, store: MisreadStore) -> None:
        self._store = store
        self._picture: Seen | None = None
        self._tapped: Throw | None = None
        self._match: State | None = None
        self._stayed: tuple[Place, ...] = ()

    def saw(self, picture: Seen) -> None:
        """This picture is in view now, as it was read."""
        self._picture, self._tapped = picture, None

    def tapped_in(self, before: Match, after: Match) -> None:
        """Somebody said what the picture in view shows: the throw that was added."""
        self._match, self._tapped = after.start_state, after.last_throw
        self._stayed = before.last_places

    def learn(self, match: Match) -> None:
        """What the picture in view really showed, as the match has it now."""
        throw = match.last_throw
        if not self._is_tapped(match, throw):
            self._tapped = None
        try:
            if self._picture and throw:
                self._learn(self._picture, throw)
        except Exception:
            log.exception("nothing can be learnt from a correction")

    def _learn(self, picture: Seen, throw: Throw) -> None:
        reading = picture.sight.reading
        if self._tapped:
            self._store.see(picture, truth(reading, throw, self._stayed))
        elif _shows(reading, throw):
            self._store.see(picture, truth(reading, throw, throw.set_aside))

    def _is_tapped(self, match: Match, throw: Throw | None) -> bool:
        """Whether this is still the throw that was tapped in, whatever its dice are by now."""
        tapped = self._tapped
        same_match = match.start_state is self._match
        return bool(tapped and throw and same_match and throw.index == tapped.index)


def _shows(reading: Reading, throw: Throw) -> bool:
    """Whether all of the throw's dice lie where they lay; some do in pictures of the next one."""
    return bool(throw.dice) and len(slots(reading, throw)) == len(throw.dice)
