"""The table, as the pages and the API need it: immutable snapshots and a few requests.

The companion implements `Table`.
"""

from dataclasses import dataclass, field
from typing import Protocol

from game.commands import Command
from game.dice_log import DiceLog
from game.match.match import Match
from game.match.rolloff import RollOff
from game.message import Message
from game.situation import Choice, Situation
from web.contracts.coach import Coaching
from web.contracts.shared_match import OtherTrayView


@dataclass(frozen=True, slots=True)
class PhotoDie:
    """A die in the photo. Positions and sizes are fractions of the photo's width and height.

    Attributes:
        value: The face; None if it is uncertain.
        x: Horizontal position of the centre of its top face.
        y: Vertical position of the centre of its top face.
        w: Width of its box.
        h: Height of its box.
        angle: Rotation of its edges in degrees, from 0 to below 90.
        zone: Where the die lies: in the tray, or in the set-aside area.
        problem: Why the face is uncertain, if it is.
        slot: Position of the die in the throw that the photo shows; None if it is not part of that throw.
    """

    value: int | None
    x: float
    y: float
    w: float
    h: float
    angle: float
    zone: str
    problem: str | None
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Photo:
    """The annotated photo of the dice in view; `Album.photo` returns its JPEG.

    Attributes:
        id: A hash of what the photo shows, so that different photos never have the same id.
        width: Width in pixels.
        height: Height in pixels.
        dice: The dice in the photo.
        index: Index of its throw in the timeline of the match; None if the photo belongs to an open question.
        has_clip: Whether `Album.clip` returns how these dice came to rest.
    """

    id: str
    width: int
    height: int
    dice: tuple[PhotoDie, ...]
    index: int | None = None
    has_clip: bool = False


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light that the lamp at the tray shows.

    Attributes:
        colour: The colour as "#rrggbb".
        blink: How often it blinks, in times per second; 0 means steady.
        meaning: What the colour and the blinking mean, in words.
    """

    colour: str
    blink: float
    meaning: Message


@dataclass(frozen=True, slots=True)
class ScorekeeperView:
    """Who the scorekeeper is, in a form that every phone may see. Phones are identified by their badges.

    Attributes:
        holder: The scorekeeper's phone, or "" if there is none.
        asking: The phone that is asking to take over, or "" if none is.
        by_button: Whether the next press of the real button makes the asking phone the scorekeeper.
        by_holder: Whether the scorekeeper is active and is being asked instead.
        own_turn: Whether a player's own phone may keep, bank and correct during that player's turn.
        players: (phone, player's name) of each phone that belongs to a player.
        asker: A name for the asking phone: its player, or its kind; "" if none is asking.
    """

    holder: str = ""
    asking: str = ""
    by_button: bool = False
    by_holder: bool = False
    own_turn: bool = False
    players: tuple[tuple[str, str], ...] = ()
    asker: str | Message = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All data that a phone needs to show the table as it is at one moment.

    Attributes:
        version: A number that increases with every change.
        situation: The state of the table, which decides what the button does.
        message: What has just happened, in one line.
        lamp: The light that the lamp shows.
        advice: What to do now, one sentence for each problem.
        match: The match; None if there is none.
        step: A number that increases whenever the match changes, even when a step is undone.
        rolloff: The roll-off that decides who starts; None if there is none.
        photo: The annotated photo of the dice in view; None if there is none.
        just_dice: The throws without a match; None if a match is being played or may be set up.
        unread_throw: Why nothing can be kept or banked before a throw is read; None if no throw is
            unread.
        question: The open question. A hold of the button picks the first of `choices`.
        choices: Answers to the question or, without a question, other interpretations of the last throw.
        has_ignored_objects: Whether somebody has said of an object in the open question that it is not a die, so
            that undo takes the object into account again.
        simulated: Whether the tray is simulated; the page then has buttons to throw and to press.
        camera: Name of the camera; None while there is none and throws are entered by hand.
        hands_off: Whether the dice are read without a press of the button.
        join_url: The address in the QR code.
        calibrated: Whether the tray is calibrated or needs no calibration.
        notice: The changes since the calibration; None if nothing has changed.
        troubles: The problems of the appliance, one sentence for each.
        safe_mode: Whether the camera and the button are off because several starts failed.
        scorekeeper: Who the scorekeeper is.
        coach: The coach's advice about the match.
        other_tray: The other tray of a match that is played at two trays; None if there is none.
    """

    version: int
    situation: Situation
    message: Message
    lamp: Lamp
    advice: tuple[Message, ...] = ()
    match: Match | None = None
    step: int = 0
    rolloff: RollOff | None = None
    photo: Photo | None = None
    just_dice: DiceLog | None = None
    unread_throw: Message | None = None
    question: Message | None = None
    choices: tuple[Choice, ...] = ()
    has_ignored_objects: bool = False
    simulated: bool = False
    camera: str | None = None
    hands_off: bool = False
    join_url: str = ""
    calibrated: bool = True
    notice: Message | None = None
    troubles: tuple[Message, ...] = ()
    safe_mode: bool = False
    scorekeeper: ScorekeeperView = field(default_factory=ScorekeeperView)
    coach: Coaching = field(default_factory=Coaching)
    other_tray: OtherTrayView | None = None


class ChangingTable(Protocol):
    """The part of the companion that announces changes. Any thread may call its methods."""

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot as soon as there is a newer one.

        Args:
            after: The version that the caller already has.
            timeout_s: How long to wait before returning None, in seconds.
        """


class Album(Protocol):
    """The latest photos of dice, by `Photo.id`. Any thread may call its methods."""

    def photo(self, name: str, /) -> bytes | None:
        """Return an annotated photo as JPEG, or None if it is no longer kept."""

    def die(self, name: str, number: int, /) -> bytes | None:
        """Return one die in a photo as JPEG, at full resolution and without annotation.

        Return None if the image is no longer kept.

        Args:
            name: The photo's `Photo.id`.
            number: Position of the die in `Photo.dice`, from 0.
        """

    def clip(self, name: str, /) -> bytes | None:
        """Return a clip of how the dice in a photo came to rest, as Motion JPEG, or None if there is none."""


class Table(ChangingTable, Protocol):
    """The companion, as the pages and the API see it. Any thread may call its methods."""

    @property
    def album(self) -> Album:
        """The latest photos of dice."""

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""

    def view(self) -> bytes | None:
        """Return a small live image of the tray as JPEG, or None if there is none."""

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Run a command and return the snapshot after it.

        Args:
            command: The command to carry out.
            request: Mark of the request, which the journal stores with the steps that the request
                causes; "" if there is none.

        Raises:
            GameError: If the rules refuse the command.
            TableError: If the table refuses the command.
        """
