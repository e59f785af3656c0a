"""Everything that can happen in a match, as small frozen facts, with their JSON form.

A match is the fold of its events (see `game.match`), and the journal holds nothing else.
"""

from dataclasses import asdict, dataclass
from typing import Any

from game.errors import JournalError

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


@dataclass(frozen=True, slots=True)
class Thrown:
    """The player on turn threw these dice."""

    dice: tuple[int, ...]
    places: tuple[Place, ...] = ()


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
class Renamed:
    """The player in this seat is called that from now on."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """The throw that is event number `index` showed these dice."""

    index: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The last step was taken back."""


@dataclass(frozen=True, slots=True)
class Redone:
    """The last step taken back was done again."""


Event = Thrown | Kept | Banked | Renamed
"""What makes up the timeline of a match."""

Action = Event | Corrected | Undone | Redone
"""What is written to the journal: events, and what was done to the timeline."""

_KINDS: dict[str, type] = {
    kind.__name__.lower(): kind
    for kind in (Thrown, Kept, Banked, Renamed, Corrected, Undone, Redone)
}


def to_json(action: Action) -> dict[str, Any]:
    """`{"kind": "kept", "dice": [1, 1], "assumed": true}`."""
    return {"kind": type(action).__name__.lower()} | asdict(action)


def from_json(data: dict[str, Any]) -> Action:
    """The action that `to_json` wrote.

    Raises:
        JournalError: it was not written by `to_json`.
    """
    values = dict(data)
    try:
        kind = _KINDS[values.pop("kind")]
        if values.get("dice") is not None:
            values["dice"] = tuple(int(face) for face in values["dice"])
        if "places" in values:
            values["places"] = tuple(Place(**place) for place in values["places"])
        action: Action = kind(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(f"not an event of a match: {data!r} ({error})") from None
    return action
