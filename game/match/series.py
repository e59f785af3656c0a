"""A series of matches between the same players, such as "best of three".

Each match of a series stores the length and the id of the series with its players. The score is not stored:
`game.journal.schema` works it out from the other matches with the same id when it reads a match.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from game.errors import IllegalMove

LENGTHS = (3, 5, 7, 9)
"""The numbers of matches that a series can have. They are odd, so that two players cannot tie."""

SINGLE_MATCH = 1
"""The length that stands for a match without a series."""

_ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Series:
    """The series to which a match belongs, and what is known about its other matches.

    The side that first wins more than half of the matches wins the series. With more than two sides, the series can
    therefore be longer than its number says.

    Attributes:
        best_of: Number of matches, one of `LENGTHS`.
        id: Id that all matches of the series share: sixteen hexadecimal digits.
        others: Number of the other matches of the series that somebody has won.
        other_wins: Number of these matches that each player has won, alone or in a team, by name.
    """

    best_of: int
    id: str
    others: int = field(default=0, compare=False)
    other_wins: Mapping[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.best_of not in LENGTHS:
            raise IllegalMove(
                "a series has %(lengths)s or %(last)s matches, not %(found)s",
                lengths=", ".join(map(str, LENGTHS[:-1])),
                last=LENGTHS[-1],
                found=str(self.best_of),
            )
        if len(self.id) != _ID_CHARACTERS or not set(self.id) <= set("0123456789abcdef"):
            raise IllegalMove("the id of a series has sixteen digits 0 to 9 or a to f")

    @property
    def needed(self) -> int:
        """Number of matches that win the series."""
        return self.best_of // 2 + 1

    def wins_of(self, names: Iterable[str]) -> int:
        """Return how many of the other matches a side has won.

        Args:
            names: Names of the players of the side. Who has joined a team later has fewer wins than the team.
        """
        return max(self.other_wins.get(name, 0) for name in names)

    def renamed(self, before: str, after: str) -> Self:
        """Return the series after a player was given another name."""
        wins = {after if name == before else name: n for name, n in self.other_wins.items()}
        return replace(self, other_wins=wins)

    def after(
        self, start_names: Sequence[str], names: Sequence[str], winners: Collection[int]
    ) -> Self:
        """Return the series with one more of the other matches counted.

        Args:
            start_names: Names of the players at the start of that match, by seat.
            names: Names of the players at its end, by seat.
            winners: Seats of the winner, or of all players of the winning team; empty if nobody has won yet.
        """
        wins = dict(self.other_wins)
        renamed = zip(start_names, names, strict=False)
        wins |= {new: wins.pop(old) for old, new in renamed if old in wins}
        for seat in winners:
            wins[names[seat]] = wins.get(names[seat], 0) + 1
        return replace(self, others=self.others + bool(winners), other_wins=wins)

    def to_json(self) -> dict[str, Any]:
        """Return what is stored with each match of the series."""
        return {"best_of": self.best_of, "id": self.id}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the series that `to_json` wrote, without its other matches.

        Raises:
            IllegalMove: If the length or the id is not valid.
            KeyError, TypeError: If the JSON does not describe a series.
        """
        return cls(data["best_of"], data["id"])
