"""What the session asks of the watch over the tray, and what it gets back."""

from dataclasses import dataclass, replace
from typing import Protocol

from device.session.placement import fill_known_faces
from game.match.events import Place
from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class TrayReading:
    """A reading of the still tray, with what the watch knows about the time before it.

    Attributes:
        reading: The dice as the camera saw them.
        has_tumbled: True if dice were seen rolling without a hand since the last accepted reading,
            False if the tray was watched all the time and none rolled, None if it was not watched
            (after a start, or while there was no camera).
        time_s: When the tray was seen to lie like this, in seconds on the watch's clock.
    """

    reading: Reading
    has_tumbled: bool | None = None
    time_s: float = 0.0

    def with_known_faces(self, places: tuple[Place, ...]) -> "TrayReading":
        """Return this reading with the known faces of unreadable dice that have not moved.

        Args:
            places: Where dice with known faces lay.
        """
        return replace(self, reading=fill_known_faces(self.reading, places))

    def with_face(self, die: int, face: int) -> "TrayReading":
        """Return this reading with the face of one die as named by a person.

        Args:
            die: Index of the die in the reading, from 0.
            face: Pips on its top face, 1 to 6.
        """
        dice = list(self.reading.dice)
        dice[die] = replace(dice[die], value=face, confidence=1.0, problem=None)
        return replace(self, reading=replace(self.reading, dice=tuple(dice)))

    def without(self, die: int) -> "TrayReading":
        """Return this reading without one object, because a person said that it is not a die.

        Args:
            die: Index of the object in the reading, from 0.
        """
        dice = self.reading.dice
        return replace(self, reading=replace(self.reading, dice=dice[:die] + dice[die + 1 :]))


class TrayReader(Protocol):
    """The watch over the tray, as the session sees it."""

    def request_reading(
        self,
        *,
        needs_motion: bool = False,
        since_s: float | None = None,
        is_unprompted: bool = False,
    ) -> int:
        """Ask for a reading once the tray is still; this replaces any earlier request.

        Args:
            needs_motion: Read only after something has moved. Such a request never times out.
            since_s: Time after which it must have moved, in seconds on the watch's clock; None
                means from now on.
            is_unprompted: Whether nobody asked for this reading.

        Returns:
            The number of the request, which the report that answers it repeats.
        """

    def cancel_request(self) -> None:
        """Drop the outstanding request."""

    def mark_accepted(self, time_s: float | None = None) -> None:
        """Note that a throw was accepted; `has_tumbled` counts from here.

        Args:
            time_s: When the tray was seen as it was accepted, in seconds on the watch's clock; None
                if the dice were tapped in.
        """

    def retract_accepted(self) -> None:
        """Answer `has_tumbled` with None until the next accepted reading, because the last one was undone."""

    def discard_readings(self, since_s: float = 0.0) -> None:
        """Forget what readings taught about the look of the tray, because they were wrong.

        Args:
            since_s: Forget the readings from this time on, in seconds on the watch's clock.
        """

    @property
    def has_tumbled(self) -> bool | None:
        """Whether dice were seen rolling since the last accepted reading; None if not watched throughout."""

    def surely_tumbled_since(self, time_s: float) -> bool:
        """Return whether dice were certainly seen rolling after a time on the watch's clock, in seconds."""

    @property
    def is_moving(self) -> bool:
        """Whether something other than a hand is moving over the tray now."""
