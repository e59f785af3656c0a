"""What the companion may make of a reading."""

from collections.abc import Callable
from dataclasses import dataclass

from game.match.events import Action, Event
from game.message import Message


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
