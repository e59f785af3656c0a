"""Everything that can happen in a match, as small frozen facts, with their JSON form.

A match is the fold of its events (see `game.match.match`), and the journal holds nothing else.
"""

from dataclasses import asdict, dataclass
from typing import Any

from game.errors import JournalError, reason
from game.message import Message

UNKNOWN_FACE = 0
"""The face of a die that lies there but was corrected: which die it was is not known."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a die lay when its throw was accepted, in the reader's picture.

    The match never looks at it: it lets the next press know these dice again, even after a
    power cut. `size` is the edge of the die in the same unit as `x` and `y`, `angle` the turn of
    its edges in degrees, 0 to 90.
    """

    face: int
    x: float
    y: float
    size: float
    angle: float = 0.0
    aside: bool = False

    @property
    def seen(self) -> bool:
        """Whether a camera saw the die there: one that was tapped in lies nowhere."""
        return self.size > 0


@dataclass(frozen=True, slots=True)
class Thrown:
    """The player on turn threw these dice."""

    dice: tuple[int, ...]
    places: tuple[Place, ...] = ()

    @property
    def seen_positions(self) -> tuple[tuple[float, float], ...]:
        """Where a camera saw its dice: so a throw is found again through undo and correction."""
        return tuple((place.x, place.y) for place in self.places if place.seen)


@dataclass(frozen=True, slots=True)
class Kept:
    """Of the last throw these dice were set aside; `assumed` where nobody said so."""

    dice: tuple[int, ...]
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Banked:
    """The turn's points are written down; without `dice` the best keep of the last throw counts."""

    dice: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Farkled:
    """The turn ended with nothing, though nobody told which dice fell."""


@dataclass(frozen=True, slots=True)
class TookOver:
    """The player whose turn begins goes on with the dice and points just banked."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The player on turn is passed over; what was at risk is lost."""


@dataclass(frozen=True, slots=True)
class Joined:
    """One more player, who throws after all others; of a team if one is named."""

    name: str
    team: int | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """The player in this seat throws no more; the score stays on the board."""

    seat: int


@dataclass(frozen=True, slots=True)
class Renamed:
    """The player in this seat is called that from now on."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class Reordered:
    """From now on the players throw in this order of seats."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """A player's score was set by hand."""

    seat: int
    score: int


@dataclass(frozen=True, slots=True)
class TurnSet:
    """By hand: this player is on turn, has so many points and throws so many dice next."""

    seat: int
    points: int
    dice: int


Event = (
    Thrown
    | Kept
    | Banked
    | Farkled
    | TookOver
    | Skipped
    | Joined
    | Left
    | Renamed
    | Reordered
    | ScoreSet
    | TurnSet
)
"""What makes up the timeline of a match."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The throw that is event number `index` showed these dice."""

    index: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spliced:
    """The events from `start` up to `stop` gave way to others: put in, changed or dropped."""

    start: int
    stop: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The last step was taken back."""


@dataclass(frozen=True, slots=True)
class Redone:
    """The last step taken back was done again."""


Revision = Corrected | Spliced | Undone | Redone
"""What is done to the timeline itself."""

Action = Event | Revision
"""What is written to the journal."""

_KINDS: dict[str, type] = {
    kind.__name__.lower(): kind for kind in (*Event.__args__, *Revision.__args__)
}


def to_json(action: Action) -> dict[str, Any]:
    """`{"kind": "kept", "dice": [1, 1], "assumed": true}`."""
    data = {"kind": type(action).__name__.lower()} | asdict(action)
    if isinstance(action, Spliced):
        data["events"] = [to_json(event) for event in action.events]
    return data


def from_json(data: dict[str, Any]) -> Action:
    """The action that `to_json` wrote.

    Raises:
        JournalError: it was not written by `to_json`.
    """
    try:
        kind = _KINDS[data["kind"]]
        values = {key: _value(key, value) for key, value in data.items() if key != "kind"}
        action: Action = kind(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(
            Message(
                "not an event of a match: %(found)s (%(why)s)", found=repr(data), why=reason(error)
            )
        ) from None
    return action


def _value(key: str, value: Any) -> Any:
    match key:
        case "places":
            return tuple(Place(**place) for place in value)
        case "events":
            return tuple(map(from_json, value))
        case "dice" | "order" if isinstance(value, list):
            return tuple(map(int, value))
    return value
