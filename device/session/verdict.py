"""The verdicts: the possible meanings of a reading of the tray for the match."""

from dataclasses import dataclass

from device.session.placement import Placement
from game.commands import CallPlayers
from game.match.events import Action, Event, Place
from game.match.match import Match
from game.message import Message


@dataclass(frozen=True, slots=True)
class BankAlone:
    """What an answer leads to: the turn is banked, and nobody threw the dice in the tray.

    Attributes:
        places: Where those dice lie.
    """

    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class CountDice:
    """What an answer leads to: dice count as a throw without a match, or a die as one of the roll-off."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """What an answer leads to: a match to which a club board called the players begins, or is declined.

    Attributes:
        call: The call, whose sender is told the answer.
        match: The match to begin; None declines it.
    """

    call: CallPlayers
    match: Match | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a question.

    Attributes:
        label: The sentence that a person chooses.
        actions: The actions of the match step that the answer stands for; empty if it stands for none.
        leads_to: What choosing the answer leads to, if that is not just a match step; otherwise None.
    """

    label: Message
    actions: tuple[Action, ...] = ()
    leads_to: BankAlone | CountDice | AnswerCall | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """The verdict that the throw counts.

    Attributes:
        events: The events of the match step that records the throw.
        note: A message saying what was assumed; None if nothing was.
        repairs: Other interpretations of the throw; one tap replaces the match step with one of them.
    """

    events: tuple[Event, ...]
    note: Message | None = None
    repairs: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The verdict that somebody has to say what happened. Holding the button chooses the first option.

    Attributes:
        question: The question for the players.
        options: The possible answers.
    """

    question: Message
    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NotThrown:
    """The verdict that the dice were not thrown, so the match stays as it is.

    Attributes:
        note: A message saying why the dice do not count as thrown.
        override: The answer that the dice were thrown after all; None if that answer is not offered.
    """

    note: Message
    override: Answer | None = None


@dataclass(frozen=True, slots=True)
class Attention:
    """The verdict that somebody has to fix something at the tray first.

    Attributes:
        advice: What to do, one sentence for each problem.
    """

    advice: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class EmptyTray:
    """The verdict that the tray is empty, so the next dice in it will be read as a new throw."""


Verdict = Accept | Ask | NotThrown | Attention | EmptyTray
