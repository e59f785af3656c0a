"""The tray watch (the part of the program that observes the tray), as a session sees it."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Protocol

from device.session.placement import fill_known_faces
from game.match.events import Place
from vision.reading import Reading

_ids = count(1)


@dataclass(frozen=True, slots=True)
class TrayReading:
    """A reading of the still tray, with what was seen before the dice came to rest.

    Attributes:
        reading: The dice as the camera saw them.
        has_tumbled: True if dice were seen rolling, not just being moved by a hand, since the last
            accepted reading; False if the tray was watched throughout and none rolled; None if none
            were seen, but the tray was not watched throughout (before a start, or without a camera).
        time_s: When the tray was seen in this state, in seconds on the tray watch's clock.
        id: Identifies the reading and its picture. A reading that is completed or corrected keeps it.
    """

    reading: Reading
    has_tumbled: bool | None = None
    time_s: float = 0.0
    id: int = field(default_factory=_ids.__next__, compare=False)

    @property
    def is_empty(self) -> bool:
        """Whether the tray is surely empty."""
        return self.reading.is_sure and not self.reading.dice_in_tray

    def with_known_faces(self, places: tuple[Place, ...]) -> "TrayReading":
        """Return this reading, completed with the known faces of unreadable dice that have not moved.

        Args:
            places: The places of dice with known faces.
        """
        return replace(self, reading=fill_known_faces(self.reading, places))

    def with_face(self, die: int, face: int) -> "TrayReading":
        """Return this reading with the face of one die set to the one that a person named.

        Args:
            die: Index of the die in the reading, from 0.
            face: Number of pips on the top face of the die, 1 to 6.
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
    """The methods of the tray watch that a session needs."""

    def request_reading(
        self,
        *,
        needs_motion: bool = False,
        since_s: float | None = None,
        is_unprompted: bool = False,
    ) -> int:
        """Request a reading of the tray once it is still. This replaces any earlier request.

        Args:
            needs_motion: Whether to read only after something has moved. Such a request never times
                out.
            since_s: Time after which something must have moved, in seconds on the tray watch's clock;
                None means now.
            is_unprompted: True if the session requests the reading by itself, without a person
                having asked for it.

        Returns:
            The number of the request. The report with the reading contains the same number.
        """

    def cancel_request(self) -> None:
        """Cancel the outstanding request for a reading, if there is one."""

    def mark_accepted(self, time_s: float | None = None) -> None:
        """Note that a throw was accepted, so that `has_tumbled` covers the time since then.

        Args:
            time_s: When the accepted throw was seen in the tray, in seconds on the tray watch's clock;
                None if the dice were entered on a phone.
        """

    def retract_accepted(self) -> None:
        """Record that the last accepted throw was undone: `has_tumbled` is None until the next throw is accepted."""

    def discard_readings(self, since_s: float = 0.0) -> None:
        """Forget what wrong readings taught about the appearance of the tray.

        Args:
            since_s: Time of the first reading to forget, in seconds on the tray watch's clock; 0 forgets all.
        """

    @property
    def has_tumbled(self) -> bool | None:
        """Whether dice have been seen rolling since the last accepted reading.

        It is None if none were seen, but the tray was not watched throughout.
        """

    def surely_tumbled_since(self, time_s: float) -> bool:
        """Return whether dice were certainly seen rolling after a time, in seconds on the tray watch's clock."""

    @property
    def is_moving(self) -> bool:
        """Whether something other than a hand is moving over the tray now."""
