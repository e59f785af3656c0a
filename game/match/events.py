"""Everything that can happen in a match, as small immutable events that can be written as JSON.

Applying the events in order gives the state of the match (see `game.match.match`). The journal
stores nothing else.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from game.errors import JournalError, reason

UNKNOWN_FACE = 0
"""Stands for the face of a die that may have been misread, after its throw was corrected."""


class BotDice(StrEnum):
    """Who throws the dice of a bot."""

    TRAY = "tray"
    """A person throws them in the tray."""

    SIMULATED = "simulated"
    """The companion simulates them."""


class BotLevel(StrEnum):
    """How well a bot plays that imitates nobody, from the weakest level to the strongest."""

    BEGINNER = "beginner"
    """Looks at the points at risk, and too little at the number of dice left to throw."""

    CASUAL = "casual"
    """Judges the risk of a throw well, but ignores the scores of the match."""

    BEST = "best"
    """Makes the choice with the best chance of winning."""


@dataclass(frozen=True, slots=True)
class PlayerStyle:
    """How a person plays, as learnt from that person's turns.

    Attributes:
        player: Name of the person.
        thresholds: Points at risk at which the person banks in half of the cases, by the number of
            dice left to throw, from 1.
        spread: How far individual decisions vary around the thresholds, in points.
        worth_of_die: Points that the person is willing to give up to have one more die for the
            next throw.
        takes_over: Whether the person takes over the dice and points that another player has just
            banked.
        lapse: Share of the decisions that do not depend on the points, as in a moment of
            inattention. For these decisions, banking and throwing again are equally likely.
    """

    player: str
    thresholds: tuple[int, ...]
    spread: int
    worth_of_die: int = 0
    takes_over: bool = False
    lapse: float = 0.0


@dataclass(frozen=True, slots=True)
class Bot:
    """A player whose decisions Traykeeper makes.

    Attributes:
        dice: Who throws the dice.
        style: The style of the person whom the bot imitates. None means that it plays at `level`.
        seed: Seed for the simulated dice and for decisions near a threshold, so that the same dice
            come up again after an undo.
        level: How well the bot plays if it imitates nobody.
    """

    dice: BotDice = BotDice.SIMULATED
    style: PlayerStyle | None = None
    seed: int = 0
    level: BotLevel = BotLevel.BEST

    def to_json(self) -> dict[str, Any]:
        """Return the bot as the journal stores it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the bot that `to_json` wrote.

        Raises:
            KeyError: If a key is missing.
            TypeError: If a value has the wrong type.
            ValueError: If a value is not allowed.
        """
        style = data["style"]
        return cls(
            BotDice(data["dice"]),
            style and _style(**style),
            int(data["seed"]),
            BotLevel(data["level"]),
        )


def _style(thresholds: list[int], **others: Any) -> PlayerStyle:
    return PlayerStyle(thresholds=tuple(map(int, thresholds)), **others)


@dataclass(frozen=True, slots=True)
class Place:
    """The place at which a die lay when its throw was accepted.

    The match itself ignores places. They let the next reading recognise dice that have not moved,
    even after a power cut.

    Attributes:
        face: The face that the die shows.
        x: Horizontal position of the centre, in pixels of the image that was read.
        y: Vertical position of the centre, in pixels downwards.
        size: Edge length of the die, in pixels. 0 if no camera saw the die.
        angle: Rotation of the edges in degrees, from 0 to 90.
        aside: Whether the die lay in the set-aside area.
    """

    face: int
    x: float
    y: float
    size: float
    angle: float = 0.0
    aside: bool = False

    @property
    def seen(self) -> bool:
        """Whether a camera saw the die. A die that was entered by hand has no position."""
        return self.size > 0


@dataclass(frozen=True, slots=True)
class Thrown:
    """The current player threw these dice."""

    dice: tuple[int, ...]
    places: tuple[Place, ...] = ()

    @property
    def seen_positions(self) -> tuple[tuple[float, float], ...]:
        """The (x, y) positions of the dice that a camera saw.

        They identify a throw even after it was undone and redone, or corrected.
        """
        return tuple((place.x, place.y) for place in self.places if place.seen)


@dataclass(frozen=True, slots=True)
class Kept:
    """Dice from the last throw were set aside.

    Attributes:
        dice: The kept faces.
        assumed: Whether the companion worked out the keep. If it is False, a person stated it.
    """

    dice: tuple[int, ...]
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Banked:
    """The turn was banked. If `dice` is None, the best keep of the last throw counts."""

    dice: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Farkled:
    """The turn ended without points, after a throw that the camera did not read."""


@dataclass(frozen=True, slots=True)
class TookOver:
    """The player whose turn begins took over the dice and points that were just banked."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The current player was skipped and lost the points at risk."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A player joined, in team number `team` if it is given.

    The new player throws after all others.
    """

    name: str
    team: int | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """The player in this seat left. The score stays on the scoreboard."""

    seat: int


@dataclass(frozen=True, slots=True)
class Renamed:
    """The player in this seat was given another name."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class Reordered:
    """The order of turns was changed to this order of seats."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """A person set the score of a player."""

    seat: int
    score: int


@dataclass(frozen=True, slots=True)
class TurnSet:
    """Somebody set by hand whose turn it is.

    Attributes:
        seat: The current player.
        points: Points at risk.
        dice: Number of dice in the next throw.
    """

    seat: int
    points: int
    dice: int


PlayEvent = Thrown | Kept | Banked | Farkled | TookOver | Skipped
"""An event that belongs to the current player."""

ManualEvent = Joined | Left | Renamed | Reordered | ScoreSet | TurnSet
"""A change to the match that a person enters by hand."""

Event = PlayEvent | ManualEvent
"""An event in the timeline of a match, which is the list of its events."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The throw at this index in the match's timeline was corrected to these faces."""

    index: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spliced:
    """Events were inserted, replaced or removed.

    Attributes:
        start: Index of the first event that was replaced, in the match's timeline.
        stop: Index after the last event that was replaced.
        events: The new events.
    """

    start: int
    stop: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The last step was undone."""


@dataclass(frozen=True, slots=True)
class Redone:
    """The step that was undone most recently was redone."""


Revision = Corrected | Spliced | Undone | Redone
"""A change to the timeline itself."""

Action = Event | Revision
"""A part of a step in the journal: an event, or a change to the timeline."""

_KINDS: dict[str, type] = {
    kind.__name__.lower(): kind for kind in (*Event.__args__, *Revision.__args__)
}


def to_json(action: Action) -> dict[str, Any]:
    """Return an action as JSON, such as `{"kind": "kept", "dice": [1, 1], "assumed": true}`."""
    data = {"kind": type(action).__name__.lower()} | asdict(action)
    if isinstance(action, Spliced):
        data["events"] = [to_json(event) for event in action.events]
    return data


def from_json(data: dict[str, Any]) -> Action:
    """Return the action that `to_json` wrote.

    Raises:
        JournalError: If the data is not an action.
    """
    try:
        kind = _KINDS[data["kind"]]
        values = {key: _value(key, value) for key, value in data.items() if key != "kind"}
        action: Action = kind(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise JournalError(
            "not an event of a match: %(found)s (%(why)s)", found=repr(data), why=reason(error)
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
