"""What the page needs of the companion: immutable snapshots, and the few things one can ask.

The companion implements `Table`; nothing in this room knows how.
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


@dataclass(frozen=True, slots=True)
class PhotoDie:
    """A die on the photo; x, y (centre of the top face), w, h are fractions of the picture.

    `slot` is its number in the throw that the photo shows, None where it is not of it.
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
    """The annotated photo of what is in view; its JPEG is `Table.photo(id)`.

    `id` is made of what it shows, so it never means another picture. `index` is the throw on the
    timeline that it shows, None where it shows none: then it is of what is in question.
    """

    id: str
    width: int
    height: int
    dice: tuple[PhotoDie, ...]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Lamp:
    """What the lamp by the tray shows: `colour` is "#rrggbb", `blink` in times a second."""

    colour: str
    blink: float
    meaning: Message


@dataclass(frozen=True, slots=True)
class ScorekeeperView:
    """Who holds the pencil, and who asks for it; phones are known by their badges.

    Attributes:
        holder: the phone that holds it, "" if none does.
        asking: the phone that asks for it now, "" if none does.
        asker: what people may call that phone: its player's name, or a number; "" if none does.
        by_button: the next press of the tray's real button gives it to who asks.
        by_holder: the holder is here, and is asked.
        own_turn: each player's own phone may keep, bank and correct in that player's turn.
        players: (phone, name) of who plays on which.
    """

    holder: str = ""
    asking: str = ""
    by_button: bool = False
    by_holder: bool = False
    own_turn: bool = False
    players: tuple[tuple[str, str], ...] = ()
    asker: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a phone needs to draw the table, at one moment.

    Attributes:
        version: grows by one with every change.
        step: grows by one whenever the match changes, forth or back.
        message: what just happened, in one line.
        advice: what to do now, one sentence each; may be empty.
        question: the open question; the first of `choices` is what a hold of the button says.
        choices: answers to the question, or without one, repairs on offer ("Anna banked 550").
        has_ignored_objects: something was called nothing in what is open: a step back looks at it again.
        simulated: there is no real tray: the page offers throwing and the button.
        camera: the camera's name, or None while there is none and dice are tapped in.
        just_dice: the throws where no match is played; None where one is, or may be set up.
        hands_off: whether dice that were thrown are read by themselves.
        join_url: what the QR code says.
        calibrated: whether camera and tray were fitted to each other, or need not be.
        notice: what has changed since then, in a sentence; None where nothing did.
        troubles: what is wrong with the appliance, one sentence each; usually nothing.
        scorekeeper: who may change anything.
        coach: what it says of the match.
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
    scorekeeper: ScorekeeperView = field(default_factory=ScorekeeperView)
    coach: Coaching = field(default_factory=Coaching)


class Table(Protocol):
    """The companion as the page sees it. Every method may be called from any thread.

    `do` raises `game.GameError` or `game.situation.TableError` where it is refused.
    """

    def snapshot(self) -> Snapshot: ...

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """The newest snapshot once its version is above `after`; None after the timeout."""

    def photo(self, photo_id: str) -> bytes | None:
        """The JPEG, while it is among the last few."""

    def photo_die(self, photo_id: str, die: int) -> bytes | None:
        """That die of it, counted from 0, at full resolution and without marks, as JPEG."""

    def view(self) -> bytes | None:
        """What the camera sees of the tray now, small, as JPEG; None while that cannot be told."""

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Do what somebody asks for; gives the snapshot after it.

        Steps that it leads to are written with the mark of the `request`.
        """
