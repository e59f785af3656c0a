"""Bots: players whose decisions Traykeeper makes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


class BotDice(StrEnum):
    """Who throws the dice of a bot."""

    TRAY = "tray"
    """A person throws them in the tray."""

    SIMULATED = "simulated"
    """The companion simulates them."""


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
        style: The style of the person whom the bot imitates. None means best play.
        seed: Seed for the simulated dice and for decisions near a threshold, so that the same dice
            come up again after an undo.
    """

    dice: BotDice = BotDice.SIMULATED
    style: PlayerStyle | None = None
    seed: int = 0

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
        return cls(BotDice(data["dice"]), style and _style(**style), int(data["seed"]))


def _style(thresholds: list[int], **others: Any) -> PlayerStyle:
    return PlayerStyle(thresholds=tuple(map(int, thresholds)), **others)
