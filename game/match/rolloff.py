"""Who starts: each player throws one die, the highest begins, ties throw again."""

from dataclasses import dataclass, field, replace

from game.errors import IllegalMove, ThrowError
from game.match.roster import MAX_PLAYERS, MIN_PLAYERS
from game.message import Message
from game.rules.ruleset import FACES


@dataclass(frozen=True, slots=True)
class RollOff:
    """The dice thrown so far, by seat.

    While the list is `open` every die is one more player. Once it is closed only seats that tie
    for the highest throw again, in turn, until one is left. `before` is one step back, for undo.
    """

    rolls: tuple[tuple[int, ...], ...] = ()
    open: bool = True
    again: tuple[int, ...] = ()
    before: "RollOff | None" = field(default=None, compare=False, repr=False)

    def add(self, face: int) -> "RollOff":
        """The next die: a further player's while open, else of the next one who ties.

        Raises:
            ThrowError: no die has this face.
            IllegalMove: there are players enough, or nobody has to throw.
        """
        if face not in FACES:
            raise ThrowError(Message("a die shows 1 to 6, not %(face)s", face=face))
        if self.open:
            if len(self.rolls) == MAX_PLAYERS:
                raise IllegalMove(
                    Message("%(most)s players are enough: hold to begin", most=MAX_PLAYERS)
                )
            return replace(self, rolls=(*self.rolls, (face,)), before=self)
        if not self.again:
            raise IllegalMove(Message("the roll-off is decided"))
        seat, *others = self.again
        rolls = (*self.rolls[:seat], (*self.rolls[seat], face), *self.rolls[seat + 1 :])
        return _with_ties(replace(self, rolls=rolls, again=tuple(others), before=self))

    def close(self) -> "RollOff":
        """No more players.

        Raises:
            IllegalMove: fewer than two have thrown.
        """
        if len(self.rolls) < MIN_PLAYERS:
            raise IllegalMove(
                Message(
                    "a match has at least %(least)s players: one die each, please",
                    least=MIN_PLAYERS,
                )
            )
        return _with_ties(replace(self, open=False, before=self))

    @property
    def highest(self) -> tuple[int, ...]:
        """The seats whose dice, compared die by die, nobody beats."""
        best = max(self.rolls, default=())
        return tuple(seat for seat, dice in enumerate(self.rolls) if dice == best)

    @property
    def seat(self) -> int | None:
        """Whose die comes next; None when it is decided."""
        if self.open:
            return len(self.rolls)
        return self.again[0] if self.again else None

    @property
    def first(self) -> int | None:
        """The seat that begins the match, once that is decided."""
        return None if self.open or self.again else self.highest[0]


def _with_ties(rolloff: RollOff) -> RollOff:
    """Once all who had to have thrown: those who still tie throw again."""
    if rolloff.again:
        return rolloff
    tied = rolloff.highest
    return replace(rolloff, again=tied if len(tied) > 1 else ())
