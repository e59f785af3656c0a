"""What a reading can mean."""

from collections.abc import Callable
from dataclasses import dataclass

from game.match.events import Action, Event
from game.message import Message


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question.

    Attributes:
        label: The sentence that a person chooses.
        actions: The step of the match that the answer means.
        chosen: Called instead, if the answer is no step of the match.
    """

    label: Message
    actions: tuple[Action, ...] = ()
    chosen: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """The throw counts.

    Attributes:
        events: The step of the match.
        note: What was assumed, if anything.
        repairs: Other ways to see the throw; one tap replaces the step by one of them.
    """

    events: tuple[Event, ...]
    note: Message | None = None
    repairs: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """Somebody has to say what happened. A hold of the button chooses the first option."""

    question: Message
    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NotThrown:
    """The dice were not thrown, so the match stays as it is.

    Attributes:
        note: Why not.
        override: The answer that they were thrown after all.
    """

    note: Message
    override: Answer | None = None


@dataclass(frozen=True, slots=True)
class Attention:
    """Somebody has to fix something at the tray first; there is one sentence for each problem."""

    advice: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class EmptyTray:
    """There are no dice in the tray, so the next throw is to be read."""


Verdict = Accept | Ask | NotThrown | Attention | EmptyTray
