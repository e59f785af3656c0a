"""What the companion may make of a reading."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from game.match.events import Action, Event
from game.message import Message
from game.situation import Situation
from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class Answer:
    """A sentence a person can choose, and what then happens: actions of the match, or `chosen`."""

    label: Message
    actions: tuple[Action, ...] = ()
    chosen: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """The throw counts: push these events. `repairs` are other ways to see it, one tap each."""

    events: tuple[Event, ...]
    note: Message | None = None
    repairs: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """It stays open what happened. The first option is the "yes" of a hold."""

    question: Message
    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NotThrown:
    """The dice were not thrown: the match does not move. `override` says that they were."""

    note: Message
    override: Answer | None = None


@dataclass(frozen=True, slots=True)
class Attention:
    """Something must be set right at the tray first: one sentence for each problem."""

    advice: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class EmptyTray:
    """No dice lie in the tray: the next throw will be read when it lies still."""


Verdict = Accept | Ask | NotThrown | Attention | EmptyTray


@dataclass(frozen=True, slots=True)
class WaitingForStillness:
    """A look was asked for.

    `armed` where it waits for the next throw, `then_bank` where a hold asked, `confirming` a costly
    reading. `again` is the index of the throw that is read once more, `by_itself` where nobody asked;
    then `before` is what was open meanwhile. What comes of it is done for the `request`.
    """

    situation: ClassVar = Situation.WAITING

    look: int
    armed: bool = False
    then_bank: bool = False
    confirming: Reading | None = None
    again: int | None = None
    by_itself: bool = False
    before: "Overlay | None" = None
    request: str = ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question is open; the first option is what a hold says."""

    situation: ClassVar = Situation.QUESTION

    question: Message
    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NeedsAttention:
    """Something must be set right at the tray."""

    situation: ClassVar = Situation.ATTENTION

    advice: tuple[Message, ...]


Overlay = WaitingForStillness | OpenQuestion | NeedsAttention
