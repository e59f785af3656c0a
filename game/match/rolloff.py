"""The roll-off that decides who begins: the highest die wins, and tied players throw again."""

from dataclasses import dataclass, field, replace

from game.errors import IllegalMove, ThrowError
from game.match.apply_event import MAX_PLAYERS, MIN_PLAYERS
from game.rules.ruleset import FACES


@dataclass(frozen=True, slots=True)
class RollOff:
    """The dice thrown so far in a roll-off.

    Attributes:
        rolls: The faces that each seat has thrown, in order.
        open: Whether each further die adds a player. False once all players have thrown.
        again: Seats that still have to throw again because of a tie, the next one first.
        before: The roll-off one step ago, for undo.
    """

    rolls: tuple[tuple[int, ...], ...] = ()
    open: bool = True
    again: tuple[int, ...] = ()
    before: "RollOff | None" = field(default=None, compare=False, repr=False)

    def add(self, face: int) -> "RollOff":
        """Return the roll-off after the next die. While it is open, each die adds a player.

        Raises:
            ThrowError: If the face is impossible.
            IllegalMove: If there are too many players, or nobody has to throw.
        """
        if face not in FACES:
            raise ThrowError("a die shows 1 to 6, not %(face)s", face=face)
        if self.open:
            if len(self.rolls) == MAX_PLAYERS:
                raise IllegalMove(
                    "at most %(most)s players can play: hold the button to start",
                    most=MAX_PLAYERS,
                )
            return replace(self, rolls=(*self.rolls, (face,)), before=self)
        if not self.again:
            raise IllegalMove("it has already been decided who begins")
        seat, *others = self.again
        rolls = (*self.rolls[:seat], (*self.rolls[seat], face), *self.rolls[seat + 1 :])
        return _with_ties(replace(self, rolls=rolls, again=tuple(others), before=self))

    def close(self) -> "RollOff":
        """Return a copy of the roll-off that admits no further players. Tied players then have to throw again.

        Raises:
            IllegalMove: If fewer than two players have thrown.
        """
        if len(self.rolls) < MIN_PLAYERS:
            raise IllegalMove(
                "a match needs at least %(least)s players: each throws one die",
                least=MIN_PLAYERS,
            )
        return _with_ties(replace(self, open=False, before=self))

    @property
    def highest(self) -> tuple[int, ...]:
        """The seats with the highest dice, compared die by die.

        There are several if they are tied.
        """
        best = max(self.rolls, default=())
        return tuple(seat for seat, dice in enumerate(self.rolls) if dice == best)

    @property
    def seat(self) -> int | None:
        """The seat that throws next, or None if the roll-off is decided."""
        if self.open:
            return len(self.rolls)
        return self.again[0] if self.again else None

    @property
    def first(self) -> int | None:
        """The seat that begins the match, or None if the roll-off is not decided yet."""
        return None if self.open or self.again else self.highest[0]


def _with_ties(rolloff: RollOff) -> RollOff:
    """Return the roll-off in which tied seats throw again, once all seats have thrown."""
    if rolloff.again:
        return rolloff
    tied = rolloff.highest
    return replace(rolloff, again=tied if len(tied) > 1 else ())
